// Package naming finds columns and categories by their names, suggests similar names, orders them, and quotes them in
// messages. All readers of tables use it.
package naming

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Nearest quotes the three names, or fewer, of smallest edit distance to s. It looks at the first 2¹⁶ names.
func Nearest(names []string, s string) string {
	if len(s) > 64 {
		s = s[:64]
	}
	near := slices.Clone(names[:min(len(names), 1<<16)])
	distance := make(map[string]int, len(near))
	for _, name := range near {
		distance[name] = editDistance(strings.ToLower(name[:min(len(name), 64)]), strings.ToLower(s))
	}
	slices.SortStableFunc(near, func(a, b string) int { return distance[a] - distance[b] })
	near = near[:min(len(near), 3)]
	for i, name := range near {
		near[i] = strconv.Quote(name)
	}
	return strings.Join(near, ", ")
}

// editDistance returns the Levenshtein distance of a and b, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

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
	return 0, fmt.Errorf("no column %q; the nearest are %s", spec, Nearest(names, spec))
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
