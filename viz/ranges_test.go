package viz

import (
	"math"
	"testing"
)

// The description has every range and mark, and what isn't known is left out.
func TestRangesAlt(t *testing.T) {
	got := Ranges{X: "accuracy, %", Names: []string{"Iris", "Wine"}, Low: []float64{86.5, math.NaN()},
		High: []float64{100, 3}, Marks: []Marks{{"mean", []float64{94.9, 96.8}}, {"printed", []float64{math.NaN(), 97}}},
	}.figure().Alt
	if want := "accuracy, %. Iris: 86.5 to 100, mean 94.9. Wine: mean 96.8, printed 97."; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

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
