// Package ordered puts numbers in order, and draws some of them.
package ordered

import (
	"cmp"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

// Largest returns the numbers from 0 to len(of) − 1 in the order of these values, the largest first.
func Largest[V cmp.Ordered](of []V) []int {
	order := make([]int, len(of))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(of[b], of[a]) })
	return order
}

// Drawn returns some of the numbers from 0 to of − 1, drawn at random, ascending. They are the same each time.
func Drawn(some, of int) []int32 {
	numbers := make([]int32, some)
	rng := forest.NewRand(1)
	rng.Choose(numbers, of)
	return numbers
}
