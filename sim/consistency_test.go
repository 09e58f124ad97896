package sim

import (
	"math"
	"testing"
)

// stripeByWalk finds the stripe of u by adding up widths 1/4, 1/4, 1/8, 1/8, …
func stripeByWalk(u float64) int32 {
	right, width := 0.0, 0.25
	for ; ; width /= 2 {
		for label := range int32(2) {
			if right += width; u < right {
				return label
			}
		}
	}
}

func TestConsistencyStripes(t *testing.T) {
	d := Consistency{}.Sample(30000, 4)
	var squares [3]int
	for i := range d.N() {
		x, y := float64(d.At(i, 0)), float64(d.At(i, 1))
		square := int(x)
		if square != int(y) || x == math.Floor(x) || y == math.Floor(y) {
			t.Fatalf("(%v, %v) is not inside a square", x, y)
		}
		squares[square]++
		var want int32
		switch square {
		case 0:
			want = stripeByWalk(x)
		case 1:
			if (x-1.5)*(y-1.5) < 0 {
				want = 1
			}
		case 2:
			want = stripeByWalk(y - 2)
		}
		if d.Labels[i] != want {
			t.Fatalf("(%v, %v) has label %d, want %d", x, y, d.Labels[i], want)
		}
	}
	for s, count := range squares {
		if tol := 5 * math.Sqrt(30000*2./9); math.Abs(float64(count)-10000) > tol {
			t.Errorf("square %d has %d of 30000 rows, want 10000 ± %v", s, count, tol)
		}
	}
	checkShares(t, d, func(int) float64 { return 0.5 })
}

func TestConsistencyOutside(t *testing.T) {
	for _, x := range [][]float32{{0.5, 1.5}, {2.5, 1.5}, {-0.5, -0.5}, {3, 3}, {3.5, 3.5}} {
		if y := (Consistency{}).Bayes().Class(x); y != -1 {
			t.Errorf("Bayes(%v) = %d, want −1", x, y)
		}
	}
}

// TestConsistencyEdges looks at where stripes start, which belongs to them.
func TestConsistencyEdges(t *testing.T) {
	for i := range 64 {
		u := float64(i) / 64
		if got, want := (Consistency{}).Bayes().Class([]float32{float32(u), 0.5}), stripeByWalk(u); got != want {
			t.Errorf("class %d at %v, want %d", got, u, want)
		}
	}
}
