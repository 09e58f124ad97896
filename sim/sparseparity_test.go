package sim

import "testing"

// TestSparseParitySigns takes the label from the sign of a product, which
// changes with every positive factor, instead of counting.
func TestSparseParitySigns(t *testing.T) {
	for _, s := range []SparseParity{{}, {Features: 5, Informative: 4}, {Features: 5, Informative: 5},
		{Features: 1, Informative: 1}} {
		_, informative := s.params()
		d := s.Sample(3000, 5)
		for i := range d.N() {
			product := float32(1)
			for j := range informative {
				product *= -d.At(i, j)
			}
			if odd := product < 0; odd != (d.Labels[i] == 1) {
				t.Fatalf("%+v: row %v has label %d", s, d.Row(nil, i), d.Labels[i])
			}
		}
		checkShares(t, d, func(int) float64 { return 0.5 })
	}
}
