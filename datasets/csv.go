package datasets

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
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

	// Like reads the features of an earlier data set, the training data: its
	// columns in its order (found by name; others are ignored), its
	// categories, its classes, and its target, unless Target or NoTarget say
	// otherwise. A category or class that it has not is an error. Numeric,
	// Categorical and Drop are then not looked at.
	Like *Dataset
}

var defaultMissing = []string{"", "?", "NA", "NaN", "nan"}

// ReadCSV reads the file of the given path, which may be gzipped. The data set
// is named after the file, without its extensions.
func ReadCSV(path string, o CSV) (*Dataset, error) {
	return readFile(path, o.Read)
}

// Read reads a table from r, which may be gzipped. The name is the data set's,
// and tells in errors where a fault lies: "name:line".
func (o CSV) Read(r io.Reader, name string) (*Dataset, error) {
	text, err := readText(r)
	if err != nil {
		return nil, fmt.Errorf("datasets: %s: %w", name, err)
	}
	t := csvTable{CSV: o, file: name}
	if err := t.open(text); err != nil {
		return nil, err
	}
	if err := t.read(); err != nil {
		return nil, err
	}
	if err := t.settle(); err != nil {
		return nil, err
	}
	if err := t.readCategories(); err != nil {
		return nil, err
	}
	return t.dataset()
}

// A csvColumn is a column being read.
type csvColumn struct {
	role  role
	cells []float32
	coder *coder // categorical

	numbers   int
	texts     int
	firstText csvCell // first cell that is no number
	firstInf  csvCell
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

type csvTable struct {
	CSV
	file    string
	start   csvScanner // at the first row
	names   []string
	columns []csvColumn
	target  int // −1: none
	labels  []int32
	values  []float64
	rows    int
}

func (t *csvTable) errorf(line int, format string, args ...any) error {
	where := t.file
	if line > 0 {
		where += ":" + strconv.Itoa(line)
	}
	return fmt.Errorf("datasets: %s: %w", where, fmt.Errorf(format, args...))
}

// open reads the header and gives every column its role.
func (t *csvTable) open(text string) error {
	sep := byte(',')
	if t.Comma != 0 {
		sep = byte(t.Comma)
	}
	if t.Comma < 0 || t.Comma > 127 || strings.ContainsRune("\"\n\r", t.Comma) {
		return t.errorf(0, "separator %q is not possible", t.Comma)
	}
	if t.Missing == nil {
		t.Missing = defaultMissing
	}
	t.start = csvScanner{rest: text, sep: sep}
	scan := t.start
	first, err := scan.next()
	if err == io.EOF {
		return t.errorf(0, "the file is empty")
	}
	if err != nil {
		return t.errorf(scan.line, "%w", err)
	}
	if err := t.name(first, scan.line); err != nil {
		return err
	}
	if !t.NoHeader {
		t.start = scan
	}
	return t.assign()
}

// name gives the columns the names of the header or of Names.
func (t *csvTable) name(first []string, line int) error {
	switch {
	case t.Names != nil && len(t.Names) != len(first):
		return t.errorf(line, "%d columns, but %d Names", len(first), len(t.Names))
	case t.Names != nil:
		t.names = slices.Clone(t.Names)
	case !t.NoHeader && allNumbers(first):
		return t.errorf(line, "the header holds only numbers; set NoHeader if it is data, or else Names")
	default:
		t.names = make([]string, len(first))
	}
	for j := range t.names {
		if t.Names == nil && !t.NoHeader {
			t.names[j] = strings.Clone(first[j])
		}
		if t.names[j] == "" {
			t.names[j] = "x" + strconv.Itoa(j+1)
		}
	}
	seen := make(map[string]int, len(t.names))
	for j, name := range t.names {
		if k, ok := seen[name]; ok {
			return t.errorf(line, "columns %d and %d are both called %q", k+1, j+1, name)
		}
		seen[name] = j
	}
	return nil
}

func allNumbers(cells []string) bool {
	for _, s := range cells {
		if _, kind := parseNumber(s, 64); kind != numberCell {
			return false
		}
	}
	return true
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
		return t.errorf(0, "no column is left as a feature, of %d", len(t.columns))
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
				return t.errorf(0, "%w", err)
			}
			if t.columns[j].role != guessed {
				return t.errorf(0, "column %q is in two of Numeric, Categorical and Drop", t.names[j])
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
		j := slices.Index(t.names, f.Name)
		if j < 0 {
			return t.errorf(0, "no column %q, which the data set to be like has; the nearest are %s",
				f.Name, nearest(t.names, f.Name))
		}
		t.columns[j].role = numeric
		if f.Categories != nil {
			t.columns[j].role = categorical
			t.columns[j].coder = newCoder(f.Categories)
		}
	}
	t.Regression = t.Regression || t.Like.Values != nil
	if t.Classes == nil {
		t.Classes = t.Like.Classes
	}
	if t.Target == "" {
		t.Target = t.Like.Target
		t.NoTarget = t.NoTarget || t.Like.Labels == nil && t.Like.Values == nil
	}
	return nil
}

func (t *csvTable) assignTarget() error {
	t.target = -1
	if t.NoTarget {
		return nil
	}
	t.target = len(t.names) - 1
	if t.Target != "" {
		var err error
		if t.target, err = findColumn(t.names, t.Target); err != nil {
			return t.errorf(0, "target: %w; set NoTarget if there is none", err)
		}
	}
	c := &t.columns[t.target]
	inUse := c.role == dropped && t.Like == nil || c.role != dropped && t.Like != nil
	switch {
	case inUse:
		return t.errorf(0, "column %q is the target and cannot also be dropped or a feature", t.names[t.target])
	case t.Regression:
		c.role = valueTarget
	default:
		c.role = classTarget
		c.coder = newCoder(t.Classes)
	}
	return nil
}

// read reads all rows: the numbers, the target, and the categories of the
// columns known to be categorical.
func (t *csvTable) read() error {
	scan := t.start
	lines := strings.Count(scan.rest, "\n") + 1
	if lines > math.MaxInt32 {
		return t.errorf(0, "%d lines; at most %d rows can be indexed", lines, math.MaxInt32)
	}
	for {
		cells, err := scan.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return t.errorf(scan.line, "%w", err)
		}
		if len(cells) != len(t.columns) {
			return t.errorf(scan.line, "%d fields; want %d", len(cells), len(t.columns))
		}
		if t.rows == 0 {
			t.allocate(lines)
		}
		for j, s := range cells {
			if err := t.cell(&t.columns[j], s, scan.line); err != nil {
				return t.errorf(scan.line, "column %q: %w", t.names[j], err)
			}
		}
		t.rows++
	}
	if t.rows == 0 {
		return t.errorf(0, "there is a header but no rows")
	}
	return nil
}

func (t *csvTable) allocate(lines int) {
	for j := range t.columns {
		switch c := &t.columns[j]; c.role {
		case dropped:
		case classTarget:
			t.labels = make([]int32, 0, lines)
		case valueTarget:
			t.values = make([]float64, 0, lines)
		default:
			c.cells = make([]float32, 0, lines)
		}
	}
}

var nan32 = float32(math.NaN())

func (t *csvTable) cell(c *csvColumn, s string, line int) error {
	switch c.role {
	case dropped:
		return nil
	case classTarget:
		return t.label(c, s)
	case valueTarget:
		return t.value(s)
	case categorical:
		code, err := t.category(c, s)
		c.cells = append(c.cells, code)
		return err
	}
	v, kind := parseNumber(s, 32)
	if kind == numberCell {
		c.cells = append(c.cells, float32(v))
		c.numbers++
		return nil
	}
	c.cells = append(c.cells, nan32)
	switch {
	case slices.Contains(t.Missing, s):
	case kind == infiniteCell:
		if c.firstInf.line == 0 {
			c.firstInf = csvCell{line, s}
		}
	default:
		if c.texts == 0 {
			c.firstText = csvCell{line, s}
		}
		c.texts++
	}
	return nil
}

var errMissingTarget = errors.New("the target is missing")

func (t *csvTable) label(c *csvColumn, s string) error {
	if slices.Contains(t.Missing, s) {
		return errMissingTarget
	}
	code, ok := c.coder.code(s)
	if !ok {
		return fmt.Errorf("%s is not one of the %d classes", clip(s), len(c.coder.names))
	}
	t.labels = append(t.labels, code)
	return nil
}

func (t *csvTable) value(s string) error {
	v, kind := parseNumber(s, 64)
	switch {
	case slices.Contains(t.Missing, s):
		return errMissingTarget
	case kind != numberCell:
		return fmt.Errorf("the target is %s; want a finite number", clip(s))
	}
	t.values = append(t.values, v)
	return nil
}

func (t *csvTable) category(c *csvColumn, s string) (float32, error) {
	if slices.Contains(t.Missing, s) {
		return nan32, nil
	}
	code, ok := c.coder.code(s)
	if !ok {
		return 0, fmt.Errorf("%s is not one of the %d categories", clip(s), len(c.coder.names))
	}
	return float32(code), nil
}

// settle decides what the guessed columns are.
func (t *csvTable) settle() error {
	for j := range t.columns {
		c := &t.columns[j]
		if c.role > numeric {
			continue
		}
		stray := 10*c.texts <= c.numbers+c.texts // at least nine of ten are numbers
		switch {
		case c.texts > 0 && c.role == numeric:
			return t.errorf(c.firstText.line, "column %q: %s is not a number", t.names[j], clip(c.firstText.text))
		case c.texts > 0 && stray:
			return t.errorf(c.firstText.line,
				"column %q: %s is not a number, as %d of its cells are; list the text in Missing or the column in Categorical",
				t.names[j], clip(c.firstText.text), c.numbers)
		case c.texts > 0:
			c.coder = newCoder(nil)
		case c.firstInf.line > 0:
			return t.errorf(c.firstInf.line, "column %q: %s is not finite as a float32; list the text in Missing or the column in Categorical",
				t.names[j], clip(c.firstInf.text))
		}
	}
	return nil
}

// readCategories reads the rows again for the columns that turned out to be
// categorical.
func (t *csvTable) readCategories() error {
	var again []int
	for j, c := range t.columns {
		if c.role == guessed && c.coder != nil {
			again = append(again, j)
		}
	}
	if again == nil {
		return nil
	}
	scan := t.start
	for i := range t.rows {
		cells, err := scan.next()
		if err != nil {
			return t.errorf(scan.line, "%w", err)
		}
		for _, j := range again {
			c := &t.columns[j]
			if c.cells[i], err = t.category(c, cells[j]); err != nil {
				return t.errorf(scan.line, "column %q: %w", t.names[j], err)
			}
		}
	}
	return nil
}

func (t *csvTable) dataset() (*Dataset, error) {
	d := &Dataset{Name: t.file, Labels: t.labels, Values: t.values}
	for j := range t.columns {
		c := &t.columns[j]
		switch c.role {
		case dropped:
			continue
		case classTarget:
			d.Target = t.names[j]
			d.Classes = c.coder.recode(d.Labels)
			continue
		case valueTarget:
			d.Target = t.names[j]
			continue
		}
		f := Feature{Name: t.names[j]}
		if c.coder != nil {
			var place []int32
			f.Categories, place = c.coder.sorted()
			for i, code := range c.cells {
				if code == code {
					c.cells[i] = float32(place[int32(code)])
				}
			}
		}
		d.Features = append(d.Features, f)
		d.Columns = append(d.Columns, c.cells)
	}
	if t.Like != nil {
		d = d.Select(t.likeOrder(d)...)
	}
	return d, d.Check()
}

// likeOrder returns the columns of d in the order of Like.
func (t *csvTable) likeOrder(d *Dataset) []int {
	at := make(map[string]int, d.P())
	for j, f := range d.Features {
		at[f.Name] = j
	}
	order := make([]int, len(t.Like.Features))
	for j, f := range t.Like.Features {
		order[j] = at[f.Name]
	}
	return order
}

// A csvScanner splits a text into records. The cells are parts of the text.
type csvScanner struct {
	rest   string
	sep    byte // ' ': runs of blanks
	line   int  // line on which the last record began, from 1
	lines  int  // lines read
	fields []string
}

// next returns the next record that is not a blank line, or io.EOF. The slice
// is valid until the next call.
func (s *csvScanner) next() ([]string, error) {
	for s.rest != "" {
		end := strings.IndexByte(s.rest, '\n')
		line := s.rest
		if end >= 0 {
			line = s.rest[:end]
		}
		s.line = s.lines + 1
		s.fields = s.fields[:0]
		if strings.IndexByte(line, '"') >= 0 {
			err := s.quoted()
			return s.fields, err
		}
		s.lines++
		s.rest = s.rest[min(len(line)+1, len(s.rest)):]
		if line = trim(line, s.tight()); line == "" {
			continue
		}
		if s.sep == ' ' {
			s.fields = append(s.fields, strings.FieldsFunc(line, func(r rune) bool { return isBlank(byte(r), 0) && r < 128 })...)
		} else {
			s.split(line)
		}
		return s.fields, nil
	}
	return nil, io.EOF
}

// tight returns the separator that is no blank to be dropped, 0 where blanks
// separate.
func (s *csvScanner) tight() byte {
	if s.sep == ' ' {
		return 0
	}
	return s.sep
}

func (s *csvScanner) split(line string) {
	for {
		i := strings.IndexByte(line, s.sep)
		if i < 0 {
			s.fields = append(s.fields, trim(line, s.sep))
			return
		}
		s.fields = append(s.fields, trim(line[:i], s.sep))
		line = line[i+1:]
	}
}

// quoted splits a record whose first line holds a quote.
func (s *csvScanner) quoted() error {
	s.lines++
	for {
		s.skipBlanks()
		if s.sep == ' ' && s.endOfLine() {
			return nil
		}
		cell, err := s.cell()
		if err != nil {
			return err
		}
		s.fields = append(s.fields, trim(cell, s.tight()))
		if s.endOfLine() {
			return nil
		}
		s.rest = s.rest[1:] // the separator
	}
}

func (s *csvScanner) skipBlanks() {
	for s.rest != "" && isBlank(s.rest[0], s.tight()) {
		s.rest = s.rest[1:]
	}
}

// endOfLine reports whether the line ends here, and if so steps over its end.
func (s *csvScanner) endOfLine() bool {
	if s.rest == "" {
		return true
	}
	if s.rest[0] != '\n' {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// cell reads up to the separator or the end of the line.
func (s *csvScanner) cell() (string, error) {
	if s.rest == "" || s.rest[0] != '"' {
		end := strings.IndexFunc(s.rest, func(r rune) bool { return r == '\n' || r < 128 && s.separates(byte(r)) })
		if end < 0 {
			end = len(s.rest)
		}
		cell := s.rest[:end]
		s.rest = s.rest[end:]
		return cell, nil
	}
	end := 1
	for {
		k := strings.IndexByte(s.rest[end:], '"')
		if k < 0 {
			return "", errors.New("a quote is opened and never closed")
		}
		end += k + 1
		if end == len(s.rest) || s.rest[end] != '"' {
			break
		}
		end++
	}
	cell := s.rest[1 : end-1]
	s.lines += strings.Count(cell, "\n")
	s.rest = s.rest[end:]
	if s.rest != "" && !s.separates(s.rest[0]) {
		s.skipBlanks()
	}
	if s.rest != "" && s.rest[0] != '\n' && !s.separates(s.rest[0]) {
		return "", fmt.Errorf("text after the closing quote of %s", clip(cell))
	}
	return strings.ReplaceAll(cell, `""`, `"`), nil
}

func (s *csvScanner) separates(c byte) bool {
	return c == s.sep || s.sep == ' ' && isBlank(c, 0)
}
