package l1

import (
	"slices"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// A Matrix holds the features of the rows of one fit, column by column: all cells, or
// those that aren't 0. Its zero value is empty. Its memory is reused from fit to fit.
type Matrix struct {
	n, p   int
	sparse bool
	dense  []float32 // column j is dense[j·n : (j+1)·n]
	cells  []cell    // column j is cells[start[j] : end[j]], in the order of rows, with room for more behind it
	start  []int
	end    []int
	number []int32 // of each feature of the data set, its column, or −1
}

// A cell's index is its row in a column, or its feature in a row.
type cell = kernel.Cell

// SetColumn makes the cells a single column.
func (m *Matrix) SetColumn(cells []float32) {
	m.sparse, m.n, m.p = false, len(cells), 1
	m.dense = append(m.dense[:0], cells...)
}

// SetDense makes cell i of column k columns[features[k]][rows[i]] − shift[k], in
// float32.
func (m *Matrix) SetDense(columns [][]float32, rows, features []int32, shift []float32) {
	m.sparse, m.n, m.p = false, len(rows), len(features)
	m.dense = slices.Grow(m.dense[:0], m.n*m.p)[:m.n*m.p]
	for k, j := range features {
		to, from, offset := m.column(k), columns[j], shift[k]
		for i, row := range rows {
			to[i] = from[row] - offset
		}
	}
}

// AddOnes adds a column of ones. Its weight is a bias that has a penalty; see [Solver.LogisticNoBias].
func (m *Matrix) AddOnes() {
	if m.sparse {
		m.start = append(m.start, len(m.cells))
		m.cells = slices.Grow(m.cells, m.n)
		for i := range m.n {
			m.cells = append(m.cells, cell{Index: int32(i), X: 1})
		}
		m.end = append(m.end, len(m.cells))
	} else {
		m.dense = slices.Grow(m.dense, m.n)
		for range m.n {
			m.dense = append(m.dense, 1)
		}
	}
	m.p++
}

// column returns the cells of column j of a dense matrix.
func (m *Matrix) column(j int) []float32 { return m.dense[j*m.n : (j+1)*m.n] }

// nonzeros returns the cells of column j of a sparse matrix.
func (m *Matrix) nonzeros(j int) []cell { return m.cells[m.start[j]:m.end[j]] }

// SetSparse takes the given rows of s, which must differ, and turns those features into columns, which must ascend.
func (m *Matrix) SetSparse(s *Sparse, rows, features []int32) {
	m.sparse, m.n, m.p = true, len(rows), len(features)
	m.number = slices.Grow(m.number[:0], s.p)[:s.p]
	for j := range m.number {
		m.number[j] = -1
	}
	for k, j := range features {
		m.number[j] = int32(k)
	}
	m.start = slices.Grow(m.start[:0], m.p)[:m.p]
	m.end = slices.Grow(m.end[:0], m.p)[:m.p]
	total := 0
	for k, j := range features {
		m.start[k], m.end[k] = total, total
		total += min(s.counts[j], m.n)
	}
	m.cells = slices.Grow(m.cells[:0], total)[:total]
	number, cells, end := m.number, m.cells, m.end
	for i, row := range rows {
		s.prefetch(rows, i+ahead)
		for _, c := range s.row(row) {
			if k := number[c.Index]; k >= 0 {
				cells[end[k]] = cell{Index: int32(i), X: c.X}
				end[k]++
			}
		}
	}
}

// A Sparse holds the cells of a data set that aren't 0, row by row. It is made once for
// a data set, and may be shared by goroutines.
type Sparse struct {
	p, perRow int
	counts    []int // of each feature, its cells
	cells     []cell
	rows      []span // of each row, in ascending order of features
}

// NewSparse returns the cells of n rows, given as columns.
func NewSparse(columns [][]float32, n int) *Sparse {
	s := &Sparse{p: len(columns), counts: make([]int, len(columns)), rows: make([]span, n)}
	for j, column := range columns {
		for i, x := range column {
			if x != 0 {
				s.rows[i].end++
				s.counts[j]++
			}
		}
	}
	total := 0
	for i, row := range s.rows {
		s.rows[i] = span{total, total}
		total += row.end
	}
	s.perRow, s.cells = total/max(1, n), make([]cell, total)
	for j, column := range columns {
		for i, x := range column {
			if x != 0 {
				s.cells[s.rows[i].end] = cell{Index: int32(j), X: x}
				s.rows[i].end++
			}
		}
	}
	return s
}

// Arrange makes s a copy of the given rows, which keep their numbers, with cells in the order of these. Memory that is
// read in order takes less time.
func (s *Sparse) Arrange(from *Sparse, rows []int32) {
	s.p, s.perRow, s.counts = from.p, from.perRow, from.counts
	s.rows = slices.Grow(s.rows[:0], len(from.rows))[:len(from.rows)]
	s.cells = slices.Grow(s.cells[:0], len(from.cells))
	for _, i := range rows {
		s.rows[i].start = len(s.cells)
		s.cells = append(s.cells, from.row(i)...)
		s.rows[i].end = len(s.cells)
	}
}

// row returns the cells of a row.
func (s *Sparse) row(i int32) []cell {
	at := s.rows[i]
	return s.cells[at.start:at.end]
}

// A span is where a row's cells are.
type span struct{ start, end int }

// ahead is how many rows ahead of its use a row is brought into the cache.
const ahead = 6

// prefetch brings row rows[i], if there is one, into the cache.
func (s *Sparse) prefetch(rows []int32, i int) {
	if i < len(rows) {
		kernel.Prefetch(s.row(rows[i]))
	}
}
