package tao

import (
	"context"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// problem draws a small data set of labels or values, with few distinct cells so that rows
// tie, and with row weights in half of the cases.
func problem(t *rapid.T) *datasets.Dataset {
	n, p := rapid.IntRange(3, 60).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "p")
	rng := forest.NewRand(rapid.Uint64().Draw(t, "seed"))
	d := &datasets.Dataset{Name: "drawn", Target: "y", Columns: make([][]float32, p),
		Features: make([]datasets.Feature, p)}
	levels := rapid.SampledFrom([]int{1, 2, 5, 1000}).Draw(t, "levels")
	for j := range d.Columns {
		d.Columns[j] = make([]float32, n)
		for i := range n {
			d.Columns[j][i] = float32(rng.Intn(levels))
		}
	}
	classes := rapid.IntRange(0, 4).Draw(t, "classes")
	if rapid.Bool().Draw(t, "weighted") {
		d.Weights = make([]float32, n)
		for i := range d.Weights {
			d.Weights[i] = float32(1 + rng.Intn(3))
		}
	}
	if classes < 2 {
		d.Values = make([]float64, n)
		for i := range d.Values {
			d.Values[i] = rng.Float64() + float64(d.Columns[0][i])
		}
		return d
	}
	d.Classes = []string{"a", "b", "c", "d"}[:classes]
	d.Labels = make([]int32, n)
	for i := range d.Labels {
		d.Labels[i] = int32(rng.Intn(classes))
	}
	d.Labels[0], d.Labels[1] = 0, 1
	return d
}

func learner(t *rapid.T) Learner {
	return Learner{
		Trees:            1,
		Depth:            rapid.IntRange(1, 4).Draw(t, "depth"),
		LinearLeaves:     rapid.Bool().Draw(t, "leaves"),
		SplitProbability: rapid.SampledFrom([]float64{0, 0.7}).Draw(t, "split probability"),
		Passes:           rapid.IntRange(1, 6).Draw(t, "passes"),
		Lambda:           rapid.SampledFrom([]float64{none, 0.01, 1, 100}).Draw(t, "lambda"),
		LeafLambda:       rapid.SampledFrom([]float64{none, 0.5, 10}).Draw(t, "leaf lambda"),
		Unscaled:         rapid.Bool().Draw(t, "unscaled"),
		PenalisedBias:    rapid.Bool().Draw(t, "penalised bias"),
		AxisAligned:      rapid.IntRange(0, 3).Draw(t, "axis-aligned") == 0,
		NodeFeatures:     rapid.IntRange(0, 1).Draw(t, "node features"),
		Sampling:         forest.AllRows,
		Seed:             rapid.Uint64().Draw(t, "seed of the learner"),
	}
}

// exclusiveOr has two classes on opposite corners of a square. No single split lowers the
// impurity, so greedy growth has nothing to go by.
func exclusiveOr(n int) *datasets.Dataset {
	d := &datasets.Dataset{Target: "y", Classes: []string{"a", "b"},
		Columns:  [][]float32{make([]float32, n), make([]float32, n)},
		Features: []datasets.Feature{{Name: "x"}, {Name: "y"}}, Labels: make([]int32, n)}
	rng := forest.NewRand(1)
	for i := range n {
		x, y := float32(2*rng.Float64()-1), float32(2*rng.Float64()-1)
		d.Columns[0][i], d.Columns[1][i] = x, y
		if (x > 0) != (y > 0) {
			d.Labels[i] = 1
		}
	}
	return d
}

func TestSolvesExclusiveOrWithThreeSplits(t *testing.T) {
	d := exclusiveOr(1000)
	f := must.Value(Learner{Trees: 1, Depth: 2, Passes: 20, Sampling: forest.AllRows}.Fit(context.Background(), d))
	wrong := 0
	for i, y := range must.Value(f.Predict(t.Context(), d)) {
		if y != d.Labels[i] {
			wrong++
		}
	}
	cart := must.Value(rf.CART{Growth: forest.Growth{MaxDepth: 2}}.Fit(context.Background(), d))
	greedy := 0
	for i, y := range must.Value(cart.Predict(t.Context(), d)) {
		if y != d.Labels[i] {
			greedy++
		}
	}
	if wrong > 20 || greedy < 200 {
		t.Errorf("%d of 1000 rows wrong, %d with greedy growth of the same depth; want at most 20 and at least 200", wrong,
			greedy)
	}
}

// treeLoss returns the weighted number of errors or sum of squares of one tree.
func treeLoss(f *forest.Forest, tree int, d *datasets.Dataset) (loss float64) {
	one := *f
	one.Trees = f.Trees[tree : tree+1]
	one.Rule = forest.Average
	if d.Labels != nil {
		one.Rule = forest.Plurality
	}
	weight := func(i int) float64 {
		if d.Weights == nil {
			return 1
		}
		return float64(d.Weights[i])
	}
	if d.Labels == nil {
		for i, v := range must.Value(one.PredictValues(context.Background(), d)) {
			loss += weight(i) * (v - d.Values[i]) * (v - d.Values[i])
		}
		return loss
	}
	for i, y := range must.Value(one.Predict(context.Background(), d)) {
		if y != d.Labels[i] {
			loss += weight(i)
		}
	}
	return loss
}

// Classes left over from labels don't make a table of values one of classes.
func TestValuesBesideClasses(t *testing.T) {
	x := column(40, func(i int) float32 { return float32(i * i % 40) })
	d := valued(table(x), func(i int) float64 { return float64(i % 3) })
	want := must.Value(Learner{Trees: 2, Passes: 2}.Fit(t.Context(), d))
	d.Classes = []string{"a", "b", "c"}
	got := must.Value(Learner{Trees: 2, Passes: 2}.Fit(t.Context(), d))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant\n%v", got, want)
	}
}
