package mix_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

var fitted = fittest.Fit

func encoded(f *forest.Forest) []byte {
	return must.Value(f.MarshalBinary())
}

// rows returns n normal rows of p features; add adds a row's class or value.
func rows(n, p int, add func(d *datasets.Dataset, x []float32, rng *rand.Rand)) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(1, 2))
	d := &datasets.Dataset{Columns: make([][]float32, p), Features: make([]datasets.Feature, p)}
	x := make([]float32, p)
	for range n {
		for j := range x {
			x[j] = float32(rng.NormFloat64())
			d.Columns[j] = append(d.Columns[j], x[j])
		}
		add(d, x, rng)
	}
	return d
}

// classes returns n normal rows of p features, whose class depends on a sum of features, and
// a tenth of which have another.
func classes(n, p, k int) *datasets.Dataset {
	d := rows(n, p, func(d *datasets.Dataset, x []float32, rng *rand.Rand) {
		class := int32(math.Abs(float64(x[0]+x[p-1]))*2) % int32(k)
		if rng.IntN(10) == 0 {
			class = rng.Int32N(int32(k))
		}
		d.Labels = append(d.Labels, class)
	})
	d.Classes = make([]string, k)
	return d
}

func values(n, p int) *datasets.Dataset {
	return rows(n, p, func(d *datasets.Dataset, x []float32, rng *rand.Rand) {
		d.Values = append(d.Values, float64(x[0]-2*x[p-1])+0.1*rng.NormFloat64())
	})
}

func weighted(d *datasets.Dataset) *datasets.Dataset {
	w := *d
	w.Weights = nil
	for i := range d.N() {
		w.Weights = append(w.Weights, float32(i%4)/2)
	}
	return &w
}

func TestZeroTreesAre500(t *testing.T) {
	f := fitted(mix.Learner{}, classes(30, 3, 2))
	if len(f.Trees) != 500 || f.Method != "mix" || f.Rule != forest.Average || f.Sampling != (forest.Sampling{}) {
		t.Errorf("%d trees, method %q, rule %v, sampling %+v", len(f.Trees), f.Method, f.Rule, f.Sampling)
	}
}

func TestErrors(t *testing.T) {
	good := classes(20, 4, 2)
	for _, c := range []struct {
		l    mix.Learner
		want string
	}{
		{mix.Learner{Trees: -3}, "-3 trees"},
		{mix.Learner{MinLeaf: -1}, "MinLeaf"},
	} {
		_, err := c.l.Fit(context.Background(), good)
		readtest.WantError(t, err, "mix: ", c.want)
	}
}

func TestSharesErrors(t *testing.T) {
	d := classes(50, 4, 2)
	few, other := fitted(mix.Learner{Trees: mix.Pilots}, d), fitted(rf.Learner{Trees: 30}, d)
	good := fitted(mix.Learner{Trees: 30}, d)
	for _, c := range []struct {
		f    *forest.Forest
		d    *datasets.Dataset
		want string
	}{
		{few, d, "mix: "}, {other, d, `"rf"`}, {good, classes(49, 4, 2), "want the training data"},
	} {
		_, err := mix.Shares(context.Background(), c.f, c.d)
		readtest.WantError(t, err, c.want)
	}
}

// One tree is grown by several workers, those of many rows and few features share searches, and
// the fits of large nodes take a part of the rows.
func TestSameBytesOnAnyNumberOfCores(t *testing.T) {
	for name, c := range map[string]struct {
		d *datasets.Dataset
		l mix.Learner
	}{
		"two classes":     {classes(3000, 12, 2), mix.Learner{Trees: 24}},
		"three, weighted": {weighted(classes(1000, 7, 3)), mix.Learner{Trees: 24}},
		"values":          {values(1000, 6), mix.Learner{Trees: 24}},
		"large":           {classes(20000, 20, 2), mix.Learner{Trees: 1}},
		"of fits, honest": {classes(1000, 7, 3), mix.Learner{Trees: 24, BootstrapFits: true, Honest: true}},
	} {
		fittest.SameBytes(t, name, c.l, c.d)
	}
}

// The hashes are of the forests of the commit that added the test. Fits are summed in the same order on
// every processor, so they are the same with and without assembly (tag noasm).
func TestGolden(t *testing.T) {
	slope := sim.Trunk{Features: 9}.Sample(300, 1)
	for i := range slope.N() {
		slope.Values = append(slope.Values, float64(slope.Columns[0][i])-2*float64(slope.Columns[3][i]))
	}
	slope.Labels, slope.Classes = nil, nil
	for name, c := range map[string]struct {
		d    *datasets.Dataset
		want string
	}{
		"classes":  {sim.Trunk{Features: 9}.Sample(300, 1), "e6964f6847bde336"},
		"weighted": {weighted(sim.Hypercube{Features: 7, Multiclass: true}.Sample(0, 1)), "391b87550571fad8"},
		"values":   {slope, "3b871c500267c722"},
	} {
		b := encoded(fitted(mix.Learner{Trees: 25, Seed: 9}, c.d))
		sections := b[24 : len(b)-8] // without the file's version and checksum
		if got := fmt.Sprintf("%x", sha256.Sum256(sections))[:16]; got != c.want {
			t.Errorf("%s: hash %s, want %s", name, got, c.want)
		}
	}
}

// Parts of a forest and forests that are continued are the forest grown at once, wherever they
// are cut: within the pilot trees, after them, or later.
func TestPartsAndContinuedForests(t *testing.T) {
	ctx, n := context.Background(), mix.Pilots+6
	for name, c := range map[string]struct {
		d *datasets.Dataset
		l mix.Learner
	}{
		"classes":         {classes(200, 6, 3), mix.Learner{}},
		"values":          {values(200, 6), mix.Learner{}},
		"of fits, honest": {classes(200, 6, 3), mix.Learner{BootstrapFits: true, Honest: true}},
	} {
		l, d := c.l, c.d
		l.Trees, l.Seed = n, 2
		want := encoded(fitted(l, d))
		for _, cut := range []int{1, mix.Pilots - 1, mix.Pilots, mix.Pilots + 1, n - 1} {
			shorter := l
			shorter.Trees = cut
			continued := must.Value(forest.Grow(ctx, l, d, forest.Options{Grown: fitted(shorter, d)}))
			if !bytes.Equal(encoded(continued), want) {
				t.Errorf("%s: another forest when continued from %d trees", name, cut)
			}
			var parts []*forest.Part
			for _, r := range [][2]int{{0, cut}, {cut, n}} {
				last := 0
				counted := forest.WithProgress(ctx, func(done, _ int) { last = done })
				parts = append(parts, must.Value(forest.FitPart(counted, l, d, r[0], r[1])))
				if last != r[1]-r[0] {
					t.Errorf("%s: the last progress of trees %d … %d is %d", name, r[0], r[1]-1, last)
				}
			}
			joined := must.Value(forest.Join(parts...))
			if !bytes.Equal(encoded(joined), want) {
				t.Errorf("%s: another forest when joined of parts cut at %d", name, cut)
			}
		}
	}
	_, err := forest.FitPart(ctx, mix.Learner{Trees: 30}, classes(50, 3, 2), 25, 31)
	readtest.WantError(t, err, "has 30")
}

// learned returns the shares that are learned from d, averaged over three seeds.
func learned(t *testing.T, d *datasets.Dataset) (mean [mix.Sources]float64) {
	for seed := range uint64(3) {
		f := fitted(mix.Learner{Trees: mix.Pilots + 1, Seed: seed}, d)
		shares := must.Value(mix.Shares(context.Background(), f, d))
		for s, share := range shares {
			mean[s] += share / 3
		}
	}
	return mean
}

// The largest share has the source whose candidates the data were made for. (Sparse parity isn't made
// for any of them: it is constant in boxes.)
func TestSharesFavourTheSourceThatSuits(t *testing.T) {
	slanted := rows(400, 12, func(d *datasets.Dataset, x []float32, rng *rand.Rand) {
		// Two normal classes with a large common factor, which differ in the other direction.
		class, factor := rng.IntN(2), 3*float32(rng.NormFloat64())
		for j, col := range d.Columns {
			col[len(col)-1] += factor + float32(1-2*(j%2))*(float32(class)-0.5)
		}
		d.Labels = append(d.Labels, int32(class))
	})
	slanted.Classes = make([]string, 2)
	stripes := rows(500, 6, func(d *datasets.Dataset, x []float32, rng *rand.Rand) {
		d.Labels = append(d.Labels, int32(math.Floor(float64(x[1]-x[4])))&1)
	})
	stripes.Classes = make([]string, 2)
	for _, c := range []struct {
		name string
		d    *datasets.Dataset
		want mix.Source
	}{
		{"boxes", sim.Orthant{Features: 6}.Sample(400, 1), mix.Single},
		{"stripes", stripes, mix.Signs},
		{"slanted normal classes", slanted, mix.Many},
	} {
		shares := learned(t, c.d)
		t.Logf("%s: %.2f", c.name, shares)
		for s, share := range shares {
			if mix.Source(s) != c.want && share >= shares[c.want] {
				t.Errorf("%s: %v has %.2f of the time, %v %.2f", c.name, mix.Source(s), share, c.want, shares[c.want])
			}
		}
	}
}

// Trees behind the pilots are grown with the learned shares: where one source has most of the
// time, most splits are its own.
func TestLaterTreesUseTheShares(t *testing.T) {
	d := sim.Orthant{Features: 6}.Sample(400, 1)
	f := fitted(mix.Learner{Trees: 60, Seed: 1}, d)
	single := func(trees []forest.Tree) float64 {
		axes, all := 0.0, 0.0
		for k := range trees {
			for _, n := range trees[k].Nodes {
				if !n.IsLeaf() {
					all++
					if trees[k].Splits.At(n.Split).Kind == forest.Axis {
						axes++
					}
				}
			}
		}
		return axes / all
	}
	first, later := single(f.Trees[:mix.Pilots]), single(f.Trees[mix.Pilots:])
	if !(later > first+0.1) {
		t.Errorf("%.2f of the pilots' splits are single features, and %.2f of the others'", first, later)
	}
}

// A saved forest gives the same shares, also behind a pipeline.
func TestSharesOfASavedForest(t *testing.T) {
	ctx, d := context.Background(), classes(200, 6, 3)
	plain := fitted(mix.Learner{Trees: 25}, d)
	want := must.Value(mix.Shares(ctx, plain, d))
	sum := 0.0
	for _, s := range want {
		sum += s
	}
	if math.Abs(sum-1) > 1e-12 || slices.Min(want[:]) < 0.05-1e-12 {
		t.Errorf("shares %v", want)
	}
	path := filepath.Join(t.TempDir(), "model")
	must.Do(plain.Save(path))
	loaded := must.Value(forest.Load(path))
	if got, err := mix.Shares(ctx, loaded, d); err != nil || got != want {
		t.Errorf("shares %v, error %v; want %v", got, err, want)
	}
	piped := fitted(forest.Pipeline(mix.Learner{Trees: 25}, datasets.Standardise{}), d)
	standardised, _, err := datasets.Standardise{}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	x := must.Value(standardised.Apply(ctx, d))
	want = must.Value(mix.Shares(ctx, fitted(mix.Learner{Trees: 25}, x), x))
	if got := must.Value(mix.Shares(ctx, piped, d)); got != want {
		t.Errorf("pipeline: shares %v; want %v", got, want)
	}
}

// Neither the scale of all weights nor that of all features matters, for powers of two that
// don't round.
func TestScaleMakesNoDifference(t *testing.T) {
	d := weighted(classes(300, 6, 3))
	scaled := fittest.Times(d, 10)
	scaled.Weights = nil
	for _, w := range d.Weights {
		scaled.Weights = append(scaled.Weights, 4*w)
	}
	l := mix.Learner{Trees: 25}
	fittest.SameLeaves(t, "in other units", fitted(l, d), d, fitted(l, scaled), scaled)
}

// The loop over nodes allocates nothing: trees of more nodes take few more allocations.
func TestFitAllocatesLittle(t *testing.T) {
	allocations := func(n int) (allocs float64, nodes int) {
		d := classes(n, 12, 3)
		for _, tree := range fitted(mix.Learner{Trees: 3}, d).Trees {
			nodes += len(tree.Nodes)
		}
		return testing.AllocsPerRun(2, func() { fitted(mix.Learner{Trees: 3}, d) }), nodes
	}
	few, fewNodes := allocations(300)
	many, manyNodes := allocations(3000)
	if manyNodes < 5*fewNodes || many-few > float64(manyNodes-fewNodes)/10 {
		t.Errorf("%v allocations for %d nodes, %v for %d", few, fewNodes, many, manyNodes)
	}
}

func BenchmarkFit(b *testing.B) {
	fittest.Benchmark(b, map[string]*datasets.Dataset{
		"trunk":     sim.Trunk{Features: 20}.Sample(2000, 1),
		"hypercube": sim.Hypercube{Features: 8, Multiclass: true}.Sample(0, 1),
		"values":    values(2000, 10),
	}, mix.Learner{Trees: 40}, sporf.Learner{Trees: 40})
}
