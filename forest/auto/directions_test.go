package auto

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// Main features by hand: those of at least half the largest weight, with signs that begin with a plus.
func TestMainly(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f"}
	for _, test := range []struct {
		index   []int32
		weights []float32
		want    string
	}{
		{[]int32{2}, []float32{1}, "c"},
		{[]int32{0, 1, 2}, []float32{0.5, -1, 0.49}, "a − b"},
		{[]int32{0, 3, 5}, []float32{0.1, -0.8, 0.7}, "d − f"},
		{[]int32{0, 1, 2, 4}, []float32{2, 1, -2, 1.5}, "a + b − c + e"},
		{[]int32{0, 1, 2, 3, 4}, []float32{0.6, 1, -0.9, 0.8, 0.7}, "b − c + d + e …"},
		{nil, nil, "0"},
		{[]int32{0, 1, 2, 3, 4, 5}, []float32{1, 1, 1, 1, 1, 1}, "a + b + c + d …"},
	} {
		signs, rest := mainly(forest.Projection{Index: test.index, Weights: test.weights})
		if got := signs.Format(names) + rest; got != test.want {
			t.Errorf("%v %v: %q, want %q", test.index, test.weights, got, test.want)
		}
	}
}

// Neither the length of a direction nor its sense matters, nor do weights below half the largest.
func TestMainlyIsADirection(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		weights := rapid.SliceOfN(rapid.SampledFrom([]float32{-4, -3, -2.5, 2.5, 3, 4}), 1, 4).Draw(r, "weights")
		factor := rapid.SampledFrom([]float32{-2, -1, 0.5, 8}).Draw(r, "factor") // powers of 2: exact
		small := rapid.SliceOfN(rapid.Float32Range(-1.2, 1.2), 0, 5).Draw(r, "small")
		weights[0] = 4
		var p, q forest.Projection
		for j, w := range weights {
			p.Index, p.Weights = append(p.Index, int32(j)), append(p.Weights, w)
			q.Index, q.Weights = append(q.Index, int32(j)), append(q.Weights, factor*w)
		}
		for j, w := range small {
			q.Index, q.Weights = append(q.Index, int32(len(weights)+j)), append(q.Weights, factor*w)
		}
		one, rest := mainly(p)
		other, more := mainly(q)
		if a, b := one.Format(nil)+rest, other.Format(nil)+more; a != b {
			r.Fatalf("%q of %v, %q of %v", a, p.Weights, b, q.Weights)
		}
	})
}

// All weights of SPORF are ±1, so with four features or fewer every projection is a direction of its own.
func TestDirectionsOfSigns(t *testing.T) {
	d := must.Value(public.Load(t.Context(), "balance-scale"))
	for _, learner := range []forest.Learner{sporf.Learner{Trees: 10, Seed: 1}, rf.Learner{Trees: 10, Seed: 1}} {
		model := must.Value(learner.Fit(t.Context(), d))
		got, want := Directions(model), model.Projections()
		if len(got) != len(want) {
			t.Fatalf("%d directions of %d projections", len(got), len(want))
		}
		for i, p := range want {
			if got[i] != (Direction{p.Format(model.Features), len(p.Index), p.Importance, p.Splits}) {
				t.Errorf("%+v, want %+v", got[i], p)
			}
		}
	}
}

// Shares of fitted directions sum to 1, and each split counts once.
func TestSharesOfDirections(t *testing.T) {
	d := must.Value(public.Load(t.Context(), "banknote"))
	model := must.Value(Learner{Trees: 100, Seed: 1}.Fit(t.Context(), d))
	report := must.Value(Read(model))
	found, sum, splits, want := report.Directions, 0.0, 0, 0
	for _, x := range found {
		sum += x.Share
		splits += x.Splits
	}
	for i := range model.Trees {
		want += len(model.Trees[i].Nodes) / 2 // a binary tree has a split less than leaves
	}
	if math.Abs(sum-1) > 1e-9 || splits != want {
		t.Errorf("shares sum to %v, %d splits, want %d", sum, splits, want)
	}
	sorted := slices.IsSortedFunc(found, func(a, b Direction) int { return cmp.Compare(b.Share, a.Share) })
	if len(found) > len(model.Projections())/10 || !sorted {
		t.Errorf("%d directions of %d projections", len(found), len(model.Projections()))
	}
}

// What forged banknotes are told from genuine ones by.
func ExampleRead() {
	ctx := context.Background()
	notes, err := public.Load(ctx, "banknote")
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := Learner{Trees: 100, Seed: 1}.Fit(ctx, notes)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := Read(model)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range report.Directions[:3] {
		fmt.Println(d.Words)
	}
	// Output:
	// variance + 0.48·skewness + 0.66·curtosis
	// variance
	// variance + 0.48·skewness
}

// A forest with a split whose weights are all 0, and steps that are undone by hand: standard deviations of 10 and 4.
func TestDirectionsInUnitsOfColumns(t *testing.T) {
	before := []datasets.Feature{{Name: "area"}, {Name: "age"}, {Name: "colour", Categories: []string{"blue", "red"}},
		{Name: "income"}}
	op := func(do string, numbers ...float64) datasets.Op { return datasets.Op{Do: do, Numbers: numbers} }
	columns := []datasets.Column{{Name: "area", From: 0, Ops: []datasets.Op{op("scale", 140, 10)}},
		{Name: "age", From: 1, Ops: []datasets.Op{op("scale", 50, 4)}},
		{Name: "colour=red", From: 2, Ops: []datasets.Op{op("is", 1), op("scale", 0.5, 0.5)}},
		{Name: "income", From: 3, Ops: []datasets.Op{op("line", 0, -2, 9, 2), op("scale", 0, 1)}}}
	steps := must.Value(datasets.NewTransform(before, columns))
	model := &forest.Forest{Features: []string{"area", "age", "colour=red", "income"}, Steps: steps, Columns: before,
		Classes: []string{"a", "b"}}
	for _, test := range []struct {
		weights []float32
		want    string
	}{
		{[]float32{0, 0, 0, 0}, "0"},
		{[]float32{-1, 1, 0, 0}, "area − 2.5·age"}, // area/10 − age/4
		{[]float32{0, 0, 5, 0}, "colour is red"},
		{[]float32{0, 1, 1, 0}, "age + 8·(colour is red)"},
		{[]float32{0, 4, 0, 3}, "age + 4·score of income"},
		{[]float32{4, 0, 0.0, 0}, "area"},
		{[]float32{0, 0, 0, 7}, "income"},
	} {
		tree := forest.Tree{Classes: 2}
		tree.Nodes = []forest.Node{{Split: tree.Splits.Add(forest.Linear([]int32{0, 1, 2, 3}, test.weights)), Next: 2},
			forest.ClassLeaf(0, 1), forest.ClassLeaf(1, 1)}
		model.Trees = []forest.Tree{tree}
		if got := Directions(model); len(got) != 1 || got[0].Words != test.want {
			t.Errorf("%v: %+v; want %s", test.weights, got, test.want)
		}
	}
}
