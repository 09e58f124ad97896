// Package nearest finds names that are written much like another, for messages.
package nearest

import (
	"slices"
	"strconv"
	"strings"
)

// Names quotes the three names, or fewer, of smallest edit distance to s. It looks at the first 2¹⁶ names.
func Names(names []string, s string) string {
	near := slices.Clone(names[:min(len(names), 1<<16)])
	distance := make(map[string]int, len(near))
	for _, name := range near {
		distance[name] = editDistance(name, s)
	}
	slices.SortStableFunc(near, func(a, b string) int { return distance[a] - distance[b] })
	near = near[:min(len(near), 3)]
	for i, name := range near {
		near[i] = strconv.Quote(name)
	}
	return strings.Join(near, ", ")
}

// Typo returns the first name that s is likely to be a slip of: fewer than a third of its characters differ. It returns
// "" if there is none.
func Typo(names []string, s string) string {
	for distance := 0; 3*distance < len(s); distance++ {
		for _, name := range names {
			if editDistance(name, s) == distance {
				return name
			}
		}
	}
	return ""
}

// editDistance returns the Levenshtein distance of the first 64 bytes of a and b, whatever their case.
func editDistance(a, b string) int {
	a, b = strings.ToLower(a[:min(len(a), 64)]), strings.ToLower(b[:min(len(b), 64)])
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
