package quantile

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// heteroscedastic returns rows of value x₀ + noise, whose standard deviation is 0.2 for x₁ < 0
// and 1 for x₁ > 0. Values are multiples of 1/64.
func heteroscedastic(n int, seed uint64) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := &datasets.Dataset{Target: "y", Features: []datasets.Feature{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Columns: make([][]float32, 3)}
	for range n {
		for j := range d.Columns {
			d.Columns[j] = append(d.Columns[j], float32(2*rng.Float64()-1))
		}
		sd := 0.2
		if d.Columns[1][len(d.Values)] > 0 {
			sd = 1
		}
		y := float64(d.Columns[0][len(d.Values)]) + sd*rng.NormFloat64()
		d.Values = append(d.Values, math.Round(64*y)/64)
	}
	return d
}

// honestForest grows honest trees of single features.
type honestForest struct{}

func (honestForest) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return grow.Forest(ctx, train, grow.Params{Method: "honest", Trees: 15, Seed: 3, Honest: true},
		func() grow.Source { return grow.NewAxes(nil, train.P(), 2, grow.Search) })
}

func cases() map[string]struct {
	learner forest.Learner
	train   *datasets.Dataset
} {
	plain, weighted := heteroscedastic(120, 1), heteroscedastic(120, 2)
	for i := range weighted.N() {
		weighted.Weights = append(weighted.Weights, float32(i%4)/2)
	}
	few := heteroscedastic(120, 4)
	few.Weights = make([]float32, 120)
	few.Weights[3], few.Weights[50] = 1, 1
	missing := heteroscedastic(120, 3)
	for i := 0; i < 120; i += 7 {
		missing.Columns[1][i] = float32(math.NaN())
	}
	rows := make([]int32, 90)
	for i := range rows {
		rows[i] = int32(119 - i)
	}
	type c = struct {
		learner forest.Learner
		train   *datasets.Dataset
	}
	return map[string]c{
		"random forest": {rf.Learner{Trees: 20, Seed: 1}, plain},
		"larger leaves": {rf.Learner{Trees: 20, Seed: 1, Growth: forest.Growth{MinLeaf: 5}}, plain},
		"subsamples": {sporf.Learner{Trees: 20, Seed: 1,
			Sampling: forest.Sampling{Fraction: 0.5, WithoutReplacement: true}}, plain},
		"weights":     {rf.Learner{Trees: 20, Seed: 1, Growth: forest.Growth{MinLeaf: 3}}, weighted},
		"few weights": {rf.Learner{Trees: 20, Seed: 1}, few},
		"honest":      {honestForest{}, weighted},
		"a view":      {rf.Learner{Trees: 10, Seed: 1}, plain.Subset(rows)},
		"a pipeline": {forest.Pipeline(rf.Learner{Trees: 10, Seed: 1}, datasets.Impute{}, datasets.Standardise{}),
			missing},
	}
}

// sampled says which rows a tree is grown on: those that were drawn and have a weight or, if there are none, all
// with a weight.
func sampled(f *forest.Forest, d *datasets.Dataset, tree int) []bool {
	weighty := func(i int) bool { return d.Weights == nil || d.Weights[i] > 0 }
	counts := f.Sampling.Counts(nil, d.N(), f.Seed, tree)
	in := make([]bool, d.N())
	for i, c := range counts {
		in[i] = c > 0 && weighty(i)
	}
	if !slices.Contains(in, true) {
		for i := range in {
			in[i] = weighty(i)
		}
	}
	return in
}

func fitted(t *testing.T, learner forest.Learner, train *datasets.Dataset) (*forest.Forest, *Model) {
	t.Helper()
	f := must.Value(learner.Fit(t.Context(), train))
	m := must.Value(Fit(t.Context(), f, train))
	return f, m
}

// An oracle computes the weights of training rows by their definition, tree by tree and row by row.
type oracle struct {
	f      *forest.Forest
	train  *datasets.Dataset
	leaves [][]int32 // of the training rows
}

func (o *oracle) weights(leaves []int32, trees func(t int) bool) []float64 {
	n := o.train.N()
	weights := make([]float64, n)
	used := 0.0
	for t := range o.f.Trees {
		if !trees(t) {
			continue
		}
		used++
		counts := o.f.LeafCounts(nil, o.train, t)
		total := 0.0
		for _, count := range []bool{true, false} {
			for j := range n {
				w := float64(counts[j])
				if o.train.Weights != nil {
					w *= float64(o.train.Weights[j])
				}
				if o.leaves[j][t] != leaves[t] {
					continue
				}
				if count {
					total += w
				} else {
					weights[j] += w / total
				}
			}
		}
	}
	for j := range weights {
		weights[j] /= used
	}
	return weights
}

// quantile returns the least value whose weight with that of all smaller ones reaches the level.
func (o *oracle) quantile(weights []float64, level float64) float64 {
	best := math.Inf(1)
	for j, y := range o.train.Values {
		sum := 0.0
		for k, z := range o.train.Values {
			if z <= y {
				sum += weights[k]
			}
		}
		if sum >= level-1e-6 && y < best && weights[j] > 0 {
			best = y
		}
	}
	return best
}

var levels = []float64{0.5, 0.025, 0.1, 0.9, 0.975} // in no order

func TestLeafQuantilesAgainstWeightsOfRowsThatShareLeaves(t *testing.T) {
	for name, c := range cases() {
		f, m := fitted(t, c.learner, c.train)
		o := &oracle{f: f, train: c.train, leaves: must.Value(f.Apply(t.Context(), c.train))}
		test := heteroscedastic(25, 9)
		got := must.Value(m.LeafQuantiles(t.Context(), test, levels...))
		leaves, values := must.Value(f.Apply(t.Context(), test)), must.Value(f.PredictValues(t.Context(), test))
		for i := range test.N() {
			weights := o.weights(leaves[i], func(int) bool { return true })
			mean := 0.0
			for j, w := range weights {
				mean += w * c.train.Values[j]
			}
			if math.Abs(mean-values[i]) > 1e-5 {
				t.Fatalf("%s, row %d: the weighted mean is %v, the prediction %v", name, i, mean, values[i])
			}
			for k, level := range levels {
				if want := o.quantile(weights, level); got[i][k] != want {
					t.Errorf("%s, row %d: quantile %v is %v; want %v", name, i, level, got[i][k], want)
				}
			}
		}
	}
}

func TestQuantilesAgainstOutOfBagRowsOneByOne(t *testing.T) {
	for name, c := range cases() {
		f, m := fitted(t, c.learner, c.train)
		o := &oracle{f: f, train: c.train, leaves: must.Value(f.Apply(t.Context(), c.train))}
		shifts := make([]float64, len(levels))
		for k, level := range levels {
			var differences []float64 // each as often as its weight says
			for i := range c.train.N() {
				out := func(t int) bool { return !sampled(f, c.train, t)[i] }
				times := 1
				if c.train.Weights != nil {
					times = int(2 * c.train.Weights[i])
				}
				if !slices.ContainsFunc(numbers(len(f.Trees)), out) {
					continue
				}
				d := c.train.Values[i] - o.quantile(o.weights(o.leaves[i], out), level)
				for range times {
					differences = append(differences, d)
				}
			}
			slices.Sort(differences)
			one := 1.0 // the weight of one more row
			if c.train.Weights != nil {
				rows := 0
				for i, w := range c.train.Weights {
					out := func(t int) bool { return !sampled(f, c.train, t)[i] }
					if w > 0 && slices.ContainsFunc(numbers(len(f.Trees)), out) {
						rows++
					}
				}
				one = float64(len(differences)) / float64(rows)
			}
			n := float64(len(differences))
			at := math.Ceil(level*(n+one) - 1e-4)
			if level < 0.5 {
				at = n + 1 - math.Ceil((1-level)*(n+one)-1e-4)
			}
			shifts[k] = differences[int(min(max(at, 1), n))-1]
		}
		test := heteroscedastic(25, 9)
		leaves := must.Value(m.LeafQuantiles(t.Context(), test, levels...))
		got := must.Value(m.Quantiles(t.Context(), test, levels...))
		for i, row := range got {
			want := make([]float64, len(levels))
			for k := range want {
				want[k] = leaves[i][k] + shifts[k]
			}
			slices.Sort(want)
			want = []float64{want[2], want[0], want[1], want[3], want[4]} // in the order of levels
			if !reflect.DeepEqual(row, want) {
				t.Fatalf("%s, row %d: %v; want %v", name, i, row, want)
			}
		}
	}
}

// One tree grown on all rows, with leaves of 7 rows or more. lower and higher are what quantile-forest
// 1.4.2 (on scikit-learn 1.9.1) returns for RandomForestQuantileRegressor(n_estimators=1,
// bootstrap=False, max_features=1.0, min_samples_leaf=7, max_samples_leaf=None) with these
// interpolations of its quantiles, whose position is (m − 1)q among m rows; ours is the one of both
// that numpy 2.4.6 returns as quantile(rows, q, method="inverted_cdf") of the rows in the
// leaf. The weighted ones are those of scikit-learn's DecisionTreeRegressor with the same limit and
// sample weights, and numpy's quantile with weights.
func TestLeafQuantilesAgainstOtherLibraries(t *testing.T) {
	train := &datasets.Dataset{Features: make([]datasets.Feature, 2), Columns: make([][]float32, 2)}
	for i := range 60 {
		x := float32(i * 37 % 61)
		y := float64(i * i % 47)
		if x > 30 {
			y += 20
		}
		train.Columns[0], train.Columns[1] = append(train.Columns[0], x), append(train.Columns[1], float32(i*11%59))
		train.Values = append(train.Values, y)
	}
	weighted := *train
	for i := range 60 {
		weighted.Weights = append(weighted.Weights, float32(i%3+1))
	}
	test := &datasets.Dataset{Features: train.Features, Columns: [][]float32{{3, 20, 33, 58, 45}, {5, 40, 10, 58, 20}}}
	learner := rf.CART{Growth: forest.Growth{MinLeaf: 7}}
	levels := []float64{0.1, 0.3, 0.5, 0.75, 0.9}
	lower := [][]float64{{0, 7, 14, 16, 24}, {6, 16, 25, 34, 36}, {21, 22, 24, 29, 47}, {38, 38, 41, 45, 47},
		{32, 48, 48, 54, 62}}
	higher := [][]float64{{7, 8, 14, 24, 34}, {6, 20, 25, 34, 37}, {22, 23, 24, 47, 56}, {38, 41, 41, 47, 56},
		{37, 48, 52, 62, 62}}
	_, m := fitted(t, learner, train)
	got := must.Value(m.LeafQuantiles(t.Context(), test, levels...))
	for i, row := range got {
		for k, q := range row {
			if q != lower[i][k] && q != higher[i][k] {
				t.Errorf("row %d, quantile %v: %v; want %v or %v", i, levels[k], q, lower[i][k], higher[i][k])
			}
		}
	}
	if want := [][]float64{{0, 8, 14, 24, 34}, {6, 16, 25, 34, 37}, {21, 23, 24, 47, 56}, {38, 41, 41, 47, 56},
		{32, 48, 48, 54, 62}}; !reflect.DeepEqual(got, want) {
		t.Errorf("quantiles %v; want %v", got, want)
	}
	_, m = fitted(t, learner, &weighted)
	got = must.Value(m.LeafQuantiles(t.Context(), test, levels...))
	if want := [][]float64{{3, 7, 14, 17, 34}, {6, 20, 25, 36, 37}, {21, 23, 24, 47, 47}, {38, 41, 41, 47, 56},
		{32, 48, 52, 54, 62}}; !reflect.DeepEqual(got, want) {
		t.Errorf("with weights, quantiles %v; want %v", got, want)
	}
}

func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestShiftByHand(t *testing.T) {
	r := func(weights ...float64) (all []residual) {
		for i, w := range weights {
			all = append(all, residual{float64(10 * (i + 1)), w})
		}
		return all
	}
	for _, c := range []struct {
		residuals []residual
		level     float64
		want      float64
	}{
		{r(1, 1, 1, 1, 1, 1, 1, 1, 1), 0.9, 90}, // ⌈0.9·10⌉ = 9 of 9
		{r(1, 1, 1, 1, 1, 1, 1, 1, 1), 0.1, 10}, // ⌊0.1·10⌋ = 1
		{r(1, 1, 1, 1, 1, 1, 1, 1, 1), 0.81, 90},
		{r(1, 1, 1, 1, 1, 1, 1, 1, 1), 0.19, 10},
		{r(1, 1, 1, 1, 1, 1, 1, 1, 1), 0.8, 80},
		{r(1, 1, 1, 1, 1, 1, 1, 1, 1), 0.2, 20},
		{r(1, 1, 1, 1, 1, 1, 1, 1, 1), 0.5, 50},
		{r(1, 1, 1), 0.9, 30}, // ⌈3.6⌉ is more than there are
		{r(1, 1, 1), 0.1, 10},
		{r(7), 0.99, 10},
		{r(1, 1, 4), 0.6, 30}, // weights ½ ½ 2, of 3 + 1: 2.4 is in the third
		{r(4, 1, 1), 0.6, 20}, // weights 2 ½ ½: 2.4 is in the second
		{r(4, 1, 1), 0.4, 10}, // from above ½ 1 3: 2.4 is in the first
	} {
		if got := shift(c.residuals, c.level); got != c.want {
			t.Errorf("level %v of %v: %v; want %v", c.level, c.residuals, got, c.want)
		}
	}
}

// New rows are in the intervals as often as the level says, within what 2000 training and 4000 test
// rows allow, and intervals follow the noise.
func TestCoverageOnNewRows(t *testing.T) {
	train, test := heteroscedastic(2000, 11), heteroscedastic(4000, 12)
	for name, growth := range map[string]forest.Growth{"full trees": {}, "leaves of 10": {MinLeaf: 10}} {
		_, m := fitted(t, rf.Learner{Trees: 100, Seed: 1, NodeFeatures: 3, Growth: growth}, train)
		for _, level := range []float64{0.8, 0.95} {
			intervals := must.Value(m.Intervals(t.Context(), test, level))
			inside := 0.0
			var width, rows [2]float64
			for i, v := range intervals {
				if v.Low <= test.Values[i] && test.Values[i] <= v.High {
					inside++
				}
				loud := 0
				if test.Columns[1][i] > 0 {
					loud = 1
				}
				width[loud] += v.High - v.Low
				rows[loud]++
			}
			if share := inside / float64(test.N()); share < level-0.015 || share > level+0.04 {
				t.Errorf("%s: %.3f of the rows are in intervals of level %v", name, share, level)
			}
			if ratio := width[1] / rows[1] / (width[0] / rows[0]); ratio < 2 {
				t.Errorf("%s, level %v: intervals are %.2f times as wide where noise is 5 times as large", name, level, ratio)
			}
		}
	}
}

func TestSameOnAnyNumberOfCoresAndAtOnce(t *testing.T) {
	train, test := heteroscedastic(500, 1), heteroscedastic(300, 2)
	f := must.Value(rf.Learner{Trees: 30, Seed: 1}.Fit(t.Context(), train))
	var first [][]float64
	for _, cores := range []int{1, 2, 7} {
		old := runtime.GOMAXPROCS(cores)
		m := must.Value(Fit(t.Context(), f, train))
		results := make([][][]float64, 3)
		var group sync.WaitGroup
		for i := range results {
			group.Go(func() { results[i], _ = m.Quantiles(t.Context(), test, levels...) })
		}
		group.Wait()
		runtime.GOMAXPROCS(old)
		for _, got := range results {
			if first == nil {
				first = got
			}
			if got == nil || !reflect.DeepEqual(got, first) {
				t.Fatalf("on %d cores quantiles are others", cores)
			}
		}
	}
}

// By definition: the prediction, and the residual out of bag that is number ⌈q(n + 1)⌉, or ⌊q(n + 1)⌋ below the median.
// Of 99 rows that is number 90 and number 10.
func TestAroundPredictions(t *testing.T) {
	test, boosted := heteroscedastic(20, 2), boost.Learner{Rounds: 30, Seed: 1}
	linear := tao.Learner{Trees: 40, Depth: 1, LinearLeaves: true, Seed: 1,
		Sampling: forest.Sampling{Fraction: 0.5, WithoutReplacement: true}}
	for _, c := range []struct {
		learner  forest.Learner
		weighted bool
	}{{boosted, false}, {boosted, true}, {linear, false}, {linear, true}} {
		train, rows := heteroscedastic(99, 1), 99
		if c.weighted { // those of weight 0 don't count: of 49, number 45 and number 5
			train.Weights, rows = make([]float32, 99), 49
			for i := range rows {
				train.Weights[i] = 2
			}
		}
		f, m := fitted(t, c.learner, train)
		oob := must.Value(f.OutOfBag(t.Context(), train))
		var residuals []float64
		for i, v := range oob.Values[:rows] {
			residuals = append(residuals, train.Values[i]-v)
		}
		slices.Sort(residuals)
		predicted := must.Value(f.PredictValues(t.Context(), test))
		quantiles := must.Value(m.Quantiles(t.Context(), test, 0.9, 0.1))
		leaf := must.Value(m.LeafQuantiles(t.Context(), test, 0.9, 0.1))
		at := (rows + 1) / 10
		for i, v := range predicted {
			high, low := v+residuals[rows-at], v+residuals[at-1]
			if q := quantiles[i]; math.Abs(q[0]-high) > 1e-12 || math.Abs(q[1]-low) > 1e-12 {
				t.Errorf("row %d: quantiles %v, want %v and %v", i, q, high, low)
			}
			if q := leaf[i]; q[0] != v || q[1] != v {
				t.Errorf("row %d: leaf quantiles %v of the prediction %v", i, q, v)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	train := heteroscedastic(50, 1)
	f, m := fitted(t, rf.Learner{Trees: 3, Seed: 1}, train)
	sum, classes := *f, *f
	sum.Rule = forest.Sum
	classes.Classes = []string{"a", "b"}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, all := fitted(t, rf.Learner{Trees: 3, Seed: 1, Sampling: forest.AllRows}, train)
	second := func(_ any, err error) error { return err }
	for want, err := range map[string]error{
		"predicts classes":         second(Fit(t.Context(), &classes, train)),
		"values are summed":        second(Fit(t.Context(), &sum, train)),
		"these have 2":             second(Fit(t.Context(), f, train.Subset([]int32{0, 1}))),
		"context canceled":         second(Fit(cancelled, f, train)),
		"level 0; want":            second(m.Quantiles(t.Context(), train, 0.5, 0)),
		"level 1; want":            second(m.LeafQuantiles(t.Context(), train, 1)),
		"level NaN":                second(m.Quantiles(t.Context(), train, math.NaN())),
		"with probability 1; want": second(m.Intervals(t.Context(), train, 1)),
		"columns":                  second(m.Quantiles(t.Context(), train.Select(0, 1), 0.5)),
		"out of bag, so nothing":   second(all.Quantiles(t.Context(), train, 0.5)),
		"context canceled ":        second(m.Intervals(cancelled, train, 0.5)),
	} {
		readtest.WantError(t, err, strings.TrimSpace(want))
	}
	if _, err := all.LeafQuantiles(t.Context(), train, 0.5); err != nil {
		t.Error(err)
	}
}

// The target of rows to predict may be anything, also of another length.
func TestTargetIsIgnored(t *testing.T) {
	train := heteroscedastic(50, 1)
	_, m := fitted(t, rf.Learner{Trees: 3, Seed: 1}, train)
	d := *train
	d.Values, d.Labels, d.Weights, d.Groups = nil, []int32{7}, []float32{1}, []int32{-1}
	for _, of := range []func(context.Context, *datasets.Dataset, ...float64) ([][]float64, error){m.Quantiles,
		m.LeafQuantiles} {
		if got, want := must.Value(of(t.Context(), &d, 0.5)), must.Value(of(t.Context(), train, 0.5)); !reflect.DeepEqual(got,
			want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// A tree made by hand, with a leaf that no training row reaches, and the same tree with a leaf for all.
func TestLeavesWithoutRows(t *testing.T) {
	split := forest.Tree{Nodes: []forest.Node{{Split: 0, Next: 2, Value: 10}, forest.ValueLeaf(1, 9),
		forest.ValueLeaf(5, 0)}}
	leaf := forest.Tree{Nodes: []forest.Node{forest.ValueLeaf(1, 9)}}
	train := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}}, Columns: [][]float32{make([]float32, 9)},
		Values: []float64{7, 7, 7, 7, 7, 7, 7, 7, 7}}
	test := &datasets.Dataset{Features: train.Features, Columns: [][]float32{{0, 20}}}
	for _, c := range []struct {
		trees []forest.Tree
		want  float64 // of the second row
	}{{[]forest.Tree{split, split}, math.NaN()}, {[]forest.Tree{split, leaf}, 7}} {
		m := must.Value(Fit(t.Context(), &forest.Forest{Features: []string{"x"}, Rule: forest.Average, Trees: c.trees,
			Rows: 9},
			train))
		got := must.Value(m.Intervals(t.Context(), test, 0.8))
		if v := got[1]; got[0] != (eval.Interval{Low: 7, High: 7}) ||
			v.Low != c.want && !(math.IsNaN(v.Low) && math.IsNaN(c.want)) ||
			math.IsNaN(v.High) != math.IsNaN(c.want) {
			t.Errorf("intervals %v; want 7 to 7, and %v", got, c.want)
		}
	}
}

func benchmarkData(b *testing.B) (*forest.Forest, *datasets.Dataset) {
	train := heteroscedastic(10_000, 1)
	f := must.Value(rf.Learner{Trees: 100, Seed: 1}.Fit(b.Context(), train))
	return f, train
}

func BenchmarkFit(b *testing.B) {
	f, train := benchmarkData(b)
	for b.Loop() {
		must.Value(Fit(b.Context(), f, train))
	}
}

func BenchmarkIntervals(b *testing.B) {
	f, train := benchmarkData(b)
	m := must.Value(Fit(b.Context(), f, train))
	for b.Loop() {
		must.Value(m.Intervals(b.Context(), train, 0.95))
	}
}
