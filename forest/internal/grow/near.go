package grow

import "math/bits"

// near holds the columns that directions are projected from: those of the data
// or, within the subtree of a node whose cells fit in little memory, a copy of
// these cells. Deep in a tree the rows of a node lie scattered over the columns,
// and every cell that is read would be a cache line from far away.
type near struct {
	columns [][]float32
	bytes   [][]byte // instead of columns, if not nil
	end     int      // where the rows of the subtree end; 0 outside

	cells       []float32 // memory of the copy, …
	cellColumns [][]float32
	byteCells   []byte // … or of the copy of bytes
	byteColumns [][]byte
}

// A copy takes at most nearBytes, twice the cache that a core commonly has for
// itself: its columns are dense, so reading them is mostly reading ahead. It pays
// from nearRows rows, where the data are farData cells or more.
const (
	nearBytes = 4 << 20
	nearCells = nearBytes / 4
	nearRows  = 64
	farData   = 1 << 19
)

// leave ends the subtree.
func (n *near) leave() { n.columns, n.bytes, n.end = nil, nil, 0 }

// approach makes w.near right for the current node. It copies the cells of the
// node's rows if that costs less than to read them again and again while the
// subtree is grown: its levels are about as many as the rows have bits, and each
// reads as many cells of a row as its candidates have coefficients.
func (w *worker) approach() {
	n := &w.near
	if w.lo >= n.end {
		n.columns, n.bytes, n.end = w.columns, nil, 0
	}
	m, p := w.hi-w.lo, len(w.columns)
	if n.end > 0 || m < nearRows || w.n*p < farData || w.waiting.Load() > 0 {
		return
	}
	reads := w.coefficients * bits.Len(uint(m))
	switch {
	case w.bytes != nil && m*p <= nearBytes && reads > p/4:
		w.copyBytes()
	case w.bytes == nil && m*p <= nearCells && reads > 2*p:
		w.copyCells()
	default:
		return
	}
	for i := range m {
		w.bag.ids[w.lo+i] = int32(i)
	}
	n.end = w.hi
}

func (w *worker) copyCells() {
	n, m, p := &w.near, w.hi-w.lo, len(w.columns)
	if n.cells == nil {
		n.cells, n.cellColumns = make([]float32, nearCells), make([][]float32, p)
	}
	for j, col := range w.columns {
		to := n.cells[j*m : (j+1)*m]
		for i, r := range w.bag.ids[w.lo:w.hi] {
			to[i] = col[r]
		}
		n.cellColumns[j] = to
	}
	n.columns = n.cellColumns
}

// copyBytes copies a few rows at a time, so that what is read stays in the first
// cache.
func (w *worker) copyBytes() {
	n, m, p := &w.near, w.hi-w.lo, len(w.columns)
	if n.byteCells == nil {
		n.byteCells, n.byteColumns = make([]byte, nearBytes), make([][]byte, p)
	}
	for j := range n.byteColumns {
		n.byteColumns[j] = n.byteCells[j*m : (j+1)*m]
	}
	n.bytes = n.byteColumns
	ids := w.bag.ids[w.lo:w.hi]
	const few = 16
	var rows [few][]byte
	for lo := 0; lo < m; lo += few {
		k := min(few, m-lo)
		for i, r := range ids[lo : lo+k] {
			rows[i] = w.bytes[int(r)*p:][:p]
		}
		for j, col := range n.bytes {
			to := col[lo : lo+k]
			for i := range to {
				to[i] = rows[i][j]
			}
		}
	}
}
