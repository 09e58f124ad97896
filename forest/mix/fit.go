package mix

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// fitRows is the largest number of rows that a direction is fitted to; of larger nodes, evenly
// spaced rows are taken.
const fitRows = 512

// least is the least coefficient that a direction keeps, divided by its largest, features being
// standardised over the node's rows. Small ones cost time in prediction and say little.
const least = 0.1

// A fit is a ridge regression of a target on some features of a node. With the
// correlations R of the features, over the node's rows, and their correlations c with the
// target, it solves (R + λI)v = c. The coefficients are v/s, where s are the features' standard
// deviations: so the penalty λ doesn't depend on their scale. Sums are those of package
// kernel, with the same bits on every processor.
type fit struct {
	bootstrap bool // whether rows are drawn with replacement

	node    *grow.Node
	rows    []int32 // of the node
	weights []float64
	roots   []float64 // of the weights
	total   float64   // of the weights
	cells   []float32 // of all rows of the node
	x       []float64 // √w·(cell − mean) of the rows, feature after feature
	y       []float64 // √w·(target − mean)
	lengths []float64 // of the features in x
	r, v    []float64 // the equations; r is m×m, of which only the lower triangle is used
}

// begin begins a node.
func (f *fit) begin(node *grow.Node) {
	f.node = node
	all := node.Len()
	n := min(all, fitRows)
	f.cells = grow.Sized(f.cells, all)
	f.rows, f.y = grow.Sized(f.rows, n), grow.Sized(f.y, n)
	f.weights, f.roots = grow.Sized(f.weights, n), grow.Sized(f.roots, n)
	first := 0
	if all > n {
		first = node.Rand().Intn(all)
	}
	f.total = 0
	for i := range n {
		row := (i*all + first) / n
		if f.bootstrap {
			row = node.Rand().Intn(all)
		}
		f.rows[i] = int32(row)
		f.weights[i] = node.Weight(row)
		f.roots[i] = math.Sqrt(f.weights[i])
		f.total += f.weights[i]
	}
}

// setTarget sets the target, which value returns for each row of the node.
func (f *fit) setTarget(value func(row int) float64) {
	var sum float64
	for i, r := range f.rows {
		f.y[i] = value(int(r))
		sum += float64(f.weights[i] * f.y[i])
	}
	mean := sum / f.total
	for i, root := range f.roots {
		f.y[i] = float64(root * (f.y[i] - mean))
	}
}

// direction returns those of the features that have a coefficient other than 0, and appends the
// coefficients to weights. They have length 1. It overwrites features.
func (f *fit) direction(features []int32, weights []float32, penalty float64) ([]int32, []float32) {
	features = f.setFeatures(features)
	m, n := len(features), len(f.rows)
	f.r, f.v = grow.Sized(f.r, m*m), grow.Sized(f.v, m)
	for i := range m {
		a := f.x[i*n:][:n]
		for j := range i {
			f.r[i*m+j] = kernel.Dot(a, f.x[j*n:][:n]) / (f.lengths[i] * f.lengths[j])
		}
		f.r[i*m+i] = 1 + penalty
		f.v[i] = kernel.Dot(a, f.y) / f.lengths[i]
	}
	if !solve(f.r, f.v) {
		return features[:0], weights
	}
	most := 0.0
	for _, v := range f.v {
		most = max(most, math.Abs(v))
	}
	for i, s := range f.lengths[:m] {
		if math.Abs(f.v[i]) < least*most {
			f.v[i] = 0
		}
		f.v[i] /= s
	}
	length := math.Sqrt(kernel.Dot(f.v, f.v))
	if !(length > 0) || math.IsInf(length, 0) {
		return features[:0], weights
	}
	k := 0
	for i, v := range f.v {
		if w := float32(v / length); w != 0 {
			features[k] = features[i]
			weights = append(weights, w)
			k++
		}
	}
	if k == 1 {
		weights[0] = 1
	}
	return features[:k], weights
}

// setFeatures sets x and lengths, and returns the features that vary.
func (f *fit) setFeatures(features []int32) []int32 {
	m, n := 0, len(f.rows)
	f.x, f.lengths = grow.Sized(f.x, n*len(features)), grow.Sized(f.lengths, len(features))
	for _, j := range features {
		f.node.Column(f.cells, j)
		first := f.cells[f.rows[0]]
		varies := false
		var sum float64
		for i, r := range f.rows {
			varies = varies || f.cells[r] != first
			sum += float64(f.weights[i] * float64(f.cells[r]))
		}
		mean := sum / f.total
		x := f.x[m*n:][:n]
		for i, r := range f.rows {
			x[i] = float64(f.roots[i] * (float64(f.cells[r]) - mean))
		}
		length := math.Sqrt(kernel.Dot(x, x))
		if varies && length > 0 && !math.IsInf(length, 0) {
			features[m], f.lengths[m] = j, length
			m++
		}
	}
	return features[:m]
}

// solve solves rx = b by Cholesky's factorisation, for a symmetric r whose lower triangle it
// overwrites, and overwrites b with x. It returns false if r isn't positive definite.
func solve(r, b []float64) bool {
	m := len(b)
	for i := range m {
		row := r[i*m:][:i+1]
		for j := range i {
			row[j] = (row[j] - kernel.Dot(row[:j], r[j*m:][:j])) / r[j*m+j]
		}
		d := row[i] - kernel.Dot(row[:i], row[:i])
		if !(d > 0) {
			return false
		}
		row[i] = math.Sqrt(d)
		b[i] = (b[i] - kernel.Dot(row[:i], b[:i])) / row[i]
	}
	for i := m - 1; i >= 0; i-- {
		b[i] /= r[i*m+i]
		for j := range i {
			b[j] -= float64(r[i*m+j] * b[i])
		}
	}
	return true
}
