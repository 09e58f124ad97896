package l1

import (
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/parallel/calltest"
)

// Fits look at their call at every point of a line search, for every class, and whenever they have passed over many
// columns; they go over no more of them after it was cancelled.
func TestFitsEndWithTheirCall(t *testing.T) {
	const n, p, k = 100, 2 * often, 15
	rng := rand.New(rand.NewPCG(7, 8))
	columns, penalty := make([][]float32, p), make([]float64, p)
	for j := range columns {
		columns[j] = make([]float32, n)
		for i := range columns[j] {
			columns[j][i] = float32(rng.NormFloat64())
		}
	}
	sides, labels, values := make([]int8, n), make([]int32, n), make([]float64, n)
	for i := range n {
		labels[i] = int32(rng.IntN(k))
		sides[i], values[i] = int8(2*rng.IntN(2)-1), rng.NormFloat64()
	}
	limits := Limits{Tolerance: 1e-12, Steps: 1, Sweeps: 1}
	var dense, sparse Matrix
	setDense(&dense, columns)
	setSparse(&sparse, columns)
	for name, m := range map[string]*Matrix{"dense": &dense, "sparse": &sparse} {
		least := 4*p/often + 1 // scores, gradients, second derivatives and a sweep, and a point of the line search
		for of, fit := range map[string]func(s *Solver){
			"logistic": func(s *Solver) { s.Logistic(m, sides, nil, penalty, limits, make([]float64, p), new(float64)) },
			"squares":  func(s *Solver) { s.LeastSquares(m, values, nil, penalty, limits, make([]float64, p), new(float64)) },
			"softmax": func(s *Solver) {
				s.Softmax(m, labels, k, nil, penalty, limits, make([]float64, k*p), make([]float64, k))
			},
		} {
			whole := &calltest.Count{Left: 1 << 40}
			fit(&Solver{Call: whole})
			want := least
			switch of {
			case "squares":
				want += p / often // scores twice
			case "softmax":
				want = k*least + 3*k // scores, and loss before and after
			}
			if whole.Looks < want {
				t.Errorf("%s %s: %d looks at the call; want %d or more", name, of, whole.Looks, want)
			}
			for left := 0; left < whole.Looks; left += 1 + whole.Looks/50 {
				count := &calltest.Count{Left: left}
				fit(&Solver{Call: count})
				if count.After() > 8 {
					t.Errorf("%s %s: %d looks after the call was cancelled at look %d of %d",
						name, of, count.After(), left, whole.Looks)
				}
			}
		}
	}
}
