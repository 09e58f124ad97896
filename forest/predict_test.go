package forest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

func errorOf[T any](_ T, err error) error { return err }

// A column in another unit than that of the training data is an error, since its numbers may be off by any factor.
func TestPredictionInAnotherUnit(t *testing.T) {
	f := drawForestBy(rand.New(rand.NewPCG(1, 2)), Average, 3, 2, 2)
	d := drawData(rand.New(rand.NewPCG(1, 3)), f, 4)
	f.Scales = []datasets.Scale{{}, {Unit: "kg"}, {}}
	for unit, agrees := range map[string]bool{"g": false, "$": false, "kg": true, "": true} {
		d.Features[1].Scale.Unit = unit
		if _, err := f.Predict(t.Context(), d); (err == nil) != agrees || err != nil && !errors.Is(err, datasets.ErrSchema) {
			t.Errorf("unit %q for kg: error %v; want none: %v", unit, err, agrees)
		}
	}
}

func TestPredictionErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f, v, sum := drawForestBy(rng, Average, 3, 2, 2), drawForestBy(rng, Average, 3, 0, 2), drawForestBy(rng, Sum, 3, 2, 2)
	f.Rows, v.Rows = 4, 4
	ctx := t.Context()
	d, values := drawData(rng, f, 4), drawData(rng, v, 4)
	missing := *d
	missing.Columns = [][]float32{d.Columns[0], {1, 2, float32(math.NaN()), 4}, d.Columns[2]}
	for name, err := range map[string]error{
		"Predict of values":       errorOf(v.Predict(ctx, d)),
		"Votes of values":         errorOf(v.Votes(ctx, d)),
		"Proba of values":         errorOf(v.Proba(ctx, d)),
		"PredictValues of labels": errorOf(f.PredictValues(ctx, d)),
		"PredictValues of sums":   errorOf(sum.PredictValues(ctx, d)),
		"Votes of sums":           errorOf(sum.Votes(ctx, d)),
		"too few columns":         errorOf(f.Predict(ctx, d.Select(0, 1))),
		"other names":             errorOf(f.Predict(ctx, d.Select(1, 0, 2))),
		"a missing cell":          errorOf(f.Apply(ctx, &missing)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// A cancelled context ends every long prediction with its error.
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	for name, err := range map[string]error{
		"Predict":            errorOf(f.Predict(ctx, d)),
		"Proba":              errorOf(f.Proba(ctx, d)),
		"Votes":              errorOf(f.Votes(ctx, d)),
		"Apply":              errorOf(f.Apply(ctx, d)),
		"PredictValues":      errorOf(v.PredictValues(ctx, values)),
		"OutOfBag":           errorOf(f.OutOfBag(ctx, d)),
		"OutOfBag of values": errorOf(v.OutOfBag(ctx, values)),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want context.Canceled", name, err)
		}
	}
	// Votes and probabilities of very many classes are refused before memory is asked for.
	f.Classes, f.Rows = make([]string, 1<<20), 1<<12
	f.Trees = []Tree{{Classes: 1 << 20, Nodes: []Node{ClassLeaf(0, 1)}}}
	d = drawData(rng, f, f.Rows)
	for _, err := range map[string]error{"Votes": errorOf(f.Votes(t.Context(), d)),
		"Proba": errorOf(f.Proba(t.Context(), d)), "OutOfBag": errorOf(f.OutOfBag(t.Context(), d))} {
		readtest.WantError(t, err, "4096 rows × 1048576 classes; want at most 2147483648")
	}
}

// One linear leaf for two classes of three: at x = 2 the scores are 1 + 0.5·2 and
// 3 − 2, so the shares are e²/(e² + e) and e/(e² + e).
func TestLinearLeafByHand(t *testing.T) {
	tree := Tree{Classes: 3}
	tree.Nodes = []Node{tree.LinearLeaf([]Score{
		{Class: 0, Bias: 1, Features: []int32{0}, Weights: []float32{0.5}},
		{Class: 2, Bias: 3, Features: []int32{0}, Weights: []float32{-1}},
	}, 1)}
	other := Tree{Classes: 3, Nodes: []Node{ClassLeaf(2, 1)}}
	f := &Forest{Features: []string{"x"}, Classes: []string{"a", "b", "c"}, Trees: []Tree{tree, other}}
	d := &datasets.Dataset{Features: make([]datasets.Feature, 1), Columns: [][]float32{{2}}}
	a := math.E / (math.E + 1)
	for c, want := range []float64{a / 2, 0, (1 - a + 1) / 2} {
		if got := must.Value(f.Proba(t.Context(), d))[0][c]; math.Abs(got-want) > 1e-7 {
			t.Errorf("class %d has probability %v, want %v", c, got, want)
		}
	}
	if got := must.Value(f.Votes(t.Context(), d))[0]; !slices.Equal(got, []int32{1, 0, 1}) {
		t.Errorf("votes %v", got)
	}
	// By plurality it is a tie, which goes to a; shares of 0.73 and 0.27 + 1 and
	// log2(1.73) = 0.79 and log2(1.27) + 1 = 1.34 are for c.
	for rule, want := range map[Rule]int32{Plurality: 0, Average: 2, Consensus: 2} {
		f.Rule = rule
		if got := must.Value(f.Predict(t.Context(), d))[0]; got != want {
			t.Errorf("rule %d: class %d, want %d", rule, got, want)
		}
	}
	// Scores so far apart that the exponential of their difference is 0.
	d.Columns[0][0] = 1e30
	f.Trees = f.Trees[:1]
	if got := must.Value(f.Proba(t.Context(), d))[0]; !slices.Equal(got, []float64{1, 0, 0}) {
		t.Errorf("probabilities %v", got)
	}
}

// Two trees for each of three classes add to the base, tree t to class t mod 3.
func TestSumsByHand(t *testing.T) {
	values := func(v ...float32) (trees []Tree) {
		for _, v := range v {
			trees = append(trees, Tree{Nodes: []Node{ValueLeaf(v, 1)}})
		}
		return trees
	}
	d := &datasets.Dataset{Features: make([]datasets.Feature, 1), Columns: [][]float32{{5}}}
	f := &Forest{Features: []string{"x"}, Classes: []string{"a", "b", "c"}, Rule: Sum,
		Base: []float64{0.5, 0, -1}, Trees: values(1, 2, 3, -0.5, 0.25, 0.5)}
	// Sums 0.5 + 1 − 0.5 = 1, 0 + 2 + 0.25 = 2.25, −1 + 3 + 0.5 = 2.5.
	sum := math.Exp(1) + math.Exp(2.25) + math.Exp(2.5)
	for c, want := range []float64{math.Exp(1) / sum, math.Exp(2.25) / sum, math.Exp(2.5) / sum} {
		if got := must.Value(f.Proba(t.Context(), d))[0][c]; math.Abs(got-want) > 1e-15 {
			t.Errorf("class %d has probability %v, want %v", c, got, want)
		}
	}
	if got := must.Value(f.Predict(t.Context(), d))[0]; got != 2 {
		t.Errorf("class %d, want 2", got)
	}
	two := &Forest{Features: []string{"x"}, Classes: []string{"a", "b"}, Rule: Sum, Base: []float64{-1}}
	for _, c := range []struct {
		value float32
		odds  float64 // of the second class
		label int32
	}{{1, 1, 0}, {1.5, math.Exp(0.5), 1}, {0.5, math.Exp(-0.5), 0}, {1001, math.Inf(1), 1}, {-999, 0, 0}} {
		two.Trees = values(c.value)
		want := []float64{1 / (1 + c.odds), 1 - 1/(1+c.odds)}
		got := must.Value(two.Proba(t.Context(), d))[0]
		if math.Abs(got[0]-want[0]) > 1e-15 || math.Abs(got[1]-want[1]) > 1e-15 ||
			must.Value(two.Predict(t.Context(), d))[0] != c.label {
			t.Errorf("probabilities %v and class %d, want %v and %d", got, must.Value(two.Predict(t.Context(), d))[0], want,
				c.label)
		}
	}
	one := &Forest{Features: []string{"x"}, Rule: Sum, Base: []float64{10}, Trees: values(1, 2.5)}
	if got := must.Value(one.PredictValues(t.Context(), d))[0]; got != 13.5 {
		t.Errorf("value %v, want 13.5", got)
	}
	one.LogLink = true
	predictor := one.Predictor()
	if got, v := must.Value(one.PredictValues(t.Context(), d))[0], must.Value(predictor.Value([]float32{5})); v != got ||
		math.Abs(got-math.Exp(13.5)) > 1e-9 {
		t.Errorf("values %v and %v, want exp 13.5", got, v)
	}
	one.LogLink = false
	if one.Rule, one.Base = Average, nil; must.Value(one.PredictValues(t.Context(), d))[0] != 1.75 {
		t.Errorf("mean %v, want 1.75", must.Value(one.PredictValues(t.Context(), d))[0])
	}
}
