package auto

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
)

const (
	fewestDoubted = 30  // known cells that a column has at least if it looks like identifiers or row numbers
	ownCategories = 0.9 // a column looks like identifiers if it has more categories than this share of its cells
	datesTried    = 100 // categories of a column that are tried as dates, at most
	codesDoubted  = 50  // classes that are numbers may be values if there are more than this,
	rowsOfClass   = 10  // and fewer rows a class than this
	namesListed   = 5   // columns that a sentence names, at most
)

const ofDates = "dates, which are read as categories: make numbers of them, such as the year, the month or the days " +
	"since the first"

// kinds are the kinds of columns that may be a mistake, with what is said of one and of several.
var kinds = [...]struct{ one, many string }{
	constant: {"has one value only and is left out", "have one value only and are left out"},
	dates:    {"holds " + ofDates, "hold " + ofDates},
	identifiers: {"has a category for nearly every row: an identifier says nothing of new rows, so leave it out",
		"have a category for nearly every row: identifiers say nothing of new rows, so leave them out"},
	counted: {"counts the rows: leave it out unless their order means something",
		"count the rows: leave them out unless their order means something"},
}

const (
	constant = iota
	dates
	identifiers
	counted
)

// doubts returns what in a table may be a mistake, a sentence each.
func doubts(d *datasets.Dataset) (sentences []string) {
	var found [len(kinds)][]string
	for j, f := range d.Features {
		rows, values, follow := columnOf(d, j)
		kind := -1
		switch {
		case values < 2:
			kind = constant
		case f.Categories != nil && areDates(f.Categories):
			kind = dates
		case rows < fewestDoubted:
		case f.Categories != nil && float64(values) > ownCategories*float64(rows):
			kind = identifiers
		case f.Categories == nil && follow:
			kind = counted
		}
		if kind >= 0 {
			found[kind] = append(found[kind], strconv.Quote(f.Name))
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
			sentences = append(sentences, fmt.Sprintf("Column %s %s.", list, kinds[kind].one))
		case n > 1:
			sentences = append(sentences, fmt.Sprintf("Columns %s%s %s.", list, more, kinds[kind].many))
		}
	}
	notNumber := func(name string) bool {
		_, err := strconv.ParseFloat(strings.TrimSpace(name), 64)
		return err != nil
	}
	k := len(d.Classes)
	if d.Labels != nil && k > codesDoubted && d.N() < rowsOfClass*k && !slices.ContainsFunc(d.Classes, notNumber) {
		sentences = append(sentences, fmt.Sprintf("The target has %d classes in %d rows, and all are numbers: "+
			"if they are amounts, read them as values (Regression).", k, d.N()))
	}
	return sentences
}

// columnOf returns the number of known cells of a column in rows of positive weight, and how many values they have,
// counting no more than two for numbers. follow says whether each number is the one before plus 1.
func columnOf(d *datasets.Dataset, j int) (rows, values int, follow bool) {
	seen := map[float32]bool{}
	last := float32(0)
	follow = true
	for i := range d.N() {
		v := d.At(i, j)
		if v != v || d.Weights != nil && d.Weights[i] == 0 {
			follow = false
			continue
		}
		follow = follow && (rows == 0 || v == last+1)
		if last = v; len(seen) < 2 || d.Features[j].Categories != nil {
			seen[v] = true
		}
		rows++
	}
	return rows, len(seen), follow
}

var (
	dateLayouts = []string{"2006-1-2", "2006/1/2", "2.1.2006", "2/1/2006", "1/2/2006",
		"2-Jan-2006", "2 Jan 2006", "Jan 2, 2006", "2006-01"}
	timeLayouts = []string{"", " 15:04", " 15:04:05", "T15:04", "T15:04:05", "T15:04:05Z07:00", " 15:04:05Z07:00",
		" 3:04 PM", " 3:04:05 PM"}
)

// areDates reports whether three categories or more are dates, all written in the same way. Of many, evenly spaced
// ones are read.
func areDates(categories []string) bool {
	n := min(len(categories), datesTried)
	some := make([]string, n)
	for k := range some {
		some[k] = categories[k*len(categories)/n]
	}
	for _, date := range dateLayouts {
		for _, clock := range timeLayouts {
			other := func(s string) bool {
				_, err := time.Parse(date+clock, s)
				return err != nil
			}
			if n >= 3 && !slices.ContainsFunc(some, other) {
				return true
			}
		}
	}
	return false
}
