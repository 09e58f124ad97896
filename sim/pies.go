package sim

import (
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Pies is the second figure of GRAF's sensitivity maps (see [Circles]): the unit
// disk divided into equal sectors. Sector k = 0, 1, …, counted anticlockwise from
// the positive x1 axis, has class k mod Classes.
type Pies struct {
	Sectors int // number of sectors, a multiple of Classes ≤ 1024; 0 means 8
	Classes int // number of classes ≥ 2; 0 means 2
}

func (p Pies) params() (sectors, classes int) {
	sectors, classes = figureParams(p.Sectors, 8, p.Classes, "Pies.Sectors")
	if sectors%classes != 0 { // the last sector and the first could be of one class
		panic(fmt.Sprintf("sim: Pies.Sectors is %d; want a multiple of the %d classes", sectors, classes))
	}
	return sectors, classes
}

// Sample returns n independent rows.
func (p Pies) Sample(n int, seed uint64) *datasets.Dataset {
	_, classes := p.params()
	return sampleFigure("pies", n, classes, seed, p.Bayes().Class)
}

// Bayes returns the rule. A row determines its class, which is −1 outside of the disk.
func (p Pies) Bayes() Rule {
	sectors, classes := p.params()
	return withoutOverlap(classes, func(x []float32) int32 {
		if radius(x) >= 1 {
			return -1
		}
		// Just below the axis the angle may round to a whole turn.
		return int32(min(int(p.angle(x)), sectors-1) % classes)
	})
}

// angle returns the angle of x in sectors, from 0 to their number.
func (p Pies) angle(x []float32) float64 {
	sectors, _ := p.params()
	turns := math.Atan2(float64(x[1]), float64(x[0])) / (2 * math.Pi)
	if turns < 0 {
		turns++
	}
	return turns * float64(sectors)
}

// BoundaryDistance returns the Euclidean distance from x, which may lie outside of
// the disk, to the nearest point where two classes meet.
func (p Pies) BoundaryDistance(x []float32) float64 {
	sectors, _ := p.params()
	angle := p.angle(x)
	// The nearest radius between two sectors is at most half a sector away, so at most
	// a right angle.
	sin, cos := math.Sincos((angle - math.Round(angle)) * 2 * math.Pi / float64(sectors))
	r := radius(x)
	return math.Hypot(r*sin, max(0, r*cos-1))
}
