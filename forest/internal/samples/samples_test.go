package samples

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
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

// A twentieth of the rows is left out twice, 1000 of many; none of few rows or groups, of two members, or of weight 0.
func TestTwice(t *testing.T) {
	for _, c := range []struct{ rows, groupOf, members, want int }{
		{19, 1, 5, 0}, {20, 1, 5, 1}, {400, 1, 5, 20}, {400, 1, 3, 20}, {400, 1, 2, 0}, {50_000, 1, 5, 1000},
		{400, 25, 5, 0}, {400, 10, 5, 20}, {2000, 100, 5, 100},
	} {
		d := &datasets.Dataset{Values: make([]float64, c.rows), Weights: make([]float32, c.rows+3)}
		for i := range c.rows {
			d.Weights[i] = 1
			d.Groups = append(d.Groups, int32(i/c.groupOf))
		}
		d.Values = append(d.Values, 1, 2, 3) // of weight 0
		d.Groups = append(d.Groups, 0, 1, 2)
		fold := must.Value(Folds(d, c.members, 1))
		second, err := Twice(d, fold, c.members, 1)
		got := 0
		for i, k := range second {
			if k < 0 {
				continue
			}
			got++
			if k == fold[i] || k >= c.members || i >= c.rows || second[i/c.groupOf*c.groupOf] != k {
				t.Errorf("%+v: row %d is left out by members %d and %d", c, i, fold[i], k)
			}
		}
		if err != nil || got != c.want {
			t.Errorf("%+v: %d rows are left out twice (%v)", c, got, err)
		}
	}
}
