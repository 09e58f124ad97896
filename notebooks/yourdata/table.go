// Package yourdata holds what the notebook your-data.ipynb does with a table about which nothing is
// known but its file and its target: it reads and describes the table, says what a model answers to rows that
// it hasn't seen and what moved its predictions, finds rows and columns that deserve a look, and chooses
// methods to compare.
package yourdata

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

// A Table is a table that [Read] read.
type Table struct {
	Data    *datasets.Dataset // the rows with a target, and the columns that may predict it
	columns []column          // all columns of the file but the target, in its order
	notes   []string          // what was assumed or left out, a sentence each
}

// note notes what was assumed or left out.
func (t *Table) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// A column describes a column of a table.
type column struct {
	name       string
	categories bool
	missing    int     // missing cells
	distinct   int     // different values
	low, high  float32 // of a numeric column
	leftOut    string  // why the column isn't in Data; empty if it is
}

// classLimit is the largest number of different whole numbers that are taken for classes.
const classLimit = 20

// Read reads a table from a CSV file and prepares it for a comparison of methods. The options
// are those of [datasets.ReadCSV], of which only Target is needed; Classes and Like aren't used.
//
// Where Comma is 0, the separator is what the header has most of: comma, semicolon, tab or |. The target is a value if
// Regression is set, or if it is numeric and has a fraction or more than 20 different values; a number in Categorical
// is a class. Rows without a target are left out. So are columns that no method can learn from: those with one value,
// or none; those whose whole numbers count the rows; and those with so many texts that most rows have one of their own,
// such as names.
//
// Errors say what is wrong, and list what the file or the folder has instead.
func Read(ctx context.Context, path string, o datasets.CSV) (*Table, error) {
	t := &Table{}
	header, err := firstLine(path)
	if err != nil {
		return nil, err
	}
	if o.Comma == 0 {
		if o.Comma = separator(header); o.Comma != ',' {
			t.note("Columns are separated by %q.", o.Comma)
		}
	}
	target, regression := o.Target, o.Regression
	o.Target, o.NoTarget, o.Regression, o.Classes, o.Like = "", true, false, nil, nil
	all, err := datasets.ReadCSV(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if target == "" {
		target = all.Features[all.P()-1].Name
		t.note("No target was named; it is the last column, %q.", target)
	}
	if j := slices.Index(all.FeatureNames(), target); j >= 0 && !regression {
		regression = isMeasured(all.Features[j], all.Columns[j])
	}
	d, err := all.WithTarget(target, regression)
	if err != nil {
		return nil, fmt.Errorf("yourdata: %s: %w", path, err)
	}
	if lost := all.N() - d.N(); lost > 0 {
		t.note("%d of %d rows have no target and are left out.", lost, all.N())
	}
	if err := t.choose(all, d); err != nil {
		return nil, fmt.Errorf("yourdata: %s: %w", path, err)
	}
	t.noteClasses()
	if n := repeated(t.Data); 100*n > d.N() {
		t.note("%d rows repeat an earlier one, the target included. Where one is tested and its like was trained on, "+
			"errors look too small.", n)
	}
	return t, nil
}

// firstLine returns the first line of a file, which may be gzipped.
func firstLine(path string) (string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("yourdata: there is no file %s; %s", path, neighbours(path))
	}
	if err != nil {
		return "", fmt.Errorf("yourdata: %w", err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return "", fmt.Errorf("yourdata: %s: %w", path, err)
		}
		in = bufio.NewReader(z)
	}
	line, err := bufio.NewReader(io.LimitReader(in, 1<<20)).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", fmt.Errorf("yourdata: %s: %w", path, err)
	}
	return line, nil
}

// neighbours says which tables are in the folder of a file that doesn't exist.
func neighbours(path string) string {
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Sprintf("there is no folder %s either", folder)
	}
	var names []string
	for _, e := range entries {
		if strings.Contains(strings.ToLower(e.Name()), ".csv") {
			names = append(names, e.Name())
		}
	}
	switch {
	case len(names) == 0:
		return fmt.Sprintf("the folder %s has no file whose name ends in .csv", folder)
	case len(names) > 5:
		return fmt.Sprintf("the folder %s has %s and %d more", folder, strings.Join(names[:5], ", "), len(names)-5)
	}
	return fmt.Sprintf("the folder %s has %s", folder, strings.Join(names, ", "))
}

// separator returns the most frequent separator of a header, outside of quotes.
func separator(header string) rune {
	quoted := false
	counts := map[rune]int{}
	for _, c := range header {
		if c == '"' {
			quoted = !quoted
		} else if !quoted {
			counts[c]++
		}
	}
	best := ','
	for _, c := range ";\t|" {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return best
}

// isMeasured reports whether a column holds measured numbers rather than classes.
func isMeasured(f datasets.Feature, cells []float32) bool {
	if f.Categories != nil {
		return false
	}
	known := distinct(cells)
	return len(known) > classLimit || slices.ContainsFunc(known, func(v float32) bool { return !isWhole(v) })
}

// distinct returns the different cells that aren't missing, ascending.
func distinct(cells []float32) []float32 {
	known := slices.DeleteFunc(slices.Clone(cells), func(v float32) bool { return v != v })
	slices.Sort(known)
	return slices.Compact(known)
}

// choose describes the columns of d, the rows of all that have a target, and leaves out those
// that can't predict.
func (t *Table) choose(all, d *datasets.Dataset) error {
	names := all.FeatureNames()
	var kept []int
	for j, f := range d.Features {
		c := describe(f, d.Column(nil, j))
		if !c.categories && c.leftOut == "" && countsRows(all.Columns[slices.Index(names, f.Name)]) {
			c.leftOut = "counts the rows"
		}
		if c.leftOut == "" {
			kept = append(kept, j)
		}
		t.columns = append(t.columns, c)
	}
	if len(kept) == 0 {
		return errors.New("no column is left to predict from: all are constant, count rows or name them")
	}
	t.Data = d.Select(kept...)
	return nil
}

// describe describes a column.
func describe(f datasets.Feature, cells []float32) column {
	values := distinct(cells)
	c := column{name: f.Name, categories: len(f.Categories) > 0, distinct: len(values)}
	for _, v := range cells {
		if v != v {
			c.missing++
		}
	}
	switch known := len(cells) - c.missing; {
	case len(values) == 0:
		c.leftOut = "empty"
		return c
	case len(values) == 1:
		c.leftOut = "constant"
	case c.categories && len(values) > 20 && 2*len(values) > known:
		c.leftOut = "a text of its own in most rows"
	}
	c.low, c.high = values[0], values[len(values)-1]
	return c
}

// countsRows reports whether the cells, more than 20, are consecutive whole numbers, each once, in
// any order.
func countsRows(cells []float32) bool {
	n, values := len(cells), distinct(cells)
	return n > 20 && len(values) == n && isWhole(values[0]) && values[n-1]-values[0] == float32(n-1)
}

func isWhole(v float32) bool { return v == float32(math.Trunc(float64(v))) }

// repeated returns how many rows equal an earlier one in all cells and the target.
func repeated(d *datasets.Dataset) int {
	seen := make(map[string]bool, d.N())
	var row []float32
	var key []byte
	for i := range d.N() {
		row = d.Row(row, i)
		key = must.Value(binary.Append(key[:0], binary.LittleEndian, row))
		if d.Labels != nil {
			key = must.Value(binary.Append(key, binary.LittleEndian, d.Labels[i]))
		} else {
			key = must.Value(binary.Append(key, binary.LittleEndian, d.Values[i]))
		}
		seen[string(key)] = true
	}
	return d.N() - len(seen)
}

// noteClasses notes classes that are too small to be learned or tested.
func (t *Table) noteClasses() {
	if t.Data.Labels == nil {
		return
	}
	var small []string
	for k, n := range t.Data.ClassCounts() {
		if n < 10 {
			small = append(small, fmt.Sprintf("%s (%d)", t.Data.Classes[k], n))
		}
	}
	if len(small) > 8 {
		small = append(small[:8], "…")
	}
	if small != nil {
		t.note("Classes with fewer than ten rows, which can hardly be learned: %s.", strings.Join(small, ", "))
	}
}

// listed is the largest number of columns that String lists.
const listed = 40

// String describes the table: rows, target and columns. Of many columns it lists those that are
// left out, then those with missing cells, then the first ones.
func (t *Table) String() string {
	var text strings.Builder
	d := t.Data
	fmt.Fprintf(&text, "%s: %d rows; %s is predicted from %d of %d columns.\n", plain.Text(d.Name), d.N(),
		plain.Text(d.Target), d.P(), len(t.columns))
	fmt.Fprintln(&text, t.target())
	for _, note := range t.notes {
		fmt.Fprintln(&text, note)
	}
	fmt.Fprintln(&text)
	columns := slices.Clone(t.columns)
	if len(columns) > listed {
		rank := func(c column) int {
			switch {
			case c.leftOut != "":
				return 0
			case c.missing > 0:
				return 1
			}
			return 2
		}
		slices.SortStableFunc(columns, func(a, b column) int { return cmp.Compare(rank(a), rank(b)) })
		columns = columns[:listed]
	}
	var lines strings.Builder
	fmt.Fprintln(&lines, "column\tkind\tmissing\tdifferent\tfrom\tto\t")
	for _, c := range columns {
		kind, span, missing, left := "categories", "\t", "", ""
		if !c.categories {
			kind, span = "numbers", fmt.Sprintf("%.4g\t%.4g", c.low, c.high)
		}
		if c.missing > 0 {
			missing = fmt.Sprint(c.missing)
		}
		if c.leftOut != "" {
			left = "left out: " + c.leftOut
		}
		fmt.Fprintf(&lines, "%s\t%s\t%s\t%d\t%s\t%s\n", Short(c.name, 40), kind, missing, c.distinct, span, left)
	}
	text.WriteString(aligned(lines.String()))
	if more := len(t.columns) - len(columns); more > 0 {
		fmt.Fprintf(&text, "… and %d more columns.\n", more)
	}
	return text.String()
}

// aligned returns lines with blanks instead of tabs, so that what tabs separate makes columns.
func aligned(lines string) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	io.WriteString(w, lines)
	w.Flush()
	return text.String()
}

// target describes the target in a sentence.
func (t *Table) target() string {
	d := t.Data
	if d.Values != nil {
		text := fmt.Sprintf("%s is a number from %.4g to %.4g, on average %.4g: this is regression.", plain.Text(d.Target),
			slices.Min(d.Values), slices.Max(d.Values), eval.Mean(d.Values))
		if !slices.ContainsFunc(d.Values, func(v float64) bool { return v != math.Trunc(v) }) {
			text += fmt.Sprintf(" If its numbers are classes, set Categorical: []string{%q}.", d.Target)
		}
		return text
	}
	counts := d.ClassCounts()
	order := byLargest(counts)
	var parts []string
	for _, k := range order[:min(len(order), 12)] {
		parts = append(parts, fmt.Sprintf("%s %.1f %%", Short(d.Classes[k], 30), 100*float64(counts[k])/float64(d.N())))
	}
	if len(order) > 12 {
		parts = append(parts, "…")
	}
	return fmt.Sprintf("%s has %d classes: %s. Guessing the largest errs on %.1f %% of the rows.",
		plain.Text(d.Target), len(counts), strings.Join(parts, ", "), 100-100*float64(counts[order[0]])/float64(d.N()))
}

// byLargest returns the numbers from 0 to len(of) − 1 in the order of these values, the largest first.
func byLargest[V cmp.Ordered](of []V) []int {
	order := make([]int, len(of))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(of[b], of[a]) })
	return order
}

// Short returns a name without control characters, cut to the given number of characters if it is longer.
func Short(name string, length int) string {
	runes := []rune(plain.Text(name))
	if len(runes) <= length {
		return string(runes)
	}
	return string(runes[:length-1]) + "…"
}
