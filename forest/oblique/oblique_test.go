package oblique_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	_ "github.com/obliqua-ml/obliqua/internal/steady"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/sim"
)

var fitted = fittest.Fit

// table returns n normal rows and p features; label says the class of a row.
func table(n, p, classes int, label func(x []float32) int32) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(1, 2))
	d := &datasets.Dataset{Columns: make([][]float32, p), Features: make([]datasets.Feature, p),
		Classes: make([]string, classes)}
	x := make([]float32, p)
	for range n {
		for j := range x {
			x[j] = float32(rng.NormFloat64())
			d.Columns[j] = append(d.Columns[j], x[j])
		}
		d.Labels = append(d.Labels, label(x))
	}
	return d
}

// noise returns a table with classes that are independent of its features.
func noise(n, p, classes int) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(3, 4))
	return table(n, p, classes, func([]float32) int32 { return int32(rng.IntN(classes)) })
}

func TestZeroValueIsObliqueRF(t *testing.T) {
	for p, m := range map[int]int{1: 1, 2: 2, 3: 2, 8: 2, 9: 3, 10: 3} {
		d := noise(60, p, 3)
		got := fitted(oblique.Learner{Seed: 3}, d)
		want := fitted(oblique.Learner{Trees: 100, NodeFeatures: m, Candidates: 1, Seed: 3}, d)
		if fmt.Sprint(got) != fmt.Sprint(want) || len(got.Trees) != 100 || got.Method != "oblique" ||
			got.Rule != forest.Plurality || got.Sampling != (forest.Sampling{}) || got.Seed != 3 {
			t.Errorf("%d features: the zero value grows another forest", p)
		}
	}
}

func TestErrors(t *testing.T) {
	good := noise(20, 4, 2)
	values, missing := *good, *good
	values.Labels, values.Classes, values.Values = nil, nil, make([]float64, good.N())
	missing.Columns = slices.Clone(good.Columns)
	missing.Columns[2] = slices.Clone(good.Columns[2])
	missing.Columns[2][7] = float32(math.NaN())
	for _, c := range []struct {
		l    oblique.Learner
		d    *datasets.Dataset
		want string
	}{
		{oblique.Learner{NodeFeatures: 5}, good, "NodeFeatures 5"},
		{oblique.Learner{NodeFeatures: -1}, good, "NodeFeatures -1"},
		{oblique.Learner{Candidates: -2}, good, "Candidates -2"},
		{oblique.Learner{Trees: -3}, good, "-3 trees"},
		{oblique.Learner{Growth: forest.Growth{Criterion: forest.SquaredError}}, good, "SquaredError"},
		{oblique.Learner{}, &values, "want labels"},
		{oblique.Learner{}, &missing, "missing"},
	} {
		_, err := c.l.Fit(context.Background(), c.d)
		readtest.WantError(t, err, c.want)
	}
}

// One of the sets is so large that workers copy the cells of nodes, one has
// weights and one so many features that the linear algebra is done in blocks.
// Single trees are grown by several workers.
func TestSameBytesOnAnyNumberOfCores(t *testing.T) {
	weighted := noise(3000, 7, 3)
	for i := range weighted.N() {
		weighted.Weights = append(weighted.Weights, float32(i%4)/2)
	}
	for name, c := range map[string]struct {
		d *datasets.Dataset
		l oblique.Learner
	}{
		"large":    {noise(20000, 30, 2), oblique.Learner{Trees: 1, Growth: forest.Growth{MinLeaf: 20}}},
		"wide":     {noise(500, 180, 2), oblique.Learner{Trees: 2, NodeFeatures: 170, LDA: true}},
		"weighted": {weighted, oblique.Learner{Trees: 1, Candidates: 3}},
	} {
		fittest.SameBytes(t, name, c.l, c.d)
	}
}

// Multiplying all weights, or all features, by a constant doesn't change trees. By a power
// of 2 rounding is the same, so all rows reach the same leaves.
func TestUnitsDontMatter(t *testing.T) {
	d := noise(200, 6, 3)
	for i := range d.N() {
		d.Weights = append(d.Weights, float32(1+i%3))
	}
	scaled := fittest.Times(d, 10)
	scaled.Weights = nil
	for _, w := range d.Weights {
		scaled.Weights = append(scaled.Weights, 4*w)
	}
	for _, lda := range []bool{false, true} {
		l := oblique.Learner{Trees: 5, NodeFeatures: 4, LDA: lda}
		fittest.SameLeaves(t, fmt.Sprint("LDA ", lda), fitted(l, d), d, fitted(l, scaled), scaled)
	}
}

// The root separates linearly separable classes, if the model has all features.
func TestSeparableClassesTakeOneSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	d := table(300, 5, 2, func(x []float32) int32 { return int32(rng.IntN(2)) })
	for i, y := range d.Labels {
		for _, col := range d.Columns {
			col[i] += 6 * float32(y) // normal classes 13 standard deviations apart
		}
	}
	for _, lda := range []bool{false, true} {
		for k, tree := range fitted(oblique.Learner{Trees: 10, NodeFeatures: 5, LDA: lda}, d).Trees {
			if root := tree.Splits.At(tree.Nodes[0].Split); len(tree.Nodes) != 3 || len(root.Features) != 5 {
				t.Errorf("LDA %v, tree %d: %d nodes, %d features", lda, k, len(tree.Nodes), len(root.Features))
			}
		}
	}
}

// With more candidates, of which the best is kept, the root decreases impurity more, on
// average over trees.
func TestTrialsKeepTheBest(t *testing.T) {
	d := sim.Orthant{Features: 5}.Sample(400, 1)
	decrease := func(trials int) (mean float64) {
		l := oblique.Learner{Trees: 50, NodeFeatures: 2, Candidates: trials, Growth: forest.Growth{MaxDepth: 1}}
		for _, tree := range fitted(l, d).Trees {
			mean += float64(tree.Nodes[0].Weight) / 50
		}
		return mean
	}
	if one, ten := decrease(1), decrease(10); ten < 1.1*one {
		t.Errorf("impurity decreases by %v with 10 trials, by %v with one", ten, one)
	}
}

// The loop over nodes allocates nothing: a forest with 20 times as many nodes takes the
// same number of allocations.
func TestFitAllocatesLittle(t *testing.T) {
	for _, classes := range []int{2, 4} {
		d := noise(3000, 12, classes)
		allocs := func(leaf int) float64 {
			l := oblique.Learner{Trees: 1, Candidates: 2, Growth: forest.Growth{MinLeaf: leaf}}
			return testing.AllocsPerRun(2, func() { fitted(l, d) })
		}
		if few, many := allocs(300), allocs(1); many > few+100 {
			t.Errorf("%d classes: %v allocations for a large tree, %v for a small one", classes, many, few)
		}
	}
}

// GRAF, figure 4b: with as many classes as numbers of ones that a hypercube's
// vertices have, and M = K = p, OT does better than a random forest. (Figure 4a is
// no test: no linear model of all features predicts parity.)
func TestHypercube(t *testing.T) {
	corners := sim.Hypercube{Features: 8, Multiclass: true}.Sample(0, 1)
	train, test, err := datasets.Holdout{Test: 0.3, Seed: 1}.Split(corners)
	if err != nil {
		t.Fatal(err)
	}
	kappa := func(l forest.Learner) float64 {
		return eval.Kappa(must.Value(fitted(l, train).Predict(t.Context(), test)), test.Labels)
	}
	axes := kappa(rf.Learner{Trees: 50})
	for _, lda := range []bool{false, true} {
		ours := kappa(oblique.Learner{Trees: 50, NodeFeatures: 8, Candidates: 8, LDA: lda})
		if ours < axes+0.1 {
			t.Errorf("LDA %v: κ %.3f, of a random forest %.3f", lda, ours, axes)
		}
	}
}

// GRAF, table D.1: κ of OT over the four folds of Fernández-Delgado and others,
// with its standard deviation. The paper tunes M, with K = M; these take √p,
// rounded, and 30 trees. On statlog-vehicle κ is 0.1 more than the paper's, which
// doesn't say how its OT divides several classes, so only less is a failure.
func TestKappaOfTableD1(t *testing.T) {
	folder := os.Getenv("OBLIQUA_DATA")
	if folder == "" || testing.Short() {
		t.Skip("needs OBLIQUA_DATA, and takes seconds")
	}
	for _, c := range []struct {
		name     string
		m        int
		want, sd float64
	}{
		{"breast-cancer-wisc", 3, 0.956, 0.018},
		{"ionosphere", 6, 0.868, 0.011},
		{"statlog-vehicle", 4, 0.637, 0.019},
		{"waveform", 5, 0.798, 0.021},
	} {
		d := must.Value(public.Load(context.Background(), "fd_"+c.name))
		folds := must.Value(datasets.ReadKFold(t.Context(), filepath.Join(folder, "fd_folds", c.name+".kfold.txt.gz"), d.N()))
		for _, lda := range []bool{false, true} {
			l := oblique.Learner{NodeFeatures: c.m, Candidates: c.m, LDA: lda, Seed: 1}
			scores := must.Value(eval.CrossValidate(context.Background(), l, d, eval.Predefined(folds...)))
			kappa, _ := scores.Summary(func(s eval.Score) float64 { return s.Kappa })
			t.Logf("%s, LDA %v: κ %.3f, in the paper %.3f ± %.3f", c.name, lda, kappa, c.want, c.sd)
			if kappa < c.want-2*c.sd {
				t.Errorf("%s, LDA %v: κ %.3f, in the paper %.3f ± %.3f", c.name, lda, kappa, c.want, c.sd)
			}
		}
	}
}

func BenchmarkFit(b *testing.B) {
	for name, d := range map[string]*datasets.Dataset{
		"trunk":     sim.Trunk{Features: 50}.Sample(5000, 1),
		"hypercube": sim.Hypercube{Features: 10, Multiclass: true}.Sample(0, 1),
	} {
		p := d.P()
		fittest.Benchmark(b, map[string]*datasets.Dataset{name: d}, oblique.Learner{Trees: 10},
			oblique.Learner{Trees: 10, LDA: true}, oblique.Learner{Trees: 10, NodeFeatures: p},
			oblique.Learner{Trees: 10, NodeFeatures: p / 2, Candidates: p / 2})
	}
}
