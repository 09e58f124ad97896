package sim

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Hypercube is the simulation of GRAF (Gupta et al.), section 6 and Algorithm
// 3: rows scattered around the vertices of the p-dimensional unit cube. Feature
// j is in (−0.5, 0.5) where the vertex has coordinate 0 and in (0.5, 1.5) where
// it has 1. All features matter; unless Multiclass is set, none is informative by
// itself.
//
// In each of the two intervals a feature has a truncated normal distribution,
// whose parameters are drawn once per sample, uniformly: the mean from the
// interval, the standard deviation from [0, 0.5] for the lower interval (the
// algorithm says [−0.5, 0.5], where the sign means nothing) and [0.5, 1.5] for
// the upper.
//
// Another seed gives another problem, with other means, standard deviations and
// another projection. To get training and test data, split one sample, as the
// paper does (70 % and 30 %).
type Hypercube struct {
	Features int // number of features p ≤ 20; 0 means 10 (the paper goes from 3 to 15)

	// Multiclass makes the class of a row the number of ones of its vertex, "0"
	// to "p"; otherwise it is the parity of that number, "0" or "1".
	Multiclass bool

	// Project multiplies the rows by a random p×p matrix, which makes features
	// depend on each other. The paper doesn't say how the matrix is drawn. Entries
	// are uniform on [0, 1), since these give the numbers of principal components
	// of its table 1; normal entries, or uniform ones of either sign, do not.
	Project bool

	// Deviation, if above 0, is the standard deviation of every feature in both
	// intervals, and the means are the coordinates of the vertex. The paper has no
	// such setting. Small values give tight clusters; the paper's clusters fill
	// their intervals.
	Deviation float64 // at most 1000

	// MostRows is the most rows around a vertex if Sample is asked for 0 rows; 0
	// means 5, as in the algorithm. With 4 samples have the sizes of the paper's
	// table 1, which are those of 3 or 4 rows with equal probability.
	MostRows int
}

func (h Hypercube) params() (p int) { return orDefault(h.Features, 10, 20, "Hypercube.Features") }

// Sample returns n rows in random order. Each vertex has the same number of rows,
// or one more for vertices chosen at random. With n = 0, Sample follows the paper:
// 3, 4 or 5 rows around each vertex, with equal probability, about 4·2^p in all, or 3
// to MostRows.
func (h Hypercube) Sample(n int, seed uint64) *datasets.Dataset {
	p := h.params()
	rng := newRand(seed)
	lower, upper := h.halves(p, rng)
	vertices := h.vertices(n, p, rng)

	d := newDataset("hypercube", len(vertices), p, h.classes(), 0)
	for i, v := range vertices {
		d.Labels[i] = h.label(v)
	}
	for j, col := range d.Columns {
		for i, v := range vertices {
			if v>>j&1 == 0 {
				col[i] = lower[j].draw(rng)
			} else {
				col[i] = upper[j].draw(rng)
			}
		}
	}
	if h.Project {
		project(d.Columns, rng)
	}
	return d
}

func (h Hypercube) classes() int {
	if h.Multiclass {
		return h.params() + 1
	}
	return 2
}

func (h Hypercube) label(vertex uint32) int32 {
	ones := int32(bits.OnesCount32(vertex))
	if h.Multiclass {
		return ones
	}
	return ones % 2
}

// A half is the truncated normal distribution of a feature on (lo, lo+1), the
// interval of one coordinate of a vertex.
type half struct{ mean, stdev, lo float64 }

// mostDeviation keeps draw from rejecting more than a few thousand numbers.
const mostDeviation = 1000

func (h Hypercube) halves(p int, rng *rand.Rand) (lower, upper []half) {
	if !(h.Deviation >= 0 && h.Deviation <= mostDeviation) {
		panic(fmt.Sprintf("sim: Hypercube.Deviation is %v; want 0 to %d", h.Deviation, mostDeviation))
	}
	for range p {
		if h.Deviation > 0 {
			lower = append(lower, half{0, h.Deviation, -0.5})
			upper = append(upper, half{1, h.Deviation, 0.5})
			continue
		}
		lower = append(lower, half{rng.Float64() - 0.5, math.Abs(rng.Float64() - 0.5), -0.5})
		upper = append(upper, half{rng.Float64() + 0.5, rng.Float64() + 0.5, 0.5})
	}
	return lower, upper
}

// draw returns a number strictly between lo and lo+1.
func (h half) draw(rng *rand.Rand) float32 {
	for {
		v := float32(h.mean + float64(h.stdev*rng.NormFloat64()))
		if v > float32(h.lo) && v < float32(h.lo+1) {
			return v
		}
	}
}

// vertices returns the vertex of each row; bit j of a vertex is its
// coordinate j.
func (h Hypercube) vertices(n, p int, rng *rand.Rand) []uint32 {
	var vertices []uint32
	most := cmp.Or(h.MostRows, 5)
	if most < 3 {
		panic(fmt.Sprintf("sim: Hypercube.MostRows is %d; want 3 or more", most))
	}
	if n < 0 || n > math.MaxInt32 {
		panic(fmt.Sprintf("sim: a sample of %d rows; want 0 to %d", n, math.MaxInt32))
	}
	if n == 0 {
		for v := range uint32(1) << p {
			for range 3 + rng.IntN(most-2) {
				vertices = append(vertices, v)
			}
		}
	} else {
		all := rng.Perm(1 << p)
		for i := range n {
			vertices = append(vertices, uint32(all[i%len(all)]))
		}
	}
	rng.Shuffle(len(vertices), func(i, k int) { vertices[i], vertices[k] = vertices[k], vertices[i] })
	return vertices
}

// project multiplies every row from the right by a matrix of uniform entries.
func project(columns [][]float32, rng *rand.Rand) {
	p := len(columns)
	matrix := make([]float64, p*p) // column k of the matrix is matrix[k*p:]
	for i := range matrix {
		matrix[i] = rng.Float64()
	}
	x := make([]float64, p)
	for i := range columns[0] {
		for j, col := range columns {
			x[j] = float64(col[i])
		}
		for k, col := range columns {
			var sum float64
			for j, m := range matrix[k*p : (k+1)*p] {
				sum += float64(x[j] * m)
			}
			col[i] = float32(sum)
		}
	}
}

// Bayes returns the rule. A row determines its class, that of the nearest vertex. A random square matrix is invertible
// (with probability 1), so the error is 0 for projected samples, too. Their matrix isn't kept: Class and Posterior
// panic if Project is set.
func (h Hypercube) Bayes() Rule {
	p := h.params()
	return withoutOverlap(h.classes(), func(x []float32) int32 {
		if h.Project {
			panic("sim: the Bayes rule of a projected Hypercube depends on its projection")
		}
		var vertex uint32
		for j, v := range x[:p] {
			if v > 0.5 {
				vertex |= 1 << j
			}
		}
		return h.label(vertex)
	})
}
