package tables

import (
	"context"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/naming"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A source is a part of a table that is read in batches.
type source interface {
	// next returns the next n rows, or fewer at the end, and then io.EOF.
	next(n int) (*batch, error)

	// key returns the column of the key in Parquet.
	key() schema.Node

	// copyKeys writes the keys of the n rows after those that it has written.
	copyKeys(to file.ColumnChunkWriter, n int) error

	close()
}

// A batch is some rows of a table.
type batch struct {
	data   *datasets.Dataset  // the features
	faults map[int]string     // why a row can't be read
	where  func(i int) string // says which row of the file row i is
}

// open opens a part of a file, of which the features and the key are read.
func (t shardTask) open(ctx context.Context, features []datasets.Feature) (source, error) {
	if isCSV(t.Input.Path) {
		return t.openCSV(ctx, features)
	}
	return t.openParquet(features)
}

// A reading is a column of a batch as it is read.
type reading struct {
	cells      []float32
	categories []string       // of a categorical column
	faults     map[int]string // by row
}

func (r *reading) fail(i int, name string, err error) {
	if r.faults == nil {
		r.faults = map[int]string{}
	}
	r.faults[i] = fmt.Sprintf("column %q: %v", name, err)
}

// newBatch reads n rows of the features, on all cores, by calling read for each.
func newBatch(features []datasets.Feature, n int, read func(j int, to *reading) error) (*batch, error) {
	for _, f := range features {
		if f.Scale.Offset != 0 || f.Scale.Step != 0 {
			return nil, fmt.Errorf("column %q is kept %v, which only datasets.CSV.Like can read; predict the table in memory",
				f.Name, f.Scale)
		}
	}
	columns := make([]reading, len(features))
	err := parallel.Errors(len(features), func(j int) error {
		columns[j].cells = make([]float32, 0, n)
		if err := read(j, &columns[j]); err != nil {
			return err
		}
		if got := len(columns[j].cells); got != n {
			return fmt.Errorf("column %q has %d rows of %d", features[j].Name, got, n)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	b := &batch{faults: map[int]string{}, data: &datasets.Dataset{Features: make([]datasets.Feature, len(features)),
		Columns: make([][]float32, len(features))}}
	for j, c := range columns {
		b.data.Features[j] = datasets.Feature{Name: features[j].Name, Categories: c.categories}
		b.data.Columns[j] = c.cells
		for i, fault := range c.faults {
			if b.faults[i] == "" {
				b.faults[i] = fault
			}
		}
	}
	return b, nil
}

// A coder turns categories into codes. Those that the model doesn't know get the codes after
// those that it knows, anew in each batch.
type coder struct {
	known     map[string]int
	names     []string
	spellings map[string]int32 // codes of names that may be written in another way
}

// newCoders returns a coder for each feature, nil for numeric ones.
func newCoders(features []datasets.Feature) []*coder {
	coders := make([]*coder, len(features))
	for j, f := range features {
		if f.Categories == nil {
			continue
		}
		coders[j] = &coder{names: slices.Clip(f.Categories), known: make(map[string]int, len(f.Categories)),
			spellings: naming.SpellingsOf(f.Categories)}
		for code, name := range f.Categories {
			coders[j].known[name] = code
		}
	}
	return coders
}

// add returns the code of a text that isn't a known name: that of a name in another spelling, such as TRUE for true, or
// a new one.
func (c *coder) add(to *reading, text string) int {
	if code, ok := c.spellings[naming.Spelling(text)]; ok {
		return int(code)
	}
	to.categories = append(to.categories, text)
	return len(to.categories) - 1
}

// read appends the codes of n categories to a column.
func (c *coder) read(to *reading, name string, n int, at func(i int) (text string, ok bool, err error)) {
	if to.categories == nil {
		to.categories = c.names
	}
	added := map[string]int{} // codes of texts that aren't known names
	for code, name := range to.categories[len(c.names):] {
		added[name] = len(c.names) + code
	}
	for i := range n {
		text, ok, err := at(i)
		if err == nil && !utf8.ValidString(text) {
			err = fmt.Errorf("%q is not UTF-8", text)
		}
		cell := float32(math.NaN())
		switch {
		case err != nil:
			to.fail(len(to.cells), name, err)
		case ok:
			code, known := c.known[text]
			if !known {
				if code, known = added[text]; !known {
					code = c.add(to, text)
					added[text] = code
				}
			}
			cell = float32(code)
		}
		to.cells = append(to.cells, cell)
	}
}
