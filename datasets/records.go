package datasets

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"

	"github.com/obliqua-ml/obliqua/internal/naming"
)

// Records reads a table from text one record after another, for tables that are larger than
// memory; [CSV.Read] reads a whole table. Cells are separated by commas and quoted as in CSV.
type Records struct {
	file   string
	in     *blockReader
	scan   *csvScanner
	before int64 // bytes of text before the block
	length int   // of the block
}

// NewRecords returns a reader of r, which may be gzipped. If r is an [io.Seeker], its text is
// never in memory as a whole. Errors refer to a line as "name:line". After ctx is cancelled,
// Next returns its error once it has returned what has been read.
func NewRecords(ctx context.Context, r io.Reader, name string) (*Records, error) {
	t := csvTable{CSV: CSV{Limits: Limits{}.Of(0)}, sep: ','}
	in, err := newBlockReader(ctx, r, Limits{}, blockLength, t.wholeRecords)
	if err != nil {
		return nil, fileError(name, err)
	}
	return &Records{file: name, in: in, scan: newCSVScanner("", t.sep, 0)}, nil
}

// Next returns the cells of the next record that isn't a blank line, and the line on which it
// begins, from 1. The slice is valid until the next call. The error is [io.EOF] after the last
// record.
func (r *Records) Next() (cells []string, line int, err error) {
	for {
		cells, line, err := r.scan.next()
		if err == nil {
			return cells, line, nil
		}
		if err != io.EOF {
			return nil, 0, fileError(r.file, &lineError{line, err})
		}
		b, err := r.in.next(nil)
		if err == io.EOF {
			return nil, 0, err
		}
		if err != nil {
			return nil, 0, fileError(r.file, err)
		}
		r.before += int64(r.length)
		r.length = len(b.text)
		r.scan.rest, r.scan.lines = b.text, b.line-1
	}
}

// Offset returns how many bytes of text, after unpacking and without a byte-order mark, end
// with the last record.
func (r *Records) Offset() int64 { return r.before + int64(r.length-len(r.scan.rest)) }

// Lines returns how many lines end with the last record.
func (r *Records) Lines() int { return r.scan.lines }

// Number returns the number nearest to a cell of text, and NaN for the texts that [CSV].Missing
// lists by default. It returns an error for other text, and for numbers that are infinite or too
// large.
func Number[F float32 | float64](cell string) (F, error) {
	v, kind := parseNumber(cell, 8*int(unsafe.Sizeof(F(0))))
	switch {
	case kind == numberCell:
		return F(v), nil
	case IsMissing(cell):
		return F(math.NaN()), nil
	case kind == infiniteCell:
		return F(math.NaN()), fmt.Errorf("%s is not finite as a float%d", naming.Clip(cell), 8*unsafe.Sizeof(F(0)))
	}
	return F(math.NaN()), fmt.Errorf("%s is not a number", naming.Clip(cell))
}

// IsMissing reports whether [CSV].Missing lists a cell of text by default.
func IsMissing(cell string) bool { return slices.Contains(defaultMissing, cell) }
