package forest

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// A Kind is a kind of split function.
type Kind uint8

const (
	Axis      Kind = iota // one feature: x[j]
	Sparse                // a linear combination of some features: Σ w[i]·x[j(i)]
	Dense                 // a linear combination of features 0 … k−1, whose numbers aren't stored
	Quadratic             // a quadratic function of some features: xᵀQx + w·x + b
	LowRank               // a quadratic function as a sum of squares: w·z + b + Σ ±(u[r]·z)², z = x − centre
	Set                   // 0 for rows whose category of a feature is in a set, otherwise 1
	kinds
)

// Linear reports whether functions of kind k are linear combinations of features.
func (k Kind) Linear() bool { return k <= Dense }

// A Function is a split function of a row x: rows whose value is at most a node's
// threshold go left. The value of a linear function is summed in the order of Features,
// and every product and sum is rounded to float32. The value of a Quadratic or a LowRank is
// computed in float64 and then rounded to float32. Nodes split by a Set at threshold ½.
type Function struct {
	Kind Kind

	// MissingLeft is an Axis's or a Set's: a row whose cell is missing goes left. The value of an Axis is then −Inf.
	// Otherwise it is NaN, which is at most no threshold, and the row goes right. For other kinds see [Forest.Fills].
	MissingLeft bool

	Features []int32   // ascending; for Dense 0 … k−1, or nil for the same
	Weights  []float32 // w, one for each feature; {1} for Axis and Set

	// Q is the lower triangle of a Quadratic's matrix, row by row: Q[i(i+1)/2+j],
	// for j ≤ i, is the coefficient of x[Features[i]]·x[Features[j]]. Off the
	// diagonal it is therefore twice the entry of a symmetric matrix.
	Q    []float32
	Bias float32 // b, for Quadratic and LowRank

	// Centre, Factors and Positive are a LowRank's. Centre is subtracted from the cells
	// of Features. Row r of Factors, u[r], is Factors[r·k : (r+1)·k], where k is the
	// number of features. The squares of the first Positive rows are added, the others
	// subtracted. So a matrix with eigenvalues λ and unit eigenvectors e has the rows
	// √|λ|·e. k and the number of rows are at most [MaxLowRank].
	Centre   []float32
	Factors  []float32
	Positive int

	// Categories is a Set's: category c is in it if bit c%32 of Categories[c/32] is set. A cell that is no number of
	// these bits counts as missing.
	Categories []uint32
}

// Linear returns the function Σ weights[i]·x[features[i]]: an Axis for a single feature
// of weight 1, otherwise a Sparse. features must be ascending. The function shares the
// memory of the slices.
func Linear(features []int32, weights []float32) Function {
	kind := Sparse
	if len(features) == 1 && weights[0] == 1 {
		kind = Axis
	}
	return Function{Kind: kind, Features: features, Weights: weights}
}

// list returns the features, also for a Dense whose Features are nil.
func (fn *Function) list() []int32 {
	if fn.Kind == Dense {
		return upTo(len(fn.Weights))
	}
	return fn.Features
}

// Value returns the function's value of a row. Only for an Axis or a Set may cells be missing (NaN); see
// [Forest.Filled].
func (fn *Function) Value(x []float32) float32 {
	switch fn.Kind {
	case Axis:
		return fn.orLowest(x[fn.Features[0]])
	case Set:
		return fn.side(x[fn.Features[0]])
	case Quadratic:
		return kernel.Quadratic(x, fn.Features, fn.Q, fn.Weights, fn.Bias)
	case LowRank:
		return kernel.LowRank(x, fn.Features, fn.Centre, fn.Weights, fn.Factors, fn.Positive, fn.Bias)
	}
	return kernel.Linear(x, fn.list(), fn.Weights)
}

// orLowest returns an Axis's value of a cell.
func (fn *Function) orLowest(v float32) float32 {
	if v != v && fn.MissingLeft {
		return float32(math.Inf(-1))
	}
	return v
}

// Project writes the function's value for each of the given rows to values. columns has
// all features; rows are indices in the columns. Only for an Axis or a Set may cells be missing, as for
// [Function.Value].
func Project[T float32 | byte](fn *Function, values []float32, columns [][]T, rows []int32) {
	switch fn.Kind {
	case Quadratic:
		kernel.ProjectQuadratic(values, columns, rows, fn.Features, fn.Q, fn.Weights, fn.Bias)
	case LowRank:
		kernel.ProjectLowRank(values, columns, rows, fn.Features, fn.Centre, fn.Weights, fn.Factors, fn.Positive, fn.Bias)
	case Set:
		column := columns[fn.Features[0]]
		for i, r := range rows {
			values[i] = fn.side(float32(column[r]))
		}
		return
	default:
		kernel.Project(values, columns, rows, fn.list(), fn.Weights)
	}
	if fn.MissingLeft {
		for i, v := range values {
			values[i] = fn.orLowest(v)
		}
	}
}

// parameters counts the parameters of a split as [Size.Parameters] does: the nonzero
// coefficients and 1 for the threshold, which includes the Bias. A LowRank's Centre doesn't
// count: with other Weights and another Bias it could be 0.
func (fn *Function) parameters() int {
	return nonzeros(fn.Weights) + nonzeros(fn.Q) + nonzeros(fn.Factors) + 1
}

func nonzeros(numbers []float32) int {
	count := 0
	for _, w := range numbers {
		if w != 0 {
			count++
		}
	}
	return count
}

// shares calls yield with each feature's share of an impurity decrease, as
// [Forest.Importance] describes, if it isn't 0. The shares sum to 1, unless all
// coefficients are 0.
func (fn *Function) shares(yield func(feature int32, share float64)) {
	magnitude := make([]float64, len(fn.Weights))
	for i, w := range fn.Weights {
		magnitude[i] = math.Abs(float64(w))
	}
	switch fn.Kind {
	case Quadratic:
		fn.addProducts(magnitude)
	case LowRank:
		fn.addSquares(magnitude)
	}
	sum := 0.0
	for _, m := range magnitude {
		sum += m
	}
	for i, m := range magnitude {
		if m > 0 {
			yield(fn.list()[i], m/sum)
		}
	}
}
