package grow

import (
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
)

// A Dense needs no list of its features: its values are whole or bounded as those of the same
// function with a list.
func TestTraitsOfDense(t *testing.T) {
	x := &data{extent: []float32{5, 1e38}, whole: []bool{true, false}}
	for _, weights := range [][]float32{{1}, {-1}, {0.5}, {1, 1}, {1, 9}} {
		all := []int32{0, 1}[:len(weights)]
		dense := forest.Function{Kind: forest.Dense, Weights: weights}
		listed := forest.Function{Kind: forest.Sparse, Features: all, Weights: weights}
		bounded, whole := x.traits(&dense)
		wantBounded, wantWhole := x.traits(&listed)
		if bounded != wantBounded || whole != wantWhole {
			t.Errorf("weights %v: bounded %v, whole %v; with a list of features %v, %v", weights, bounded, whole, wantBounded,
				wantWhole)
		}
	}
	if _, whole := x.traits(&forest.Function{Kind: forest.Dense, Weights: []float32{0.5}}); whole {
		t.Error("halves are taken for whole numbers")
	}
}
