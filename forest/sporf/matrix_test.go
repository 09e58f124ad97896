package sporf

import (
	"fmt"
	"math"
	"slices"
	"testing"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

func TestNonzerosIsTheCeiling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(1, 1200).Draw(t, "p")
		d := rapid.OneOf(rapid.IntRange(1, 40), rapid.Just(p), rapid.Just(p*p)).Draw(t, "d")
		k := rapid.IntRange(1, min(5, p)).Draw(t, "k")
		if got := nonzeros(float64(k)/float64(p), p, d); got != k*d {
			t.Fatalf("⌈%d/%d · %d · %d⌉ = %d", k, p, p, d, got)
		}
	})
	for _, c := range []struct {
		density    float64
		p, d, want int
	}{
		{1, 20, 7, 140},
		{0.1, 7, 3, 3}, // 2.1
		{0.5, 3, 3, 5}, // 4.5
		{1e-9, 4, 4, 1},
		{1e-300, 1000, 1000, 1},
		{0.25, 8, 2, 4},
	} {
		if got := nonzeros(c.density, c.p, c.d); got != c.want {
			t.Errorf("⌈%v · %d · %d⌉ = %d, want %d", c.density, c.p, c.d, got, c.want)
		}
	}
}

// node returns a node with a stream of random numbers, and nothing else.
func node(seed uint64) *grow.Node {
	n := new(grow.Node)
	*n.Rand() = forest.NewRand(seed)
	return n
}

// draw returns the columns of one matrix.
func draw(m *matrix, seed uint64) [][]float32 {
	m.Draw(node(seed), 0)
	var columns [][]float32
	for c := m.Next(); c != nil; c = m.Next() {
		column := make([]float32, m.p)
		for i, j := range c.Features {
			column[j] = c.Weights[i]
		}
		columns = append(columns, column)
	}
	return columns
}

func TestMatrixHasExactlyItsNonzeros(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(1, 12).Draw(t, "p")
		d := rapid.IntRange(1, 30).Draw(t, "d")
		k := rapid.IntRange(1, p*d).Draw(t, "nonzeros")
		m := newMatrix(p, d, k, nil)
		for seed := range uint64(3) {
			m.Draw(node(seed), 0)
			columns, entries := 0, 0
			for c := m.Next(); c != nil; c = m.Next() {
				columns++
				entries += len(c.Features)
				if len(c.Features) != len(c.Weights) || len(c.Features) == 0 {
					t.Fatalf("candidate %v", c)
				}
				for i, j := range c.Features {
					if j < 0 || int(j) >= p || i > 0 && c.Features[i-1] >= j {
						t.Fatalf("features %v of %d don't ascend", c.Features, p)
					}
					if w := c.Weights[i]; w != 1 && w != -1 {
						t.Fatalf("weight %v", w)
					}
				}
				if len(c.Features) == 1 && c.Weights[0] != 1 {
					t.Fatalf("a single feature has weight %v", c.Weights[0])
				}
			}
			if entries != k || columns > d {
				t.Fatalf("%d entries in %d columns, want %d in at most %d", entries, columns, k, d)
			}
		}
	})
}

// upper returns the 1 − 1e-5 quantile of χ² with df degrees of freedom, by
// Wilson and Hilferty.
func upper(df int) float64 {
	const z = 4.2649
	v := 2 / (9 * float64(df))
	return float64(df) * math.Pow(1-v+z*math.Sqrt(v), 3)
}

func chiSquare(counts []int, want func(i int) float64) float64 {
	var chi float64
	for i, n := range counts {
		chi += (float64(n) - want(i)) * (float64(n) - want(i)) / want(i)
	}
	return chi
}

// Every placement of the nonzeros is equally likely, so the numbers of nonzeros
// of the columns are those of drawing cells without replacement: for p = 2, d =
// 3 and three nonzeros, C(2,a)·C(2,b)·C(2,c)/C(6,3). A column that is drawn
// empty is skipped by Next, so the test reads the counts.
func TestMatrixCountsAreHypergeometric(t *testing.T) {
	choose := []float64{1, 2, 1}
	for _, nonzeros := range []int{2, 3, 4} { // 4 goes by the zeros
		m := newMatrix(2, 3, nonzeros, nil)
		const draws = 30000
		seen := map[[3]int]int{}
		for i := range draws {
			m.Draw(node(uint64(i)), 0)
			var counts [3]int
			for c, n := range m.counts {
				counts[c] = int(n)
				if m.zeros {
					counts[c] = 2 - int(n)
				}
			}
			seen[counts]++
		}
		total := map[int]float64{2: 15, 3: 20, 4: 15}[nonzeros]
		chi, cells := 0.0, 0
		for a := range 3 {
			for b := range 3 {
				c := nonzeros - a - b
				if c < 0 || c > 2 {
					continue
				}
				want := draws * choose[a] * choose[b] * choose[c] / total
				diff := float64(seen[[3]int{a, b, c}]) - want
				chi += diff * diff / want
				cells++
				delete(seen, [3]int{a, b, c})
			}
		}
		if len(seen) > 0 || chi > upper(cells-1) {
			t.Errorf("%d nonzeros: χ²(%d) = %.1f; impossible counts: %v", nonzeros, cells-1, chi, seen)
		}
	}
}

// All cells of a column are equally likely, whichever column, and so are signs:
// by feature, chi-square of nonzeros and of positive ones.
func TestMatrixIsUniformOverFeaturesAndSigns(t *testing.T) {
	for _, c := range []struct{ p, d, nonzeros int }{
		{10, 10, 30}, {10, 4, 12}, {5, 25, 50}, {6, 3, 15}, {70, 2, 140},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			m := newMatrix(c.p, c.d, c.nonzeros, nil)
			uses := make([]int, c.p)
			var plus, signs int
			draws := 200000 / c.nonzeros
			for i := range draws {
				for _, column := range draw(m, uint64(i)) {
					n, p := 0, 0
					for j, w := range column {
						if w != 0 {
							uses[j]++
							n++
						}
						if w > 0 {
							p++
						}
					}
					if n > 1 { // a single feature has +1 by convention
						signs += n
						plus += p
					}
				}
			}
			share := float64(c.nonzeros) / float64(c.p*c.d)
			want := float64(draws*c.d) * share
			if share < 1 {
				// Without replacement within a column, which only lowers the
				// variance of a feature's count by 1 − share at most.
				if chi := chiSquare(uses, func(int) float64 { return want }) / (1 - share); chi > upper(c.p-1) {
					t.Errorf("uses of features %v: χ²(%d) = %.1f", uses, c.p-1, chi)
				}
			} else if slices.Min(uses) != draws*c.d {
				t.Errorf("λ = 1 uses features %v times in %d columns", uses, draws*c.d)
			}
			if z := (float64(plus) - float64(signs)/2) / math.Sqrt(float64(signs)/4); math.Abs(z) > 4.5 {
				t.Errorf("%d of %d signs are +: z = %.1f", plus, signs, z)
			}
		})
	}
}

// Signs of a column are independent: all 2³ combinations are equally likely.
func TestMatrixSignsAreIndependent(t *testing.T) {
	m := newMatrix(3, 1, 3, nil)
	counts := make([]int, 8)
	const draws = 16000
	for i := range draws {
		code := 0
		for j, w := range draw(m, uint64(i))[0] {
			if w > 0 {
				code |= 1 << j
			}
		}
		counts[code]++
	}
	if chi := chiSquare(counts, func(int) float64 { return draws / 8 }); chi > upper(7) {
		t.Errorf("sign patterns %v: χ²(7) = %.1f", counts, chi)
	}
}

// Subsets of three of five features are equally likely.
func TestSubsetsAreUniform(t *testing.T) {
	s := sparse{p: 5}
	counts := map[string]int{}
	const draws = 20000
	for i := range draws {
		rng := forest.NewRand(uint64(i))
		s.rng = &rng
		counts[fmt.Sprint(s.subset(3))]++
	}
	if len(counts) != 10 {
		t.Fatalf("subsets %v, want 10", counts)
	}
	var flat []int
	for _, n := range counts {
		flat = append(flat, n)
	}
	if chi := chiSquare(flat, func(int) float64 { return draws / 10 }); chi > upper(9) {
		t.Errorf("subsets %v: χ²(9) = %.1f", counts, chi)
	}
}

// If nothing splits, the matrix is drawn again a few times.
func TestMatrixIsDrawnAgain(t *testing.T) {
	for _, c := range []struct{ p, d, nonzeros int }{{1, 1, 1}, {5, 5, 15}, {7, 2, 3}, {4, 30, 12}} {
		m := newMatrix(c.p, c.d, c.nonzeros, nil)
		for seed := range uint64(20) {
			n := node(seed)
			draws := 0
			for ; m.Draw(n, draws); draws++ {
				entries := 0
				for next := m.Next(); next != nil; next = m.Next() {
					entries += len(next.Features)
				}
				if entries != c.nonzeros {
					t.Fatalf("%+v, draw %d: %d entries", c, draws, entries)
				}
			}
			if draws != 1+maxRedraws {
				t.Fatalf("%+v: %d draws, want %d", c, draws, 1+maxRedraws)
			}
		}
	}
}

func TestCombinations(t *testing.T) {
	for _, c := range []struct{ p, d, features int }{{1, 1, 1}, {5, 5, 3}, {4, 30, 4}, {9, 2, 1}} {
		m := newCombinations(c.p, c.d, c.features, nil)
		for seed := range uint64(20) {
			node := node(seed)
			total, draws := 0, 0
			for ; m.Draw(node, draws); draws++ {
				n := 0
				for next := m.Next(); next != nil; next = m.Next() {
					n++
					checkCombination(t, next, c.features)
				}
				want := 1
				if draws == 0 {
					want = c.d
				}
				if n != want {
					t.Fatalf("%+v: %d combinations in draw %d, want %d", c, n, draws, want)
				}
				total += n
			}
			if want := (1 + maxRedraws) * c.d; total != want {
				t.Fatalf("%+v: %d combinations, want %d", c, total, want)
			}
		}
	}
}

func checkCombination(t *testing.T, c *grow.Candidate, features int) {
	t.Helper()
	if len(c.Features) != features || len(c.Weights) != features || !slices.IsSorted(c.Features) ||
		len(slices.Compact(slices.Clone(c.Features))) != features {
		t.Fatalf("combination %v, want one of %d features", c, features)
	}
	for _, w := range c.Weights {
		if w < -1 || w > 1 || features == 1 && w != 1 {
			t.Fatalf("combination %v", c)
		}
	}
}

// Weights are uniform in [−1, 1] and features equally likely.
func TestCombinationsAreUniform(t *testing.T) {
	m := newCombinations(6, 1000, 3, nil)
	n := node(1)
	bins, uses := make([]int, 20), make([]int, 6)
	for range 20 {
		m.Draw(n, 0)
		for c := m.Next(); c != nil; c = m.Next() {
			for i, w := range c.Weights {
				bins[min(19, int((w+1)*10))]++
				uses[c.Features[i]]++
			}
		}
	}
	if chi := chiSquare(bins, func(int) float64 { return 3000 }); chi > upper(19) {
		t.Errorf("weights %v: χ²(19) = %.1f", bins, chi)
	}
	if chi := chiSquare(uses, func(int) float64 { return 10000 }) * 2; chi > upper(5) { // variance × (1 − 3/6)
		t.Errorf("features %v: χ²(5) = %.1f", uses, chi)
	}
}
