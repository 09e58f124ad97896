// Package groups numbers the groups of rows that belong together.
package groups

import (
	"cmp"
	"slices"
)

// Number returns the group of each row, numbered from 0 in the order of their first rows, and how many groups there
// are. Without groups it returns nil and the number of rows. Groups must be 0 or more.
func Number(groups []int32, rows int) (of []int32, n int) {
	if len(groups) == 0 {
		return nil, rows
	}
	of = slices.Clone(groups)
	if slices.Max(groups) >= int32(min(16*len(groups), 1<<30)) { // a table by group would be large
		sorted := slices.Compact(slices.Sorted(slices.Values(groups)))
		for i, g := range groups {
			k, _ := slices.BinarySearch(sorted, g)
			of[i] = int32(k)
		}
	}
	number := slices.Repeat([]int32{-1}, int(slices.Max(of))+1)
	for i, g := range of {
		if number[g] < 0 {
			number[g] = int32(n)
			n++
		}
		of[i] = number[g]
	}
	return of, n
}

// Spread copies the value of each group, as Number numbers them, to its rows. It uses the memory of values if its
// capacity suffices, and returns values if of is nil.
func Spread[T any](values []T, of []int32) []T {
	if of == nil {
		return values
	}
	values = slices.Grow(values, len(of)-len(values))[:len(of)]
	for i, g := range slices.Backward(of) {
		values[i] = values[g] // g ≤ i, so it isn't overwritten yet
	}
	return values
}

// Level gives all rows of a group the largest of their values. Groups are numbered as Number does; without them, of is
// nil and nothing changes.
func Level[T cmp.Ordered](values []T, of []int32) {
	largest := make([]T, 0, len(of)) // by group
	for i, g := range of {
		if int(g) == len(largest) {
			largest = append(largest, values[i])
		}
		largest[g] = max(largest[g], values[i])
	}
	for i, g := range of {
		values[i] = largest[g]
	}
}
