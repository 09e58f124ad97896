package tao

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// begun returns the optimizer of tree i of f, as Refine begins with it, and its oracle.
func begun(t *testing.T, l Learner, f *forest.Forest, d *datasets.Dataset, i int) (*optimizer, *oracle) {
	t.Helper()
	l.Trees, l.Seed, l.Sampling = len(f.Trees), f.Seed, forest.Sampling{Fraction: 1}
	if f.Sampling != (forest.Sampling{}) {
		l.Sampling = f.Sampling
	}
	trainer := must.Value(l.trainer(d))
	o := trainer.newOptimizer(context.Background(), i)
	o.copyTree(&f.Trees[i])
	o.rescaleAll()
	return o, newOracle(o, d)
}

func TestRefineImprovesForestsOfAllMethods(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	growth := forest.Growth{MaxDepth: 4}
	values := []forest.Learner{
		rf.CART{Growth: growth}, rf.Learner{Trees: 3, Growth: growth}, rf.ExtraTrees{Trees: 3, Growth: growth},
		sporf.Learner{Trees: 3, Growth: growth}, rf.HRF{Trees: 3, Growth: growth},
		Learner{Trees: 3, Depth: 3, Passes: 2}, Learner{Trees: 3, Depth: 2, Passes: 2, LinearLeaves: true},
	}
	methods := map[string][]forest.Learner{"values": values, "classes": slices.Concat(values, []forest.Learner{
		oblique.Learner{Trees: 3, Growth: growth}, graf.Learner{Trees: 3, MinSplit: 60},
		rf.Learner{Trees: 2}, // grown until leaves are pure
	})}
	for target, d := range problems() {
		for _, m := range methods[target] {
			f := must.Value(m.Fit(context.Background(), d))
			for _, l := range []Learner{
				{}, {Acceptance: Free}, {Acceptance: Strict, Lambda: 1},
				{LinearLeaves: true}, {LinearLeaves: true, Acceptance: Strict, Unscaled: true, Lambda: none},
			} {
				if own, ok := m.(Learner); ok && own.LinearLeaves && !l.LinearLeaves {
					continue
				}
				l.Passes = 4
				checkRefined(t, l, f, d)
			}
		}
	}
}

// checkRefined refines f and compares the objective of each tree before and after.
func checkRefined(t *testing.T, l Learner, f *forest.Forest, d *datasets.Dataset) {
	t.Helper()
	var h History
	refined, err := h.Refine(context.Background(), l, f, d)
	if err != nil {
		t.Fatalf("%s, %+v: %v", f.Method, l, err)
	}
	fittest.Sound(t, refined, d)
	last := map[int]Pass{}
	for _, p := range h.Passes() {
		last[p.Tree] = p
	}
	for i := range f.Trees {
		o, c := begun(t, l, f, d, i)
		rows := c.reach(0)
		before := c.part(0, rows)
		for k := 1; k < len(c.nodes); k++ {
			before += c.penaltyOf(int32(k))
		}
		if began := o.evaluate().Objective(); !(math.Abs(began-before) <= c.rounding(rows, before)) {
			t.Errorf("%s, %+v: tree %d begins with an objective of %v; want %v", f.Method, l, i, began, before)
		}
		if after := last[i].Objective(); !(after <= before+c.rounding(rows, before)) {
			t.Errorf("%s, %+v: the objective of tree %d rises from %v to %v", f.Method, l, i, before, after)
		}
		if len(refined.Trees[i].Nodes) > len(f.Trees[i].Nodes) {
			t.Errorf("%s, %+v: tree %d has %d nodes, before %d", f.Method, l, i, len(refined.Trees[i].Nodes),
				len(f.Trees[i].Nodes))
		}
	}
	if refined.Rule != f.Rule || refined.Seed != f.Seed || refined.Rows != f.Rows || refined.Method != method {
		t.Errorf("%s: the refined forest is of method %s, with rule %v, seed %d and %d rows", f.Method, refined.Method,
			refined.Rule, refined.Seed, refined.Rows)
	}
	before, err := f.OutOfBag(context.Background(), d)
	after, err2 := refined.OutOfBag(context.Background(), d)
	if (err == nil) != (err2 == nil) {
		t.Errorf("%s: out-of-bag predictions: before refining error %v, after it %v", f.Method, err, err2)
	} else if err == nil && !reflect.DeepEqual(before.Rows, after.Rows) {
		t.Errorf("%s: other rows are out of bag after refining", f.Method)
	}
}

func TestRefineRefusesForestsThatItCannotImprove(t *testing.T) {
	d, values := problems()["classes"], problems()["values"]
	fit := func(l forest.Learner, d *datasets.Dataset) *forest.Forest {
		return must.Value(l.Fit(context.Background(), d))
	}
	small := rf.Learner{Trees: 2, Growth: forest.Growth{MaxDepth: 2}}
	f := fit(small, d)
	sum := *fit(small, values)
	sum.Rule, sum.Base = forest.Sum, []float64{0}
	fewer := d.Subset([]int32{0, 1, 2, 3})
	renamed := *d
	renamed.Features = append([]datasets.Feature{{Name: "other"}}, d.Features[1:]...)
	relabelled := *d
	relabelled.Classes = []string{"a", "b", "other"}
	for _, test := range []struct {
		l    Learner
		f    *forest.Forest
		d    *datasets.Dataset
		want string
	}{
		{Learner{}, fit(forest.Pipeline(small, datasets.Impute{}), d), d, "steps of a pipeline"},
		{Learner{}, &sum, values, "adds the values of its trees"},
		{Learner{}, f, fewer, "of 300 rows; these have 4"},
		{Learner{}, f, values, "no labels"},
		{Learner{}, f, &relabelled, "other"},
		{Learner{}, f, &renamed, `column 0 of the data is "other"`},
		{Learner{}, fit(Learner{Trees: 1, LinearLeaves: true}, d), d, "linear leaves"},
		{Learner{Lambda: -3}, f, d, "Lambda -3"},
	} {
		_, err := test.l.Refine(context.Background(), test.f, test.d)
		readtest.WantError(t, err, "tao: ", test.want)
	}
	if _, err := (Learner{}).Refine(context.Background(), f, &renamed); !errors.Is(err, datasets.ErrSchema) {
		t.Errorf("other columns: error %v; want one that wraps ErrSchema", err)
	}
}

// Scaling a split must not change where any row goes, and its factor is a power of two.
func TestRescalingKeepsEveryPath(t *testing.T) {
	d := problems()["classes"]
	for _, m := range []forest.Learner{rf.Learner{Trees: 2}, sporf.Learner{Trees: 2},
		graf.Learner{Trees: 2, MinSplit: 20}} {
		f := must.Value(m.Fit(context.Background(), d))
		for i := range f.Trees {
			o, _ := begun(t, Learner{Passes: 1}, f, d, i)
			for k, n := range f.Trees[i].Nodes {
				if n.IsLeaf() {
					continue
				}
				factor := o.nodes[k].fn.Weights[0] / f.Trees[i].Splits.At(n.Split).Weights[0]
				if mantissa, _ := math.Frexp(float64(factor)); mantissa != 0.5 || o.nodes[k].threshold != factor*n.Value {
					t.Fatalf("%s: node %d is scaled by %v, its threshold from %v to %v", f.Method, k, factor, n.Value,
						o.nodes[k].threshold)
				}
			}
		}
	}
}

// Cells of 1e-38 ask for weights above the largest float32.
func TestSplitsThatCannotBeRescaledStayAsTheyAre(t *testing.T) {
	d := labelled(table(column(20, func(i int) float32 { return 1e-38 * float32(i%2) })), 2,
		func(i int) int { return i % 2 })
	f := must.Value(rf.CART{}.Fit(context.Background(), d))
	o, _ := begun(t, Learner{Lambda: none}, f, d, 0)
	if n, was := o.nodes[0], f.Trees[0].Nodes[0]; n.fn.Weights[0] != 1 || n.threshold != was.Value {
		t.Errorf("the split x ≤ %v becomes %v·x ≤ %v", was.Value, n.fn.Weights[0], n.threshold)
	}
}

// Scaling the split of another method by a power of two sends no row elsewhere. The factors
// of a LowRank are squared, so theirs is the root.
func TestRescaleOfLowRank(t *testing.T) {
	d := problems()["classes"]
	fn := forest.Function{
		Kind: forest.LowRank, Features: []int32{0, 1}, Weights: []float32{0.7, 0.6}, Bias: -0.3,
		Centre: []float32{0.11, -0.2}, Factors: []float32{0.1, -0.4, 0.2, 0.3, 0.3, 0.3}, Positive: 2,
	}
	exponents := map[float64]bool{}
	for _, power := range []int{-6, -4, -1, 0, 1, 3, 9} { // of the scale that the split comes with
		scale := math.Ldexp(1, 2*power)
		other := fn
		other.Weights = []float32{float32(0.7 * scale), float32(0.6 * scale)}
		other.Bias = float32(-0.3 * scale)
		other.Factors = nil
		for _, u := range fn.Factors {
			other.Factors = append(other.Factors, float32(math.Ldexp(float64(u), power)))
		}
		tree := forest.Tree{Classes: 3}
		split := tree.Splits.Add(other)
		tree.Nodes = []forest.Node{{Split: split, Next: 2, Value: float32(-0.3 * scale)}, forest.ClassLeaf(0, 1),
			forest.ClassLeaf(2, 1)}
		f := &forest.Forest{Features: make([]string, 4), Classes: make([]string, 3), Trees: []forest.Tree{tree}}
		o, _ := begun(t, Learner{}, f, d, 0)
		n := &o.nodes[0]
		ratio := float64(n.fn.Weights[0]) / float64(other.Weights[0])
		exponents[math.Log2(ratio)] = true
		for i, u := range n.fn.Factors {
			if float64(u) != float64(other.Factors[i])*math.Sqrt(ratio) {
				t.Fatalf("factor %d is %v instead of %v, where weights have the ratio %v", i, u, other.Factors[i], ratio)
			}
		}
		sum := 0.0
		for k, j := range n.fn.Features {
			sum += math.Abs(float64(n.fn.Weights[k])) * o.scale[j]
		}
		for _, u := range n.fn.Factors {
			sum += math.Abs(float64(u))
		}
		if n.fitted || math.Abs(n.penalised-sum) > 1e-9*sum {
			t.Errorf("fitted: %v, penalised by %v, want %v", n.fitted, n.penalised, sum)
		}
		for i := range d.N() {
			x := d.Row(nil, i)
			if (n.fn.Value(x) <= n.threshold) != (other.Value(x) <= tree.Nodes[0].Value) {
				t.Fatalf("row %d goes to the other side", i)
			}
		}
	}
	if len(exponents) < 4 {
		t.Errorf("scaled by 2 to the %v: too few to say much", exponents)
	}
}
