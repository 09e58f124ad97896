package forest_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/quantile"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/shap"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// farValues returns rows with values raised by an offset. Without it they are multiples of 2⁻¹⁰ that sum to 0: so
// float64s hold them with an offset up to 2⁴², and the offset is their mean, without rounding.
func farValues(n int, seed uint64, offset float64) *datasets.Dataset {
	rng := forest.NewRand(seed)
	d := &datasets.Dataset{Target: "y", Columns: make([][]float32, 4), Values: make([]float64, n)}
	for j := range d.Columns {
		d.Features = append(d.Features, datasets.Feature{Name: string(rune('a' + j))})
		d.Columns[j] = make([]float32, n)
	}
	sum := 0.0
	for i := range n {
		for j := range d.Columns {
			d.Columns[j][i] = float32(rng.Float64())
		}
		a, b, c := float64(d.Columns[0][i]), float64(d.Columns[1][i]), float64(d.Columns[2][i])
		y := math.Round(1024 * (10*math.Sin(3*a*b) + 5*c - 7.5 + rng.Normal()))
		d.Values[i] = y / 1024
		sum += y
	}
	for i := range d.Values {
		less := math.Round(sum / float64(n-i))
		sum -= less
		d.Values[i] += offset - less/1024
	}
	return d
}

func valueLearners() map[string]forest.Learner {
	return map[string]forest.Learner{
		"rf":           rf.Learner{Trees: 20},
		"honest mix":   mix.Learner{Trees: 30, Honest: true},
		"cart":         rf.CART{Growth: forest.Growth{MinLeaf: 5}},
		"bagging":      rf.Bagging{Trees: 10},
		"extra trees":  rf.ExtraTrees{Trees: 20},
		"hrf":          rf.HRF{Trees: 10},
		"sporf":        sporf.Learner{Trees: 20},
		"frc":          sporf.FRC{Trees: 20},
		"rotation":     rotation.Learner{Trees: 10},
		"mix":          mix.Learner{Trees: 30},
		"godt":         godt.Learner{Trees: 10},
		"godt tree":    godt.Tree{Growth: forest.Growth{MinSplit: 20}},
		"boost":        boost.Learner{Rounds: 60},
		"boost 1":      boost.Learner{Rounds: 60, Folds: 1},
		"huber":        boost.Learner{Rounds: 60, Loss: boost.Huber},
		"median":       boost.Learner{Rounds: 60, Quantile: 0.5},
		"tao":          tao.Learner{Trees: 5, Passes: 6, Depth: 4},
		"tao linear":   tao.Learner{Trees: 5, Passes: 6, LinearLeaves: true},
		"auto":         auto.Learner{Trees: 30},
		"auto, chosen": auto.Learner{},
		"steps":        forest.Pipeline(rf.Learner{Trees: 10}, datasets.Standardise{}),
	}
}

// same reports whether a and b agree to three digits.
func same(a, b float64) bool { return math.Abs(a-b) <= 5e-4*math.Abs(b) }

// The errors of a target y + c are those of y, for any c that leaves y its digits. Saving, single rows, intervals and
// what explains predictions keep to that.
func TestOffsetsOfTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("it compares numbers of many learners, whose own tests run them at once")
	}
	ctx := t.Context()
	type results struct {
		test, oob, shuffled, width float64
	}
	of := func(t *testing.T, name string, learner forest.Learner, c float64) (r results) {
		train, test := farValues(300, 1, c), farValues(200, 2, c)
		f := must.Value(learner.Fit(ctx, train))
		said := must.Value(f.PredictValues(ctx, test))
		r.test = eval.MSE(said, test.Values)
		saved, loaded := must.Value(f.MarshalBinary()), new(forest.Forest)
		must.Do(loaded.UnmarshalBinary(saved))
		if got := must.Value(loaded.PredictValues(ctx, test)); !slices.Equal(got, said) {
			t.Errorf("%s + %g: the loaded forest predicts something else", name, c)
		}
		single, row := f.Predictor(), []float32(nil)
		for i, want := range said {
			row = test.Row(row, i)
			if got := must.Value(single.Value(row)); got != want {
				t.Fatalf("%s + %g: row %d is predicted as %v by itself, as %v among others", name, c, i, got, want)
			}
		}
		if oob, err := f.OutOfBag(ctx, train); err == nil {
			r.oob = oob.Error()
			m := must.Value(quantile.Fit(ctx, f, train))
			for _, q := range must.Value(m.Quantiles(ctx, test, 0.1, 0.9)) {
				r.width += q[1] - q[0]
			}
		}
		r.shuffled = must.Value(inspect.PermutationImportance(ctx, f, test, nil, 2, 1)).Mean[0]
		if c == 0 || f.Steps != nil {
			return r
		}
		explained := must.Value(must.Value(shap.New(f, train)).Values(ctx, test.Subset([]int32{0, 1, 2})))
		for i, values := range explained.Values[0] {
			sum := explained.Base[0]
			for _, v := range values {
				sum += v
			}
			if !(math.Abs(sum-said[i]) <= 1e-14*math.Abs(c)) {
				t.Errorf("%s + %g: Shapley values of row %d add up to %v; want %v", name, c, i, sum, said[i])
			}
		}
		return r
	}
	for name, learner := range valueLearners() {
		want := of(t, name, learner, 0)
		for _, c := range []float64{1e6, -1e9, 1e12} {
			got := of(t, name, learner, c)
			for what, pair := range map[string][2]float64{"test error": {got.test, want.test},
				"out-of-bag error": {got.oob, want.oob}, "error of shuffled cells": {got.shuffled, want.shuffled},
				"width of intervals": {got.width, want.width}} {
				if !same(pair[0], pair[1]) {
					t.Errorf("%s + %g: %s %v; want %v", name, c, what, pair[0], pair[1])
				}
			}
		}
	}
}

// A target that doesn't vary is predicted exactly, and rows of weight 0 don't count in the mean.
func TestOffsetsOfOddTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("it compares numbers of many learners, whose own tests run them at once")
	}
	ctx := t.Context()
	constant := farValues(40, 3, 0)
	for i := range constant.Values {
		constant.Values[i] = 1e12 + 0.25
	}
	for name, learner := range valueLearners() {
		f := must.Value(learner.Fit(ctx, constant))
		for _, v := range must.Value(f.PredictValues(ctx, constant)) {
			if v != 1e12+0.25 {
				t.Errorf("%s: %v for the constant 1e12 + 0.25", name, v)
				break
			}
		}
	}
	ordinary, odd := farValues(300, 1, 1e9), farValues(300, 1, 1e9)
	odd.Weights = slices.Repeat([]float32{1}, 300)
	odd.Weights[0], odd.Values[0] = 0, 0
	ordinary.Weights = odd.Weights
	for name, learner := range valueLearners() {
		if _, ok := learner.(auto.Learner); ok {
			continue // its race ignores weights
		}
		a, b := must.Value(learner.Fit(ctx, ordinary)), must.Value(learner.Fit(ctx, odd))
		if !bytes.Equal(must.Value(a.MarshalBinary()), must.Value(b.MarshalBinary())) {
			t.Errorf("%s: the value of a row of weight 0 changes the forest", name)
		}
	}
}

// What begins with a forest's leaves, or compares errors of its trees, sees them relative to the base, too.
func TestOffsetsOfFinishedTrees(t *testing.T) {
	ctx := t.Context()
	errors := func(c float64) []float64 {
		train, test := farValues(300, 1, c), farValues(200, 2, c)
		f := must.Value(rf.Learner{Trees: 5, Growth: forest.Growth{MaxDepth: 4}}.Fit(ctx, train))
		refined := must.Value(tao.Learner{Passes: 1, Acceptance: tao.Strict}.Refine(ctx, f, train))
		tuning := must.Value(godt.Tune(ctx, []forest.Learner{godt.Learner{Trees: 5}, godt.Tree{}}, train, test))
		return append(tuning.Error, eval.MSE(must.Value(refined.PredictValues(ctx, test)), test.Values))
	}
	want := errors(0)
	for _, c := range []float64{1e6, -1e9, 1e12} {
		if got := errors(c); !slices.EqualFunc(got, want, same) {
			t.Errorf("errors %v with %g; want %v", got, c, want)
		}
	}
}

// Text of leaves has the values that they predict.
func TestTextOfOffsets(t *testing.T) {
	d := &datasets.Dataset{Target: "y", Features: []datasets.Feature{{Name: "x"}}, Columns: [][]float32{{0, 0, 1, 1}},
		Values: []float64{1e9 + 1, 1e9 + 1, 1e9 + 2.5, 1e9 + 2.5}}
	f := must.Value(rf.CART{}.Fit(t.Context(), d))
	want := "x ≤ 0.5\n├ 1000000001 (2)\n└ 1000000002.5 (2)\n"
	if got := f.TreeString(&f.Trees[0], 0); got != want {
		t.Errorf("tree\n%swant\n%s", got, want)
	}
	f.Trees[0] = forest.Tree{}
	f.Trees[0].Nodes = append(f.Trees[0].Nodes, f.Trees[0].LinearLeaf([]forest.Score{{Bias: 1, Features: []int32{0},
		Weights: []float32{2}}}, 4))
	if got, want := f.LeafString(&f.Trees[0], 0), "1000000001.75 + 2·x + 1 (4)"; got != want {
		t.Errorf("linear leaf %q; want %q", got, want)
	}
}

// byName returns the data with classes, whether values are above 0.
func byName(d *datasets.Dataset) *datasets.Dataset {
	d.Classes = []string{"no", "yes"}
	for _, v := range d.Values {
		label := int32(0)
		if v > 0 {
			label = 1
		}
		d.Labels = append(d.Labels, label)
	}
	d.Values = nil
	return d
}

// Weights of rows that are all k times as large give the same boosted forests and the same of TAO.
func TestOnlyRatiosOfWeightsMatter(t *testing.T) {
	if testing.Short() {
		t.Skip("it compares numbers of learners whose own tests run them at once")
	}
	ctx := t.Context()
	times := func(d *datasets.Dataset, k float32) *datasets.Dataset {
		d.Weights = make([]float32, d.N())
		for i := range d.Weights {
			d.Weights[i] = k * float32(i%4) * 125
		}
		return d
	}
	learners := map[string]forest.Learner{
		"boost":      boost.Learner{Rounds: 40},
		"huber":      boost.Learner{Rounds: 40, Loss: boost.Huber},
		"median":     boost.Learner{Rounds: 40, Quantile: 0.5},
		"tao":        tao.Learner{Trees: 3, Passes: 6, Depth: 3, Lambda: 1},
		"tao linear": tao.Learner{Trees: 3, Passes: 6, Depth: 2, Lambda: 1, LeafLambda: 5},
	}
	for name, learner := range learners {
		for target, of := range map[string]func(k float32) *datasets.Dataset{
			"values":  func(k float32) *datasets.Dataset { return times(farValues(240, 1, 20), k) },
			"classes": func(k float32) *datasets.Dataset { return times(byName(farValues(240, 1, 0)), k) },
		} {
			if b, ok := learner.(boost.Learner); ok && target == "classes" && (b.Quantile > 0 || b.Loss > 0) {
				continue
			}
			said := func(k float32) (all []float64) {
				f := must.Value(learner.Fit(ctx, of(k)))
				if f.Regression() {
					return must.Value(f.PredictValues(ctx, of(1)))
				}
				for _, p := range must.Value(f.Proba(ctx, of(1))) {
					all = append(all, p...)
				}
				return all
			}
			want := said(1)
			for _, k := range []float32{0x1p-10, 2, 0x1p20} {
				if !slices.Equal(said(k), want) {
					t.Errorf("%s of %s: weights × %v give other predictions", name, target, k)
				}
			}
			for _, k := range []float32{0.008, 3, 1000} { // times 125, whole numbers
				for i, v := range said(k) {
					if !(math.Abs(v-want[i]) <= 1e-6*max(1, math.Abs(want[i]))) {
						t.Errorf("%s of %s: weights × %v give %v; want %v", name, target, k, v, want[i])
						break
					}
				}
			}
		}
	}
}
