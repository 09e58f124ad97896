package public

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A recipe says how the original files of a data set are read. Files of the format "idx",
// cells and labels by turns, are read as [datasets.ReadIDX] does, without the other fields. What
// follows is about texts.
//
// Byte-order marks, carriage returns and blank lines are removed. Then the first
// Header lines of each file (in ARFF everything up to @data) are skipped, and
// lines that begin with Comment. Every row has a field for each of Columns.
type recipe struct {
	Gzip        bool   // the download itself is gzipped
	Format      string // "whitespace", "csv", "tsv", "arff", "idx"
	Delimiter   string // csv and tsv
	Header      int
	Comment     string
	Columns     []string
	Target      int // −1: one of Ops makes it
	Drop        []int
	Categorical []int
	Missing     []string // texts of a missing field
	Ops         []recipeOp
}

// A recipeOp is a step between reading the rows and choosing the columns. Op
// says which fields are used. Columns and rows are counted from 0.
type recipeOp struct {
	Op        string
	Columns   []int
	Column    int
	From, To  int
	Size      int
	Suffix    string
	Labels    []string
	Transform string
	Upper     []float64 `json:"upper_inclusive"`
	Into      int
	Name      string
	Names     []string
	Rules     []struct {
		Nonzero []int
		Label   string
	}
}

func (r *recipe) has(op string) bool {
	return slices.ContainsFunc(r.Ops, func(o recipeOp) bool { return o.Op == op })
}

func (r *recipe) missing(field string) bool { return slices.Contains(r.Missing, field) }

// A recipeTable holds the cells of a data set as text while it is converted from
// the original files to canonical CSV.
type recipeTable struct {
	*recipe
	rows    [][]string
	nominal [][]string // ARFF: the listed values of each column
	names   [][]string // of the canonical columns that each column becomes, several for the letters of its cells
	drop    []int
	target  int // column
}

// table reads the original files (as downloaded) into a canonical table: the
// header first, the target last.
func (s *source) table(ctx context.Context, files [][]byte) ([][]string, error) {
	t := &recipeTable{recipe: &s.Recipe, drop: slices.Clone(s.Recipe.Drop), target: s.Recipe.Target}
	for _, name := range t.Columns {
		t.names = append(t.names, []string{name})
	}
	if len(files) > 1 && !t.has("concat") {
		return nil, fmt.Errorf("%d files, and the recipe has no concat", len(files))
	}
	for i, b := range files {
		if err := t.read(ctx, b); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Files[i].Path, err)
		}
	}
	for i := range t.Ops {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := t.apply(&t.Ops[i]); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.Files[0].Path, t.Ops[i].Op, err)
		}
	}
	rows, err := t.canonical(ctx, s.Task)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Files[0].Path, err)
	}
	return rows, s.checkSize(rows)
}

// checkSize compares the size of a canonical table with the registry's.
func (s *source) checkSize(rows [][]string) error {
	if n, p := len(rows)-1, len(rows[0])-1; n != s.N || p != s.P {
		return fmt.Errorf("read %d rows of %d features; want %d of %d", n, p, s.N, s.P)
	}
	if s.Classes == 0 {
		return nil
	}
	classes := map[string]bool{}
	for _, r := range rows[1:] {
		classes[r[s.P]] = true
	}
	if len(classes) != s.Classes {
		return fmt.Errorf("read %d classes; want %d", len(classes), s.Classes)
	}
	return nil
}

// read appends the rows of a file.
func (t *recipeTable) read(ctx context.Context, b []byte) error {
	if t.Gzip {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return err
		}
		if b, err = io.ReadAll(parallel.Reader(ctx, z)); err != nil {
			return err
		}
	}
	if !utf8.Valid(b) {
		return errors.New("the text is not UTF-8")
	}
	text := strings.ReplaceAll(strings.TrimLeft(string(b), "\ufeff"), "\r", "")
	from := len(t.rows)
	if err := t.readText(ctx, text); err != nil {
		return err
	}
	for i, r := range t.rows[from:] {
		if len(r) != len(t.Columns) {
			return fmt.Errorf("row %d has %d fields; want %d", i+1, len(r), len(t.Columns))
		}
	}
	return nil
}

// readText appends the rows of a text. The registered files ask for little: only CSV has cells in quotes, and the
// values that the header of an ARFF file lists are plain.
func (t *recipeTable) readText(ctx context.Context, text string) error {
	if t.has("records_end_at_blank_line") { // and run over several lines
		records := strings.Split(text, "\n\n")
		for i, r := range records {
			records[i] = strings.ReplaceAll(r, "\n", " ")
		}
		text = strings.Join(records, "\n")
	}
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
	header, comma := min(t.Header, len(lines)), t.Delimiter
	switch t.Format {
	case "arff":
		if header, comma = t.readHeader(lines), ","; header == 0 {
			return errors.New("there is no @data")
		}
	case "whitespace":
		comma = " "
		for i, line := range lines {
			lines[i] = strings.Join(strings.Fields(line), " ")
		}
	case "csv", "tsv":
	default:
		return fmt.Errorf("unknown format %q", t.Format)
	}
	lines = slices.DeleteFunc(lines[header:], func(line string) bool {
		return t.Comment != "" && strings.HasPrefix(line, t.Comment)
	})
	cells := csv.NewReader(strings.NewReader(strings.Join(lines, "\n")))
	cells.Comma, cells.FieldsPerRecord = rune(comma[0]), -1
	for i := 1; ; i++ {
		if i%rowsBetweenLooks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, err := cells.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		for j, cell := range row {
			row[j] = strings.Trim(cell, " \t")
		}
		t.rows = append(t.rows, row)
	}
}

// rowsBetweenLooks is the number of rows after which a loop looks at its context.
const rowsBetweenLooks = 1 << 12

// readHeader keeps the values that the header of an ARFF file lists. It returns the number of lines up to @data, 0 if
// there is none.
func (t *recipeTable) readHeader(lines []string) int {
	for i, line := range lines {
		switch word := strings.ToLower(strings.Fields(line)[0]); word {
		case "@data":
			return i + 1
		case "@attribute":
			_, list, _ := strings.Cut(line, "{")
			values := strings.Split(strings.TrimRight(list, " \t}"), ",")
			for k, value := range values {
				values[k] = strings.TrimSpace(value)
			}
			t.nominal = append(t.nominal, values)
		}
	}
	return 0
}

func (t *recipeTable) apply(o *recipeOp) error {
	var change func(row []string) error
	switch o.Op {
	case "concat", "records_end_at_blank_line": // done in reading
		return nil
	case "rows":
		if o.From > o.To || o.To > len(t.rows) {
			return fmt.Errorf("rows %d to %d of %d", o.From, o.To, len(t.rows))
		}
		t.rows = t.rows[o.From:o.To]
		return nil
	case "drop_missing":
		t.rows = slices.DeleteFunc(t.rows, func(r []string) bool {
			return slices.ContainsFunc(o.Columns, func(j int) bool { return t.missing(r[j]) })
		})
		return nil
	case "split_chars":
		t.names[o.Column] = o.Names
		return nil
	case "target_from_row_block":
		t.target = len(t.Columns)
		for i, row := range t.rows {
			t.rows[i] = append(row, strconv.Itoa(i/o.Size))
		}
		return nil
	case "strip_target_suffix":
		change = func(row []string) error {
			row[t.target] = strings.TrimSuffix(row[t.target], o.Suffix)
			return nil
		}
	case "decimal_comma":
		change = func(row []string) error {
			for _, j := range o.Columns {
				row[j] = strings.ReplaceAll(row[j], ",", ".")
			}
			return nil
		}
	case "target_bins":
		if o.Transform != "ln(1000*x)" {
			return fmt.Errorf("unknown transform %q", o.Transform)
		}
		change = func(row []string) (err error) {
			row[t.target], err = o.bin(row[t.target])
			return err
		}
	case "merge_indicators": // to a categorical column: the label of the first rule whose columns are all not 0
		t.names[o.Into] = []string{o.Name}
		for _, j := range o.Columns {
			if j != o.Into {
				t.drop = append(t.drop, j)
			}
		}
		change = func(row []string) (err error) {
			row[o.Into], err = o.firstRule(row)
			return err
		}
	case "nominal_index": // places in the lists of the ARFF header
		change = func(row []string) error { return t.nominalIndex(o, row) }
	default:
		return errors.New("unknown step")
	}
	for i, row := range t.rows {
		if err := change(row); err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return nil
}

func (o *recipeOp) bin(field string) (string, error) {
	v, err := strconv.ParseFloat(field, 64)
	if err != nil {
		return "", err
	}
	v = math.Log(1000 * v)
	k := 0
	for k < len(o.Upper) && v > o.Upper[k] {
		k++
	}
	return o.Labels[k], nil
}

func (o *recipeOp) firstRule(row []string) (string, error) {
	for _, rule := range o.Rules {
		holds := true
		for _, j := range rule.Nonzero {
			v, err := strconv.ParseFloat(row[j], 64)
			if err != nil {
				return "", err
			}
			holds = holds && v != 0
		}
		if holds {
			return rule.Label, nil
		}
	}
	return "", errors.New("no rule holds")
}

func (t *recipeTable) nominalIndex(o *recipeOp, row []string) error {
	for _, j := range o.Columns {
		if t.missing(row[j]) {
			continue
		}
		k := slices.Index(t.nominal[j], row[j])
		if k < 0 {
			return fmt.Errorf("column %q: %.40q is not among its listed values", t.Columns[j], row[j])
		}
		row[j] = strconv.Itoa(k)
	}
	return nil
}

// Names of the target column in a canonical CSV, one for each task.
const (
	classColumn = "class"
	valueColumn = "target"
)

// canonical returns the rows of the canonical CSV: a header, the target last,
// missing cells empty, and a v before categories that look like numbers.
func (t *recipeTable) canonical(ctx context.Context, task string) ([][]string, error) {
	var keep []int
	var header []string
	for j, names := range t.names {
		if j != t.target && !slices.Contains(t.drop, j) {
			keep = append(keep, j)
			header = append(header, names...)
		}
	}
	header = append(header, map[string]string{"classification": classColumn, "regression": valueColumn}[task])
	rows := [][]string{header}
	for i, r := range t.rows {
		if i%rowsBetweenLooks == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row := make([]string, 0, len(header))
		for _, j := range keep {
			var err error
			if row, err = t.appendCells(row, r[j], j); err != nil {
				return nil, fmt.Errorf("row %d: column %q: %w", i+1, t.Columns[j], err)
			}
		}
		target := r[t.target]
		if target == "" || t.missing(target) {
			return nil, fmt.Errorf("row %d has no target", i+1)
		}
		rows = append(rows, append(row, target))
	}
	return rows, nil
}

// appendCells appends the canonical cells of a field of column j: one, or one per letter if the column is split.
func (t *recipeTable) appendCells(row []string, field string, j int) ([]string, error) {
	switch {
	case len(t.names[j]) > 1:
		letters := strings.Split(field, "")
		if len(letters) != len(t.names[j]) {
			return nil, fmt.Errorf("%d letters; want %d", len(letters), len(t.names[j]))
		}
		for _, s := range letters {
			row = append(row, markCategory(s))
		}
		return row, nil
	case t.missing(field):
		return append(row, ""), nil
	case slices.Contains(t.Categorical, j) && field != "":
		return append(row, markCategory(field)), nil
	case !isNumber(field):
		return nil, fmt.Errorf("%.40q is not a number", field)
	}
	return append(row, field), nil
}

// markCategory writes a v before a category that looks like a number, so that
// 2 and 2.0 are v2.
func markCategory(s string) string {
	if !isNumber(s) {
		return s
	}
	return "v" + strings.TrimSuffix(s, ".0")
}

func isNumber(s string) bool {
	v, err := strconv.ParseFloat(s, 64)
	return err == nil && v-v == 0
}

// categoricalAmong returns the names of header that are categorical columns of
// the original files.
func (r *recipe) categoricalAmong(header []string) []string {
	var names []string
	for _, j := range r.Categorical {
		if slices.Contains(header, r.Columns[j]) {
			names = append(names, r.Columns[j])
		}
	}
	return names
}
