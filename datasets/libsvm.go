package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets/internal/naming"
)

// LIBSVM holds the options of reading LIBSVM's sparse format: a row per line, its
// label followed by index:value pairs, with indices from 1 in ascending order.
// Cells left out are 0. A # begins a comment. Ranking data (qid) are an error.
//
// The columns of the data set, called x1, x2, …, are dense, so that it may be much larger
// than the file; Limits.Cells says how large. Numbers are rounded to the nearest float32; Dataset.Notes says so if
// whole numbers were.
//
// Labels are numbers. A class is named by its label in decimal notation, without
// a plus sign or redundant zeros; classes are sorted by number.
type LIBSVM struct {
	Regression bool     // the label is a value, not a class
	Features   int      // number of columns; 0: the largest index in the file
	Classes    []string // classes in order, any other being an error; nil: those found, sorted

	Limits Limits // of the file; zero: the defaults
}

// ReadLIBSVM reads the file at path, which may be gzipped. The data set is named
// after the file, without its extensions.
func ReadLIBSVM(ctx context.Context, path string, o LIBSVM) (*Dataset, error) {
	return readFile(ctx, path, o.Read)
}

// Read reads a table from r, which may be gzipped, in blocks on all cores. Name becomes
// the name of the data set, and errors refer to a line as "name:line".
func (o LIBSVM) Read(ctx context.Context, r io.Reader, name string) (*Dataset, error) {
	return o.read(ctx, r, name, blockLength)
}

// read is Read in blocks of the given length.
func (o LIBSVM) read(ctx context.Context, r io.Reader, name string, length int) (*Dataset, error) {
	if most := o.Limits.Of(0).Columns; o.Features < 0 || o.Features > most {
		return nil, fileError(name, fmt.Errorf("a table of %d features; want 1 to %d, or 0 for as many as the file has",
			o.Features, most))
	}
	t := libsvmTable{LIBSVM: o, coder: newCoder(o.Classes)}
	in, err := newTextReader(ctx, r, o.Limits, length, wholeLines)
	if err == nil {
		t.Limits = in.limits
		err = in.each(maxBlocks, func() blockWorker { return &libsvmWorker{table: &t} })
	}
	if err != nil {
		return nil, fileError(name, err)
	}
	d, err := t.dataset(ctx)
	if err != nil {
		return nil, fileError(name, err)
	}
	d.Name = name
	return d, d.Check()
}

// libsvmRows holds rows in sparse form, as in the file.
type libsvmRows struct {
	labels []int32
	values []float64
	sizes  []int32 // pairs of each row
	index  []int32
	cells  []float32
	p      int // largest index

	rounded string // the first whole number that a cell doesn't hold
}

// A libsvmTable holds all rows, until their number and the largest index are known.
type libsvmTable struct {
	LIBSVM
	coder *coder
	libsvmRows
}

// A libsvmWorker reads blocks of a table.
type libsvmWorker struct {
	table *libsvmTable
	libsvmRows
	classes nameList
	places  []int32 // code of each class in the table
}

func (w *libsvmWorker) parse(b block) error {
	w.libsvmRows = libsvmRows{w.labels[:0], w.values[:0], w.sizes[:0], w.index[:0], w.cells[:0], 0, ""}
	w.classes.reset()
	number := b.line
	for line := range strings.Lines(b.text) {
		line, _, _ = strings.Cut(line, "#")
		if err := w.row(line); err != nil {
			return &lineError{number, err}
		}
		number++
	}
	return nil
}

// merge adds the block to the table.
func (w *libsvmWorker) merge(block) error {
	t := w.table
	t.p = max(t.p, w.p, t.Features)
	if err := t.Limits.checkCells(len(t.sizes)+len(w.sizes), t.p+rowCells); err != nil {
		return err
	}
	w.places = w.places[:0]
	for _, label := range w.classes.names {
		code, err := t.coder.code(label)
		if err != nil {
			return err
		}
		w.places = append(w.places, code)
	}
	for _, code := range w.labels {
		t.labels = append(t.labels, w.places[code])
	}
	t.values = append(t.values, w.values...)
	t.sizes = append(t.sizes, w.sizes...)
	t.index = append(t.index, w.index...)
	t.cells = append(t.cells, w.cells...)
	t.rounded = cmp.Or(t.rounded, w.rounded)
	return nil
}

// rowCells is what a row takes besides its cells, in cells.
const rowCells = 1 + 3

// row reads a line, which may be blank.
func (w *libsvmWorker) row(line string) error {
	last, size := 0, int32(-1) // the label comes before the first pair
	for field := range strings.FieldsSeq(line) {
		var err error
		if size < 0 {
			err = w.label(field)
		} else {
			last, err = w.pair(field, last)
		}
		if err != nil {
			return err
		}
		size++
	}
	if size >= 0 {
		w.sizes = append(w.sizes, size)
		w.p = max(w.p, last)
	}
	return nil
}

// pair reads index:value, and returns the index, which must be above last.
func (w *libsvmWorker) pair(field string, last int) (int, error) {
	index, value, ok := strings.Cut(field, ":")
	if index == "qid" {
		return 0, errors.New("ranking data (qid) are not supported")
	}
	i, err := strconv.Atoi(index)
	switch {
	case !ok || err != nil:
		return 0, fmt.Errorf("%s; want index:value", naming.Clip(field))
	case i < 1:
		return 0, fmt.Errorf("index %d; they count from 1", i)
	case i <= last:
		return 0, fmt.Errorf("index %d comes after %d; want ascending order", i, last)
	case w.table.Features > 0 && i > w.table.Features:
		return 0, fmt.Errorf("index %d; there are %d features", i, w.table.Features)
	case i > w.table.Limits.Columns:
		return 0, fmt.Errorf("index %d: %w", i, errColumns(w.table.Limits.Columns))
	}
	v, kind := parseNumber(value, 32)
	if kind != numberCell {
		return 0, fmt.Errorf("index %d: %s is not a finite number", i, naming.Clip(value))
	}
	if w.rounded == "" && math.Abs(v) >= 1<<24 {
		if exact, _ := parseNumber(value, 64); exact != v && exact == math.Trunc(exact) {
			w.rounded = strings.Clone(value)
		}
	}
	w.index = append(w.index, int32(i-1))
	w.cells = append(w.cells, float32(v))
	return i, nil
}

func (w *libsvmWorker) label(s string) error {
	v, kind := parseNumber(s, 64)
	if kind != numberCell {
		return fmt.Errorf("label %s; want one finite number", naming.Clip(s))
	}
	if w.table.Regression {
		w.values = append(w.values, v)
		return nil
	}
	if v == 0 {
		v = 0 // not −0
	}
	var text [24]byte
	name := string(strconv.AppendFloat(text[:0], v, 'f', -1, 64))
	code, added := w.classes.number(name)
	if coder := w.table.coder; added && coder.fixed { // otherwise merge may be changing it
		if _, ok := coder.find(name); !ok {
			return fmt.Errorf("label %s is not one of the %d classes", naming.Clip(s), len(coder.names))
		}
	}
	w.labels = append(w.labels, code)
	return nil
}

func (t *libsvmTable) dataset(ctx context.Context) (*Dataset, error) {
	n, p := len(t.sizes), t.p
	switch {
	case n == 0:
		return nil, errors.New("there are no rows")
	case p == 0:
		return nil, errors.New("there are no index:value pairs")
	}
	d := &Dataset{
		Target:   "y",
		Labels:   t.labels,
		Values:   t.values,
		Features: numberedFeatures(p),
		Columns:  newColumns(n, p),
	}
	k := 0
	for i, size := range t.sizes {
		if i%rowsBetweenLooks == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for range size {
			d.Columns[t.index[k]][i] = t.cells[k]
			k++
		}
	}
	if t.rounded != "" {
		d.Notes = []string{fmt.Sprintf("Numbers such as %s are rounded to the 24 bits of a cell; CSV keeps them.",
			naming.Clip(t.rounded))}
	}
	if !t.Regression {
		d.Classes = t.coder.recode(d.Labels)
	}
	return d, nil
}

// numberedFeatures returns p numeric features x1, x2, ….
func numberedFeatures(p int) []Feature {
	features := make([]Feature, p)
	for j := range features {
		features[j].Name = "x" + strconv.Itoa(j+1)
	}
	return features
}

func newColumns(n, p int) [][]float32 {
	cells := make([]float32, n*p)
	columns := make([][]float32, p)
	for j := range columns {
		columns[j] = cells[j*n : (j+1)*n : (j+1)*n]
	}
	return columns
}
