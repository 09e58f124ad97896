package sim

import (
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Consistency is the problem of Biau, Devroye and Lugosi (2008) on which
// axis-aligned greedy trees need not converge, drawn in figure 1A of Tomita et
// al. (2020). Two features are uniform on the squares [0,1]², [1,2]² and
// [2,3]², a third of the rows in each on average.
//
// The lower left square has infinitely many vertical stripes of classes 0, 1,
// 0, 1, … from the left, 1/4, 1/4, 1/8, 1/8, 1/16, 1/16, … wide. The upper
// right square has the same stripes horizontally, from the bottom. The middle
// square is a checkerboard of four squares: class 1 where one feature is below 1.5
// and the other isn't.
type Consistency struct{}

// Sample returns n independent rows. They lie at least 2⁻²² from the sides of
// the squares, so narrower stripes get no rows.
func (Consistency) Sample(n int, seed uint64) *datasets.Dataset {
	d := newDataset("consistency", n, 2, 2, 0)
	pcg := newPCG(seed)
	// An odd multiple of 2⁻²² in (0, 1) stays exact when 0, 1 or 2 is added.
	cell := func(bits uint64, square int32) float32 {
		return float32(square<<22+int32(bits>>43)*2+1) * 0x1p-22
	}
	x, y := d.Columns[0], d.Columns[1]
	for i := range n {
		square := int32((pcg.Uint64() >> 32) * 3 >> 32) // ⌊3u/2³²⌋, unequal by less than 2⁻³¹
		x[i] = cell(pcg.Uint64(), square)
		y[i] = cell(pcg.Uint64(), square)
		d.Labels[i] = classAt(x[i], y[i])
	}
	return d
}

// Bayes returns the rule. A row determines its class, which is −1 outside of the three squares. Lower and left sides
// belong to a square, upper and right sides don't.
func (Consistency) Bayes() Rule {
	return withoutOverlap(2, func(x []float32) int32 { return classAt(x[0], x[1]) })
}

// classAt returns the class at the point (a, b).
func classAt(a, b float32) int32 {
	switch square := math.Floor(float64(a)); {
	case square != math.Floor(float64(b)):
		return -1
	case square == 0:
		return stripe(float64(a))
	case square == 1 && (a >= 1.5) != (b >= 1.5):
		return 1
	case square == 1:
		return 0
	case square == 2:
		return stripe(float64(b) - 2)
	default:
		return -1
	}
}

// stripe returns the class of the stripe that holds u in [0, 1). With w the
// power of two for which w/2 < 1−u ≤ w, the two stripes of width w/4 start at
// 1−w and 1−3w/4.
func stripe(u float64) int32 {
	frac, _ := math.Frexp(1 - u) // (1−u)/w, or 1/2 where 1−u = w
	if frac > 0.5 && frac <= 0.75 {
		return 1
	}
	return 0
}
