package viz

import (
	"testing"
)

// A logarithmic axis is padded by a factor, a linear one by a share of its length.
func TestRangesAxis(t *testing.T) {
	r := Ranges{Names: []string{"a", "b"}, Marks: []Marks{{"", []float64{1, 100}}}}
	for _, c := range []struct {
		log           bool
		lowest, least float64
	}{{false, -1.97, 0}, {true, 0.8, 0.9}} {
		r.Log = c.log
		numbers := r.numbers()
		lo, hi := Curves{LogX: r.Log}.pad(numbers[0], numbers[1])
		if !(lo >= c.lowest-1e-9 && lo < c.least) || hi <= 100 || hi > 120 {
			t.Errorf("log %v: %v to %v", c.log, lo, hi)
		}
	}
}
