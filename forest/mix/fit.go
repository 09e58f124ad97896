package mix

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/dense"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// fitRows is the largest number of rows that a direction is fitted to; of larger nodes, evenly
// spaced rows are taken.
const fitRows = 512

// least is the least coefficient that a direction keeps, divided by its largest, features being
// standardised over the node's rows. Small ones cost time in prediction and say little.
const least = 0.1

// maxKnown is the largest number of features whose columns and correlations are kept. A fit has no more features (see
// many).
const maxKnown = 64

// A fit is a ridge regression of a target on some features of a node. With the
// correlations R of the features, over the node's rows, and their correlations c with the
// target, it solves (R + λI)v = c. The coefficients are v/s, where s are the features' standard
// deviations: so the penalty λ doesn't depend on their scale. Sums are those of package
// kernel, with the same bits on every processor.
//
// Fits of a node have the same rows, so columns and correlations are computed when a fit first needs
// them, and kept for the others.
type fit struct {
	bootstrap bool // whether rows are drawn with replacement

	node *grow.Node
	rows []int32 // of the node
	grow.Centring
	y []float64 // √w·(target − mean)

	known        []int32 // the features that are kept
	place        []int32 // by feature: 1 + its index in known, or 0
	cells        []float32
	x            []float64 // √w·(cell − mean) of the rows, known feature after known feature
	lengths      []float64 // of the known features in x; 0 if the feature doesn't vary
	correlations []float64 // of known features a and b < a at a·(a−1)/2 + b; NaN if no fit needed it yet

	at      []int32   // of the features of the fit in known
	missing []int32   // features whose correlation isn't known
	r, v    []float64 // the equations; r is m×m, of which only the lower triangle is used
}

// begin begins a node.
func (f *fit) begin(node *grow.Node) {
	f.node = node
	all := node.Len()
	n := min(all, fitRows)
	f.rows, f.y, f.Weights = grow.Sized(f.rows, n), grow.Sized(f.y, n), grow.Sized(f.Weights, n)
	first := 0
	if all > n {
		first = node.Rand().Intn(all)
	}
	f.forget()
	kept := min(node.P(), maxKnown)
	f.place = grow.Sized(f.place, node.P()) // all 0: as it is made, and as forget leaves it
	f.cells, f.x = grow.Sized(f.cells, n), grow.Sized(f.x, n*kept)
	f.lengths, f.correlations = grow.Sized(f.lengths, kept), grow.Sized(f.correlations, kept*(kept-1)/2)
	for i := range n {
		row := (i*all + first) / n
		if f.bootstrap {
			row = node.Rand().Intn(all)
		}
		f.rows[i], f.Weights[i] = int32(row), node.Weight(row)
	}
	f.SetWeights(f.Weights)
}

// setTarget sets the target, which value returns for each row of the node.
func (f *fit) setTarget(value func(row int) float64) {
	for i, r := range f.rows {
		f.y[i] = value(int(r))
	}
	grow.Centre(&f.Centring, f.y, f.y)
}

// direction sets the weights of the combination's features, and leaves out those of weight 0. The weights have
// length 1. It returns false if there are none.
func (f *fit) direction(c *grow.Combination, penalty float64) bool {
	features := f.setFeatures(c.Features)
	f.setEquations(penalty)
	if !dense.Factor(f.r, len(f.v), f.node) {
		return false
	}
	dense.Solve(f.r, f.v)
	most := 0.0
	for _, v := range f.v {
		most = max(most, math.Abs(v))
	}
	for i, a := range f.at {
		if math.Abs(f.v[i]) < least*most {
			f.v[i] = 0
		}
		f.v[i] /= f.lengths[a]
	}
	length := math.Sqrt(kernel.Dot(f.v, f.v))
	if !(length > 0) || math.IsInf(length, 0) {
		return false
	}
	for i := range f.v {
		f.v[i] /= length
	}
	c.Set(features, f.v)
	return len(c.Features) > 0
}

// setFeatures sets at, and returns the features that vary.
func (f *fit) setFeatures(features []int32) []int32 {
	unknown := 0
	for _, j := range features {
		if f.place[j] == 0 {
			unknown++
		}
	}
	if len(f.known)+unknown > maxKnown {
		f.forget()
	}
	m := 0
	f.at = f.at[:0]
	for _, j := range features {
		if f.place[j] == 0 {
			f.learn(j)
		}
		if a := f.place[j] - 1; f.lengths[a] > 0 {
			features[m] = j
			f.at = append(f.at, a)
			m++
		}
	}
	return features[:m]
}

// forget makes all features unknown.
func (f *fit) forget() {
	for _, j := range f.known {
		f.place[j] = 0
	}
	f.known = f.known[:0]
}

// learn makes feature j known, without its correlations.
func (f *fit) learn(j int32) {
	a := len(f.known)
	f.known = append(f.known, j)
	f.place[j] = int32(a + 1)
	for b := range a {
		f.correlations[a*(a-1)/2+b] = math.NaN()
	}
	f.node.Cells(f.cells, j, f.rows)
	x := f.column(int32(a))
	grow.Centre(&f.Centring, x, f.cells)
	f.lengths[a] = math.Sqrt(kernel.Dot(x, x))
	if grow.Constant(f.cells) || math.IsInf(f.lengths[a], 0) {
		f.lengths[a] = 0
	}
}

// column returns the known feature a in x.
func (f *fit) column(a int32) []float64 { return f.x[int(a)*len(f.rows):][:len(f.rows)] }

// correlation returns where the correlation of two different known features is kept.
func (f *fit) correlation(a, b int32) *float64 {
	a, b = max(a, b), min(a, b)
	return &f.correlations[int(a*(a-1)/2+b)]
}

// setEquations sets r to R + λI and v to c.
func (f *fit) setEquations(penalty float64) {
	m := len(f.at)
	f.r, f.v = grow.Sized(f.r, m*m), grow.Sized(f.v, m)
	for i, a := range f.at {
		f.correlate(a, f.at[:i])
		for j, b := range f.at[:i] {
			f.r[i*m+j] = *f.correlation(a, b)
		}
		f.r[i*m+i] = 1 + penalty
	}
	for i := 0; i < m; i += 4 {
		at := f.at[i:min(i+4, m)]
		sums := f.dots(f.y, at)
		for k, a := range at {
			f.v[i+k] = sums[k] / f.lengths[a]
		}
	}
}

// correlate computes the correlations of known feature a with others that aren't known yet.
func (f *fit) correlate(a int32, others []int32) {
	f.missing = f.missing[:0]
	for _, b := range others {
		if math.IsNaN(*f.correlation(a, b)) {
			f.missing = append(f.missing, b)
		}
	}
	for lo := 0; lo < len(f.missing); lo += 4 {
		four := f.missing[lo:min(lo+4, len(f.missing))]
		sums := f.dots(f.column(a), four)
		for k, b := range four {
			*f.correlation(a, b) = sums[k] / (f.lengths[a] * f.lengths[b])
		}
	}
}

// dots returns the products of y with up to four known features.
func (f *fit) dots(y []float64, at []int32) (sums [4]float64) {
	if len(at) == 1 {
		sums[0] = kernel.Dot(y, f.column(at[0]))
		return sums
	}
	last := len(at) - 1
	return kernel.Dot4(y, f.column(at[0]), f.column(at[1]), f.column(at[min(2, last)]), f.column(at[min(3, last)]))
}
