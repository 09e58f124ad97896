package sim

import (
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// XOR is the third figure of GRAF's sensitivity maps (see [Circles]): the square
// [−1, 1]² divided into a grid of equal square cells. The cell of column i and row
// j, both counted from 0 at the lower left, has class (i+j) mod Classes: a
// checkerboard for two classes, and the exclusive or for 2×2 cells.
type XOR struct {
	Cells   int // number of cells along a side, from 2 to 1024; 0 means 4
	Classes int // number of classes from 2 to Cells; 0 means 2
}

func (g XOR) params() (cells, classes int) {
	return figureParams(g.Cells, 4, g.Classes, "XOR.Cells")
}

// Sample returns n independent rows.
func (g XOR) Sample(n int, seed uint64) *datasets.Dataset {
	_, classes := g.params()
	return sampleFigure("xor", n, classes, seed, g.Bayes)
}

// Bayes returns the class of x, which x determines, or −1 outside of the
// square. Lower and left sides belong to a cell and to the square, upper and
// right sides don't.
func (g XOR) Bayes(x []float32) int32 {
	cells, classes := g.params()
	sum := 0
	for _, v := range x[:2] {
		if v < -1 || v >= 1 {
			return -1
		}
		sum += int((float64(v) + 1) / 2 * float64(cells))
	}
	return int32(sum % classes)
}

// BayesError returns 0.
func (g XOR) BayesError() float64 { return 0 }

// BoundaryDistance returns the Euclidean distance from x, which may lie outside of
// the square, to the nearest point where two classes meet.
func (g XOR) BoundaryDistance(x []float32) float64 {
	cells, _ := g.params()
	a, b := float64(x[0]), float64(x[1])
	return min(toLines(a, b, cells), toLines(b, a, cells))
}

// toLines returns the distance to the nearest of the cells−1 lines inside the
// square that are perpendicular to the axis of u and parallel to that of v.
func toLines(u, v float64, cells int) float64 {
	width := 2 / float64(cells)
	nearest := min(max(math.Round((u+1)/width), 1), float64(cells-1))
	return math.Hypot(u+1-nearest*width, max(0, math.Abs(v)-1))
}
