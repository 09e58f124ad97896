package figures

import (
	"math"
	"testing"
)

// With a serial share of 1/5, a job of 10 seconds takes 10·(0.2 + 0.8/2) = 6 on two cores, and 10·(0.2 + 0.8/4) = 4
// on four. A job that is quite parallel takes a half and a quarter.
func TestAmdahl(t *testing.T) {
	for _, c := range []struct {
		cores, seconds []float64
		want           float64
	}{
		{[]float64{1, 2, 4}, []float64{10, 6, 4}, 0.2},
		{[]float64{1, 2}, []float64{10, 6}, 0.2},
		{[]float64{1, 1, 2, 2}, []float64{9, 11, 5, 7}, 0.2},
		{[]float64{1, 2, 4}, []float64{8, 4, 2}, 0},
		{[]float64{1, 2}, []float64{3, 3}, 1},
	} {
		if got := Amdahl(c.cores, c.seconds); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("Amdahl(%v, %v) = %v; want %v", c.cores, c.seconds, got, c.want)
		}
	}
}
