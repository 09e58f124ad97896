package viz

import (
	"testing"
)

// A logarithmic axis is padded by a factor, a linear one by a share of its length.
func TestPadX(t *testing.T) {
	for _, c := range []struct {
		log           bool
		lowest, least float64
	}{{false, -1.97, 0}, {true, 0.8, 0.9}} {
		p := newPlot("", "")
		p.X.Min, p.X.Max = 1, 100
		padX(p, c.log)
		if lo, hi := p.X.Min, p.X.Max; !(lo >= c.lowest-1e-9 && lo < c.least) || hi <= 100 || hi > 120 {
			t.Errorf("log %v: %v to %v", c.log, lo, hi)
		}
	}
}
