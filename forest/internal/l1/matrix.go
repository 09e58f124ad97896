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

// N returns the number of rows.
func (m *Matrix) N() int { return m.n }

// P returns the number of columns.
func (m *Matrix) P() int { return m.p }

// SetDense makes cell i of column k columns[features[k]][rows[i]] − shift[k], in
// float32. If rows is nil, all rows are taken, and if features is nil, all features. A
// nil shift is 0.
func (m *Matrix) SetDense(columns [][]float32, rows, features []int32, shift []float32) {
	m.sparse = false
	m.p = len(columns)
	if features != nil {
		m.p = len(features)
	}
	m.n = len(rows)
	if rows == nil && len(columns) > 0 {
		m.n = len(columns[0])
	}
	m.dense = slices.Grow(m.dense[:0], m.n*m.p)[:m.n*m.p]
	for k := range m.p {
		j := int32(k)
		if features != nil {
			j = features[k]
		}
		var offset float32
		if shift != nil {
			offset = shift[k]
		}
		to, from := m.column(k), columns[j]
		if rows == nil {
			for i, x := range from[:m.n] {
				to[i] = x - offset
			}
			continue
		}
		for i, row := range rows {
			to[i] = from[row] - offset
		}
	}
}

// column returns the cells of column j of a dense matrix.
func (m *Matrix) column(j int) []float32 { return m.dense[j*m.n : (j+1)*m.n] }

// nonzeros returns the cells of column j of a sparse matrix.
func (m *Matrix) nonzeros(j int) []cell { return m.cells[m.start[j]:m.start[j+1]] }

// SetSparse takes the given rows of s and turns them into columns. If rows is nil, all
// rows are taken, and if features is nil, all features; otherwise features must ascend.
func (m *Matrix) SetSparse(s *Sparse, rows, features []int32) {
	m.sparse = true
	m.p = s.p
	m.number = slices.Grow(m.number[:0], s.p)[:s.p]
	if features == nil {
		for j := range m.number {
			m.number[j] = int32(j)
		}
	} else {
		m.p = len(features)
		for j := range m.number {
			m.number[j] = -1
		}
		for k, j := range features {
			m.number[j] = int32(k)
		}
	}
	m.n = len(rows)
	if rows == nil {
		m.n = s.n()
	}
	m.countCells(s, rows)
	for i := range m.n {
		for _, c := range s.row(rows, i) {
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
	for i := range m.n {
		for _, c := range s.row(rows, i) {
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
	p     int
	cells []cell
	start []int // row i is cells[start[i] : start[i+1]], in ascending order of features
}

// NewSparse returns the given rows of columns, in this order; nil means all. From then
// on rows are numbered by their place in rows.
func NewSparse(columns [][]float32, rows []int32) *Sparse {
	n := len(rows)
	if rows == nil && len(columns) > 0 {
		n = len(columns[0])
	}
	row := func(i int) int {
		if rows == nil {
			return i
		}
		return int(rows[i])
	}
	s := &Sparse{p: len(columns), start: make([]int, n+1)}
	for _, column := range columns {
		for i := range n {
			if column[row(i)] != 0 {
				s.start[i+1]++
			}
		}
	}
	for i := range n {
		s.start[i+1] += s.start[i]
	}
	s.cells = make([]cell, s.start[n])
	next := slices.Clone(s.start)
	for j, column := range columns {
		for i := range n {
			if x := column[row(i)]; x != 0 {
				s.cells[next[i]] = cell{int32(j), x}
				next[i]++
			}
		}
	}
	return s
}

func (s *Sparse) n() int { return len(s.start) - 1 }

// row returns the cells of row rows[i], or of row i if rows is nil.
func (s *Sparse) row(rows []int32, i int) []cell {
	if rows != nil {
		i = int(rows[i])
	}
	return s.cells[s.start[i]:s.start[i+1]]
}
