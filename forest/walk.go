package forest

import (
	"iter"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
)

// A walker sends a block of rows down trees, all rows at once: at each node it computes
// the split function for the rows that reached the node and divides them in two, as
// training does. So the kind of split is read once for each node, not for each row, and
// no branch depends on where a row goes. Its buffers are reused from tree to tree and from
// block to block.
type walker struct {
	data     *datasets.Dataset
	lo, hi   int         // the block
	rows     []uint16    // 0, 1, … hi−lo−1; rows are numbered from the start of the block
	columns  [][]float32 // the block's part of each column; nil if it isn't gathered yet
	fills    []float32   // of the forest
	lowest   int32       // columns from this on have −Inf for missing cells, those from fill on the forest's Fills
	fill     int32       // 0 if the forest has none
	gathered [][]float32 // memory of gathered columns

	buffers [2][]uint16 // rows grouped by node; the groups of a node's children are in the other buffer
	stack   []branch
	sums    []float32 // values of a split function of many features
	cells   [][4]float32
	centred [][4]float64
	picked  []uint16
	singles []position // rows that are walked one by one
}

// A position is a row and the node that it has reached.
type position struct {
	node int32
	row  uint16
}

// In a small block most nodes get one or two rows, and dividing these costs more than it
// saves. In axis-aligned trees, groups of at most smallGroup rows are then walked row by
// row at the end. With combinations dividing is still cheaper, as branches on their
// lengths would be mispredicted.
const (
	smallBlock = 1024
	smallGroup = 8
)

// A branch is a subtree that rows [lo, hi) of a buffer still have to go through.
type branch struct {
	node   int32
	lo, hi uint16
	buffer uint8
}

// newWalker returns a walker of the forest's trees for blocks of at most size rows of d.
func (f *Forest) newWalker(d *datasets.Dataset, size int) *walker {
	w := &walker{
		data:    d,
		rows:    make([]uint16, size),
		columns: make([][]float32, d.P()),
		fills:   f.Fills,
		buffers: [2][]uint16{make([]uint16, size), make([]uint16, size)},
		sums:    make([]float32, size),
	}
	for i := range w.rows {
		w.rows[i] = uint16(i)
	}
	if w.fills != nil {
		w.lowest, w.fill = int32(d.P()), int32(2*d.P())
		w.columns = make([][]float32, 3*d.P())
	}
	if d.Rows != nil || w.fills != nil {
		w.gathered = make([][]float32, len(w.columns))
	}
	return w
}

// enter makes rows [lo, hi) of the data the block.
func (w *walker) enter(lo, hi int) {
	w.lo, w.hi, w.rows = lo, hi, w.rows[:hi-lo]
	clear(w.columns)
	if w.data.Rows != nil {
		return
	}
	for j, col := range w.data.Columns {
		w.columns[j] = col[lo:hi]
	}
}

func (w *walker) column(j int32) []float32 {
	if w.columns[j] == nil {
		w.gather(j)
	}
	return w.columns[j]
}

// slanted returns the block's part of a column as splits of several features see it.
func (w *walker) slanted(j int32) []float32 { return w.column(w.fill + j) }

// gather copies the block's part of a column of a view, whose cells may be far apart in
// memory, or of a column whose missing cells are replaced. All trees use the copy.
func (w *walker) gather(j int32) {
	if w.gathered[j] == nil {
		w.gathered[j] = make([]float32, len(w.sums))
	}
	block := w.gathered[j][:w.hi-w.lo]
	w.columns[j] = block
	switch p := int32(w.data.P()); {
	case j >= 2*p:
		fillMissing(block, w.column(j-2*p), w.fills[j-2*p])
		return
	case j >= p:
		fillMissing(block, w.column(j-p), float32(math.Inf(-1)))
		return
	}
	col := w.data.Columns[j]
	for i, r := range w.data.Rows[w.lo:w.hi] {
		block[i] = col[r]
	}
}

// leaves iterates over the leaves of t that the given rows of the block reach, with these
// rows. A leaf may come several times, with other rows each time.
func (w *walker) leaves(t *Tree, rows []uint16) iter.Seq2[int32, []uint16] {
	return func(yield func(leaf int32, rows []uint16) bool) {
		if len(rows) == 0 {
			return
		}
		at, side := int32(0), 0
		lo, hi := 0, copy(w.buffers[0], rows)
		w.stack, w.singles = w.stack[:0], w.singles[:0]
		group := 0
		if len(rows) <= smallBlock && t.axisAligned() {
			group = smallGroup
		}
		for {
			n := &t.Nodes[at]
			in := w.buffers[side][lo:hi]
			switch {
			case n.IsLeaf():
				if !yield(at, in) {
					return
				}
			case len(in) <= group:
				for _, r := range in {
					w.singles = append(w.singles, position{at, r})
				}
			default:
				side ^= 1
				left := w.divide(t, n, in, w.buffers[side][lo:hi])
				switch left {
				case len(in):
					at++
				case 0:
					at = n.Next
				default:
					w.stack = append(w.stack, branch{n.Next, uint16(lo + left), uint16(hi), uint8(side)})
					at++
					hi = lo + left
				}
				continue
			}
			if len(w.stack) == 0 {
				w.finish(t.Nodes, yield)
				return
			}
			b := w.stack[len(w.stack)-1]
			w.stack = w.stack[:len(w.stack)-1]
			at, lo, hi, side = b.node, int(b.lo), int(b.hi), int(b.buffer)
		}
	}
}

// finish walks w.singles down an axis-aligned tree, all of them one level at a time, so
// that their memory accesses overlap.
func (w *walker) finish(nodes []Node, yield func(leaf int32, rows []uint16) bool) {
	row := w.buffers[0][:1] // no longer in use
	for singles := w.singles; len(singles) > 0; {
		left := 0
		for _, at := range singles {
			n := &nodes[at.node]
			if n.IsLeaf() {
				row[0] = at.row
				if !yield(at.node, row) {
					return
				}
				continue
			}
			x, next, after := w.axis(n.Split)[at.row], n.Next, at.node+1
			if x <= n.Value {
				next = after
			}
			singles[left] = position{next, at.row}
			left++
		}
		singles = singles[:left]
	}
}

// pick returns the rows of the block that are in a set: row i is in it if bit i%64 of
// word i/64 is set.
func (w *walker) pick(set []uint64) []uint16 {
	w.picked = w.picked[:0]
	for i := w.lo; i < w.hi; i++ {
		if set[i/64]>>(i%64)&1 != 0 {
			w.picked = append(w.picked, uint16(i-w.lo))
		}
	}
	return w.picked
}
