//go:build !race

package auto

import "testing"

// A model with steps predicts rows without allocation. With the race detector, a sync.Pool forgets what it holds at
// random.
func TestPredictorOfRawRowsAllocatesNothing(t *testing.T) {
	for _, values := range []bool{false, true} {
		d := raw(200, values)
		model, _ := fitted(t, Learner{Trees: 5, Seed: 1}, d)
		p, x, proba := model.Predictor(), d.Row(nil, 7), make([]float64, len(model.Classes))
		n := testing.AllocsPerRun(100, func() {
			if values {
				p.Value(x)
				return
			}
			p.Label(x)
			p.Proba(proba, x)
		})
		if n != 0 {
			t.Errorf("values %v: %v allocations a row", values, n)
		}
	}
}
