package datasets

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// LIBSVM says how a file of the sparse format of LIBSVM is read: a line a row,
// its label and then index:value pairs, indices counted from 1 and ascending.
// What is left out is 0. The columns, called x1, x2, …, are dense all the
// same, and the file may have at most 2³¹ cells in 2²⁰ columns. What follows a
// # is a comment. Ranking data (qid) are not read.
//
// Labels are numbers; a class is called as its label, without a plus sign or
// zeros that say nothing, and classes are sorted by number.
type LIBSVM struct {
	Regression bool     // the label is a value, not a class
	Features   int      // number of columns; 0: the largest index of the file
	Classes    []string // classes in this order, any other is an error; nil: those found
}

const (
	maxLIBSVMColumns = 1 << 20
	maxLIBSVMCells   = 1 << 31
)

// ReadLIBSVM reads the file of the given path, which may be gzipped. The data
// set is named after the file, without its extensions.
func ReadLIBSVM(path string, o LIBSVM) (*Dataset, error) {
	return readFile(path, o.Read)
}

// Read reads a table from r, which may be gzipped. The name is the data set's,
// and tells in errors where a fault lies: "name:line".
func (o LIBSVM) Read(r io.Reader, name string) (*Dataset, error) {
	text, err := readText(r)
	if err != nil {
		return nil, fmt.Errorf("datasets: %s: %w", name, err)
	}
	t := libsvmTable{LIBSVM: o, coder: newCoder(o.Classes), start: []int{0}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if err := t.row(strings.Fields(line)); err != nil {
			return nil, fmt.Errorf("datasets: %s:%d: %w", name, n, err)
		}
	}
	d, err := t.dataset()
	if err != nil {
		return nil, fmt.Errorf("datasets: %s: %w", name, err)
	}
	d.Name = name
	return d, d.Check()
}

// A libsvmTable holds rows as they are in the file, until their number and the
// largest index are known.
type libsvmTable struct {
	LIBSVM
	coder  *coder
	labels []int32
	values []float64
	start  []int // of row i in index and cells; then their length
	index  []int32
	cells  []float32
	p      int // largest index
}

func (t *libsvmTable) row(fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	if len(t.start) > math.MaxInt32 {
		return fmt.Errorf("more than %d rows", math.MaxInt32)
	}
	if err := t.label(fields[0]); err != nil {
		return err
	}
	last := 0
	for _, field := range fields[1:] {
		index, value, ok := strings.Cut(field, ":")
		if index == "qid" {
			return errors.New("ranking data (qid) are not supported")
		}
		i, err := strconv.Atoi(index)
		switch {
		case !ok || err != nil:
			return fmt.Errorf("%s; want index:value", clip(field))
		case i < 1:
			return fmt.Errorf("index %d; they count from 1", i)
		case i <= last:
			return fmt.Errorf("index %d comes after %d; want ascending order", i, last)
		case t.Features > 0 && i > t.Features:
			return fmt.Errorf("index %d; there are %d features", i, t.Features)
		case i > maxLIBSVMColumns:
			return fmt.Errorf("index %d; at most %d columns can be read", i, maxLIBSVMColumns)
		}
		v, kind := parseNumber(value, 32)
		if kind != numberCell {
			return fmt.Errorf("index %d: %s is not a finite number", i, clip(value))
		}
		last = i
		t.index = append(t.index, int32(i-1))
		t.cells = append(t.cells, float32(v))
	}
	t.p = max(t.p, last)
	t.start = append(t.start, len(t.index))
	return nil
}

func (t *libsvmTable) label(s string) error {
	v, kind := parseNumber(s, 64)
	if kind != numberCell {
		return fmt.Errorf("label %s; want one finite number", clip(s))
	}
	if t.Regression {
		t.values = append(t.values, v)
		return nil
	}
	if v == 0 {
		v = 0 // not −0
	}
	code, ok := t.coder.code(strconv.FormatFloat(v, 'f', -1, 64))
	if !ok {
		return fmt.Errorf("label %s is not one of the %d classes", clip(s), len(t.coder.names))
	}
	t.labels = append(t.labels, code)
	return nil
}

func (t *libsvmTable) dataset() (*Dataset, error) {
	n, p := len(t.start)-1, t.p
	if t.Features > 0 {
		p = t.Features
	}
	switch {
	case n == 0:
		return nil, errors.New("there are no rows")
	case p == 0:
		return nil, errors.New("there are no index:value pairs")
	case p > maxLIBSVMCells/n:
		return nil, fmt.Errorf("%d rows of %d columns; at most %d cells can be read", n, p, maxLIBSVMCells)
	}
	d := &Dataset{Target: "y", Labels: t.labels, Values: t.values, Features: numbered(p), Columns: newColumns(n, p)}
	for i := range n {
		for k := t.start[i]; k < t.start[i+1]; k++ {
			d.Columns[t.index[k]][i] = t.cells[k]
		}
	}
	if !t.Regression {
		d.Classes = t.coder.recode(d.Labels)
	}
	return d, nil
}

// numbered returns p numeric features x1, x2, ….
func numbered(p int) []Feature {
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
