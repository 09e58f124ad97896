package grow

import "math/bits"

// cells are where a node's cells are read: the columns of the data or, within the
// subtree of a node whose cells take little memory, a copy of them. Deep in a tree
// the rows of a node lie scattered over the columns, and every cell that is read
// would be a cache line of its own.
//
// Within such a subtree the ids of the sample are places in the copy.
type cells struct {
	data    *data
	columns [][]float32
	bytes   [][]byte // instead of columns, if not nil
	end     int      // where the rows of the copied node end; 0 without a copy

	floatCopy    []float32
	floatColumns [][]float32
	byteCopy     []byte
	byteColumns  [][]byte
}

// A copy takes at most copyBytes, twice the cache that a core commonly has for
// itself: its columns are dense, so reading them is mostly reading ahead. It pays
// from copyRows rows, where the data are copyData cells or more.
const (
	copyBytes = 4 << 20
	copyCells = copyBytes / 4
	copyRows  = 64
	copyData  = 1 << 19
)

// enter makes the cells right for a node, after those before it in preorder. reads
// is how many cells of a row a level of the node's subtree is likely to read.
func (c *cells) enter(n *Node, reads int, mayCopy bool) {
	if n.lo >= c.end {
		c.leave()
	}
	if mayCopy && c.end == 0 && c.worthCopying(n.Len(), reads) {
		c.copy(n.sample.ids[n.lo:n.hi])
		c.end = n.hi
	}
}

// leave ends the use of a copy.
func (c *cells) leave() { c.columns, c.bytes, c.end = c.data.columns, nil, 0 }

// worthCopying reports whether copying the cells of m rows costs less than reading
// them again and again while their subtree is grown, whose levels are about as many
// as m has bits.
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

// copy copies the cells of the given rows and makes ids places in the copy.
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
		c.floatCopy, c.floatColumns = make([]float32, copyCells), make([][]float32, len(c.data.columns))
	}
	for j, col := range c.data.columns {
		to := c.floatCopy[j*m : (j+1)*m]
		for i, r := range ids {
			to[i] = col[r]
		}
		c.floatColumns[j] = to
	}
	c.columns = c.floatColumns
}

// copyByteRows copies a few rows at a time, so that what is read stays in the first
// cache.
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
