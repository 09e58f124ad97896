package samples

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
)

// Halves are disjoint, add up to the sample, and differ by one row at most.
func TestHalve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sample := rapid.SliceOfN(rapid.Uint16Range(0, 3), 0, 40).Draw(t, "sample")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		splits, leaves := slices.Clone(sample), make([]uint16, len(sample))
		for i := range leaves {
			leaves[i] = 7 // what was there before doesn't matter
		}
		Halve(leaves, splits, nil, rng.IntN)
		drawn, choose, fill := 0, 0, 0
		for i, c := range sample {
			if c > 0 {
				drawn++
			}
			if splits[i] > 0 {
				choose++
			}
			if leaves[i] > 0 {
				fill++
			}
			if drawn := splits[i] + leaves[i]; drawn != c && !(drawn == 2*c && splits[i] == c) {
				t.Fatalf("row %d, drawn %d times, counts %d for splits and %d in leaves", i, c, splits[i], leaves[i])
			}
		}
		if drawn == 1 && (choose != 1 || fill != 1) || drawn != 1 && (fill != drawn/2 || choose != drawn-fill) {
			t.Fatalf("of %d rows, %d choose splits and %d fill leaves", drawn, choose, fill)
		}
	})
}

// Each row of a large sample is in the second half of half of the trees.
func TestHalveIsFair(t *testing.T) {
	const n, trees = 50, 2000
	in := make([]int, n)
	rng := rand.New(rand.NewPCG(1, 2))
	for range trees {
		counts, leaves := make([]uint16, n), make([]uint16, n)
		for i := range counts {
			counts[i] = 1
		}
		Halve(leaves, counts, nil, rng.IntN)
		for i, c := range leaves {
			in[i] += int(c)
		}
	}
	for i, k := range in {
		if math.Abs(float64(k)-trees/2) > 4.5*math.Sqrt(trees)/2 {
			t.Errorf("row %d fills the leaves of %d of %d trees", i, k, trees)
		}
	}
}
