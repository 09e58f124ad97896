package godt_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// clouds returns n rows of k overlapping clouds in p dimensions, with the cloud as the class, and the
// distance from the origin as the value if values is true.
func clouds(n, p, k int, values bool, seed uint64) *datasets.Dataset {
	rng := forest.NewRand(seed)
	d := &datasets.Dataset{Columns: make([][]float32, p), Features: make([]datasets.Feature, p)}
	for i := range n {
		var squares float64
		for j := range p {
			x := rng.Normal() + 2*float64((i%k>>j)&1)
			squares += x * x
			d.Columns[j] = append(d.Columns[j], float32(x))
		}
		if values {
			d.Values = append(d.Values, math.Sqrt(squares))
		} else {
			d.Labels = append(d.Labels, int32(i%k))
		}
	}
	for c := range k {
		if !values {
			d.Classes = append(d.Classes, fmt.Sprint(c))
		}
	}
	return d
}

// checkTuned compares errors with those of learners that are fitted one by one.
func checkTuned(t *testing.T, learners []forest.Learner, train, valid *datasets.Dataset) {
	t.Helper()
	ctx := context.Background()
	tuning := must.Value(godt.Tune(ctx, learners, train, valid))
	first := 0
	ranked := make([]float64, len(learners)) // by what the thesis tunes
	for i, l := range learners {
		f := must.Value(l.Fit(ctx, train))
		var want float64
		switch {
		case valid == nil:
			oob := must.Value(f.OutOfBag(ctx, train))
			want = oob.Error()
			ranked[i] = want
		case valid.Values != nil:
			said := must.Value(f.PredictValues(ctx, valid))
			want, ranked[i] = eval.MSE(said, valid.Values), eval.MAE(said, valid.Values)
		default:
			want = eval.Error(must.Value(f.Predict(ctx, valid)), valid.Labels)
			ranked[i] = want
		}
		if math.Abs(tuning.Error[i]-want) > 1e-12 {
			t.Errorf("%+v: error %v, but fitted alone %v", l, tuning.Error[i], want)
		}
		if ranked[i] < ranked[first] {
			first = i
		}
	}
	by := "error rate"
	if train.Values != nil {
		by = "mean absolute error"
	}
	if tuning.By != by {
		t.Errorf("the best was chosen by %s, want %s", tuning.By, by)
	}
	if tuning.Best != first {
		t.Errorf("best is %d, want %d, the first with the lowest error", tuning.Best, first)
	}
}

func TestTuneEqualsFits(t *testing.T) {
	train, valid := clouds(150, 4, 3, false, 1), clouds(60, 4, 3, false, 2)
	train.Weights = make([]float32, train.N())
	for i := range train.Weights {
		train.Weights[i] = float32(1 + i%3)
	}
	checkTuned(t, godt.Tree{}.Grid(train), train, valid)
}

func TestTuneOfQuadraticTreesEqualsFits(t *testing.T) {
	train := clouds(120, 3, 3, false, 3)
	l := godt.Tree{Splitting: godt.Splitting{Divider: godt.SeparateFull, RelativeBeta: 0.01}}
	checkTuned(t, l.Grid(train), train, clouds(60, 3, 3, false, 4))
}

func TestTuneOfValuesEqualsFits(t *testing.T) {
	train := clouds(120, 3, 2, true, 5)
	checkTuned(t, godt.Tree{}.Grid(train), train, clouds(60, 3, 2, true, 6))
}

// Stops are shares of the variance of values, which is 5 of 1, 3, 5 and 7; classes have none.
func TestGridStopsBySharesOfTheVariance(t *testing.T) {
	if grid := (godt.Tree{}).Grid(&datasets.Dataset{Values: []float64{1, 3, 5, 7}}); grid[0].(godt.Tree).MaxMSE != 0.5 {
		t.Errorf("%+v; want a tenth of the variance, 5, first", grid[0])
	}
	weighted := &datasets.Dataset{Values: []float64{1, 3, 5, 1e9}, Weights: []float32{1, 2, 1, 0}} // as 1, 3, 3 and 5
	if grid := (godt.Tree{}).Grid(weighted); grid[0].(godt.Tree).MaxMSE != 0.2 {
		t.Errorf("%+v; want a tenth of the weighted variance, 2, first", grid[0])
	}
	for _, l := range (godt.Tree{}).Grid(&datasets.Dataset{Labels: []int32{0, 1}}) {
		if l.(godt.Tree).MaxMSE != 0 {
			t.Errorf("%+v stops by the error of values", l)
		}
	}
}

// forests returns some settings of small forests.
func forests() []forest.Learner {
	var list []forest.Learner
	for _, purity := range []float64{1, 0.7} {
		for _, split := range []int{2, 11} {
			for _, trees := range []int{3, 8} {
				for _, features := range []int{1, 3} {
					list = append(list, godt.Learner{Trees: trees, TreeFeatures: features, Splitting: godt.Splitting{Purity: purity},
						Growth: forest.Growth{MinSplit: split}, Seed: 3})
				}
			}
		}
	}
	return list
}

func TestTuneOfForestsEqualsFits(t *testing.T) {
	checkTuned(t, forests(), clouds(120, 3, 3, false, 7), clouds(60, 3, 3, false, 8))
}

func TestTuneByOutOfBagRowsEqualsFits(t *testing.T) {
	train := clouds(120, 3, 3, false, 9)
	checkTuned(t, forests(), train, nil)
	// Most samples have no row of positive weight, and their trees are grown on the two.
	train.Weights = make([]float32, train.N())
	train.Weights[4], train.Weights[5] = 1, 2
	checkTuned(t, forests(), train, nil)
	for i := range train.Weights { // rows of weight 0 are out of bag with their groups only
		train.Weights[i], train.Groups = float32(i%2), append(train.Groups, int32(i/4))
	}
	checkTuned(t, forests(), train, nil)
}

func TestTuneErrors(t *testing.T) {
	ctx := context.Background()
	train := clouds(50, 3, 2, false, 1)
	tree := []forest.Learner{godt.Tree{}}
	for name, err := range map[string]error{
		"no learners":       errorOf(godt.Tune(ctx, nil, train, train)),
		"other classes":     errorOf(godt.Tune(ctx, tree, train, clouds(50, 3, 3, false, 1))),
		"other features":    errorOf(godt.Tune(ctx, tree, train, clouds(50, 4, 2, false, 1))),
		"another method":    errorOf(godt.Tune(ctx, []forest.Learner{rf.CART{}}, train, train)),
		"no row out of bag": errorOf(godt.Tune(ctx, tree, train, nil)),
		"bad learner":       errorOf(godt.Tune(ctx, []forest.Learner{godt.Learner{Trees: -1}}, train, nil)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := godt.Tune(cancelled, forests(), train, nil); err != context.Canceled {
		t.Errorf("cancelled: error %v", err)
	}
}
