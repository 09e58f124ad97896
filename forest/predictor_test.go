package forest

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

func TestPredictorAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, rule := range []Rule{Plurality, Average, Consensus} {
		f := drawForest(rng, 9, stackClasses, 40)
		f.Rule = rule
		p, x, proba := f.Predictor(), make([]float32, 9), make([]float64, stackClasses)
		if n := testing.AllocsPerRun(20, func() { p.Label(x); p.Proba(proba, x) }); n != 0 {
			t.Errorf("rule %d: %v allocations", rule, n)
		}
	}
	p, x := drawForest(rng, 9, 0, 40).Predictor(), make([]float32, 9)
	if n := testing.AllocsPerRun(20, func() { p.Value(x) }); n != 0 {
		t.Errorf("values: %v allocations", n)
	}
}

func TestPredictorOfManyClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	checkBits(t, drawForest(rng, 3, stackClasses+1, 5), normals(rng, 3, 20))
}

func TestPredictorConcurrently(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := drawForest(rng, 4, 3, 50)
	d := normals(rng, 4, 100)
	p, want := f.Predictor(), f.Predict(d)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range d.N() {
				if got := p.Label(d.Row(nil, i)); got != want[i] {
					t.Errorf("row %d: class %d, want %d", i, got, want[i])
				}
			}
		})
	}
	wg.Wait()
}

func TestPredictorPanics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f, v := drawForest(rng, 3, 2, 2).Predictor(), drawForest(rng, 3, 0, 2).Predictor()
	x, nan, inf := []float32{1, 2, 3}, float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		call func()
		want string
	}{
		{func() { v.Label(x) }, "regression forest"},
		{func() { v.Proba(nil, x) }, "regression forest"},
		{func() { f.Value(x) }, "classification forest"},
		{func() { f.Label(x[:2]) }, "2 cells"},
		{func() { v.Value(append(x, 4)) }, "4 cells"},
		{func() { f.Proba(make([]float64, 3), x) }, "3 classes; want 2"},
		{func() { f.Label([]float32{1, nan, 3}) }, `cell 1 ("x1") is NaN`},
		{func() { v.Value([]float32{1, 2, inf}) }, `cell 2 ("x2") is +Inf`},
	} {
		func() {
			defer func() {
				if r, _ := recover().(string); !strings.HasPrefix(r, "forest: ") || !strings.Contains(r, c.want) {
					t.Errorf("panic %q; want one with %q", r, c.want)
				}
			}()
			c.call()
		}()
	}
}
