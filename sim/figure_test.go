package sim

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// A figure is a problem in the plane that knows its boundary.
type figure interface {
	problem
	BoundaryDistance(x []float32) float64
}

var figures = []figure{
	Circles{}, Circles{Rings: 2}, Circles{Rings: 5, Classes: 3}, Circles{Classes: 4},
	Pies{}, Pies{Sectors: 2}, Pies{Sectors: 9, Classes: 3}, Pies{Classes: 8},
	XOR{}, XOR{Cells: 2}, XOR{Cells: 5, Classes: 3}, XOR{Classes: 4},
}

// TestFigureDistance compares distances with those to the edges of a fine grid
// whose ends are inside of the figure and of different classes.
func TestFigureDistance(t *testing.T) {
	const (
		side = 1001
		step = 2. / side
	)
	at := func(i int) float64 { return -1 + (float64(i)+0.5)*step }
	for _, f := range figures {
		rule := f.Bayes()
		var classes [side][side]int32
		for i := range side {
			for j := range side {
				classes[i][j] = rule.Class([]float32{float32(at(i)), float32(at(j))})
			}
		}
		var edges []complex128 // their middles
		differ := func(a, b int32) bool { return a >= 0 && b >= 0 && a != b }
		for i := range side {
			for j := range side - 1 {
				if differ(classes[i][j], classes[i][j+1]) {
					edges = append(edges, complex(at(i), at(j)+step/2))
				}
				if differ(classes[j][i], classes[j+1][i]) {
					edges = append(edges, complex(at(j)+step/2, at(i)))
				}
			}
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for range 300 {
			x := []float32{rng.Float32()*3 - 1.5, rng.Float32()*3 - 1.5}
			want := math.Inf(1)
			for _, e := range edges {
				want = min(want, cmplx.Abs(e-complex(float64(x[0]), float64(x[1]))))
			}
			if got := f.BoundaryDistance(x); math.Abs(got-want) > 2*step {
				t.Fatalf("%s: %v is %v from the boundary, want %v ± %v", name(f), x, got, want, 2*step)
			}
		}
	}
}

// TestFigureDistanceByHand has distances that elementary geometry gives.
func TestFigureDistanceByHand(t *testing.T) {
	for _, c := range []struct {
		of   figure
		x    []float32
		want float64
	}{
		{Circles{}, []float32{0, 0}, 0.25},
		{Circles{}, []float32{3, 4}, 4.25},
		{Circles{Rings: 2}, []float32{0.375, 0.5}, 0.125},
		{Pies{}, []float32{0, 0}, 0},
		{Pies{}, []float32{-0.5, -0.25}, 0.25 / math.Sqrt2}, // from the diagonal
		{Pies{Sectors: 2}, []float32{-4, 4}, 5},
		{XOR{}, []float32{0.625, 0.25}, 0.125},
		{XOR{}, []float32{1.375, 0.5}, 0.375},
		{XOR{Cells: 2}, []float32{4, -5}, 5 * 0.8 * math.Sqrt2}, // the same from both ends
		{XOR{Cells: 2, Degrees: 30}, []float32{0, 0.5}, 0.25},
	} {
		if got := c.of.BoundaryDistance(c.x); math.Abs(got-c.want) > 1e-7 { // sines are rounded to float32
			t.Errorf("%s: %v is %v from the boundary, want %v", name(c.of), c.x, got, c.want)
		}
	}
}

// TestFigureClasses counts the boundaries below a point, one by one.
func TestFigureClasses(t *testing.T) {
	count := func(n int, below func(k float64) bool) (parts int) {
		for k := 1; k < n; k++ {
			if below(float64(k) / float64(n)) {
				parts++
			}
		}
		return parts
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		x := []float32{rng.Float32()*2.5 - 1.25, rng.Float32()*2.5 - 1.25}
		z := complex(float64(x[0]), float64(x[1]))
		ring := count(7, func(k float64) bool { return cmplx.Abs(z) >= k })
		// Turned back by k, what is ahead of a radius by less than half a turn is
		// above the axis; what is in the lower half is ahead of the first half.
		sector := count(10, func(k float64) bool {
			ahead := imag(z*cmplx.Exp(complex(0, -2*math.Pi*k))) > 0
			if k < 0.5 {
				return ahead || imag(z) < 0
			}
			return ahead && imag(z) < 0
		})
		column := count(7, func(k float64) bool { return real(z) >= 2*k-1 })
		row := count(7, func(k float64) bool { return imag(z) >= 2*k-1 })
		circles, pies, xor := int32(ring%3), int32(sector%5), int32((column+row)%3)
		if cmplx.Abs(z) >= 1 {
			circles, pies = -1, -1
		}
		if max(math.Abs(real(z)), math.Abs(imag(z))) >= 1 {
			xor = -1
		}
		for f, want := range map[figure]int32{
			Circles{Rings: 7, Classes: 3}: circles, Pies{Sectors: 10, Classes: 5}: pies, XOR{Cells: 7, Classes: 3}: xor,
		} {
			if got := f.Bayes().Class(x); got != want {
				t.Fatalf("%s: %v has class %d, want %d", name(f), x, got, want)
			}
		}
	}
}

// TestFigureIsUniform divides figures into 64 fields and compares the rows in
// them with the fields' areas by Pearson's test at the level 10⁻⁶.
func TestFigureIsUniform(t *testing.T) {
	const n = 64000
	disk := func(x, y float64) (field int, share float64) {
		ring := int(8 * math.Hypot(x, y))
		sector := int(8 * (math.Atan2(y, x)/math.Pi + 1) / 2)
		return 8*ring + sector%8, float64(2*ring+1) / 64 / 8
	}
	for f, field := range map[figure]func(x, y float64) (int, float64){
		Circles{}: disk,
		Pies{}:    disk,
		XOR{}:     func(x, y float64) (int, float64) { return 8*int(4*(x+1)) + int(4*(y+1)), 1. / 64 },
		XOR{Degrees: 30}: func(x, y float64) (int, float64) {
			back := complex(x, y) * cmplx.Rect(1, -math.Pi/6)
			return 8*int(4*(real(back)+1)) + int(4*(imag(back)+1)), 1. / 64
		},
	} {
		d := f.Sample(n, 6)
		observed, expected := make([]float64, 64), make([]float64, 64)
		for i := range n {
			k, share := field(float64(d.At(i, 0)), float64(d.At(i, 1)))
			observed[k]++
			expected[k] = n * share
		}
		chi2 := stat.ChiSquare(observed, expected)
		if p := (distuv.ChiSquared{K: 63}).Survival(chi2); p < 1e-6 {
			t.Errorf("%s: χ² = %v of 63 degrees of freedom, p = %v", name(f), chi2, p)
		}
	}
}

// TestTurnedXOR: turning the square and the point together changes nothing. The point is
// turned as a complex number.
func TestTurnedXOR(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		straight := XOR{Cells: rapid.IntRange(2, 7).Draw(t, "cells")}
		turned := straight
		turned.Degrees = rapid.Float64Range(-800, 800).Draw(t, "degrees")
		coordinate := rapid.Float32Range(-1.4, 1.4)
		x := []float32{coordinate.Draw(t, "x"), coordinate.Draw(t, "y")}
		at := complex(float64(x[0]), float64(x[1])) * cmplx.Rect(1, turned.Degrees*math.Pi/180)
		y := []float32{float32(real(at)), float32(imag(at))}
		want := straight.BoundaryDistance(x)
		if got := turned.BoundaryDistance(y); math.Abs(got-want) > 1e-6 {
			t.Fatalf("%v, turned to %v, is %v from a boundary, want %v", x, y, got, want)
		}
		side := max(math.Abs(float64(x[0])), math.Abs(float64(x[1])))
		if got := turned.Bayes().Class(y); min(want, math.Abs(side-1)) > 1e-6 && got != straight.Bayes().Class(x) {
			t.Fatalf("%v, turned to %v, has class %d, want %d", x, y, got, straight.Bayes().Class(x))
		}
	})
}

func ExampleCircles_BoundaryDistance() {
	target := Circles{Rings: 2}
	fmt.Println(target.BoundaryDistance([]float32{0, 0.75}))
	// Output: 0.25
}
