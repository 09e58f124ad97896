package datasets

import (
	"cmp"
	"fmt"
)

// Limits are what a reader takes from a file at most, so that a small file that is damaged or
// hostile can't use up memory or time. A file beyond a limit is an error. Zero fields stand for
// the defaults, with which a file of 2 MB, packed or not, takes less than 1 GB of memory.
type Limits struct {
	Columns int // of the table; 0: 2²⁰

	// Cells of the table, with the target. A column counts as 128 more. 0: 2²⁵, and 16 for each byte of the file.
	Cells int64

	Record   int64 // bytes of a row of text, which may have several lines; 0: 64 MiB
	Unpacked int64 // bytes of a packed file once it is unpacked; 0: 64 MiB, and 32 for each byte of the file
}

// Of returns the limits for a file of the given size: the defaults where l has 0.
func (l Limits) Of(size int64) Limits {
	return Limits{
		Columns:  cmp.Or(max(l.Columns, 0), 1<<20),
		Cells:    cmp.Or(max(l.Cells, 0), 1<<25+16*size),
		Record:   cmp.Or(max(l.Record, 0), 1<<26),
		Unpacked: cmp.Or(max(l.Unpacked, 0), 1<<26+32*size),
	}
}

func errColumns(most int) error {
	return fmt.Errorf("more than %d columns; if the file is right, raise Limits.Columns", most)
}

// columnCells is what a column of a text takes besides its cells, in cells.
const columnCells = 128

// checkCells checks a table of n rows and p columns.
func (l Limits) checkCells(n, p int) error {
	if int64(n) <= l.Cells/int64(max(p, 1)) {
		return nil
	}
	return fmt.Errorf("the table has more than %d cells, the limit for a file of this size; "+
		"if it is right, raise Limits.Cells", l.Cells)
}
