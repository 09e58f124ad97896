// Package columnar reads Parquet and Arrow files as data sets.
//
// [ReadParquet] reads Parquet. [ReadArrow] reads Arrow's IPC formats: files, which are
// also called Feather version 2, and streams. [Options.Read] reads record batches that
// a program has in memory. All three return the same table as [datasets.ReadCSV] for the
// same data, but take the types of the columns from the file instead of guessing them.
//
// The package is separate from datasets because it needs arrow-go: a program that imports
// it is 29 MB larger (20 MB without debug symbols) and takes about a second longer to
// link. Its first build compiles some 90 packages, which takes a minute on two cores. It
// is pure Go.
//
// # Columns
//
// Integers, floats, decimals and booleans (0 and 1) become numeric columns, rounded to the
// nearest float32, or kept relative to an offset if they would fall together otherwise (see
// [datasets.Scale]); infinities are errors. Dates and time stamps become days since 1970. Text, binary
// columns that hold UTF-8, and dictionaries become categorical columns. Null and NaN are
// missing cells (NaN); an empty text is a category like any other. Times, lists, structs
// and other types are errors, unless the column is in [Options.Drop].
//
// Categories and classes are sorted as in CSV files: by number if all are numbers and
// otherwise by bytes, so that codes don't depend on the order of the rows. Dictionaries
// marked as ordered keep their order; those of several batches or row groups are joined in
// file order. All entries of a dictionary are categories, even if no row has them, as in
// pandas. In Parquet, this holds for text columns that Arrow wrote from dictionaries; the
// categories of other text columns are the texts that occur. Dictionaries of numbers lose
// their order in Parquet, and the entries that no row has.
//
// A column that pandas' description of the table calls an index is left out, with a note, unless
// Target, Categorical or Like names it. So is one without a name, or with a name that programs
// give to an index, such as __index_level_0__ or Unnamed: 0.
//
// Readers return the error of their context soon after it is cancelled.
//
// Rows in error messages are counted from 0, as in pandas.
//
// # Damaged and hostile files
//
// Damage that is detected gives an error, not a panic. Not all of it is, since no
// checksums are verified: a flipped bit may give another number.
//
// Counts in a file are checked before arrow-go allocates memory for them. [Options.Limits]
// says how large a table, a record batch and a page of Parquet may be. Where many rows take
// few bytes, as those of constant columns do, a limit may have to be raised. The size that a
// compressed page of Parquet declares is limited, too, but not the memory that arrow-go takes
// for one that is larger than it says: a hostile file can use up all memory.
package columnar

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
)

// Options says how to read the columns of a table. The zero value reads the last column as
// the target.
//
// Options refer to a column by its name, or by "#k", counted from 1, unless a column has
// that name.
type Options struct {
	Target   string // column to predict; empty: the last column
	NoTarget bool   // every column is a feature

	// Regression makes a target of integers or booleans values; otherwise they are
	// classes. A target of floats or decimals is always values, unless Classes is set or
	// Categorical lists it. Text and dictionaries are always classes.
	Regression bool

	// Categorical lists columns of numbers whose cells are categories, or classes in the
	// target. They must be whole numbers. They may be stored as floats, since pandas does
	// so for integers with missing cells. A category is the number in decimal digits, or
	// "false" or "true" for booleans.
	Categorical []string

	Drop []string // columns not to read

	Classes []string // classes in order, any other being an error; nil: those found, sorted

	// Like makes the result have the columns of another table, usually the training data
	// of a model. Features of the schema are found by name and returned in its order and
	// of its kinds; other columns are ignored. The target is the schema's, unless Target
	// or NoTarget is set, and so are the classes, unless Classes is set. Categories of the
	// schema keep their codes; new ones are listed after them. A column that is missing,
	// or text where the schema has numbers, is an error that wraps [datasets.ErrSchema].
	// Categorical and Drop are ignored.
	Like *datasets.Schema

	// Limits of the file; zero: the defaults. Unpacked is of a buffer, such as a page of a
	// column or the columns of a record batch; Record isn't used.
	Limits datasets.Limits
}

// ReadParquet reads the Parquet file at path, on all cores. The data set is named after the
// file, without its extensions.
func ReadParquet(ctx context.Context, path string, o Options) (*datasets.Dataset, error) {
	return readFile(ctx, path, o, (*table).readParquet)
}

// ReadArrow reads the Arrow file or stream at path. The data set is named after the file,
// without its extensions. A stream without an end-of-stream mark is an error, since it may
// have been cut short; if it never had one, use [Options.Read].
func ReadArrow(ctx context.Context, path string, o Options) (*datasets.Dataset, error) {
	return readFile(ctx, path, o, (*table).readArrow)
}

// Read reads all record batches of r, such as those of an ipc.Reader, or of an
// array.TableReader over an arrow.Table. Name becomes the name of the data set, and errors
// refer to it.
func (o Options) Read(ctx context.Context, r array.RecordReader, name string) (*datasets.Dataset, error) {
	return (&table{Options: o, ctx: ctx}).read(name, name, func(t *table) error {
		if err := t.readBatches(r.Schema(), r); err != nil {
			return err
		}
		return r.Err()
	})
}

// read calls a function that reads the file, and returns the data set.
func (t *table) read(file, name string, do func(*table) error) (*datasets.Dataset, error) {
	err := t.ctx.Err()
	if err == nil {
		err = do(t)
	}
	var d *datasets.Dataset
	if err == nil {
		d, err = t.dataset(name)
	}
	if err != nil {
		return nil, inFile(file, err)
	}
	return d, nil
}

// readFile opens a file and calls read. It takes a panic as a sign of damage: arrow-go
// doesn't check all offsets that a file gives before it indexes by them.
func readFile(ctx context.Context, path string, o Options,
	read func(*table, *os.File, int64) error) (d *datasets.Dataset, err error) {
	defer Damage(path, &err)
	f, size, err := atomicfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("columnar: %w", err)
	}
	defer f.Close()
	o.Limits = o.Limits.Of(size)
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return (&table{Options: o, ctx: ctx, limited: true}).read(path, name, func(t *table) error { return read(t, f, size) })
}
