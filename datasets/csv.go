package datasets

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// CSV says how a table in text is read. The zero value reads a file with a
// header, commas, and class labels in the last column.
//
// Columns are named by their name, or by "#k", counted from 1, where no column
// is called so.
//
// A column is numeric if all its cells that are not missing are decimal
// numbers, and categorical otherwise. A column in which at least nine cells of
// ten are numbers and some are not is an error, since that is more often a
// slip than a category: list the column in Categorical, the text in Missing,
// or the column in Drop. A numeric cell is the float32 nearest to its text; a
// number beyond float32 and an infinity are errors.
//
// Categories and classes are sorted, by number where all are numbers and
// else by bytes, so that codes do not depend on the order of the rows.
//
// Text is as RFC 4180 has it: a cell that begins with a double quote ends at
// the next one, and two of them stand for one. Moreover blanks around a cell
// are dropped, inside quotes too, blank lines are skipped, lines may end in
// CR LF, and a byte-order mark may come first.
type CSV struct {
	Target     string // column to learn; empty: the last column
	NoTarget   bool   // every column is a feature
	Regression bool   // the target is a number, not a class

	NoHeader bool     // the first line is data; columns are called x1, x2, …
	Names    []string // names of the columns, instead of the header's; nil: those
	Comma    rune     // separator, in ASCII; 0: a comma; a space: runs of blanks

	// Missing lists the texts of a missing cell, which is read as NaN. Nil:
	// "", "?", "NA", "NaN" and "nan". A missing target is an error.
	Missing []string

	Numeric     []string // columns in which any text is an error
	Categorical []string // columns that are categorical even if all numbers
	Drop        []string // columns not to read

	Classes []string // classes in this order, any other is an error; nil: those found

	// Like reads a table like another one, usually the training data: the columns of
	// the schema by name, in its order and of its kinds, while other columns are ignored.
	// A column that the file lacks is an error that wraps [ErrSchema]. Categories of
	// the schema keep their codes. Others that the file holds are listed after them,
	// and steps say what becomes of those: [OneHot] makes 0s, [Ordinal] returns an
	// error. The target is the schema's, unless Target or NoTarget say otherwise: a
	// number if the schema has no classes, else one of its classes, where any other is
	// an error. Numeric, Categorical and Drop are then not looked at.
	Like *Schema
}

var defaultMissing = []string{"", "?", "NA", "NaN", "nan"}

// ReadCSV reads the file of the given path, which may be gzipped. The data set
// is named after the file, without its extensions.
func ReadCSV(path string, o CSV) (*Dataset, error) {
	return readFile(path, o.Read)
}

// Read reads a table from r, which may be gzipped. The name is the data set's,
// and tells in errors where a fault lies: "name:line".
//
// The text is read in blocks on all cores and is never in memory as a whole, unless r
// is no [io.Seeker]. A column that turns out to be categorical after its first
// numbers have been read makes Read go back to where r was.
func (o CSV) Read(r io.Reader, name string) (*Dataset, error) {
	return o.read(r, name, blockLength)
}

// read is Read in blocks of the given length.
func (o CSV) read(r io.Reader, name string, length int) (*Dataset, error) {
	t := csvTable{CSV: o, file: name}
	err := t.open(r, length)
	if err == nil {
		err = t.read()
	}
	if err != nil {
		return nil, fileError(name, err)
	}
	return t.dataset()
}

// A csvColumn is a column being read.
type csvColumn struct {
	role  role
	coder *coder // of a categorical column or of classes
	cells []float32

	tally             // of a column that is not categorical from the start
	coded atomic.Bool // a text was met in a guessed column: cells are now read as categories
	kept  bool        // some blocks' numbers were kept without their texts
}

// A tally counts the cells of a guessed column that are not missing, by kind, and keeps
// the first text and the first infinity.
type tally struct {
	counts [missingCell]int
	first  [missingCell]csvCell
}

type csvCell struct {
	line int
	text string
}

type role uint8

const (
	guessed     role = iota // numeric or categorical, as its cells have it
	numeric                 // any text is an error
	categorical             // every text is a category
	dropped
	classTarget
	valueTarget
)

// A csvTable is a table being read.
type csvTable struct {
	CSV
	in             *blockReader
	file           string
	sep            byte
	missingNumbers bool // Missing lists numbers
	names          []string
	place          map[string]int // of a name
	columns        []csvColumn
	values         []float64 // of a valueTarget
	rows           int
	room           int // rows that the columns have memory for
}

// open reads the header and gives every column its role.
func (t *csvTable) open(r io.Reader, length int) error {
	t.sep = ','
	if t.Comma != 0 {
		t.sep = byte(t.Comma)
	}
	if t.Comma < 0 || t.Comma > 127 || strings.ContainsRune("\"\n\r", t.Comma) {
		return fmt.Errorf("separator %q is not possible", t.Comma)
	}
	if t.Missing == nil {
		t.Missing = defaultMissing
	}
	t.missingNumbers = slices.ContainsFunc(t.Missing, isNumber)
	var err error
	if t.in, err = newBlockReader(r, length, t.wholeRecords); err != nil {
		return err
	}
	first, line, err := t.header()
	if err != nil {
		return err
	}
	if err := t.name(first, line); err != nil {
		return err
	}
	return t.assign()
}

// wholeRecords returns the length of the part of text that ends with its last whole
// record, or with a fault.
func (t *csvTable) wholeRecords(text string) int {
	if strings.IndexByte(text, '"') < 0 {
		return wholeLines(text)
	}
	scan := newCSVScanner(text, t.sep, 0)
	whole := 0
	for {
		_, err := scan.next()
		switch end := len(text) - len(scan.rest); {
		case err == io.EOF || err == errOpenQuote:
			return whole
		case err != nil:
			return len(text)
		case text[end-1] != '\n':
			return whole
		default:
			whole = end
		}
	}
}

// header returns the first record and its line. The next block begins with the first
// record of the data.
func (t *csvTable) header() (cells []string, line int, err error) {
	for {
		b, err := t.in.next(nil)
		if err == io.EOF {
			return nil, 0, errors.New("the file is empty")
		}
		if err != nil {
			return nil, 0, err
		}
		scan := newCSVScanner(b.text, t.sep, b.line-1)
		first, err := scan.next()
		if err == io.EOF {
			continue // blank lines
		}
		if err != nil {
			return nil, 0, &lineError{scan.line, err}
		}
		for _, cell := range first {
			cells = append(cells, strings.Clone(cell))
		}
		if t.NoHeader {
			t.in.unread(b.text, b.line)
		} else {
			t.in.unread(scan.rest, scan.lines+1)
		}
		return cells, scan.line, nil
	}
}

// name gives the columns the names of the header or of Names.
func (t *csvTable) name(first []string, line int) error {
	switch {
	case t.Names != nil && len(t.Names) != len(first):
		return errorAt(line, "%d columns, but %d Names", len(first), len(t.Names))
	case t.Names != nil:
		t.names = slices.Clone(t.Names)
	case !t.NoHeader && allNumbers(first):
		return errorAt(line, "the header holds only numbers; set NoHeader if it is data, or else Names")
	default:
		t.names = make([]string, len(first))
	}
	for j := range t.names {
		if t.Names == nil && !t.NoHeader {
			t.names[j] = first[j]
		}
		if t.names[j] == "" {
			t.names[j] = "x" + strconv.Itoa(j+1)
		}
	}
	t.place = make(map[string]int, len(t.names))
	for j, name := range t.names {
		if k, ok := t.place[name]; ok {
			return errorAt(line, "columns %d and %d are both called %q", k+1, j+1, name)
		}
		t.place[name] = j
	}
	return nil
}

func allNumbers(cells []string) bool {
	return !slices.ContainsFunc(cells, func(s string) bool { return !isNumber(s) })
}

func (t *csvTable) assign() error {
	t.columns = make([]csvColumn, len(t.names))
	features := t.assignLists
	if t.Like != nil {
		features = t.assignLike
	}
	if err := features(); err != nil {
		return err
	}
	if err := t.assignTarget(); err != nil {
		return err
	}
	left := 0
	for j := range t.columns {
		c := &t.columns[j]
		if c.role == categorical && c.coder == nil {
			c.coder = newCoder(nil)
		}
		if c.role <= categorical {
			left++
		}
	}
	if left == 0 {
		return fmt.Errorf("no column is left as a feature, of %d", len(t.columns))
	}
	return nil
}

func (t *csvTable) assignLists() error {
	for _, list := range []struct {
		specs []string
		role  role
	}{{t.Numeric, numeric}, {t.Categorical, categorical}, {t.Drop, dropped}} {
		for _, spec := range list.specs {
			j, err := findColumn(t.names, spec)
			if err != nil {
				return err
			}
			if t.columns[j].role != guessed {
				return fmt.Errorf("column %q is in two of Numeric, Categorical and Drop", t.names[j])
			}
			t.columns[j].role = list.role
		}
	}
	return nil
}

// assignLike takes the features from Like and drops every other column.
func (t *csvTable) assignLike() error {
	for j := range t.columns {
		t.columns[j].role = dropped
	}
	for _, f := range t.Like.Features {
		j, ok := t.place[f.Name]
		if !ok {
			return fmt.Errorf("%w: no column %q, which the schema lists; the nearest are %s", ErrSchema, f.Name, nearest(t.names, f.Name))
		}
		t.columns[j].role = numeric
		if f.Categories != nil {
			t.columns[j].role = categorical
			t.columns[j].coder = newCoder(f.Categories)
			t.columns[j].coder.fixed = false
		}
	}
	t.Regression = t.Regression || t.Like.Target != "" && t.Like.Classes == nil
	if t.Classes == nil {
		t.Classes = t.Like.Classes
	}
	switch {
	case t.Target != "" || t.NoTarget:
	case t.Like.Target == "":
		t.NoTarget = true
	case !slices.Contains(t.names, t.Like.Target):
		return fmt.Errorf("%w: no column %q, which is the schema's target; set NoTarget if there is none", ErrSchema, t.Like.Target)
	default:
		t.Target = t.Like.Target
	}
	return nil
}

func (t *csvTable) assignTarget() error {
	if t.NoTarget {
		return nil
	}
	target := len(t.names) - 1
	if t.Target != "" {
		var err error
		if target, err = findColumn(t.names, t.Target); err != nil {
			return fmt.Errorf("target: %w; set NoTarget if there is none", err)
		}
	}
	c := &t.columns[target]
	inUse := c.role == dropped && t.Like == nil || c.role != dropped && t.Like != nil
	switch {
	case inUse:
		return fmt.Errorf("column %q is the target and cannot also be dropped or a feature", t.names[target])
	case t.Regression:
		c.role = valueTarget
	default:
		c.role = classTarget
		c.coder = newCoder(t.Classes)
	}
	return nil
}
