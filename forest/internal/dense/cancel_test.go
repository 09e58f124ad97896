package dense

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
)

// What takes the cube of the side looks at its call every few rows, and no more once it was cancelled.
func TestDecompositionsEndWithTheirCall(t *testing.T) {
	const n = 50
	a := symmetric(n, 2*n, 1, rand.New(rand.NewPCG(9, 10)))
	for name, c := range map[string]struct {
		do     func(a []float64, call parallel.Call) bool
		from   []float64
		passes int // over the rows
	}{
		"eigenvectors": {func(a []float64, call parallel.Call) bool {
			return Eigen(a, make([]float64, n), make([]float64, n), call)
		}, a, 3},
		"factor": {func(a []float64, call parallel.Call) bool { return Factor(a, n, call) }, a, 1},
		"orthonormal basis": {func(a []float64, call parallel.Call) bool {
			Orthonormalise(a, n, n, make([]float64, n*n), make([]float64, n), call)
			return !parallel.Cancelled(call)
		}, a, 1},
	} {
		whole := &calltest.Count{Left: 1 << 40}
		if !c.do(slices.Clone(c.from), whole) || whole.Looks < c.passes*(n/often) {
			t.Errorf("%s: %d looks at the call; want %d or more", name, whole.Looks, c.passes*(n/often))
		}
		for left := range whole.Looks {
			count := &calltest.Count{Left: left}
			if c.do(slices.Clone(c.from), count) {
				t.Errorf("%s: cancelled at look %d of %d, it didn't fail", name, left, whole.Looks)
			}
			if count.After() > 2 {
				t.Errorf("%s: %d looks after the call was cancelled at look %d", name, count.After(), left)
			}
		}
	}
}
