package datasets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/naming"
)

// ARFF holds the options of reading Weka's attribute-relation file format. The
// zero value reads the last attribute as the target.
//
// A numeric, real or integer attribute becomes a numeric column. A nominal one becomes a categorical column with its
// categories in the order declared. A numeric target has values, a nominal one classes. An unquoted ? is a missing
// cell, and an error in the target. Cells are separated by commas or, in rows that have too few of these, by blanks; a
// comma may follow the last. Rows may be sparse: {index value, …}, with indices from 0, where a cell left out is 0 or
// the first category. A weight in braces may follow a row. In quotes, a backslash stands before n, t, r, uXXXX or the
// character that is meant. What follows a type is skipped, and a comment from % on, where it follows a blank.
// Attributes of other types, such as string and date, are an error unless they are in Drop.
//
// Options refer to an attribute by its name, or by "#k", counted from 1, unless
// an attribute has that name.
type ARFF struct {
	Target   string   // attribute to predict; empty: the last
	NoTarget bool     // every attribute is a feature
	Drop     []string // attributes not to read

	Limits Limits // of the file; zero: the defaults
}

// ReadARFF reads the file at path, which may be gzipped. The data set is named
// after the file, without its extensions.
func ReadARFF(ctx context.Context, path string, o ARFF) (*Dataset, error) {
	return readFile(ctx, path, o.Read)
}

// Read reads a table from r, which may be gzipped. Name becomes the name of the
// data set, and errors refer to a line as "name:line".
func (o ARFF) Read(ctx context.Context, r io.Reader, name string) (*Dataset, error) {
	return readTable(ctx, r, name, o.Limits, blockLength, func() (*csvTable, func() error) {
		t := &arffTable{csvTable: csvTable{file: name, declared: true, scales: map[int]Scale{}, place: map[string]int{},
			whole: wholeLines, CSV: CSV{Target: o.Target, NoTarget: o.NoTarget, Drop: o.Drop, Missing: []string{arffMissing}}}}
		t.records = t.scanner
		return &t.csvTable, t.header
	})
}

// An arffTable is a table whose header declares what the columns are.
type arffTable struct {
	csvTable
	attributes []arffAttribute
}

type arffAttribute struct {
	kind  string // as declared
	role  role
	coder *coder // nominal
}

// header reads the declarations up to @data. The next block then begins with the first row.
func (t *arffTable) header() error {
	empty := true
	for number := 0; ; {
		b, err := t.in.next(nil)
		switch {
		case err == io.EOF && empty:
			return errEmpty
		case err == io.EOF:
			return errors.New("there is no @data")
		case err != nil:
			return err
		}
		rest := b.text
		for line := range strings.Lines(b.text) {
			number, rest = number+1, rest[len(line):]
			if err := checkUTF8(line, b.text); err != nil {
				return &lineError{number, err}
			}
			line = strings.TrimSpace(line)
			empty = empty && line == ""
			data := strings.EqualFold(line, "@data")
			switch {
			case line == "" || line[0] == '%':
			case data:
				err = t.assign(t.assignDeclared)
			default:
				err = t.declare(line)
			}
			if err != nil {
				return &lineError{number, err}
			}
			if data {
				t.in.unread(rest, number+1)
				return nil
			}
		}
	}
}

// declare reads a line of the header, and adds the column that it declares.
func (t *arffTable) declare(line string) error {
	word, rest := line, ""
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		word, rest = line[:i], line[i+1:]
	}
	switch strings.ToLower(word) {
	case "@relation", "@inputs", "@outputs", "@input", "@output": // the others are KEEL's
		return nil
	case "@attribute":
	default:
		return fmt.Errorf("%s; want @relation, @attribute or @data; if this is a CSV file, use ReadCSV", naming.Clip(word))
	}
	scan := arffCells(rest)
	name, _, err := scan.cell(" \t{")
	if err != nil {
		return err
	}
	name = strings.Clone(name)
	a := arffAttribute{kind: strings.TrimSpace(scan.rest)}
	if !strings.HasPrefix(a.kind, "{") { // a range, a format or a comment may follow
		a.kind, _, _ = strings.Cut(strings.ReplaceAll(a.kind, "\t", " "), " ")
		a.kind, _, _ = strings.Cut(a.kind, "[")
	}
	switch kind := strings.ToLower(a.kind); {
	case kind == "numeric" || kind == "real" || kind == "integer":
		a.role = numeric
	case strings.HasPrefix(kind, "{"):
		a.role = categorical
		if a.coder, err = nominal(a.kind); err != nil {
			return fmt.Errorf("attribute %q: %w", name, err)
		}
	}
	if _, ok := t.place[name]; ok {
		return fmt.Errorf("two attributes are called %q", name)
	}
	if len(t.names) == t.Limits.Columns {
		return errColumns(t.Limits.Columns)
	}
	t.place[name] = len(t.names)
	t.names, t.attributes = append(t.names, name), append(t.attributes, a)
	return nil
}

// nominal reads a list of categories, {a, b, 'c d'}.
func nominal(list string) (*coder, error) {
	scan := arffCells(list[1:])
	c := newCoder(nil)
	for {
		s, _, err := scan.cell(",}")
		if err != nil {
			return nil, err
		}
		if scan.rest == "" {
			return nil, errors.New("its list of categories is not closed by }")
		}
		if _, ok := c.find(s); ok {
			return nil, fmt.Errorf("category %s is listed twice", naming.Clip(s))
		}
		if _, err := c.code(s); err != nil {
			return nil, err
		}
		end := scan.rest[0]
		if scan.rest = scan.rest[1:]; end == '}' {
			c.given, c.fixed = len(c.names), true
			return c, nil
		}
	}
}

// assignDeclared gives the columns that aren't dropped the roles of their attributes.
func (t *arffTable) assignDeclared() error {
	if err := t.assignLists(); err != nil {
		return err
	}
	for j, a := range t.attributes {
		c := &t.columns[j]
		switch {
		case c.role == dropped:
		case a.role == guessed:
			return fmt.Errorf("attribute %q is of type %s; only numeric and nominal ones can be read, Drop the others",
				t.names[j], naming.Clip(a.kind))
		default:
			c.role, c.coder = a.role, a.coder
		}
	}
	return nil
}

// An arffScanner splits the rows of a text into cells.
type arffScanner struct {
	table *arffTable
	rest  string
	line  int      // that was read last, from 1
	rows  int      // read so far
	zeros []string // what the cells that a sparse row leaves out are
	cells []string
}

// arffMissing is what a scanner returns for a missing cell. It isn't UTF-8, as all cells are.
const arffMissing = "\xff"

func (t *arffTable) scanner(text string, lines int) recordScanner {
	s := &arffScanner{table: t, rest: text, line: lines, zeros: make([]string, len(t.attributes))}
	for j, a := range t.attributes {
		s.zeros[j] = "0"
		if a.coder != nil {
			s.zeros[j] = a.coder.names[0]
		}
	}
	return s
}

func (s *arffScanner) next() (cells []string, line int, err error) {
	for s.rest != "" {
		var row string
		row, s.rest, _ = strings.Cut(s.rest, "\n")
		s.line++
		if row = strings.TrimSpace(row); row == "" || row[0] == '%' {
			continue
		}
		s.rows++
		t := s.table // few bytes may be many cells
		if err := t.Limits.checkCells(t.rows+s.rows+columnCells, t.width); err != nil {
			return nil, s.line, err
		}
		if row[0] == '{' {
			err = s.sparse(row[1:])
		} else if err = s.dense(row, ","); err == nil && len(s.cells) < len(s.zeros) {
			err = s.dense(row, ", \t")
		}
		return s.cells, s.line, err
	}
	return nil, s.line, io.EOF
}

// dense splits a row that has all cells, at commas or also at blanks. After the last one there may be a comma and a
// weight.
func (s *arffScanner) dense(row, ends string) error {
	s.cells = s.cells[:0]
	scan := arffCells(row)
	for len(s.cells) < len(s.zeros) {
		cell, err := scan.value(ends)
		if err != nil {
			return err
		}
		s.cells = append(s.cells, cell)
		if scan.rest != "" && scan.rest[0] == ',' {
			scan.rest = scan.rest[1:]
			continue
		}
		if scan.atEnd() {
			return nil
		}
		if scan.rest = strings.TrimLeft(scan.rest, scan.blanks); scan.rest[0] == ',' {
			scan.rest = scan.rest[1:]
		}
	}
	if scan.atEnd() {
		return nil
	}
	if s.weight(scan.rest) {
		return nil
	}
	return fmt.Errorf("more than %d fields", len(s.zeros))
}

// atEnd reports whether only blanks or a comment are left.
func (s *cellScanner) atEnd() bool {
	rest := strings.TrimLeft(s.rest, s.blanks)
	return rest == "" || rest[0] == '%'
}

// weight reads the weight of the row that was read last, {w}. It returns false for other text.
func (s *arffScanner) weight(text string) bool {
	scan := arffCells(text)
	inner, after, _ := strings.Cut(strings.TrimLeft(scan.rest, scan.blanks), "}")
	scan.rest = after
	number, found := strings.CutPrefix(inner, "{")
	w, kind := parseNumber(strings.TrimSpace(number), 32)
	if !found || kind != numberCell || !scan.atEnd() {
		return false
	}
	t := s.table
	for len(t.weights) < t.rows+s.rows {
		t.weights = append(t.weights, 1)
	}
	t.weights[t.rows+s.rows-1] = float32(w)
	return true
}

// sparse reads index value, …}.
func (s *arffScanner) sparse(row string) error {
	s.cells = append(s.cells[:0], s.zeros...)
	scan := arffCells(strings.TrimSpace(row))
	last := -1
	for !strings.HasPrefix(scan.rest, "}") {
		index, _, err := scan.cell(" \t,}")
		if err != nil {
			return err
		}
		j, err := strconv.Atoi(index)
		if err != nil || j <= last || j >= len(s.cells) {
			return fmt.Errorf("index %s; want one above the last, from 0 to %d", naming.Clip(index), len(s.cells)-1)
		}
		last = j
		if s.cells[j], err = scan.value(",}"); err != nil {
			return err
		}
		if scan.rest == "" {
			return errors.New("the row is not closed by }")
		}
		if scan.rest[0] == ',' {
			scan.rest = strings.TrimSpace(scan.rest[1:])
		}
	}
	scan.rest = scan.rest[1:]
	if after := strings.TrimPrefix(strings.TrimLeft(scan.rest, scan.blanks), ","); !scan.atEnd() && !s.weight(after) {
		return fmt.Errorf("text after }: %s", naming.Clip(scan.rest))
	}
	return nil
}

// arffCells returns a scanner of the names, categories or cells of a line.
func arffCells(line string) cellScanner {
	return cellScanner{rest: line, quotes: `'"`, blanks: " \t", escapes: true}
}

// value is cell for the cells of an ARFF row, some of which are missing.
func (s *cellScanner) value(ends string) (string, error) {
	text, quoted, err := s.cell(ends)
	for i := strings.IndexByte(text, '%'); i >= 0 && !quoted; { // a comment may follow
		if i == 0 || strings.IndexByte(s.blanks, text[i-1]) >= 0 {
			text, s.rest = strings.TrimRight(text[:i], s.blanks), ""
			break
		}
		next := strings.IndexByte(text[i+1:], '%')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	if text == "?" && !quoted {
		text = arffMissing
	}
	return text, err
}
