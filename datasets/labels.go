package datasets

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Where CheckLabels begins to look. A table of that many true classes has more rows of each.
const (
	manyClasses = 1000 // that may be identifiers
	manyNumbers = 50   // that may be measurements
	rowsOfCode  = 10   // the fewest rows a class if the classes are numbers, not all whole
)

// CheckLabels returns an error if the labels can hardly be meant as classes:
//
//   - There are more than 1,000 classes, and most rows are the only one of their class: identifiers. No learner
//     could be right on such a row unless it has seen it.
//   - There are more than 50 classes with fewer than ten rows on average, all classes are numbers, and some aren't
//     whole: a measurement, which should be read as values.
//
// Classes and rows of weight 0 don't count. Learners and [Prepare] call it. d must have passed [Dataset.Check].
func (d *Dataset) CheckLabels() error {
	if len(d.Classes) <= manyNumbers || d.Labels == nil {
		return nil
	}
	counts, rows := make([]int32, len(d.Classes)), 0
	for i, y := range d.Labels {
		if d.weight(i) > 0 {
			counts[y]++
			rows++
		}
	}
	classes, alone := 0, 0
	for _, n := range counts {
		if n > 0 {
			classes++
		}
		if n == 1 {
			alone++
		}
	}
	what := fmt.Sprintf("datasets: %s: the target %q has %d classes in %d rows", d.label(), d.Target, classes, rows)
	switch {
	case classes > manyClasses && 2*alone > rows:
		return fmt.Errorf("%s, and most rows are the only one of their class. "+
			"Is it an identifier, a text or a number? "+
			"Choose another target, put rare classes together, or read numbers as values (Regression)", what)
	case classes > manyNumbers && rows < rowsOfCode*classes:
		if example := d.fraction(counts); example != "" {
			return fmt.Errorf("%s, and all are numbers, such as %s. Read them as values (set Regression) or, "+
				"if they are codes, add a letter to each", what, example)
		}
	}
	return nil
}

// fraction returns a class that is a number, but not a whole one, if all classes that have rows are numbers.
// Otherwise it returns "".
func (d *Dataset) fraction(counts []int32) (example string) {
	for c, name := range d.Classes {
		if counts[c] == 0 {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(name), 64)
		if err != nil {
			return ""
		}
		if v != math.Trunc(v) {
			example = name
		}
	}
	return example
}
