package grow

import "math/bits"

// cells gives access to the features of a node's rows: in the columns of the data or,
// within the subtree of a node whose cells take little memory, in a copy of them. Deep in
// a tree the rows of a node are scattered over the columns, and reading a cell from the
// columns would load a cache line for it alone.
//
// Within such a subtree the ids of the sample are indices in the copy.
type cells struct {
	data    *data
	columns [][]float32
	bytes   [][]byte // used instead of columns, if not nil
	end     int      // end of the copied node's rows in the sample; 0 without a copy

	floatCopy    []float32
	floatColumns [][]float32
	byteCopy     []byte
	byteColumns  [][]byte
}

// A copy takes at most copyBytes. That is twice the usual private cache of a core, but the
// columns of a copy are dense, so the processor prefetches them. Copying pays off for
// nodes of at least copyRows rows, in data of at least copyData cells.
const (
	copyBytes = 4 << 20
	copyCells = copyBytes / 4
	copyRows  = 64
	copyData  = 1 << 19
)

// enter prepares for reading the cells of node n; nodes come in preorder. reads estimates
// how many cells of a row are read at each level of the node's subtree.
func (c *cells) enter(n *Node, reads int, mayCopy bool) {
	if n.lo >= c.end {
		c.leave()
	}
	if mayCopy && c.end == 0 && c.worthCopying(n.Len(), reads) {
		c.copy(n.sample.ids[n.lo:n.hi])
		c.end = n.hi
	}
}

// leave makes the cells those of the data's columns.
func (c *cells) leave() { c.columns, c.bytes, c.end = c.data.columns, nil, 0 }

// worthCopying reports whether copying the cells of m rows costs less than reading them
// from the columns while their subtree is grown. The subtree is estimated to have as many
// levels as m has bits.
func (c *cells) worthCopying(m, reads int) bool {
	p := len(c.data.columns)
	if m < copyRows || c.data.n*p < copyData {
		return false
	}
	reads *= bits.Len(uint(m))
	if c.data.bytes != nil {
		return m*p <= copyBytes && reads > p/4
	}
	return m*p <= copyCells && reads > 2*p
}

// copy copies the cells of the given rows and replaces ids by their indices in the copy.
func (c *cells) copy(ids []int32) {
	if c.data.bytes != nil {
		c.copyByteRows(ids)
	} else {
		c.copyColumns(ids)
	}
	for i := range ids {
		ids[i] = int32(i)
	}
}

func (c *cells) copyColumns(ids []int32) {
	m := len(ids)
	if c.floatCopy == nil {
		c.floatCopy = make([]float32, copyCells)
	}
	c.floatColumns = Sized(c.floatColumns, len(c.data.columns))
	for j, col := range c.data.columns {
		to := c.floatCopy[j*m : (j+1)*m]
		for i, r := range ids {
			to[i] = col[r]
		}
		c.floatColumns[j] = to
	}
	c.columns = c.floatColumns
}

// copyByteRows copies a block of rows at a time, so that the cells read stay in the
// first-level cache.
func (c *cells) copyByteRows(ids []int32) {
	m, p := len(ids), len(c.data.columns)
	if c.byteCopy == nil {
		c.byteCopy, c.byteColumns = make([]byte, copyBytes), make([][]byte, p)
	}
	for j := range c.byteColumns {
		c.byteColumns[j] = c.byteCopy[j*m : (j+1)*m]
	}
	c.bytes = c.byteColumns
	const block = 16
	var rows [block][]byte
	for lo := 0; lo < m; lo += block {
		k := min(block, m-lo)
		for i, r := range ids[lo : lo+k] {
			rows[i] = c.data.bytes[int(r)*p:][:p]
		}
		for j, col := range c.bytes {
			to := col[lo : lo+k]
			for i := range to {
				to[i] = rows[i][j]
			}
		}
	}
}
