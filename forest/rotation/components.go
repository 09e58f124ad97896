package rotation

import (
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/dense"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// blocks draws the rotations of rotation forests.
type blocks struct {
	*scaled
	size    int       // features in a subset
	members [][]int32 // indices in rows by class, without classes that have none; one list for values
}

func newBlocks(s *scaled, size int) *blocks {
	b := &blocks{scaled: s, size: size, members: make([][]int32, max(1, len(s.data.Classes)))}
	for i := range s.rows {
		class := int32(0)
		if s.labels != nil {
			class = s.labels[i]
		}
		b.members[class] = append(b.members[class], int32(i))
	}
	b.members = slices.DeleteFunc(b.members, func(m []int32) bool { return len(m) == 0 })
	return b
}

// draw returns the principal components of random subsets of the features.
func (b *blocks) draw(rng *forest.Rand) []forest.Function {
	var rotated []forest.Function
	var rows []int32
	for at := range slices.Chunk(samples.Shuffled(len(b.features), rng.Intn), b.size) {
		if parallel.Cancelled(b.call) {
			break
		}
		slices.Sort(at)
		rows = b.sample(rows[:0], rng)
		vectors := eigenvectors(b.covariance(at, rows), len(at), b.call)
		for v := range slices.Chunk(vectors, len(at)) {
			rotated = append(rotated, b.function(at, v))
		}
	}
	return rotated
}

// sample appends the rows that a subset's components are computed from, as indices in
// b.rows: 75 % as many as the rows of some classes, drawn from these with replacement.
func (b *blocks) sample(rows []int32, rng *forest.Rand) []int32 {
	for len(rows) == 0 { // so every nonempty set of classes is equally likely
		for _, m := range b.members {
			if len(b.members) == 1 || rng.Intn(2) == 1 {
				rows = append(rows, m...)
			}
		}
	}
	n := len(rows)
	for range (3*n + 3) / 4 {
		rows = append(rows, rows[rng.Intn(n)])
	}
	return rows[n:]
}

// covariance returns the weighted covariance matrix of scaled features in some rows.
func (b *blocks) covariance(at, rows []int32) []float64 {
	m, n := len(at), len(rows)
	cells := make([]float64, m*n) // deviations from the mean
	for i, k := range at {
		if parallel.Cancelled(b.call) {
			break
		}
		col, x := b.data.Columns[b.features[k]], cells[i*n:(i+1)*n]
		var sum, total float64
		for r, row := range rows {
			x[r] = float64(float64(col[b.rows[row]]) * b.factors[k])
			w := b.weights[row]
			sum += float64(w * x[r])
			total += w
		}
		mean := sum / total
		for r := range x {
			x[r] -= mean
		}
	}
	a := make([]float64, m*m)
	for i := range m {
		if parallel.Cancelled(b.call) {
			break
		}
		for j := range i + 1 {
			var sum, total float64
			for r, row := range rows {
				w := b.weights[row]
				sum += float64(w * float64(cells[i*n+r]*cells[j*n+r]))
				total += w
			}
			a[i*m+j], a[j*m+i] = sum/total, sum/total
		}
	}
	return a
}

// eigenvectors returns the unit eigenvectors of a symmetric m×m matrix, one after another, in no particular order. It
// overwrites the matrix. It is the cyclic Jacobi method (Golub and Van Loan, Matrix Computations, section 8.5), which
// is exact to rounding for eigenvalues that are equal or 0, too: the vectors are always orthogonal. It ends early if
// the call is cancelled.
func eigenvectors(a []float64, m int, call parallel.Call) []float64 {
	v := make([]float64, m*m)
	for i := range m {
		v[i*m+i] = 1
	}
	for range 60 { // sweeps; a handful suffices
		done := true
		for j := range m {
			if parallel.Cancelled(call) {
				return v
			}
			for i := range j {
				x := a[i*m+j]
				if math.Abs(x) <= 0x1p-52*math.Sqrt(math.Abs(float64(a[i*m+i]*a[j*m+j]))) {
					continue
				}
				done = false
				theta := (a[j*m+j] - a[i*m+i]) / float64(2*x)
				t := math.Copysign(1/(math.Abs(theta)+math.Sqrt(1+float64(theta*theta))), theta)
				c := 1 / math.Sqrt(1+float64(t*t))
				s := float64(t * c)
				dense.TurnColumns(a, m, i, j, c, s)
				dense.TurnRows(a, m, i, j, c, s)
				dense.TurnRows(v, m, i, j, c, s)
				a[i*m+j], a[j*m+i] = 0, 0
			}
		}
		if done {
			break
		}
	}
	return v
}
