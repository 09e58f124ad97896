package grow

import "math/bits"

// nearCells is how many cells fit in the cache that a core has for itself, with
// room for the rest.
const nearCells = 1 << 18

// near holds the columns that directions are projected from: those of the data
// or, within the subtree of a node whose cells fit in cache, a copy of these
// cells. Deep in a tree the rows of a node lie scattered over the columns, and
// every cell that is read would be a cache line from far away.
type near struct {
	columns [][]float32
	end     int // where the rows of the subtree end; 0 outside
	cells   []float32
	copied  [][]float32
}

// leave ends the subtree.
func (n *near) leave() { n.columns, n.end = nil, 0 }

// approach makes w.near right for the current node. It copies the cells of the
// node's rows if that costs less than to read them again and again while the
// subtree is grown: its levels are about as many as the rows have bits, and each
// reads as many cells of a row as its candidates have coefficients.
func (w *worker) approach() {
	n := &w.near
	if w.lo >= n.end {
		n.columns, n.end = w.columns, 0
	}
	m, p := w.hi-w.lo, len(w.columns)
	if n.end > 0 || m*p > nearCells || m < nearRows || w.n*p <= 2*nearCells ||
		w.coefficients*bits.Len(uint(m)) < 2*p || w.waiting.Load() > 0 {
		return
	}
	if n.cells == nil {
		n.cells, n.copied = make([]float32, nearCells), make([][]float32, p)
	}
	ids := w.bag.ids[w.lo:w.hi]
	for j, col := range w.columns {
		to := n.cells[j*m : (j+1)*m]
		for i, r := range ids {
			to[i] = col[r]
		}
		n.copied[j] = to
	}
	for i := range ids {
		ids[i] = int32(i)
	}
	n.columns, n.end = n.copied, w.hi
}

// nearRows is the number of rows from which a copy pays.
const nearRows = 64
