package forest

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

func TestPredictorAllocatesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	sets := withSets(rng, 4, 2, 3) // and missing cells
	predictor, row := sets.Predictor(), []float32{1, float32(math.NaN()), 2, float32(math.NaN())}
	if n := testing.AllocsPerRun(20, func() { must.Value(predictor.Label(row)) }); n != 0 {
		t.Errorf("%v allocations for missing cells and sets", n)
	}
	for _, classes := range []int{0, 2, 3, stackClasses} {
		for _, rule := range rulesOf(classes) {
			f := drawForestBy(rng, rule, 20, classes, 100) // splits of up to 20 features, too
			if f.Trees[0].Outputs == 0 && !holdsAll(f) {
				t.Fatal("a kind of split or leaf isn't there")
			}
			p, x, proba := f.Predictor(), make([]float32, 20), make([]float64, classes)
			if n := testing.AllocsPerRun(20, func() {
				if classes == 0 {
					p.Value(x)
					return
				}
				p.Label(x)
				p.Proba(proba, x)
			}); n != 0 {
				t.Errorf("rule %d, %d classes: %v allocations", rule, classes, n)
			}
		}
	}
}

// A node of a function of more than eight features, or of a quadratic one, takes 16
// bytes in the packed forest, however many numbers the function has and however
// many nodes share it; shorter combinations take 12 and 8 for each feature, of
// which there are at least four; a leaf takes 8.
func TestPackedSize(t *testing.T) {
	linear := func(k int) Function {
		features := make([]int32, k)
		for j := range features {
			features[j] = int32(j)
		}
		return Function{Kind: Dense, Features: features, Weights: make([]float32, k)}
	}
	sparse := linear(5)
	sparse.Kind = Sparse
	for _, c := range []struct {
		fn   Function
		want int // bytes of a node
	}{
		{Linear([]int32{3}, []float32{1}), 16},
		{linear(0), 12 + 4*8},
		{Linear([]int32{3}, []float32{2}), 12 + 4*8},
		{linear(4), 12 + 4*8},
		{sparse, 12 + 5*8},
		{linear(8), 12 + 8*8},
		{linear(9), 16},
		{linear(1000), 16},
		{Function{Kind: Quadratic, Features: []int32{1}, Weights: []float32{1}, Q: []float32{1}}, 16},
		{Function{Kind: LowRank, Features: []int32{1}, Weights: []float32{1}, Centre: []float32{0}, Factors: []float32{1},
			Positive: 1}, 16},
	} {
		const nodes = 500
		tree := Tree{}
		split := tree.Splits.Add(c.fn)
		for i := range nodes {
			tree.Nodes = append(tree.Nodes, Node{Split: split, Next: int32(2*i + 2), Value: -1}, ValueLeaf(0, 1))
		}
		tree.Nodes = append(tree.Nodes, ValueLeaf(float32(len(c.fn.Features)), 1))
		f := &Forest{Features: make([]string, 1000), Trees: []Tree{tree}}
		must.Do(f.validate())
		p := f.Predictor()
		if got, want := 4*cap(p.trees[0]), nodes*c.want+(nodes+1)*8; got != want {
			t.Errorf("%d features of kind %d: %d bytes, want %d", len(c.fn.Features), c.fn.Kind, got, want)
		}
		if got, err := p.Value(make([]float32, 1000)); err != nil || got != float64(len(c.fn.Features)) {
			t.Errorf("value %v, %v, want that of the last leaf", got, err)
		}
	}
}

func TestPredictorConcurrently(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := drawForest(rng, 4, 3, 50)
	d := normals(rng, 4, 100)
	p, want := f.Predictor(), must.Value(f.Predict(t.Context(), d))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range d.N() {
				if got, err := p.Label(d.Row(nil, i)); err != nil || got != want[i] {
					t.Errorf("row %d: class %d, %v, want %d", i, got, err, want[i])
				}
			}
		})
	}
	wg.Wait()
}

func TestPredictorErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f, v := drawForest(rng, 3, 2, 2).Predictor(), drawForest(rng, 3, 0, 2).Predictor()
	x, nan, inf := []float32{1, 2, 3}, float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		err  error
		want string
		is   error
	}{
		{errorOf(v.Label(x)), "predicts values, not classes", nil},
		{errorOf(v.Proba(nil, x)), "predicts values, not classes", nil},
		{errorOf(f.Value(x)), "predicts classes, not values", nil},
		{errorOf(f.Label(x[:2])), "2 cells", datasets.ErrSchema},
		{errorOf(f.Proba(nil, nil)), "0 cells", datasets.ErrSchema},
		{errorOf(v.Value(append(x, 4))), "4 cells", datasets.ErrSchema},
		{errorOf(f.Label([]float32{1, nan, 3})), `cell 1 ("x1"): missing`, datasets.ErrMissing},
		{errorOf(v.Value([]float32{1, 2, inf})), `cell 2 ("x2") is +Inf`, nil},
	} {
		readtest.WantError(t, c.err, "forest: ", c.want)
		if c.is != nil && !errors.Is(c.err, c.is) {
			t.Errorf("error %v isn't %v", c.err, c.is)
		}
	}
	tree := Tree{Nodes: []Node{{Next: 2}, ValueLeaf(1, 1), ValueLeaf(2, 1)}}
	tree.Nodes[0].Split = tree.Splits.Add(Function{Kind: Set, Features: []int32{0}, Categories: []uint32{0b101}})
	colours := (&Forest{Features: []string{"colour"}, Trees: []Tree{tree}, Fills: []float32{-1}, Rule: Average,
		Categories: [][]string{{"red", "green", "blue"}}}).Predictor()
	for _, cell := range []float32{-1, 0.5, 1.5, 3, 1e30} {
		_, err := colours.Value([]float32{cell})
		readtest.WantError(t, err, `forest: cell 0 ("colour")`, "want a code of one of its 3 categories, or NaN")
	}
	for cell, want := range map[float32]float64{0: 1, 1: 2, 2: 1, nan: 2} {
		if got, err := colours.Value([]float32{cell}); err != nil || got != want {
			t.Errorf("cell %v: value %v, error %v; want %v", cell, got, err, want)
		}
	}
	readtest.WantPanic(t, "forest: dst has 3 elements for the probabilities of 2 classes",
		func() { f.Proba(make([]float64, 3), x) })
}
