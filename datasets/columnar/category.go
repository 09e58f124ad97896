package columnar

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxCategories is the number of codes that a float32 tells apart.
const maxCategories = 1 << 24

// A coder assigns codes to the texts of a column, in order of appearance.
type coder struct {
	names   []string
	codes   map[string]int32
	kept    int  // names that keep their codes when the others are sorted
	fixed   bool // no new names
	ordered bool // no sorting
}

func newCoder(names []string) *coder {
	c := &coder{names: slices.Clone(names), codes: make(map[string]int32, len(names)), kept: len(names)}
	for i, name := range names {
		c.codes[name] = int32(i)
	}
	return c
}

// code returns the code of s, and copies s if it is new.
func (c *coder) code(s string) (int32, error) {
	if code, ok := c.codes[s]; ok {
		return code, nil
	}
	switch {
	case c.fixed:
		return 0, fmt.Errorf("%s is not one of the %d classes", clip(s), len(c.names))
	case len(c.names) == maxCategories:
		return 0, fmt.Errorf("more than %d categories", maxCategories)
	case !utf8.ValidString(s):
		return 0, fmt.Errorf("%s is not UTF-8", clip(s))
	}
	s = strings.Clone(s)
	code := int32(len(c.names))
	c.names = append(c.names, s)
	c.codes[s] = code
	return code, nil
}

// sorted returns the names in their final order, and the place of each code in it, or nil
// if that is the code itself.
func (c *coder) sorted() (names []string, place []int32) {
	if c.ordered || c.fixed || len(c.names) == c.kept {
		return c.names, nil
	}
	order := make([]int32, len(c.names))
	for i := range order {
		order[i] = int32(i)
	}
	sortNames(c.names, order[c.kept:])
	names, place = make([]string, len(order)), make([]int32, len(order))
	for to, from := range order {
		names[to] = c.names[from]
		place[from] = int32(to)
	}
	return names, place
}

// sortNames sorts indices of names as package datasets does: by number if all are numbers,
// and otherwise by bytes.
func sortNames(names []string, order []int32) {
	values := make([]float64, len(names))
	numeric := true
	for _, i := range order {
		v, err := strconv.ParseFloat(names[i], 64)
		values[i] = v
		// ParseFloat takes hexadecimal numbers, infinities and NaN, too.
		numeric = numeric && err == nil && strings.Trim(names[i], "+-.0123456789eE") == ""
	}
	slices.SortFunc(order, func(a, b int32) int {
		if numeric && values[a] != values[b] {
			return cmp.Compare(values[a], values[b])
		}
		return strings.Compare(names[a], names[b])
	})
}

// findColumn returns the index of the column called spec or, if there is none and spec is
// "#k", of column k, counted from 1. Place holds the index of each name.
func findColumn(names []string, place map[string]int, spec string) (int, error) {
	if j, ok := place[spec]; ok {
		return j, nil
	}
	if digits, ok := strings.CutPrefix(spec, "#"); ok {
		if k, err := strconv.Atoi(digits); err == nil && k >= 1 && k <= len(names) {
			return k - 1, nil
		}
	}
	return 0, fmt.Errorf("no column %q; there are %d: %s", spec, len(names), quoteNames(names))
}

// quoteNames quotes the first ten names.
func quoteNames(names []string) string {
	const most = 10
	quoted := make([]string, 0, most+1)
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, clip(name))
	}
	if len(names) > most {
		quoted = append(quoted, "…")
	}
	return strings.Join(quoted, ", ")
}

// clip quotes a text for an error message, shortened.
func clip(s string) string {
	if len(s) > 40 {
		return strconv.Quote(s[:40]) + "…"
	}
	return strconv.Quote(s)
}
