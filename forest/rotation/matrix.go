package rotation

import (
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// scaled is the training data as rotations see them: the features that aren't constant,
// divided by their range.
type scaled struct {
	call     parallel.Call // which rotations end with
	data     *datasets.Dataset
	rows     []int32   // indices in the columns of the rows that have a weight
	weights  []float64 // of rows
	labels   []int32   // of rows; nil for data of values
	features []int32   // that aren't constant in rows, ascending; the first one if all are
	factors  []float64 // of features: 1 / range, times a number that all share
}

func newScaled(d *datasets.Dataset, call parallel.Call) *scaled {
	s := &scaled{call: call, data: d}
	for i := range d.N() {
		w, row := grow.Weight(d, int32(i)), int32(i)
		if w == 0 {
			continue
		}
		if d.Rows != nil {
			row = d.Rows[i]
		}
		s.rows, s.weights = append(s.rows, row), append(s.weights, w)
		if d.Labels != nil {
			s.labels = append(s.labels, d.Labels[i])
		}
	}
	least := 1.0
	for j, col := range d.Columns {
		if parallel.Cancelled(call) {
			break
		}
		low, high := col[s.rows[0]], col[s.rows[0]]
		for _, r := range s.rows {
			low, high = min(low, col[r]), max(high, col[r])
		}
		if width := float64(high) - float64(low); width > 0 {
			s.features = append(s.features, int32(j))
			s.factors = append(s.factors, width)
			least = min(least, width)
		}
	}
	if len(s.features) == 0 { // a tree needs a feature to be grown
		s.features, s.factors = []int32{0}, []float64{1}
	}
	unit := min(1, float64(least*0x1p100)) // keeps weights of features with tiny ranges finite
	for k, width := range s.factors {
		s.factors[k] = unit / width
	}
	return s
}

// function returns the combination of scaled features with the given coefficients. at are
// indices in s.features, ascending.
func (s *scaled) function(at []int32, coefficients []float64) forest.Function {
	fn := forest.Function{Kind: forest.Sparse, Features: make([]int32, len(at)), Weights: make([]float32, len(at))}
	nonzeros, last := 0, 0
	for i, k := range at {
		fn.Features[i] = s.features[k]
		fn.Weights[i] = float32(coefficients[i] * s.factors[k])
		if fn.Weights[i] != 0 {
			nonzeros, last = nonzeros+1, i
		}
	}
	switch {
	case nonzeros == 1:
		return forest.Linear(fn.Features[last:last+1], []float32{1})
	case len(at) == s.data.P():
		fn.Kind = forest.Dense
	}
	return fn
}

// uniform returns the features in a rotation that is drawn uniformly.
func (s *scaled) uniform(rng *forest.Rand) []forest.Function {
	q := len(s.features)
	all := samples.UpTo(q)
	matrix := haar(rng, q, s.call)
	rotated := make([]forest.Function, q)
	for k := range rotated {
		if parallel.Cancelled(s.call) {
			break
		}
		rotated[k] = s.function(all, matrix[k*q:(k+1)*q])
	}
	return rotated
}

// haar returns a q×q rotation, row by row, drawn uniformly from those with determinant +1.
//
// It is the Q of the QR decomposition of a matrix of normal numbers, with the signs for
// which its distribution is uniform (Mezzadri, Notices of the AMS 54, 2007), made as a
// product of reflections of normal vectors (Stewart, SIAM Journal on Numerical Analysis
// 17, 1980): a uniform first column, then a uniform rotation of the space orthogonal to it. It ends early
// if the call is cancelled.
func haar(rng *forest.Rand, q int, call parallel.Call) []float64 {
	m := make([]float64, q*q)
	for k := range q {
		m[k*q+k] = 1
	}
	v, sums := make([]float64, q), make([]float64, q)
	det := 1.0
	for k := 2; k <= q; k++ { // the last k rows and columns become a uniform k×k matrix
		v, sums := v[:k], sums[:k]
		var squares float64
		for i := range v {
			v[i] = rng.Normal()
			squares += float64(v[i] * v[i])
		}
		// The reflection that sends v to a multiple of the first unit vector, times sign, has
		// v / length as its first column.
		length, sign := math.Sqrt(squares), -1.0
		if v[0] < 0 {
			sign = 1
		}
		factor := 1 / float64(length*(length+math.Abs(v[0])))
		v[0] -= float64(sign * length)
		clear(sums)
		first := q - k
		for i, x := range v {
			if i%64 == 0 && parallel.Cancelled(call) {
				return m
			}
			for j, c := range m[(first+i)*q+first:][:k] {
				sums[j] += float64(x * c)
			}
		}
		for i, x := range v {
			x *= factor
			row := m[(first+i)*q+first:][:k]
			for j, c := range row {
				row[j] = float64(sign * (c - float64(x*sums[j])))
			}
		}
		det = -det
		if k%2 == 1 {
			det *= sign
		}
	}
	for k := 0; k < q && det < 0; k++ {
		m[k*q+q-1] = -m[k*q+q-1]
	}
	return m
}
