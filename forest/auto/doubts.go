package auto

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
)

const (
	fewestDoubted = 30  // rows of a column that looks like identifiers or row numbers
	ownCategories = 0.9 // the share of such rows
	datesTried    = 100 // categories of a column that are read as dates
	codesDoubted  = 50  // classes that are whole numbers
	rowsOfClass   = 10  // of so many classes that aren't doubted, on average
	namesListed   = 5   // of columns, in a sentence
)

const ofDates = "dates, which are read as categories: make numbers of them, such as the year, the month or the days " +
	"since the first"

// doubts returns what in a table may be a mistake, a sentence each.
func doubts(d *datasets.Dataset) (sentences []string) {
	var constant, dates, identifiers, counted []string
	for j, f := range d.Features {
		rows, categories, follow := columnOf(d, j)
		name := strconv.Quote(f.Name)
		switch {
		case categories < 2:
			constant = append(constant, name)
		case f.Categories != nil && areDates(f.Categories):
			dates = append(dates, name)
		case f.Categories != nil && rows >= fewestDoubted && float64(categories) > ownCategories*float64(rows):
			identifiers = append(identifiers, name)
		case f.Categories == nil && rows >= fewestDoubted && follow:
			counted = append(counted, name)
		}
	}
	for _, c := range []struct {
		columns   []string
		one, many string
	}{
		{constant, "has one value only and is left out", "have one value only and are left out"},
		{dates, "holds " + ofDates, "hold " + ofDates},
		{identifiers, "has a category for nearly every row: an identifier says nothing of new rows, so leave it out",
			"have a category for nearly every row: identifiers say nothing of new rows, so leave them out"},
		{counted, "counts the rows: leave it out unless their order means something",
			"count the rows: leave them out unless their order means something"},
	} {
		switch n := len(c.columns); {
		case n == 1:
			sentences = append(sentences, fmt.Sprintf("Column %s %s.", c.columns[0], c.one))
		case n > namesListed:
			sentences = append(sentences, fmt.Sprintf("Columns %s and %d more %s.",
				strings.Join(c.columns[:namesListed], ", "), n-namesListed, c.many))
		case n > 1:
			sentences = append(sentences, fmt.Sprintf("Columns %s %s.", strings.Join(c.columns, ", "), c.many))
		}
	}
	if k := len(d.Classes); d.Labels != nil && k > codesDoubted && d.N() < rowsOfClass*k && allNumbers(d.Classes) {
		sentences = append(sentences, fmt.Sprintf("The target has %d classes in %d rows, and all are numbers: "+
			"if they are amounts, read them as values (Regression).", k, d.N()))
	}
	return sentences
}

// columnOf returns the number of known cells of a column in rows of positive weight, and how many of them differ,
// but no more than two for numbers. follow says whether each number is the one before plus 1.
func columnOf(d *datasets.Dataset, j int) (rows, different int, follow bool) {
	seen := make([]bool, len(d.Features[j].Categories))
	first, last := float32(math.NaN()), float32(math.NaN())
	follow = true
	for i := range d.N() {
		v := d.At(i, j)
		if v != v || d.Weights != nil && d.Weights[i] == 0 {
			follow = false
			continue
		}
		if rows++; len(seen) > 0 {
			if !seen[int(v)] {
				seen[int(v)] = true
				different++
			}
			continue
		}
		if rows == 1 {
			first, different = v, 1
		} else {
			if v != first {
				different = 2
			}
			follow = follow && v == last+1
		}
		last = v
	}
	return rows, different, follow
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
	if n < 3 {
		return false
	}
	for _, date := range dateLayouts {
		for _, clock := range timeLayouts {
			all := true
			for k := 0; k < n && all; k++ {
				_, err := time.Parse(date+clock, categories[k*len(categories)/n])
				all = err == nil
			}
			if all {
				return true
			}
		}
	}
	return false
}

func allNumbers(names []string) bool {
	for _, name := range names {
		if _, err := strconv.ParseFloat(strings.TrimSpace(name), 64); err != nil {
			return false
		}
	}
	return true
}
