package public

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A recipe says how the original files of a data set are read, one after the other. Files of the format "idx", cells
// and labels by turns, are read as [datasets.ReadIDX] does, without the other fields. What follows is about texts.
// Columns are counted from 0.
//
// A byte-order mark and blank lines are removed. Then the first Header lines of each file are skipped, and lines that
// begin with a character of Comment. Rows without a target are left out.
type recipe struct {
	Format      string
	Gzip        bool   // the download itself is gzipped
	Delimiter   string // between fields; empty: blanks
	Header      int
	Comment     string
	Letters     bool     // the last field of the file has a cell in each letter
	Columns     []string // of cells
	Target      int
	Drop        []int
	Categorical []int
	Missing     []string // texts of a missing cell; an empty one is missing, too
	Rows        int      // how many of the first rows are read; 0: all
	Complete    bool     // rows in which a cell is missing are left out

	// Bins are the largest targets of the classes 1, 2, …; the last class has larger ones.
	Bins []float64

	// Merged are categories: in column Into stands the label of the first rule whose columns are all not 0.
	Merged []struct {
		Into  int
		Rules []struct {
			Nonzero []int
			Label   string
		}
	}
}

// Names of the target column, one for each task.
const (
	classColumn = "class"
	valueColumn = "target"
)

func (s *source) targetColumn() string {
	if s.Task == "regression" {
		return valueColumn
	}
	return classColumn
}

// read reads the set from its original files in a folder. It doesn't check their checksums.
func (s *source) read(ctx context.Context, folder string) (*datasets.Dataset, error) {
	if s.isIDX() {
		return s.readIDX(ctx, folder)
	}
	var files [][]byte
	for _, f := range s.Files {
		b, err := os.ReadFile(f.in(folder))
		if err != nil {
			return nil, err
		}
		files = append(files, b)
	}
	return s.parse(ctx, files)
}

// parse reads the set from its original files: it makes one CSV of them, in which a v stands before categories that
// look like numbers, and reads that.
func (s *source) parse(ctx context.Context, files [][]byte) (*datasets.Dataset, error) {
	var text bytes.Buffer
	to := csv.NewWriter(&text)
	for i, b := range files {
		if err := s.Recipe.convert(ctx, b, to); err != nil {
			return nil, fmt.Errorf("datasets: %s: %s: %w", s.Name, s.Files[i].Path, err)
		}
	}
	to.Flush()
	r := &s.Recipe
	o := datasets.CSV{NoHeader: true, Names: r.Columns, Target: r.Columns[r.Target], Drop: r.names(r.Drop),
		Categorical: r.names(r.Categorical), Missing: append([]string{""}, r.Missing...), Regression: s.Task == "regression"}
	d, err := o.Read(ctx, bytes.NewReader(text.Bytes()), s.Name)
	if err != nil {
		return nil, err
	}
	d.Target = s.targetColumn()
	if d.N() != s.N || d.P() != s.P || len(d.Classes) != s.Classes {
		return nil, fmt.Errorf("datasets: %s: read %d rows of %d features and %d classes; want %d, %d and %d", s.Name,
			d.N(), d.P(), len(d.Classes), s.N, s.P, s.Classes)
	}
	return d, nil
}

func (r *recipe) names(columns []int) []string {
	var names []string
	for _, j := range columns {
		names = append(names, r.Columns[j])
	}
	return names
}

func (r *recipe) missing(cell string) bool { return cell == "" || slices.Contains(r.Missing, cell) }

// rowsBetweenLooks is the number of rows after which a loop looks at its context.
const rowsBetweenLooks = 1 << 12

// convert writes the rows of a file.
func (r *recipe) convert(ctx context.Context, b []byte, to *csv.Writer) error {
	from, err := r.fields(ctx, b)
	if err != nil {
		return err
	}
	for i := 1; r.Rows == 0 || i <= r.Rows; i++ {
		if i%rowsBetweenLooks == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, err := from.Read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			row, err = r.cells(row)
		}
		if err == nil && row != nil {
			err = to.Write(row)
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}

// fields returns a reader of the fields of each row of a file.
func (r *recipe) fields(ctx context.Context, b []byte) (*csv.Reader, error) {
	if r.Gzip {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		if b, err = io.ReadAll(parallel.Reader(ctx, z)); err != nil {
			return nil, err
		}
	}
	text := strings.TrimPrefix(string(b), "\ufeff")
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
	lines = slices.DeleteFunc(lines[min(r.Header, len(lines)):], func(line string) bool {
		return line != "" && strings.ContainsRune(r.Comment, rune(line[0]))
	})
	if r.Delimiter == "" {
		for i, line := range lines {
			lines[i] = strings.Join(strings.Fields(line), " ")
		}
	}
	fields := csv.NewReader(strings.NewReader(strings.Join(lines, "\n")))
	fields.Comma, fields.FieldsPerRecord = rune((r.Delimiter + " ")[0]), -1
	return fields, nil
}

// cells returns the cells of a row, nil if the row is left out.
func (r *recipe) cells(row []string) ([]string, error) {
	if r.Letters {
		row = append(row[:len(row)-1], strings.Split(row[len(row)-1], "")...)
	}
	if len(row) != len(r.Columns) {
		return nil, fmt.Errorf("%d cells; want %d", len(row), len(r.Columns))
	}
	for j, cell := range row {
		row[j] = strings.TrimSpace(cell)
	}
	if r.missing(row[r.Target]) || r.Complete && slices.ContainsFunc(row, r.missing) {
		return nil, nil
	}
	if err := r.merge(row); err != nil {
		return nil, err
	}
	for _, j := range r.Categorical {
		if !r.missing(row[j]) {
			row[j] = markCategory(row[j])
		}
	}
	return row, r.bin(row)
}

// merge replaces indicators by categories.
func (r *recipe) merge(row []string) error {
	for _, m := range r.Merged {
		isZero := func(j int) bool {
			v, err := strconv.ParseFloat(row[j], 64)
			return err != nil || v == 0
		}
		k := 0
		for k < len(m.Rules) && slices.ContainsFunc(m.Rules[k].Nonzero, isZero) {
			k++
		}
		if k == len(m.Rules) {
			return errors.New("no rule holds")
		}
		row[m.Into] = m.Rules[k].Label
	}
	return nil
}

// bin replaces a target that is a number by its class.
func (r *recipe) bin(row []string) error {
	if r.Bins == nil {
		return nil
	}
	v, err := strconv.ParseFloat(row[r.Target], 64)
	k := 0
	for k < len(r.Bins) && v > r.Bins[k] {
		k++
	}
	row[r.Target] = strconv.Itoa(k + 1)
	return err
}

// markCategory writes a v before a category that looks like a number, so that 2 and 2.0 are v2.
func markCategory(s string) string {
	if v, err := strconv.ParseFloat(s, 64); err != nil || v-v != 0 {
		return s
	}
	return "v" + strings.TrimSuffix(s, ".0")
}
