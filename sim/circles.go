package sim

import (
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Circles is the first of three figures in the plane, with [Pies] and [XOR], for
// which GRAF (Gupta et al.), section 8 and figure 12, draws sensitivity maps. The
// unit disk is divided into concentric rings of equal width, and ring k = 0, 1, …
// from the centre has class k mod Classes.
//
// The paper gives no coordinates. Ours are the square [−1, 1]² or the unit disk
// in it. Rows are uniform on the area, and classes do not overlap. The square is
// centred at 0 because GRAF draws each weight of a plane between the smallest and
// the largest value of its feature (equation 6), so features of one sign would
// allow only half of the directions.
type Circles struct {
	Rings   int // number of rings, including the central disk, from 2 to 1024; 0 means 4
	Classes int // number of classes from 2 to Rings; 0 means 2
}

func (c Circles) params() (rings, classes int) {
	return figureParams(c.Rings, 4, c.Classes, "Circles.Rings")
}

// Sample returns n independent rows.
func (c Circles) Sample(n int, seed uint64) *datasets.Dataset {
	_, classes := c.params()
	return sampleFigure("circles", n, classes, seed, c.Bayes().Class)
}

// Bayes returns the rule. A row determines its class, which is −1 outside of the disk.
func (c Circles) Bayes() Rule {
	rings, classes := c.params()
	return withoutOverlap(classes, func(x []float32) int32 {
		r := radius(x)
		if r >= 1 {
			return -1
		}
		return int32(int(r*float64(rings)) % classes)
	})
}

// BoundaryDistance returns the Euclidean distance from x, which may lie outside of
// the disk, to the nearest point where two classes meet.
func (c Circles) BoundaryDistance(x []float32) float64 {
	rings, _ := c.params()
	r, count := radius(x), float64(rings)
	nearest := min(max(math.Round(r*count), 1), count-1)
	return math.Abs(r - nearest/count)
}
