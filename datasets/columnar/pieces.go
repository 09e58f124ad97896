package columnar

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
)

// A Parquet is an open Parquet file, whose columns are read in pieces. It is for tables larger
// than memory; [ReadParquet] reads a whole table.
//
// Several columns can be read at a time. On a damaged file arrow-go may panic while it reads;
// [Damage] turns that into an error.
type Parquet struct {
	*file.Reader // arrow-go's, for what is not a column's cells

	Names []string // of the columns

	memory memory.Allocator
	path   string
	table  *table // has the columns, without their cells
}

// OpenParquet opens the file at path. It returns an error if its metadata are damaged or two
// columns have the same name.
func OpenParquet(path string) (p *Parquet, err error) {
	defer Damage(path, &err)
	f, size, err := atomicfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("columnar: %w", err)
	}
	defer func() {
		if p == nil {
			f.Close()
		}
	}()
	t := new(table)
	opened, err := openParquet(f, size, datasets.Limits{}.Of(size))
	if err == nil {
		err = t.name(parquetFields(opened.MetaData()))
	}
	if err == nil && (opened.NumRows() < 0 || opened.NumRows() > 1<<24+size<<14) {
		err = errDamaged("%d rows are more than its size can hold", opened.NumRows())
	}
	if err != nil {
		return nil, inFile(path, err)
	}
	opened.path = path
	opened.Names, opened.table = t.names, t
	return opened, nil
}

// Damage sets err if the function that defers it panics, which it takes as a sign of damage to
// the file at path.
func Damage(path string, err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("columnar: %s: %w", path, errDamaged("%v", v))
	}
}

// IsText reports whether the cells of a column are text, not numbers. It returns an error that wraps
// [datasets.ErrSchema] if there is no column of that name, or one that is neither.
func (p *Parquet) IsText(name string) (bool, error) {
	c, err := p.column(name)
	if err != nil {
		return false, err
	}
	return c.kind() == text, nil
}

// column returns a column of text or of numbers.
func (p *Parquet) column(name string) (*column, error) {
	j, err := p.table.find(name)
	if err != nil {
		return nil, inFile(p.path, err)
	}
	c := &p.table.columns[j]
	if c.kind() == other || c.perDay != 0 {
		return nil, inFile(p.path, fmt.Errorf("%w: column %q is %s, which is neither a number nor a category",
			datasets.ErrSchema, name, c.typeName))
	}
	return c, nil
}

// Cells reads a column from the given row on. The function that it returns returns the next n rows as arrays,
// for [Numbers] and [Texts], or fewer at the end.
func (p *Parquet) Cells(name string, row int64) (next func(n int) ([]arrow.Array, error), err error) {
	column, err := p.column(name)
	if err != nil {
		return nil, err
	}
	c, err := p.cells(column.field)
	if err != nil {
		return nil, inFile(p.path, column.wrap(err))
	}
	for ; row > 0 && row >= p.MetaData().RowGroup(c.groups).NumRows(); c.groups++ {
		row -= p.MetaData().RowGroup(c.groups).NumRows()
	}
	c.first = c.groups
	next = func(n int) (arrays []arrow.Array, err error) {
		for n > 0 {
			more, err := c.next(int64(n))
			if err != nil {
				return nil, inFile(p.path, column.wrap(err))
			}
			if len(more) == 0 {
				break
			}
			for _, a := range more {
				n -= a.Len()
			}
			arrays = append(arrays, more...)
		}
		return arrays, nil
	}
	for ; row > 0; row -= numberRows {
		if _, err := next(int(min(row, numberRows))); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// Texts returns a function of the index that returns the category in an array: text as it is,
// whole numbers in decimal digits, booleans as false and true. ok is false if it is missing
// (null or NaN). The function returns an error for numbers that aren't whole.
func Texts(a arrow.Array) (func(i int) (text string, ok bool, err error), error) {
	d, ok := a.(*array.Dictionary)
	if !ok {
		return textAt(a)
	}
	entries := d.Dictionary()
	at, err := textAt(entries)
	if err != nil {
		return nil, err
	}
	return orNull(d, func(i int) (string, bool, error) {
		k := d.GetValueIndex(i)
		if k < 0 || k >= entries.Len() {
			return "", false, errDamaged("index %d into a dictionary of %d entries", k, entries.Len())
		}
		return at(k)
	}), nil
}
