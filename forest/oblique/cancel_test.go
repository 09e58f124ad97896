package oblique

import (
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
)

// A fit fails, or has a wrong penalty, soon after its call was cancelled: it looks once every 1024 rows.
func TestFitsEndWithTheirCall(t *testing.T) {
	const n, m = 5000, 4
	rng := rand.New(rand.NewPCG(1, 2))
	weights, target := make([]float64, n), make([]float64, n)
	for i := range n {
		weights[i], target[i] = 1, float64(2*(i%2)-1)
	}
	fit := func(count *calltest.Count) bool {
		var r regression
		r.call = count
		r.begin(weights, m)
		for range m {
			cells := make([]float32, n)
			for i := range cells {
				cells[i] = float32(rng.NormFloat64())
			}
			r.add(cells)
		}
		r.setTarget(target)
		_, ok := r.coefficients(false)
		return ok
	}
	whole := &calltest.Count{Left: 1 << 40}
	if !fit(whole) || whole.Looks < 2*n/1024 {
		t.Errorf("%d looks at the call; want %d or more", whole.Looks, 2*n/1024)
	}
	for left := range whole.Looks {
		count := &calltest.Count{Left: left}
		if ok := fit(count); ok && left < n/1024 {
			t.Errorf("cancelled at look %d, the fit didn't fail", left)
		}
		if count.After() > 2 {
			t.Errorf("%d looks after the call was cancelled at look %d", count.After(), left)
		}
	}
}
