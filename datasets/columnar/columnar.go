// Package columnar reads Parquet and Arrow files as data sets.
//
// [ReadParquet] reads Parquet. [ReadArrow] reads Arrow's IPC formats: files, which are
// also called Feather version 2, and streams. [Options.Read] reads record batches that
// a program has in memory. All three return the table that [datasets.ReadCSV] returns of
// the same data, without guessing: the file says what its columns are.
//
// The package is apart from datasets because of arrow-go, which all of it is built on: a
// program that imports it is 29 MB larger (20 MB without symbols for a debugger), takes
// about a second longer to link, and when it is first built some 90 packages are compiled,
// which takes a minute on two cores. It is pure Go.
//
// # Columns
//
// Integers, floats, decimals and booleans (0 and 1) are numeric columns: each cell is the
// nearest float32. A number beyond float32 or an infinity is an error. Text, binary
// columns that hold UTF-8, and dictionaries are categorical columns. Null and NaN are
// missing cells (NaN); an empty text is a category like any other. Dates, times, lists,
// structs and other types are errors, unless the column is in [Options.Drop].
//
// Categories and classes are sorted as those of a CSV file are: by number where all are
// numbers and else by bytes, so that codes don't depend on the order of the rows.
// Dictionaries that are marked as ordered keep their order, and those of several batches
// or row groups are joined in the file's order. All entries of a dictionary are
// categories, also those that no row has: pandas' categories are written so. In Parquet
// this goes for text columns that were dictionaries when Arrow wrote them; of other text
// columns only what occurs counts. Dictionaries of numbers lose in Parquet what no row
// has, and their order.
//
// A column called __index_level_0__ (or another number) is the index of a pandas table.
// It is left out, unless Target, Categorical or Like name it.
//
// Rows in error messages are counted from 0, as in pandas.
//
// # Damaged and hostile files
//
// A damaged file is an error and no panic, if the damage shows. It doesn't always, since
// neither format has checksums that are checked: a flipped bit may be another number.
//
// No count in a file makes more memory than the file explains: it is checked before
// arrow-go sees it, buffers may have 16 MiB and 1024 times the file, and a table 16,384
// cells for each byte of it (or 2²⁴ in all). That leaves what compressed pages of Parquet
// unpack to while they are decoded, which arrow-go doesn't limit: a file made for the
// purpose can fill the memory by it.
package columnar

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Options says how the columns of a table are taken. The zero value learns the last
// column.
//
// Columns are named by their name, or by "#k", counted from 1, where no column is called
// so.
type Options struct {
	Target   string // column to learn; empty: the last column
	NoTarget bool   // every column is a feature

	// Regression says that a target of integers or booleans is values. Without it they
	// are classes. A target of floats or decimals is values in any case, unless Classes
	// or Categorical say otherwise, and one of text or a dictionary is classes.
	Regression bool

	// Categorical lists columns of numbers whose cells are categories, or classes in the
	// target. They must be whole numbers, in floats too, since pandas keeps integers with
	// missing cells there. The category is the number in decimal digits, "false" or
	// "true" for booleans.
	Categorical []string

	Drop []string // columns not to read

	Classes []string // classes in this order, any other is an error; nil: those found

	// Like reads the features of a schema, that of a model or of training data: its
	// columns in its order (found by name; others are ignored) and of its kinds, its
	// target, unless Target or NoTarget say otherwise, and its classes, unless Classes
	// does. Its categories keep their codes; those that it hasn't are appended after
	// them. A column that is missing or of another kind is an error that wraps
	// [datasets.ErrSchema]. Categorical and Drop are then not looked at.
	Like *datasets.Schema
}

// ReadParquet reads the Parquet file of the given path. The data set is named after the
// file, without its extensions. Columns are read on all cores at once.
func ReadParquet(path string, o Options) (*datasets.Dataset, error) {
	return readFile(path, o, (*table).readParquet)
}

// ReadArrow reads the Arrow file or stream of the given path. The data set is named after
// the file, without its extensions. A stream must have its end-of-stream mark, since
// without one it may be cut short. (For a stream that never had one use [Options.Read].)
func ReadArrow(path string, o Options) (*datasets.Dataset, error) {
	return readFile(path, o, (*table).readArrow)
}

// Read reads all record batches of r, such as those of an ipc.Reader, or of an
// array.TableReader over an arrow.Table. The name is the data set's, and says in errors
// what they are about.
func (o Options) Read(r array.RecordReader, name string) (*datasets.Dataset, error) {
	t := &table{Options: o, file: name}
	if err := t.readBatches(r.Schema(), r); err != nil {
		return nil, err
	}
	if err := r.Err(); err != nil {
		return nil, t.errorf("%w", err)
	}
	return t.dataset(name)
}

// readFile opens a file and has it read. Whatever panics while that goes on is taken as
// a sign of damage: the readers of arrow-go index into what the file says.
func readFile(path string, o Options, read func(*table, *os.File, int64) error) (d *datasets.Dataset, err error) {
	t := &table{Options: o, file: path}
	defer func() {
		if v := recover(); v != nil {
			d, err = nil, t.errorf("%w", errDamaged("%v", v))
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("columnar: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("columnar: %w", err)
	}
	t.limit = 1<<24 + info.Size()<<14
	if err := read(t, f, info.Size()); err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return t.dataset(name)
}
