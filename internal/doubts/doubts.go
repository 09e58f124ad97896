// Package doubts says what in a table may be a mistake: of its columns, and of its target.
package doubts

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

const (
	fewestDoubted = 30  // known cells that a column has at least if it looks like identifiers or row numbers
	fewestGroups  = 10  // values of a column that looks like groups or a clock, at least
	runsOfGroup   = 1.1 // a column looks like groups if its values have fewer runs than that on average
	ownCategories = 0.9 // a column looks like identifiers if it has more categories than this share of its cells
	codesDoubted  = 50  // classes that are numbers may be values if there are more than this,
	rowsOfClass   = 10  // and fewer rows a class than this; a class with fewer can hardly be learned
	fewRepeats    = 5   // a column looks like names that come again if it has fewer rows a category than this,
	manyNames     = 50  // and more categories than this
	namesListed   = 5   // columns or classes that a sentence names, at most
)

const (
	ofClocks = "test on later rows (datasets.Rolling), since the errors here are those of rows in between"
	ofGroups = "name the column as Group (datasets.CSV), so that errors are those of new ones"
)

// A Kind is a kind of columns that may be a mistake.
type Kind int

const (
	None        Kind = iota // nothing is wrong with the column
	Constant                // one value, or none
	Identifiers             // a category for nearly every row
	Counted                 // row numbers, in any order
	Clock                   // numbers that rise or fall from row to row
	Grouped                 // equal values in neighbouring rows
	Repeated                // many categories of few rows each
)

// said is what is said of one column of a kind and of several.
var said = [...]struct{ one, many string }{
	Constant: {"has one value only, which says nothing", "have one value only, which says nothing"},
	Identifiers: {"has a category for nearly every row: an identifier says nothing of new rows",
		"have a category for nearly every row: identifiers say nothing of new rows"},
	Counted: {"counts the rows, which says nothing unless their order does",
		"count the rows, which says nothing unless their order does"},
	Clock: {"rises or falls from row to row, as a clock does: if later rows are to be predicted, " + ofClocks,
		"rise or fall from row to row, as clocks do: if later rows are to be predicted, " + ofClocks},
	Grouped: {"has equal values in neighbouring rows: if they are groups, such as patients, " + ofGroups,
		"have equal values in neighbouring rows: if these are groups, such as patients, " + ofGroups},
	Repeated: {"has many categories of few rows: if new rows have others, such as new patients, " + ofGroups,
		"have many categories of few rows: if new rows have others, such as new patients, " + ofGroups},
}

// Columns returns the kind of each column.
func Columns(d *datasets.Dataset) []Kind {
	d = weighted(d)
	kinds := make([]Kind, d.P())
	parallel.For(d.P(), func(j int) { kinds[j] = kindOf(d, j) })
	return kinds
}

func kindOf(d *datasets.Dataset, j int) Kind {
	c, categories := columnOf(d, j), d.Features[j].Categories
	switch {
	case c.values < 2:
		return Constant
	case c.rows < fewestDoubted:
	case categories != nil && float64(c.values) > ownCategories*float64(c.rows):
		return Identifiers
	case categories == nil && c.counts && !c.dates:
		return Counted
	case c.values < fewestGroups:
	case categories == nil && (c.rises || c.falls):
		return Clock
	case d.Groups == nil && 2*c.values <= c.rows && float64(c.runs) <= runsOfGroup*float64(c.values):
		return Grouped
	case categories != nil && d.Groups == nil && c.values > manyNames && c.rows < fewRepeats*c.values:
		return Repeated
	}
	return None
}

// weighted returns the rows of positive weight, which alone are learned from.
func weighted(d *datasets.Dataset) *datasets.Dataset {
	if !slices.Contains(d.Weights, 0) {
		return d
	}
	rows := []int32{}
	for i, w := range d.Weights {
		if w > 0 {
			rows = append(rows, int32(i))
		}
	}
	return d.Subset(rows)
}

// Of returns the notes of the reader of a table, and what in its rows of positive weight may be a mistake, a sentence
// each.
func Of(d *datasets.Dataset) (sentences []string) {
	d = weighted(d)
	sentences = slices.Clone(d.Notes)
	var found [len(said)][]string
	for j, kind := range Columns(d) {
		if kind != None {
			found[kind] = append(found[kind], strconv.Quote(d.Features[j].Name))
		}
	}
	for kind, columns := range found {
		more := ""
		n := len(columns)
		if n > namesListed {
			columns, more = columns[:namesListed], fmt.Sprintf(" and %d more", n-namesListed)
		}
		switch list := strings.Join(columns, ", "); {
		case n == 1:
			sentences = append(sentences, fmt.Sprintf("Column %s %s.", list, said[kind].one))
		case n > 1:
			sentences = append(sentences, fmt.Sprintf("Columns %s%s %s.", list, more, said[kind].many))
		}
	}
	say := func(what string, of []string) {
		if len(of) > 0 {
			sentences = append(sentences, fmt.Sprintf(what, few(of)))
		}
	}
	say("Far from all other numbers: %s. If these stand for missing cells, list them in Missing (datasets.CSV), with "+
		`"" and "NA"; for new rows, too.`, codesOf(d))
	say("Some classes are written nearly alike: %s. If they are the same, write them in one way.", alikeOf(d))
	notNumber := func(name string) bool {
		_, err := strconv.ParseFloat(strings.TrimSpace(name), 64)
		return err != nil
	}
	k := len(d.Classes)
	if d.Labels != nil && k > codesDoubted && d.N() < rowsOfClass*k && !slices.ContainsFunc(d.Classes, notNumber) {
		sentences = append(sentences, fmt.Sprintf("The target has %d classes in %d rows, and all are numbers: "+
			"if they are amounts, read them as values (Regression).", k, d.N()))
	}
	var small []string
	if d.Labels != nil {
		for c, n := range d.ClassCounts() {
			if n < rowsOfClass {
				small = append(small, fmt.Sprintf("%q (%d)", d.Classes[c], n))
			}
		}
	}
	say(fmt.Sprintf("Classes of fewer than %d rows can hardly be learned or tested: %%s.", rowsOfClass), small)
	return sentences
}

// few lists at most namesListed names.
func few(names []string) string {
	if n := len(names); n > namesListed {
		names = append(names[:namesListed], fmt.Sprintf("and %d more", n-namesListed))
	}
	return strings.Join(names, ", ")
}

// codesOf says which numbers of columns and of the target look like codes of missing cells.
func codesOf(d *datasets.Dataset) []string {
	found := make([]string, d.P()+1)
	parallel.For(d.P()+1, func(j int) {
		name, value := d.Target, func(i int) float64 { return d.Values[i] }
		if j < d.P() {
			f := d.Features[j]
			if _, date := f.Scale.Layout(); date || f.Categories != nil {
				return
			}
			name, value = f.Name, func(i int) float64 { return f.Scale.Value(d.At(i, j)) }
		} else if d.Values == nil {
			return
		}
		if code, rows := coded(d.N(), value); rows > 0 {
			found[j] = fmt.Sprintf("%.0f in %d rows of %q", code, rows, name)
		}
	})
	return slices.DeleteFunc(found, func(s string) bool { return s == "" })
}

// coded returns a number of nines, such as 99 or −999, that two rows or more have, and that is further from all other
// numbers than these are from each other, and how many rows have it.
func coded(n int, value func(i int) float64) (code float64, rows int) {
	known, lowest, highest := 0, math.Inf(1), math.Inf(-1)
	for i := range n {
		if v := value(i); v == v {
			known, lowest, highest = known+1, min(lowest, v), max(highest, v)
		}
	}
	for _, code := range []float64{highest, lowest} {
		if known < fewestDoubted || strings.Trim(strconv.FormatFloat(math.Abs(code), 'f', -1, 64), "9") != "" {
			continue
		}
		low, high, rows := math.Inf(1), math.Inf(-1), 0
		for i := range n {
			switch v := value(i); {
			case v == code:
				rows++
			case v == v:
				low, high = min(low, v), max(high, v)
			}
		}
		beyond := max(code-high, low-code) // of which one is negative
		if (code > 0) == (code > high) && rows > 1 && low < high && beyond > high-low {
			return code, rows
		}
	}
	return 0, 0
}

// alikeOf says which classes differ only in case, blanks, or in how truth values are written.
func alikeOf(d *datasets.Dataset) (alike []string) {
	if d.Labels == nil {
		return nil
	}
	first := map[string]string{}
	for _, name := range d.Classes {
		key := strings.ToLower(strings.Join(strings.Fields(name), " "))
		switch key {
		case "true":
			key = "1"
		case "false":
			key = "0"
		}
		if of, ok := first[key]; ok {
			alike = append(alike, fmt.Sprintf("%q and %q", of, name))
		} else {
			first[key] = name
		}
	}
	return alike
}

// A summary says what a column looks like in its known cells.
type summary struct {
	rows, runs   int  // cells, and runs of equal ones
	values       int  // different ones; of numbers at most fewestGroups, unless runs are so few as those of groups
	rises, falls bool // whether no number is below the one before, and none above
	dates        bool // whether the numbers are dates
	counts       bool // whether the numbers are m, m + 1, …, in any order
}

func columnOf(d *datasets.Dataset, j int) summary {
	seen := map[float32]bool{}
	c, last, begins := summary{rises: true, falls: true}, float32(0), []float32(nil)
	for i := range d.N() {
		v := d.At(i, j)
		if v != v {
			continue
		}
		if c.rows == 0 || v != last {
			begins = append(begins, v)
			if len(seen) < fewestGroups || d.Features[j].Categories != nil {
				seen[v] = true
			}
		}
		if c.rows > 0 {
			c.rises, c.falls = c.rises && v >= last, c.falls && v <= last
		}
		last = v
		c.rows++
	}
	_, c.dates = d.Features[j].Scale.Layout()
	c.counts = c.rows > 0 && d.Features[j].Categories == nil && countsUp(d, j, c.rows)
	c.runs = len(begins)
	if float64(2*c.runs) <= runsOfGroup*float64(c.rows) {
		for _, v := range begins {
			seen[v] = true
		}
	}
	c.values = len(seen)
	return c
}

// countsUp reports whether the numbers of a column of so many known cells are m, m + 1, …, in any order.
func countsUp(d *datasets.Dataset, j, rows int) bool {
	if rows < d.N() {
		return false
	}
	cells := d.Column(nil, j)
	low := slices.Min(cells)
	seen := make([]bool, rows)
	for _, v := range cells {
		k := int(v - low)
		if k < 0 || k >= rows || seen[k] || low+float32(k) != v {
			return false
		}
		seen[k] = true
	}
	return true
}
