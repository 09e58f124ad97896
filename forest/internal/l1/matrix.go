package l1

import "slices"

// A Matrix holds the features of the rows of one fit, column by column: all cells, or
// those that aren't 0. Its zero value is empty. Its memory is reused from fit to fit.
type Matrix struct {
	n, p   int
	sparse bool
	dense  []float32 // column j is dense[j·n : (j+1)·n]
	cells  []cell    // column j is cells[start[j] : start[j+1]], in the order of rows
	start  []int
	number []int32 // of each feature of the data set, its column, or −1
}

// A cell is a number other than 0 and its row in a column, or its feature in a row.
type cell struct {
	index int32
	x     float32
}

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

// column returns the cells of column j of a dense matrix.
func (m *Matrix) column(j int) []float32 { return m.dense[j*m.n : (j+1)*m.n] }

// nonzeros returns the cells of column j of a sparse matrix.
func (m *Matrix) nonzeros(j int) []cell { return m.cells[m.start[j]:m.start[j+1]] }

// SetSparse takes the given rows of s and turns those features into columns, which must ascend.
func (m *Matrix) SetSparse(s *Sparse, rows, features []int32) {
	m.sparse, m.n, m.p = true, len(rows), len(features)
	m.number = slices.Grow(m.number[:0], s.p)[:s.p]
	for j := range m.number {
		m.number[j] = -1
	}
	for k, j := range features {
		m.number[j] = int32(k)
	}
	m.countCells(s, rows)
	for i, row := range rows {
		for _, c := range s.row(row) {
			if k := m.number[c.index]; k >= 0 {
				m.cells[m.start[k]] = cell{int32(i), c.x}
				m.start[k]++
			}
		}
	}
	copy(m.start[1:], m.start[:m.p]) // each column ended where the next begins
	m.start[0] = 0
}

// countCells sets start to where the columns begin, and makes room for their cells.
func (m *Matrix) countCells(s *Sparse, rows []int32) {
	m.start = slices.Grow(m.start[:0], m.p+1)[:m.p+1]
	clear(m.start)
	for _, row := range rows {
		for _, c := range s.row(row) {
			if k := m.number[c.index]; k >= 0 {
				m.start[k]++
			}
		}
	}
	total := 0
	for k, count := range m.start {
		m.start[k] = total
		total += count
	}
	m.cells = slices.Grow(m.cells[:0], total)[:total]
}

// A Sparse holds the cells of a data set that aren't 0, row by row. It is made once for
// a data set, and may be shared by goroutines.
type Sparse struct {
	p, perRow  int
	cells      []cell
	start, end []int // row i is cells[start[i] : end[i]], in ascending order of features
}

// NewSparse returns the cells of n rows, given as columns.
func NewSparse(columns [][]float32, n int) *Sparse {
	bounds := make([]int, n+1)
	for _, column := range columns {
		for i, x := range column {
			if x != 0 {
				bounds[i+1]++
			}
		}
	}
	for i := range n {
		bounds[i+1] += bounds[i]
	}
	s := &Sparse{len(columns), bounds[n] / max(1, n), make([]cell, bounds[n]), bounds[:n], bounds[1:]}
	next := slices.Clone(s.start)
	for j, column := range columns {
		for i, x := range column {
			if x != 0 {
				s.cells[next[i]] = cell{int32(j), x}
				next[i]++
			}
		}
	}
	return s
}

// Arrange makes s a copy of the given rows, which keep their numbers, with cells in the order of these. Memory that is
// read in order takes less time.
func (s *Sparse) Arrange(from *Sparse, rows []int32) {
	n := len(from.start)
	s.p, s.perRow = from.p, from.perRow
	s.start, s.end = slices.Grow(s.start[:0], n)[:n], slices.Grow(s.end[:0], n)[:n]
	s.cells = slices.Grow(s.cells[:0], len(from.cells))
	for _, i := range rows {
		s.start[i] = len(s.cells)
		s.cells = append(s.cells, from.row(i)...)
		s.end[i] = len(s.cells)
	}
}

// row returns the cells of a row.
func (s *Sparse) row(i int32) []cell { return s.cells[s.start[i]:s.end[i]] }
