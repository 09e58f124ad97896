package datasets

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

const missingSuffix = " is missing"

// ordered returns the column of the places of intervals, which the categories of column j are, or none.
func ordered(f Feature, j int) []Column {
	places := intervalPlaces(f.Categories)
	if places == nil {
		return nil
	}
	return column(f.Name, j, op(opCodes, append(places, math.NaN())...))
}

// indicated returns an indicator of each of the given categories of column j, of two only of the second. They are
// ascending. Other categories are missing.
func indicated(f Feature, j int, codes []int) []Column {
	if len(codes) < 2 {
		return nil
	}
	shown := codes
	if len(codes) == 2 {
		shown = codes[1:]
	}
	var columns []Column
	numbers := slices.Repeat([]float64{math.NaN()}, len(f.Categories)+1)
	numbers[codes[0]] = float64(len(shown)) // unless it is shown
	for i, c := range shown {
		numbers[c] = float64(i)
		columns = append(columns, Column{f.Name + "=" + f.Categories[c], j,
			[]Op{op(opCodes, numbers...), op(opIs, float64(i))}})
	}
	return columns
}

// missingCells returns the column of an indicator of missing cells.
func missingCells(f Feature, j int) []Column { return column(f.Name+missingSuffix, j, op(opMissing)) }

// An interval is a range of numbers that a category names.
type interval struct {
	low, high float64
	category  int
}

// intervalPlaces returns for each category its place in ascending order, if all are numbers
// or intervals of which no two overlap, and at least one is not a number. Otherwise it returns
// nil: numbers were called categories on purpose.
func intervalPlaces(categories []string) []float64 {
	intervals := make([]interval, len(categories))
	numbers := true
	for c, name := range categories {
		low, high, ok := parseInterval(name)
		if !ok {
			return nil
		}
		intervals[c] = interval{low, high, c}
		numbers = numbers && low == high
	}
	if numbers {
		return nil
	}
	slices.SortFunc(intervals, func(a, b interval) int {
		return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high))
	})
	places := make([]float64, len(categories))
	for i, at := range intervals {
		if i > 0 {
			before := intervals[i-1]
			if before.high > at.low || before.low == at.low && before.high == at.high {
				return nil
			}
		}
		places[at.category] = float64(i)
	}
	return places
}

// parseInterval reads a number (7), an interval (30-39), or one that is open at an end (<10,
// >=70, 70+).
func parseInterval(s string) (low, high float64, ok bool) {
	s = strings.TrimSpace(s)
	if low, ok = parseFinite(s); ok {
		return low, low, true
	}
	if len(s) < 2 {
		return 0, 0, false
	}
	low, high = math.Inf(-1), math.Inf(1)
	switch {
	case s[0] == '<':
		high, ok = parseFinite(strings.TrimPrefix(s[1:], "="))
	case s[0] == '>':
		low, ok = parseFinite(strings.TrimPrefix(s[1:], "="))
	case s[len(s)-1] == '+':
		low, ok = parseFinite(s[:len(s)-1])
	default:
		from, to, _ := strings.Cut(s[1:], "-") // a first - is a sign
		if low, ok = parseFinite(s[:1] + from); ok {
			high, ok = parseFinite(to)
		}
	}
	return low, high, ok && low < high
}

func parseFinite(s string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return v, err == nil && v-v == 0
}
