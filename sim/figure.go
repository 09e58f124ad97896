package sim

import (
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// maxParts keeps the parts of a figure much wider than the steps of
// fillUniform.
const maxParts = 1 << 10

// figureParams returns the numbers of parts and classes of a figure in the
// plane, or their defaults, def and 2, for 0. It panics unless parts is in
// [2, maxParts] and classes in [2, parts], so that the figure has a boundary.
func figureParams(parts, def, classes int, name string) (int, int) {
	parts = orDefault(parts, def, maxParts, name)
	if classes == 0 {
		classes = 2
	}
	if classes < 2 || classes > parts {
		panic(fmt.Sprintf("sim: %d classes; want at least 2 and at most %s, which is %d", classes, name, parts))
	}
	return parts, classes
}

// sampleFigure returns n independent rows, uniform on the part of the square
// (−1, 1)² where label is not −1, and labelled by label, which may also move the row x.
func sampleFigure(name string, n, classes int, seed uint64, label func(x []float32) int32) *datasets.Dataset {
	d := newDataset(name, n, 2, classes, 0)
	pcg := newPCG(seed)
	x := make([]float32, 2)
	for i := range n {
		for d.Labels[i] = -1; d.Labels[i] < 0; {
			fillUniform(x, pcg)
			d.Labels[i] = label(x)
		}
		d.Columns[0][i], d.Columns[1][i] = x[0], x[1]
	}
	return d
}

// radius returns the distance of x from the origin.
func radius(x []float32) float64 { return math.Hypot(float64(x[0]), float64(x[1])) }
