package godt

import (
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/dense"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/mixture"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A fitter divides rows in two and writes the division as a split function: rows of the first
// component go left, where the function is at most the threshold.
type fitter struct {
	rows     mixture.Rows
	features []int32 // of the rows' columns

	linear    mixture.Linear
	quadratic mixture.Quadratic

	weights      []float64 // of a plane
	mean1, mean2 []float64
	t            []float64
	factor       []float64 // by which columns are multiplied, so that β is relative

	fn        forest.Function
	threshold float32

	// Buffers of quadric.
	values, vectors    []float64
	shift, slope, work []float64
}

func (f *fitter) begin(weight []float64, features int) {
	f.features = f.features[:0]
	f.rows.Reset(weight, features)
}

// divide finds fn and threshold. scale has the standard deviation of each feature in the training
// data if β is relative, otherwise it is nil. It returns false if the rows can't be divided.
func (f *fitter) divide(by Splitting, scale []float64, rng *forest.Rand) bool {
	p := f.rows.P()
	if p == 0 || f.rows.N() < 2 {
		return false
	}
	f.weights, f.mean1, f.mean2 = grow.Sized(f.weights, p), grow.Sized(f.mean1, p), grow.Sized(f.mean2, p)
	f.t = grow.Sized(f.t, f.rows.N())
	switch by.Divider {
	case RandomAxis:
		for k := range f.weights {
			f.weights[k] = rng.Normal()
		}
		return f.divideAtMedian()
	case FirstAxis:
		f.rows.FirstAxis(f.weights)
		return f.divideAtMedian()
	}
	if !f.start(by.Start, rng) {
		return false
	}
	if by.Divider == KMeans {
		d := mixture.Bisector(f.weights, f.mean1, f.mean2)
		return f.plane(f.weights, d)
	}
	beta := by.Beta
	if scale != nil {
		f.rescale(scale)
		beta = by.RelativeBeta
	}
	return f.mix(by.Divider, beta)
}

func (f *fitter) divideAtMedian() bool {
	f.rows.Project(f.t, f.weights)
	at, ok := f.rows.Median(f.t)
	if !ok {
		return false
	}
	return f.plane(f.weights, at)
}

// start sets the means that a mixture starts from.
func (f *fitter) start(from Start, rng *forest.Rand) bool {
	if from != PrincipalAxis {
		return f.drawnRows(from, rng)
	}
	f.rows.FirstAxis(f.weights)
	f.rows.Project(f.t, f.weights)
	at, ok := f.rows.Median(f.t)
	return ok && f.rows.Centroids(f.mean1, f.mean2, f.weights, at) && f.rows.KMeans(f.mean1, f.mean2)
}

// drawnRows makes two different rows the means. It returns false if they are equal; others may be drawn.
func (f *fitter) drawnRows(from Start, rng *forest.Rand) bool {
	n := f.rows.N()
	i := rng.Intn(n)
	copy(f.mean1, f.rows.Row(i))
	var j int
	if from == PlusPlus {
		j = f.farRow(rng)
	} else if j = rng.Intn(n - 1); j >= i {
		j++
	}
	copy(f.mean2, f.rows.Row(j))
	return !slices.Equal(f.mean1, f.mean2)
}

// farRow draws a row with probabilities in proportion to the squared distance from mean1.
func (f *fitter) farRow(rng *forest.Rand) int {
	total := 0.0
	for i := range f.t {
		f.t[i] = 0
		for k, v := range f.rows.Row(i) {
			d := v - f.mean1[k]
			f.t[i] += float64(d * d)
		}
		total += f.t[i]
	}
	at := float64(rng.Float64() * total)
	for i, squared := range f.t {
		if at -= squared; at < 0 {
			return i
		}
	}
	return len(f.t) - 1
}

// rescale divides the columns, and the means, by the features' standard deviations.
func (f *fitter) rescale(scale []float64) {
	f.factor = grow.Sized(f.factor, len(f.features))
	for k, j := range f.features {
		f.factor[k] = 1 / scale[j]
		f.mean1[k] *= f.factor[k]
		f.mean2[k] *= f.factor[k]
	}
	f.rows.Scale(f.factor)
}

// mix fits the mixture, from the means of start.
func (f *fitter) mix(divider Divider, beta float64) bool {
	var basis []float64
	if divider == SharedFull || divider == SeparateFull {
		basis = f.rows.Rotate(&f.mean1, &f.mean2)
	}
	f.linear.Mean1, f.linear.Mean2 = f.mean1, f.mean2
	f.quadratic.Mean1, f.quadratic.Mean2 = f.mean1, f.mean2
	var stop mixture.Stop
	switch divider {
	case SharedDiagonal:
		return f.rows.FitDiagonal(&f.linear, beta, stop) && f.plane(f.linear.W, f.linear.D)
	case SharedFull:
		return f.rows.FitFull(&f.linear, beta, stop) && f.plane(f.turnBack(f.linear.W, basis), f.linear.D)
	case SeparateDiagonal:
		return f.rows.FitSeparateDiagonal(&f.quadratic, beta, stop) && f.quadric(nil)
	}
	stop.Tolerance = fullTolerance
	return f.rows.FitSeparate(&f.quadratic, beta, stop) && f.quadric(basis)
}

// fullTolerance is the relative change of the log-likelihood at which EM ends if each component has a full covariance.
// With 10⁻⁶ trees are no more accurate, and take twice the rounds.
const fullTolerance = 1e-3

// turnBack returns a vector of coordinates in a basis (see [mixture.Rows.Rotate]) as one of
// the features. A nil basis is that of the features.
func (f *fitter) turnBack(v, basis []float64) []float64 {
	if basis == nil {
		return v
	}
	clear(f.weights)
	dense.AddRows(f.weights, basis, len(f.weights), v)
	return f.weights
}

// plane makes the rows with w·x ≥ d, of centred and perhaps rescaled x, the left side. The
// weights are divided by the sum of their magnitudes, so whatever the features' units no row's
// value is too large for a float32.
func (f *fitter) plane(w []float64, d float64) bool {
	sum := 0.0
	for k, v := range w {
		d += float64(v * f.rows.Mean()[k])
		sum += math.Abs(float64(v * f.raw(k)))
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return false
	}
	f.fn.Features, f.fn.Weights = f.fn.Features[:0], f.fn.Weights[:0]
	for k, v := range w {
		if v := float32(-float64(v*f.raw(k)) / sum); v != 0 {
			f.fn.Features, f.fn.Weights = append(f.fn.Features, f.features[k]), append(f.fn.Weights, v)
		}
	}
	f.fn = forest.Linear(f.fn.Features, f.fn.Weights)
	f.threshold = float32(-d / sum)
	return f.threshold-f.threshold == 0
}

// raw returns the factor that turns a coordinate of the rows' columns into the features' coordinate.
func (f *fitter) raw(k int) float64 {
	if f.factor == nil {
		return 1
	}
	return f.factor[k]
}

// quadric makes the rows with xᵀQx + W·x + B ≥ 0 the left side. −Q is written as a sum and
// difference of squares by its eigenvectors, and x is centred, since the terms of an uncentred function
// would cancel and lose digits.
func (f *fitter) quadric(basis []float64) bool {
	m, r, p := &f.quadratic, f.rows.P(), len(f.features)
	if len(m.Q) == r {
		f.alongAxes(m.Q)
	} else if !f.eigen(m.Q) {
		return false
	}
	fn := forest.Function{Kind: forest.LowRank, Features: f.features, Factors: f.fn.Factors[:0]}
	fn.Weights, fn.Centre = grow.Sized(f.fn.Weights, p), grow.Sized(f.fn.Centre, p)
	bias := m.B
	f.shift = grow.Sized(f.shift, p) // the stored centre, a float32, minus the mean
	for k := range f.shift {
		mean := f.rows.Mean()[k] / f.raw(k)
		fn.Centre[k] = float32(mean)
		f.shift[k] = (float64(fn.Centre[k]) - mean) * f.raw(k)
	}
	f.slope = append(f.slope[:0], f.turnBack(m.W, basis)...)
	for k, v := range f.slope {
		bias += float64(v * f.shift[k])
	}
	longest := f.longest()
	for _, sign := range []float64{-1, 1} { // the negative eigenvalues are those that are added in −Q
		for i, value := range f.values {
			if parallel.Cancelled(f.rows.Call) {
				return false
			}
			if !(value*sign > 0) || math.Abs(value)*longest < negligible {
				continue
			}
			root := math.Sqrt(math.Abs(value))
			vector := f.turnBack(f.vectors[i*r:][:r], basis)
			along := 0.0
			for k, v := range vector {
				along += float64(v * f.shift[k])
				fn.Factors = append(fn.Factors, float32(float64(root*v)*f.raw(k)))
			}
			bias += float64(value * float64(along*along))
			for k, v := range vector {
				f.slope[k] += float64(2 * float64(value*along) * v)
			}
			if sign < 0 {
				fn.Positive++
			}
		}
	}
	for k, v := range f.slope {
		fn.Weights[k] = float32(-v * f.raw(k))
	}
	fn.Bias = float32(-bias)
	f.fn, f.threshold = fn, 0
	return finite(fn.Weights) && finite(fn.Factors) && finite(fn.Centre) && finite([]float32{fn.Bias})
}

// negligible is the most that a term may contribute to the log odds of the farthest row to be left
// out.
const negligible = 1e-7

// longest returns the largest squared length of a row.
func (f *fitter) longest() float64 {
	var longest float64
	for i := range f.rows.N() {
		var squares float64
		for _, v := range f.rows.Row(i) {
			squares += float64(v * v)
		}
		longest = max(longest, squares)
	}
	return longest
}

// alongAxes sets values and vectors to those of a matrix whose diagonal is given.
func (f *fitter) alongAxes(diagonal []float64) {
	r := len(diagonal)
	f.values = append(f.values[:0], diagonal...)
	f.vectors = grow.Sized(f.vectors, r*r)
	clear(f.vectors)
	for k := range r {
		f.vectors[k*r+k] = 1
	}
}

// eigen sets values and vectors to the eigenvalues and eigenvectors of a symmetric matrix.
func (f *fitter) eigen(q []float64) bool {
	r := f.rows.P()
	f.values, f.work = grow.Sized(f.values, r), grow.Sized(f.work, r)
	f.vectors = append(f.vectors[:0], q...)
	return dense.Eigen(f.vectors, f.values, f.work, f.rows.Call)
}

func finite(numbers []float32) bool {
	for _, v := range numbers {
		if v-v != 0 {
			return false
		}
	}
	return true
}
