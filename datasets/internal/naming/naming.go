// Package naming finds columns and categories by their names, orders them, and quotes them in messages. All readers of
// tables use it.
package naming

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/nearest"
)

var indexName = regexp.MustCompile(`^(|Unnamed: \d+|__index_level_\d+__|level_\d+|\.\.\.1|[rR]ow[._ ]?names)$`)

// IsIndex reports whether the name of a column is one that pandas, R or Arrow give to the numbers or names of rows.
func IsIndex(name string) bool { return indexName.MatchString(name) }

// Find returns the index of the column called spec or, if there is none
// and spec is "#k", of column k, counted from 1. Place holds the index of each name.
func Find(names []string, place map[string]int, spec string) (int, error) {
	if j, ok := place[spec]; ok {
		return j, nil
	}
	if k, err := strconv.Atoi(strings.TrimPrefix(spec, "#")); err == nil && spec[0] == '#' {
		if k >= 1 && k <= len(names) {
			return k - 1, nil
		}
		return 0, fmt.Errorf("no column %s; there are %d", spec, len(names))
	}
	return 0, fmt.Errorf("no column %q; the nearest are %s", spec, nearest.Names(names, spec))
}

// Sort sorts indices of names: by number if all names are numbers, and otherwise by bytes.
func Sort(names []string, order []int32) {
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

// Clip quotes a text for an error message, shortened.
func Clip(s string) string {
	if len(s) > 40 {
		return strconv.Quote(s[:40]) + "…"
	}
	return strconv.Quote(s)
}
