package l1

import "github.com/obliqua-ml/obliqua/forest/internal/kernel"

// Project sets values to the linear functions Σ w[j]·x[j] of the given rows; w has an
// element for each feature. Products and sums are rounded to float32 and features ascend,
// so a value equals what the package kernel computes from all cells, up to the sign of
// zero. Four rows are summed at a time, since each sum waits for its last addition; where one ends, the next begins.
func (s *Sparse) Project(values, w []float32, rows []int32) {
	w = w[:s.p]
	var rest [4][]cell // of each row
	var sums [4]float32
	var places [4]int
	for next := 0; ; {
		for k := range rest {
			for len(rest[k]) == 0 && next < len(rows) {
				s.prefetch(rows, next+ahead)
				rest[k], sums[k], places[k] = s.row(rows[next]), 0, next
				values[next] = 0
				next++
			}
		}
		n := min(len(rest[0]), len(rest[1]), len(rest[2]), len(rest[3]))
		if n == 0 {
			break
		}
		kernel.AddSparse4(&sums, w, rest[0], rest[1], rest[2], rest[3], n)
		for k := range rest {
			rest[k] = rest[k][n:]
			values[places[k]] = sums[k]
		}
	}
	for k, cells := range rest {
		if len(cells) > 0 {
			values[places[k]] = sumFrom(sums[k], w, cells)
		}
	}
}

// sumFrom returns v plus the products of cells with their weights.
func sumFrom(v float32, w []float32, cells []cell) float32 {
	for _, c := range cells {
		v += float32(w[c.Index] * c.X)
	}
	return v
}

// PerRow returns the mean number of nonzero cells of a row.
func (s *Sparse) PerRow() int { return s.perRow }
