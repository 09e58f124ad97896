// Package nearest finds the names that somebody may have meant who wrote another.
package nearest

import (
	"slices"
	"strconv"
	"strings"
)

// Names quotes the three names, or fewer, of smallest edit distance to s. It looks at the first 2¹⁶ names.
func Names(names []string, s string) string {
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
