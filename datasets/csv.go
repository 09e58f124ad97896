package datasets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/internal/naming"
	"github.com/obliqua-ml/obliqua/internal/nearest"
)

// CSV holds the options of reading a table from text. The zero value reads a
// file with a header, commas, and class labels in the last column.
//
// Options refer to a column by its name, or by "#k", counted from 1, unless a
// column has that name.
//
// A column is numeric if all its cells that are not missing are numbers, all written in one way, which is found:
//
//   - with a decimal point or comma, and with thousands marks (comma, point, blank or apostrophe); Decimal says which
//   - with a sign or code of a currency, before or after them, such as $1,234.50 or 1.234,50 EUR
//   - with a percent sign or a unit that all cells have, such as 5 kg, and then in that unit: 7 % is 7
//   - with k, M, B, Mio, million and the like, which multiply
//   - with a minus before or after, or in parentheses, which stand for a minus
//
// In such a column the usual words for a missing cell (N/A, null, none, unknown, -, . and others, in any case) are read
// as missing, and so are one or two other words, in less than half of the cells. Otherwise the column is categorical.
// But if at least nine in ten cells are numbers, Read returns an error, since that is more often a mistake in the
// file. Dataset.Notes has what was found.
//
// Other columns of dates, all written in one way, become days since 1970, unless Categorical lists them.
//
// Numbers are rounded to the nearest float32, relative to an offset if they would fall together otherwise (see
// [Scale]); infinities are errors.
//
// Categories and classes are sorted, by number if all are numbers and otherwise
// by bytes, so that codes do not depend on the order of the rows.
//
// A column that pandas or R wrote for the numbers or names of rows (without a name, or called "Unnamed: 0" and the
// like, and different in all rows) is left out, unless Categorical lists it. So is a last row that begins
// with "Total" or the like, unless Categorical lists the column.
//
// Quoting is that of RFC 4180: a cell that begins with a double quote ends at
// the next one, and two in a row stand for one. In addition, blanks around a
// cell are dropped, inside quotes too; blank lines are skipped; lines may end
// in CR LF, or in CR alone; and the text may begin with a byte-order mark.
//
// The text is UTF-8. If a name or category isn't, and all of the block that it is in can be Windows-1252, of which
// Latin-1 is a part, the file is read as that; otherwise it is an error that says where.
//
// If Comma is 0, the separator is that of a first line sep=;. Otherwise it is the first of comma, semicolon, tab and
// bar (|) that the first five lines have equally often outside of quotes, or a comma if none is.
//
// The error of a file that isn't CSV says what it seems to be, such as a workbook, a web page,
// Parquet or text in UTF-16. That of a table of one column names the separator if the lines
// have another one. Where one column is meant, set NoTarget and Comma.
type CSV struct {
	Target     string // column to predict; empty: the last column that isn't an index
	NoTarget   bool   // every column is a feature, also the Target, if it is set
	Regression bool   // the target is a number, not a class

	NoHeader bool     // the first line is data; columns are called x1, x2, …
	Names    []string // names of the columns, instead of those in the header
	Skip     int      // lines to skip at the beginning, such as a title
	Comma    rune     // separator, an ASCII character; 0: it is found; a space: any run of blanks

	Decimal rune // decimal mark, '.' or ','; 0: it is found

	// Dates is the layout (see package time) of dates whose day and month can't be told apart: "2/1/2006" or "1/2/2006",
	// as the note about them says.
	Dates string

	// Missing lists the texts that stand for a missing cell in any column, which is read as NaN; nil means "", "?",
	// "NA", "NaN" and "nan". A missing target is an error.
	Missing []string

	Categorical []string // columns that are categorical even if all their cells are numbers
	Drop        []string // columns not to read

	// Group is the column whose values are the groups of the rows (see Dataset.Groups), such as texts or numbers; it
	// is no feature. Empty: there are no groups. A missing cell in it is an error.
	Group string

	Classes []string // classes in order, any other being an error; nil: those found, sorted

	// Like makes Read return the columns of another table, usually the training data.
	// It finds the features of the schema by name, and returns them in the schema's
	// order and of its kinds. Other columns are ignored; a column that the file lacks
	// is an error that wraps [ErrSchema]. Categories of the schema keep their codes.
	// New ones are listed after them; it depends on the step what becomes of those
	// ([OneHot] makes 0s, [Ordinal] returns an error). The target is the schema's,
	// unless Target or NoTarget is set: a number if the schema has no classes, else
	// one of its classes, any other being an error. Numbers that are written with another unit than
	// those of the schema, such as 500 g for kg, are an error; currencies are not told apart.
	// Categorical and Drop are ignored.
	Like *Schema

	Limits Limits // of the file; zero: the defaults
}

var defaultMissing = []string{"", "?", "NA", "NaN", "nan"}

// ReadCSV reads the file at path, which may be gzipped. The data set is named
// after the file, without its extensions. A pipe such as /dev/stdin is read to its
// end, and its text is held in memory.
func ReadCSV(ctx context.Context, path string, o CSV) (*Dataset, error) {
	return readFile(ctx, path, o.Read)
}

// Read reads a table from r, which may be gzipped. Name becomes the name of the
// data set, and errors refer to a line as "name:line".
//
// If r is an [io.Seeker], the text is read in blocks, on all cores, and never held in
// memory as a whole. If a column begins with numbers and then turns out to be
// categorical, Read goes back to where r was and reads again.
func (o CSV) Read(ctx context.Context, r io.Reader, name string) (*Dataset, error) {
	return o.read(ctx, r, name, blockLength)
}

// read is Read in blocks of the given length.
func (o CSV) read(ctx context.Context, r io.Reader, name string, length int) (*Dataset, error) {
	switch {
	case o.Comma < 0 || o.Comma > 127 || strings.ContainsRune("\"\n\r", o.Comma):
		return nil, fileError(name, fmt.Errorf("separator %q is not possible", o.Comma))
	case o.Decimal != 0 && o.Decimal != '.' && o.Decimal != ',':
		return nil, fileError(name, fmt.Errorf("decimal mark %q is not possible; want a point or a comma", o.Decimal))
	}
	if o.Missing == nil {
		o.Missing = defaultMissing
	}
	return readTable(ctx, r, name, o.Limits, length, func() (*csvTable, func() error) {
		t := &csvTable{CSV: o, file: name, sep: ',', scales: map[int]Scale{}}
		if t.Comma != 0 {
			t.sep = byte(t.Comma)
		}
		t.missingNumbers = slices.ContainsFunc(t.Missing, isNumber)
		t.records = func(text string, lines int) recordScanner { return t.scanner(text, lines) }
		t.whole = t.wholeRecords
		return t, t.open
	})
}

// A csvColumn is a column being read.
type csvColumn struct {
	role  role
	coder *coder // of a categorical column or of classes
	cells []float32

	tally               // of a column that is not categorical from the start
	coded   atomic.Bool // a column holds text: cells are now read as categories
	kept    bool        // some cells were kept as numbers, without their texts
	precise bool        // some cells may fall together as float32
}

// A tally counts the cells of a guessed column that are not missing, by kind, and keeps
// the first text and the first infinity, and the forms of the numbers.
type tally struct {
	forms  form
	counts [missingCell]int
	first  [missingCell]csvCell
}

type csvCell struct {
	line int
	text string
}

type role uint8

const (
	guessed     role = iota // numeric or categorical, depending on its cells
	numeric                 // any text but numbers is an error
	categorical             // every text is a category
	dropped
	classTarget
	valueTarget
	precise // a column of numbers that is read again, as float64
)

// A csvTable is a table being read, from CSV or, if its columns are declared, from ARFF.
type csvTable struct {
	CSV
	declared       bool
	records        func(text string, lines int) recordScanner // of a text that comes after so many lines
	whole          func(text string) int                      // see blockReader.wholeRecords
	in             *blockReader
	file           string
	sep            byte
	missingNumbers bool // Missing lists numbers
	begins         int  // line of the first row
	notes          []string
	weights        []float32         // of rows, up to the last that has one; nil if none has
	indexes        map[int]bool      // columns called as programs call an index, unless NoHeader or Names is set
	exact          map[int][]float64 // columns that are looked at in float64
	scales         map[int]Scale     // of columns that have one
	names          []string
	place          map[string]int // index of each name
	columns        []csvColumn
	group          int       // the column of groups; −1 if there is none
	width          int       // columns that are not dropped
	values         []float64 // of a valueTarget
	rows           int
	total          bool // the last row has totals, and is left out
	room           int  // rows that the columns have memory for
}

// readTable reads a table, which begin returns with the function that reads its header. If the text turns out to be
// Windows-1252, it reads again.
func readTable(ctx context.Context, r io.Reader, name string, limits Limits, length int,
	begin func() (*csvTable, func() error)) (*Dataset, error) {
	var t *csvTable
	in, err := newTextReader(ctx, r, limits, length, func(text string) int { return t.whole(text) })
	for err == nil {
		var open func() error
		t, open = begin()
		t.in, t.Limits = in, in.limits
		if err = open(); err == nil {
			t.begins = in.lines + 1
			err = t.read()
		}
		if err == nil {
			return t.dataset()
		}
		if other := (*encodingError)(nil); !in.western && errors.As(err, &other) && other.western {
			in.western = true
			err = in.rewind()
		}
	}
	return nil, fileError(name, err)
}

// open reads the header and gives every column its role.
func (t *csvTable) open() error {
	first, line, err := t.header()
	if err != nil {
		return err
	}
	if err := t.name(first, line); err != nil {
		return err
	}
	if t.Like != nil {
		return t.assign(t.assignLike)
	}
	return t.assign(t.assignLists)
}

// wholeRecords returns the length of the whole records at the start of text, or all of
// its length if a record is malformed.
func (t *csvTable) wholeRecords(text string) int {
	if strings.IndexByte(text, '"') < 0 {
		return wholeLines(text)
	}
	scan := t.scanner(text, 0)
	whole := 0
	for {
		_, _, err := scan.next()
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

// scanner returns a scanner of text that comes after the given number of lines.
func (t *csvTable) scanner(text string, lines int) *csvScanner {
	scan := newCSVScanner(text, t.sep, lines)
	scan.most = t.Limits.Columns
	return scan
}

// header returns the first record and its line. The next block then begins with the
// first record of the data.
func (t *csvTable) header() (cells []string, line int, err error) {
	if t.Skip > 0 {
		if err := t.in.skipTo(t.Skip + 1); err != nil && err != io.EOF {
			return nil, 0, err
		}
	}
	for begin := true; ; begin = false {
		b, err := t.in.next(nil)
		if begin && err == nil {
			b, err = t.in.extended(b, func(text string) bool { return len(firstLines(text)) == mostLines })
		}
		if err == io.EOF {
			return nil, 0, errEmpty
		}
		if err != nil {
			return nil, 0, err
		}
		if begin && t.findSeparator(b) {
			continue
		}
		scan := t.scanner(b.text, b.line-1)
		first, line, err := scan.next()
		if err == io.EOF {
			continue // blank lines
		}
		for _, cell := range first {
			if err == nil {
				err = checkUTF8(cell, b.text)
			}
		}
		if err == nil {
			err = t.checkRecord(b.text, first)
		}
		if err != nil {
			return nil, 0, &lineError{line, err}
		}
		// A block takes some time for each column, so one of a very wide table holds several rows.
		if length := len(b.text) - len(scan.rest); length > 1<<16 {
			t.in.length = max(t.in.length, min(16*length, 16<<20))
		}
		for _, cell := range first {
			cells = append(cells, strings.Clone(cell))
		}
		if t.NoHeader {
			t.in.unread(b.text, b.line)
		} else {
			t.in.unread(scan.rest, scan.lines+1)
		}
		return cells, line, nil
	}
}

// findSeparator skips Excel's first line sep=;. Unless Comma is set, it finds the separator: the one in that line, or
// that of the first lines. It returns whether the next block begins again.
func (t *csvTable) findSeparator(b block) bool {
	line, rest, _ := strings.Cut(b.text, "\n")
	line = strings.Trim(line, "\"\r ")
	if len(line) == len("sep=;") && strings.EqualFold(line[:4], "sep=") {
		if t.Comma == 0 && line[4] < 128 {
			t.sep = line[4]
		}
		t.in.unread(rest, b.line+1)
		return true
	}
	lines := firstLines(b.text)
	if t.Comma != 0 || len(lines) < 2 {
		return false
	}
	sep := separatorOf(lines)
	if sep == 0 || sep == t.sep {
		return false
	}
	t.sep = sep
	t.notes = append(t.notes, fmt.Sprintf("Columns are separated by %q.", sep))
	t.in.unread(b.text, b.line)
	return true
}

// name names the columns by Names or by the header.
func (t *csvTable) name(first []string, line int) error {
	switch {
	case len(first) > t.Limits.Columns:
		return &lineError{line, errColumns(t.Limits.Columns)}
	case t.Names != nil && len(t.Names) != len(first):
		return errorAt(line, "%d columns, but %d Names", len(first), len(t.Names))
	case t.Names != nil:
		t.names = slices.Clone(t.Names)
	case t.NoHeader:
		t.names = make([]string, len(first))
	case len(first) > 2 && 2*countEmpty(first) > len(first):
		return errorAt(line, "%d of %d columns have no name; if the table begins further down, set Skip to the number of "+
			"lines before it, otherwise set Names", countEmpty(first), len(first))
	case !slices.ContainsFunc(first, func(s string) bool { return !isNumber(s) }):
		return errorAt(line, "the header holds only numbers; set NoHeader if it is data, otherwise set Names")
	default:
		t.names = first
	}
	t.indexes = map[int]bool{}
	for j, name := range t.names {
		if t.Names == nil && !t.NoHeader && naming.IsIndex(name) {
			t.indexes[j] = true
		}
	}
	var err error
	if t.place, err = naming.Places(t.names); err != nil {
		return &lineError{line, err}
	}
	return nil
}

func countEmpty(names []string) (n int) {
	for _, name := range names {
		if name == "" {
			n++
		}
	}
	return n
}

// assign gives the columns their roles: features does that for all but the target.
func (t *csvTable) assign(features func() error) error {
	t.columns = make([]csvColumn, len(t.names))
	if err := features(); err != nil {
		return err
	}
	if err := t.assignTarget(); err != nil {
		return err
	}
	if err := t.assignGroup(); err != nil {
		return err
	}
	left := 0
	for j := range t.columns {
		c := &t.columns[j]
		if c.role == categorical && c.coder == nil {
			c.coder = newCoder(nil)
		}
		if c.role <= categorical && j != t.group {
			left++
		}
		if c.role != dropped {
			t.width++
		}
	}
	if err := t.Limits.checkCells(columnCells, t.width); err != nil {
		return err
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
	}{{t.Categorical, categorical}, {t.Drop, dropped}} {
		for _, spec := range list.specs {
			j, err := naming.Find(t.names, t.place, spec)
			if err != nil {
				return err
			}
			if t.columns[j].role != guessed {
				return fmt.Errorf("column %q is in both Categorical and Drop", t.names[j])
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
			return fmt.Errorf(
				"%w: no column %q, which the schema lists; the nearest are %s",
				ErrSchema,
				f.Name,
				nearest.Names(t.names, f.Name),
			)
		}
		t.columns[j].role = numeric
		if f.Scale != (Scale{}) {
			t.scales[j] = f.Scale
		}
		if f.Categories != nil {
			t.columns[j].role = categorical
			t.columns[j].coder = newCoder(f.Categories)
			t.columns[j].coder.fixed = false
			t.columns[j].coder.spellings = naming.SpellingsOf(f.Categories)
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
		return fmt.Errorf(
			"%w: no column %q, which is the schema's target; set NoTarget if there is none",
			ErrSchema,
			t.Like.Target,
		)
	default:
		t.Target = t.Like.Target
	}
	return nil
}

func (t *csvTable) assignGroup() error {
	t.group = -1
	if t.Group == "" {
		return nil
	}
	j, err := naming.Find(t.names, t.place, t.Group)
	if err != nil {
		return fmt.Errorf("groups: %w", err)
	}
	c := &t.columns[j]
	if c.role >= classTarget || (c.role == dropped) != (t.Like != nil) {
		return fmt.Errorf("column %q has the groups and cannot also be the target, dropped or a feature", t.names[j])
	}
	c.role, t.group = categorical, j
	return nil
}

func (t *csvTable) assignTarget() error {
	if t.NoTarget || len(t.names) == 0 {
		return nil
	}
	target := len(t.names) - 1
	for target > 0 && t.indexes[target] {
		target--
	}
	if t.Target != "" {
		var err error
		if target, err = naming.Find(t.names, t.place, t.Target); err != nil {
			return fmt.Errorf("target: %w; set NoTarget if there is none", err)
		}
	}
	c := &t.columns[target]
	inUse := c.role == dropped && t.Like == nil || c.role != dropped && t.Like != nil
	switch {
	case inUse:
		return fmt.Errorf("column %q is the target and cannot also be dropped or a feature", t.names[target])
	case t.Regression || t.declared && c.role == numeric:
		c.role = valueTarget
	default:
		c.role = classTarget
		if !t.declared {
			c.coder = newCoder(t.Classes)
			c.coder.spellings = naming.SpellingsOf(t.Classes)
		}
	}
	return nil
}
