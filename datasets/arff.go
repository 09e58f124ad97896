package datasets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets/internal/naming"
)

// ARFF holds the options of reading Weka's attribute-relation file format. The
// zero value reads the last attribute as the target.
//
// A numeric, real or integer attribute becomes a numeric column. A nominal one
// becomes a categorical column with its categories in the order declared. A
// numeric target has values, a nominal one classes. An unquoted ? is a missing
// cell, and an error in the target. Rows are comma-separated or sparse: {index
// value, …}, with indices from 0, where a cell left out is 0 or the first
// category. Attributes of other types, such as string and date, are an error
// unless they are in Drop.
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
	in, err := newBlockReader(ctx, r, o.Limits, blockLength, wholeLines)
	if err == nil {
		err = checkText(in.text)
	}
	if err != nil {
		return nil, fileError(name, err)
	}
	t := arffTable{ARFF: o, place: map[string]int{}, target: -1}
	t.Limits = in.limits
	if err := t.read(in); err != nil {
		return nil, fileError(name, err)
	}
	return t.dataset(name)
}

type arffAttribute struct {
	name  string
	kind  string // as declared
	role  role
	coder *coder // nominal
	cells []float32
}

type arffTable struct {
	ARFF
	attributes []arffAttribute
	place      map[string]int // index of each name
	width      int            // attributes that are not dropped
	target     int            // −1: none
	labels     []int32
	values     []float64
	rows       int
	room       int // rows that the columns have memory for
}

// read reads the header and the rows. It returns their errors with the line.
func (t *arffTable) read(in *blockReader) error {
	empty, data := true, false
	number := 0
	for line, err := range in.eachLine {
		if err != nil {
			return err
		}
		if number%rowsBetweenLooks == 0 && in.ctx.Err() != nil {
			return in.ctx.Err()
		}
		number++
		line = strings.TrimSpace(line)
		empty = empty && line == ""
		switch {
		case line == "" || line[0] == '%':
		case data:
			err = t.row(line)
		case strings.EqualFold(line, "@data"):
			data = true
			err = t.assign()
		default:
			err = t.header(line)
		}
		if err != nil {
			return &lineError{number, err}
		}
	}
	switch {
	case empty:
		return errEmpty
	case !data:
		return errors.New("there is no @data")
	case t.rows == 0:
		return errors.New("there are no rows after @data")
	}
	return nil
}

// header reads a line of the header, and adds the attribute that it declares.
func (t *arffTable) header(line string) error {
	word, rest := line, ""
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		word, rest = line[:i], line[i+1:]
	}
	switch strings.ToLower(word) {
	case "@relation":
		return nil
	case "@attribute":
	default:
		return fmt.Errorf("%s; want @relation, @attribute or @data; if this is a CSV file, use ReadCSV", naming.Clip(word))
	}
	scan := arffScanner(rest)
	name, _, err := scan.cell(" \t{")
	if err != nil {
		return err
	}
	a := arffAttribute{name: strings.Clone(name), kind: strings.TrimSpace(scan.rest)}
	switch kind := strings.ToLower(a.kind); {
	case kind == "numeric" || kind == "real" || kind == "integer":
		a.role = numeric
	case strings.HasPrefix(kind, "{"):
		a.role = categorical
		if a.coder, err = nominal(a.kind); err != nil {
			return fmt.Errorf("attribute %q: %w", name, err)
		}
		a.kind = "nominal"
	}
	if _, ok := t.place[a.name]; ok {
		return fmt.Errorf("two attributes are called %q", a.name)
	}
	if len(t.attributes) == t.Limits.Columns {
		return errColumns(t.Limits.Columns)
	}
	t.place[a.name] = len(t.attributes)
	t.attributes = append(t.attributes, a)
	return nil
}

// nominal reads a list of categories, {a, b, 'c d'}.
func nominal(list string) (*coder, error) {
	scan := arffScanner(list[1:])
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
		if _, ok := c.code(s); !ok {
			return nil, fmt.Errorf("more than %d categories", maxCategories)
		}
		end := scan.rest[0]
		if scan.rest = scan.rest[1:]; end == '}' {
			c.fixed = true
			return c, nil
		}
	}
}

// assign sets the roles of the attributes, once all are declared.
func (t *arffTable) assign() error {
	names := make([]string, len(t.attributes))
	for j, a := range t.attributes {
		names[j] = a.name
	}
	for _, spec := range t.Drop {
		j, err := naming.Find(names, t.place, spec)
		if err != nil {
			return err
		}
		t.attributes[j].role = dropped
	}
	if !t.NoTarget {
		t.target = len(names) - 1
	}
	if t.Target != "" && !t.NoTarget {
		var err error
		if t.target, err = naming.Find(names, t.place, t.Target); err != nil {
			return fmt.Errorf("target: %w", err)
		}
	}
	features := 0
	for j := range t.attributes {
		a := &t.attributes[j]
		switch {
		case a.role == guessed:
			return fmt.Errorf(
				"attribute %q is of type %s; only numeric and nominal ones can be read, Drop the others",
				a.name,
				naming.Clip(a.kind),
			)
		case j == t.target && a.role == dropped:
			return fmt.Errorf("attribute %q is the target and cannot also be dropped", a.name)
		case j == t.target && a.role == numeric:
			a.role = valueTarget
		case j == t.target:
			a.role = classTarget
		case a.role != dropped:
			features++
		}
		if a.role != dropped {
			t.width++
		}
	}
	if features == 0 {
		return fmt.Errorf("no attribute is left as a feature, of %d", len(names))
	}
	return nil
}

// row reads a row, sparse or not.
func (t *arffTable) row(line string) error {
	if t.rows == math.MaxInt32 {
		return fmt.Errorf("more than %d rows", math.MaxInt32)
	}
	t.rows++
	if err := t.Limits.checkCells(t.rows+columnCells, t.width); err != nil {
		return err
	}
	if t.rows > t.room {
		t.grow()
	}
	for j := range t.attributes {
		switch a := &t.attributes[j]; a.role {
		case dropped:
		case classTarget:
			t.labels = append(t.labels, 0)
		case valueTarget:
			t.values = append(t.values, 0)
		default:
			a.cells = append(a.cells, 0)
		}
	}
	if line[0] == '{' {
		return t.sparse(line[1:])
	}
	scan := arffScanner(line)
	for j := range t.attributes {
		text, quoted, err := scan.cell(",")
		if err == nil {
			err = t.set(j, text, quoted)
		}
		if err != nil {
			return err
		}
		if scan.rest == "" {
			if j < len(t.attributes)-1 {
				return fmt.Errorf("%d fields; want %d", j+1, len(t.attributes))
			}
			return nil
		}
		scan.rest = scan.rest[1:]
	}
	return fmt.Errorf("more than %d fields", len(t.attributes))
}

// grow makes room for twice the rows, but for no more than there may be.
func (t *arffTable) grow() {
	t.room = max(t.rows, min(2*t.rows, int(t.Limits.Cells/int64(t.width))))
	for j := range t.attributes {
		switch a := &t.attributes[j]; a.role {
		case dropped:
		case classTarget:
			t.labels = append(make([]int32, 0, t.room), t.labels...)
		case valueTarget:
			t.values = append(make([]float64, 0, t.room), t.values...)
		default:
			a.cells = append(make([]float32, 0, t.room), a.cells...)
		}
	}
}

func (t *arffTable) sparse(line string) error {
	scan := arffScanner(strings.TrimSpace(line))
	last := -1
	for !strings.HasPrefix(scan.rest, "}") {
		index, _, err := scan.cell(" \t,}")
		if err != nil {
			return err
		}
		j, err := strconv.Atoi(index)
		if err != nil || j <= last || j >= len(t.attributes) {
			return fmt.Errorf("index %s; want one above the last, from 0 to %d", naming.Clip(index), len(t.attributes)-1)
		}
		last = j
		s, quoted, err := scan.cell(",}")
		if err != nil {
			return err
		}
		if err := t.set(j, s, quoted); err != nil {
			return err
		}
		if scan.rest == "" {
			return errors.New("the row is not closed by }")
		}
		if scan.rest[0] == ',' {
			scan.rest = strings.TrimSpace(scan.rest[1:])
		}
	}
	if scan.rest != "}" {
		return fmt.Errorf("text after }: %s", naming.Clip(scan.rest[1:]))
	}
	return nil
}

// set writes cell j of the last row.
func (t *arffTable) set(j int, s string, quoted bool) error {
	a := &t.attributes[j]
	if a.role == dropped {
		return nil
	}
	missing := s == "?" && !quoted
	var v float64
	switch {
	case missing && j == t.target:
		return fmt.Errorf("attribute %q: %w", a.name, errMissingTarget)
	case missing:
		v = math.NaN()
	case a.coder != nil:
		code, ok := a.coder.code(s)
		if !ok {
			return fmt.Errorf("attribute %q: %s is not one of its %d categories", a.name, naming.Clip(s), len(a.coder.names))
		}
		v = float64(code)
	default:
		bits := 32
		if j == t.target {
			bits = 64
		}
		var kind cellKind
		if v, kind = parseNumber(s, bits); kind != numberCell {
			return fmt.Errorf("attribute %q: %s is not a finite number", a.name, naming.Clip(s))
		}
	}
	switch a.role {
	case classTarget:
		t.labels[t.rows-1] = int32(v)
	case valueTarget:
		t.values[t.rows-1] = v
	default:
		a.cells[t.rows-1] = float32(v)
	}
	return nil
}

func (t *arffTable) dataset(name string) (*Dataset, error) {
	d := &Dataset{Name: name, Labels: withoutSpare(t.labels), Values: withoutSpare(t.values)}
	for j, a := range t.attributes {
		switch {
		case a.role == dropped:
		case j == t.target:
			d.Target = a.name
			if a.coder != nil {
				d.Classes = a.coder.names
			}
		default:
			f := Feature{Name: a.name}
			if a.coder != nil {
				f.Categories = a.coder.names
			}
			d.Features = append(d.Features, f)
			d.Columns = append(d.Columns, withoutSpare(a.cells))
		}
	}
	return d, d.Check()
}

func arffScanner(line string) cellScanner {
	return cellScanner{rest: line, quotes: `'"`, blanks: " \t", escapes: true}
}
