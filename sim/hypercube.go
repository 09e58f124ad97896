package sim

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Hypercube is the simulation of GRAF (Gupta et al.), section 6 and Algorithm
// 3: rows scattered around the vertices of the p-dimensional unit cube,
// feature j in (−0.5, 0.5) where the vertex has coordinate 0 and in (0.5, 1.5)
// where it has 1. All features matter and none tells anything by itself.
//
// In each half a feature is a normal variable that is drawn again until it
// falls into its interval; its mean and standard deviation are drawn once a
// sample, uniformly: the mean from the interval itself, the deviation from
// [0, 0.5] in the lower half (the algorithm says [−0.5, 0.5], whose sign means
// nothing) and [0.5, 1.5] in the upper.
//
// A sample stands for itself: another seed draws other means, deviations and
// projection. Split one sample to get data for training and testing, as the
// paper does (70 % and 30 %).
type Hypercube struct {
	Features int // number of features p ≤ 20; 0 means 10 (the paper goes from 3 to 15)

	// Multiclass makes the class of a row the number of ones of its vertex, of
	// p+1 classes "0" … "p"; otherwise it is that number's parity, "0" or "1".
	Multiclass bool

	// Project multiplies the rows by a random p×p matrix, which makes features
	// depend on each other. The paper doesn't say how the matrix is drawn;
	// entries uniform on [0, 1) give the numbers of principal components of
	// its table 1, which normal entries, or ones of either sign, do not.
	Project bool

	// Deviation, if above 0, is the standard deviation of every feature in both
	// halves, and its mean is the vertex: tight clusters. The paper has no such
	// setting; in its own, clusters fill their cells.
	Deviation float64
}

func (h Hypercube) params() (p int) { return orDefault(h.Features, 10, 20, "Hypercube.Features") }

// Sample returns n rows in random order, as many around each vertex as
// around any other, or one more for vertices chosen at random. With n = 0 it
// follows the paper: 3, 4 or 5 rows around each vertex, each number as likely,
// about 4·2^p rows in all.
func (h Hypercube) Sample(n int, seed uint64) *datasets.Dataset {
	p := h.params()
	rng := newRand(seed)
	lower, upper := h.halves(p, rng)
	vertices := sampleVertices(n, p, rng)

	classes := 2
	if h.Multiclass {
		classes = p + 1
	}
	d := newDataset("hypercube", len(vertices), p, classes, 0)
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

func (h Hypercube) label(vertex uint32) int32 {
	ones := int32(bits.OnesCount32(vertex))
	if h.Multiclass {
		return ones
	}
	return ones % 2
}

// A half is the distribution of one feature around vertices that share that
// coordinate.
type half struct{ mean, stdev, lo float64 }

func (h Hypercube) halves(p int, rng *rand.Rand) (lower, upper []half) {
	if h.Deviation < 0 {
		panic("sim: Hypercube.Deviation below 0")
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

// sampleVertices returns the vertex of each row; bit j of a vertex is its
// coordinate j.
func sampleVertices(n, p int, rng *rand.Rand) []uint32 {
	var vertices []uint32
	if n < 0 {
		panic("sim: a sample of fewer than 0 rows")
	}
	if n == 0 {
		for v := range uint32(1) << p {
			for range 3 + rng.IntN(3) {
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

// Bayes returns the class of x, which it determines: that of the vertex x is
// nearest to. It panics for projected samples, whose matrix is lost.
func (h Hypercube) Bayes(x []float32) int32 {
	if h.Project {
		panic("sim: the Bayes rule of a projected Hypercube depends on its projection")
	}
	var vertex uint32
	for j, v := range x[:h.params()] {
		if v > 0.5 {
			vertex |= 1 << j
		}
	}
	return h.label(vertex)
}

// BayesError returns 0; a random square matrix is invertible, so this holds
// for projected samples too.
func (h Hypercube) BayesError() float64 { return 0 }
