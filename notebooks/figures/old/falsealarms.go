package old

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// coinSets are the sets whose features falseAlarms takes: 20 with only numbers and without missing cells.
var coinSets = strings.Fields(`
	balance-scale banknote blood breast-cancer-wisc-diag bupa conn-bench-sonar-mines-rocks conn-bench-vowel-deterding
	ecoli glass haberman-survival heart_failure hill-valley image-segmentation ionosphere libras pima seeds
	statlog-vehicle waveform wine-quality-red`)

// falseAlarms measures how often [eval.Compare] claims a difference, at the level
// 0.05, first where methods are equally good and then where they aren't. All forests have ten
// trees, and all comparisons are on five folds, twice. A run is one comparison of up to 200
// rows. Its score is the smallest of Holm's p-values; More has
//
//	naive    the same of paired t-tests without the correction for shared training rows
//	pays     1 if the verdict is that oblique splits pay
//	low      the lower end of the interval of the last contender's difference, in error rate
//	high     its upper end
//
// Methods are equal in four ways; X is 0:
//
//	coin     classes are independent of the features, half of the rows each, so every method errs
//	         on half of the test rows: a random forest, extra trees, SPORF and CCF, on the
//	         features of 20 real sets
//	rotated  a random forest on two spherical Gaussians and one on the same rows rotated, whose
//	         splits are therefore oblique
//	halves   a random forest on five features and one on five others, which are like them
//	seeds    a random forest with two seeds
//
// For power, SPORF is compared with a random forest on sim.Trunk with ten features, where it is
// a few points better, and on one whose class is the sign of the difference of two correlated
// features of five, where it is better by more; X is the number of rows. More then has also "true", the
// difference of their errors on 2000 new rows if they are trained on four fifths of the rows.
// The fast setting has two repeats.
func falseAlarms(s size) []Run {
	others := pick(s, 2, 500)
	twins := func(name string, draw func(seed uint64) *datasets.Dataset) []Run {
		return repeated(name, name, 0, others, func(ctx context.Context, t *trial) error {
			left, right := forest.Pipeline(tenTrees(t.Seed), half(0)), forest.Pipeline(tenTrees(t.Seed), half(1))
			return compared(ctx, t, draw(t.Seed), eval.Contender{Name: "left", Learner: left},
				eval.Contender{Name: "right", Learner: right, Oblique: true})
		})
	}
	power := func(name string, sample func(rows int, seed uint64) *datasets.Dataset) []Run {
		return study{
			problems: []problem{{name: name}}, methods: []method{{name: "power"}},
			xs: []int{100, 200, 400}, repeats: pick(s, 2, 200),
			do: func(ctx context.Context, t *trial) error { return powerComparison(ctx, t, sample) },
		}.runs()
	}
	runs := slices.Concat(
		study{
			problems: problems(coinSets, nil), methods: []method{{name: "coin"}}, repeats: pick(s, 2, 50), do: coinComparison,
		}.runs(),
		twins("rotated", rotatedTwins),
		twins("halves", likeHalves),
		repeated("halves", "seeds", 0, others, func(ctx context.Context, t *trial) error {
			return compared(ctx, t, likeHalves(t.Seed), eval.Contender{Name: "one seed", Learner: tenTrees(2 * t.Seed)},
				eval.Contender{Name: "another", Learner: tenTrees(2*t.Seed + 1), Oblique: true})
		}),
		power("trunk", trunk.Sample),
		power("difference", signOfDifference))
	for i := range runs {
		runs[i].Seed = uint64(i + 1)
	}
	return runs
}

func tenTrees(seed uint64) rf.Learner { return rf.Learner{Trees: 10, Seed: seed} }

// compared compares contenders, the first with the others, as falseAlarms says.
func compared(ctx context.Context, t *trial, d *datasets.Dataset, contenders ...eval.Contender) error {
	c, err := eval.Compare(ctx, contenders, d, eval.CompareOptions{By: eval.RepeatedKFold(0, 0, t.Seed)})
	if err != nil {
		return err
	}
	var holm, naive []float64
	for i, difference := range c.Differences[1:] {
		holm = append(holm, difference.Holm)
		naive = append(naive, eval.ResampledTTest(c.Loss[i+1], c.Loss[0], 0).P)
	}
	pays, _ := c.Verdict()
	last := c.Differences[len(c.Differences)-1].Interval
	t.Score, t.More["naive"] = slices.Min(holm), slices.Min(eval.Holm(naive))
	t.More["low"], t.More["high"], t.More["pays"] = last.Low, last.High, 0
	if pays > 0 {
		t.More["pays"] = 1
	}
	return nil
}

// coinComparison compares four methods on rows of a set, with labels that have nothing to do
// with them. Every fold has as many test rows of either class.
func coinComparison(ctx context.Context, t *trial) error {
	d, err := public.Load(ctx, t.Problem)
	if err != nil {
		return err
	}
	const rows = 200
	if d.N() < rows {
		return fmt.Errorf("figures: %s has %d rows; want %d", t.Problem, d.N(), rows)
	}
	chosen := make([]int32, rows)
	rng := forest.NewRand(t.Seed)
	rng.Choose(chosen, d.N())
	d = d.Subset(chosen)
	d.Classes, d.Labels = []string{"heads", "tails"}, make([]int32, rows)
	for i := range d.Labels {
		d.Labels[i] = int32(i % 2)
	}
	return compared(ctx, t, d,
		eval.Contender{Name: "RF", Learner: tenTrees(t.Seed)},
		eval.Contender{Name: "extra trees", Learner: rf.ExtraTrees{Trees: 10, Seed: t.Seed}},
		eval.Contender{Name: "SPORF", Learner: sporf.Learner{Trees: 10, Seed: t.Seed}, Oblique: true},
		eval.Contender{Name: "CCF", Learner: ccf.Learner{Trees: 10, Seed: t.Seed}, Oblique: true})
}

const twinRows, twinFeatures = 200, 5

// twins returns a table with two groups of features and balanced classes. Draw writes a row.
func twins(draw func(class int, left, right []float64)) *datasets.Dataset {
	rows, labels := make([][]float64, twinRows), make([]int, twinRows)
	for i := range rows {
		rows[i], labels[i] = make([]float64, 2*twinFeatures), i%2
		draw(i%2, rows[i][:twinFeatures], rows[i][twinFeatures:])
	}
	return must.Value(datasets.FromRows(rows, labels))
}

// rotatedTwins draws two Gaussians about 0 with standard deviations 1 and 1.5. The right
// features are the left ones after a random rotation or reflection. Rotated, spheres are what
// they were, so that both groups are drawn from the same distribution.
func rotatedTwins(seed uint64) *datasets.Dataset {
	rng := forest.NewRand(seed)
	axes := orthonormal(&rng, twinFeatures)
	return twins(func(class int, left, right []float64) {
		for j := range left {
			left[j] = rng.Normal() * (1 + 0.5*float64(class))
		}
		for j, axis := range axes {
			right[j] = floats.Dot(axis, left)
		}
	})
}

// orthonormal draws n orthogonal unit vectors of n numbers, by Gram and Schmidt's process on
// Gaussian ones.
func orthonormal(rng *forest.Rand, n int) [][]float64 {
	axes := make([][]float64, n)
	for i := range axes {
		axes[i] = make([]float64, n)
		for k := range axes[i] {
			axes[i][k] = rng.Normal()
		}
		for _, other := range axes[:i] {
			floats.AddScaled(axes[i], -floats.Dot(axes[i], other), other)
		}
		floats.Scale(1/floats.Norm(axes[i], 2), axes[i])
	}
	return axes
}

// likeHalves draws features that are all independent given the class, with means ±1/2.
func likeHalves(seed uint64) *datasets.Dataset {
	rng := forest.NewRand(seed)
	return twins(func(class int, left, right []float64) {
		for j := range left {
			left[j], right[j] = rng.Normal()+float64(class)-0.5, rng.Normal()+float64(class)-0.5
		}
	})
}

// half is a step that keeps the first or the second half of the columns.
type half int

func (h half) Fit(ctx context.Context, train *datasets.Dataset) (datasets.Transform, *datasets.Dataset, error) {
	d, err := h.Apply(ctx, train)
	return h, d, err
}

func (h half) Apply(_ context.Context, d *datasets.Dataset) (*datasets.Dataset, error) {
	columns := make([]int, d.P()/2)
	for j := range columns {
		columns[j] = int(h)*len(columns) + j
	}
	return d.Select(columns...), nil
}

// signOfDifference draws five Gaussian features, of which the first two have half of their variance in
// common; the class is the sign of their difference.
func signOfDifference(rows int, seed uint64) *datasets.Dataset {
	rng := forest.NewRand(seed)
	cells, labels := make([][]float64, rows), make([]int, rows)
	for i := range cells {
		for range 5 {
			cells[i] = append(cells[i], rng.Normal())
		}
		if cells[i][0] > cells[i][1] {
			labels[i] = 1
		}
		common := rng.Normal()
		cells[i][0] += common
		cells[i][1] += common
	}
	return must.Value(datasets.FromRows(cells, labels))
}

// powerComparison compares SPORF with a random forest where it is better, as falseAlarms says.
func powerComparison(ctx context.Context, t *trial, sample func(rows int, seed uint64) *datasets.Dataset) error {
	oblique := sporf.Learner{Trees: 10, Density: 0.5, Seed: t.Seed}
	err := compared(ctx, t, sample(t.X, t.Seed), eval.Contender{Name: "RF", Learner: tenTrees(t.Seed)},
		eval.Contender{Name: "SPORF", Learner: oblique, Oblique: true})
	if err != nil {
		return err
	}
	t.train, t.test = sample(t.X*4/5, t.Seed+1e6), sample(2000, t.Seed+2e6)
	for i, learner := range []forest.Learner{tenTrees(t.Seed), oblique} {
		if err := t.fit(ctx, learner); err != nil {
			return err
		}
		labels, err := t.model.Predict(ctx, t.test)
		if err != nil {
			return err
		}
		t.More["true"] += float64(2*i-1) * eval.Error(labels, t.test.Labels)
	}
	return nil
}
