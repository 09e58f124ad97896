package sim

import (
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// XOR is the third figure of GRAF's sensitivity maps (see [Circles]): the square
// [−1, 1]² divided into a grid of equal square cells. The cell of column i and row
// j, both counted from 0 at the lower left, has class (i+j) mod Classes: a
// checkerboard for two classes, and the exclusive or for 2×2 cells.
//
// Degrees turns the square with its grid. The exclusive or, turned by 30°, shows what a
// tree gains from being optimised as a whole: three oblique splits solve it, but none
// of them helps alone, so growing a tree split by split has nothing to go by.
type XOR struct {
	Cells   int     // number of cells along a side, from 2 to 1024; 0 means 4
	Classes int     // number of classes from 2 to Cells; 0 means 2
	Degrees float64 // the square is turned by, anticlockwise about its centre; 0, as in the paper: not turned
}

func (g XOR) params() (cells, classes int) {
	if g.Degrees-g.Degrees != 0 {
		panic(fmt.Sprintf("sim: XOR.Degrees is %v; want a finite angle", g.Degrees))
	}
	return figureParams(g.Cells, 4, g.Classes, "XOR.Cells")
}

// Sample returns n independent rows.
func (g XOR) Sample(n int, seed uint64) *datasets.Dataset {
	_, classes := g.params()
	rule := g.Bayes()
	return sampleFigure("xor", n, classes, seed, func(x []float32) int32 {
		u, v := turn(x, g.Degrees)
		x[0], x[1] = float32(u), float32(v)
		return rule.Class(x)
	})
}

// turn returns x turned about the origin, anticlockwise. Sine and cosine are rounded to
// float32. Their products with x are then exact, so that every processor gets the same
// sums, whether or not it fuses products and sums.
func turn(x []float32, degrees float64) (u, v float64) {
	sin, cos := math.Sincos(math.Mod(degrees, 360) * math.Pi / 180)
	s, c := float64(float32(sin)), float64(float32(cos))
	a, b := float64(x[0]), float64(x[1])
	return c*a - s*b, s*a + c*b
}

// Bayes returns the rule. A row determines its class, which is −1 outside of the square. Lower and left sides, before
// the square is turned, belong to a cell and to the square, upper and right sides don't.
func (g XOR) Bayes() Rule {
	cells, classes := g.params()
	return withoutOverlap(classes, func(x []float32) int32 {
		a, b := turn(x, -g.Degrees)
		if min(a, b) < -1 || max(a, b) >= 1 {
			return -1
		}
		column, row := int((a+1)/2*float64(cells)), int((b+1)/2*float64(cells))
		return int32((column + row) % classes)
	})
}

// BoundaryDistance returns the Euclidean distance from x, which may lie outside of
// the square, to the nearest point where two classes meet.
func (g XOR) BoundaryDistance(x []float32) float64 {
	cells, _ := g.params()
	a, b := turn(x, -g.Degrees)
	return min(toLines(a, b, cells), toLines(b, a, cells))
}

// toLines returns the distance to the nearest of the cells−1 lines inside the
// square that are perpendicular to the axis of u and parallel to that of v.
func toLines(u, v float64, cells int) float64 {
	width := 2 / float64(cells)
	nearest := min(max(math.Round((u+1)/width), 1), float64(cells-1))
	return math.Hypot(u+1-nearest*width, max(0, math.Abs(v)-1))
}
