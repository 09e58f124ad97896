package grow

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// drawRoot draws a problem with one column, of whole numbers or not, and returns a
// searcher at its root. The labels depend on the column, with more or less noise.
func drawRoot(t *rapid.T, classes int, whole bool) (s *searcher, values []float32) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	n := rapid.SampledFrom([]int{4, 30, 100, 400, 2000}).Draw(t, "n") + rng.IntN(30)
	signal := rapid.SampledFrom([]float64{0, 0.5, 3}).Draw(t, "signal")
	tails := rapid.SampledFrom([]string{"light", "outliers", "heavy"}).Draw(t, "tails")
	grid := rapid.SampledFrom([]float64{2, 20, 1000}).Draw(t, "grid")
	d := &datasets.Dataset{Features: make([]datasets.Feature, 1), Columns: [][]float32{make([]float32, n)},
		Classes: make([]string, classes)}
	for i := range n {
		v := rng.NormFloat64()
		switch {
		case tails == "outliers" && rng.IntN(50) == 0:
			v *= 100 // most rows fall into few bins
		case tails == "heavy":
			v = math.Exp(2 * v)
		}
		y := 0.0
		if classes > 0 {
			y = math.Abs(signal*v+rng.NormFloat64()) * float64(classes) / 2
			d.Labels = append(d.Labels, int32(min(y, float64(classes-1))))
		} else {
			d.Values = append(d.Values, signal*v+rng.NormFloat64())
		}
		v *= 3
		if whole {
			v = math.Round(v * grid / 20)
		} else if grid < 1000 {
			v = math.Round(v*grid) / grid
		}
		d.Columns[0][i] = float32(v)
	}
	if classes > 0 {
		d.Labels[0], d.Labels[1] = 0, 1
	}
	params := Params{Trees: 1, Sampling: forest.AllRows}
	params.Growth.MinLeaf = rapid.SampledFrom([]int{0, 2, 9}).Draw(t, "minleaf")
	if classes > 0 && rapid.Bool().Draw(t, "entropy") {
		params.Growth.Criterion = forest.Entropy
	}
	if rapid.Bool().Draw(t, "bootstrap") {
		params.Sampling, params.Seed = forest.Sampling{}, 1
	}
	w, _ := atRoot(t, d, params)
	values = w.searcher.values[:w.node.Len()]
	w.node.project(values, &axis(0, Search).Function)
	return &w.searcher, values
}

// drawBest returns the best cut of an imagined earlier candidate: none, or one that is
// worse than, as good as or better than the best of this candidate.
func drawBest(t *rapid.T, s *searcher, values []float32) bestCut {
	best := noCut()
	switch rapid.IntRange(0, 3).Draw(t, "best before") {
	case 1:
		s.searchSorted(values, &best)
	case 2:
		if s.searchSorted(values, &best); !math.IsInf(best.score, 0) {
			best.score -= math.Abs(best.score) * 1e-3
		}
	case 3:
		if s.searchSorted(values, &best); !math.IsInf(best.score, 0) {
			best.score += math.Abs(best.score) * 1e-3
		}
	}
	return best
}

// A search finds a candidate's best cut, given its values and their extremes.
type search func(s *searcher, values []float32, low, high float32, best *bestCut) bool

func sortedSearch(s *searcher, values []float32, _, _ float32, best *bestCut) bool {
	return s.searchSorted(values, best)
}

func cellsSearch(s *searcher, values []float32, low, high float32, best *bestCut) bool {
	return s.searchCells(values, low, int(high-low)+1, best)
}

func countedSearch(s *searcher, values []float32, low, high float32, best *bestCut) bool {
	return s.searchCounted(values, low, int(high-low)+1, best)
}

// Counting must find the same cut as sorting.
func TestCountingFindsTheCutOfSorting(t *testing.T) {
	for name, c := range map[string]struct {
		whole, gini, two bool
		search           search
	}{
		"narrowed":             {two: true, search: (*searcher).searchNarrowed2},
		"cells of two classes": {whole: true, gini: true, two: true, search: cellsSearch},
		"cells":                {whole: true, gini: true, search: cellsSearch},
		"counted":              {whole: true, search: countedSearch},
	} {
		t.Run(name, func(t *testing.T) {
			searched, narrowed, clipped := 0, 0, 0
			rapid.Check(t, func(t *rapid.T) {
				classes := 2
				if !c.two {
					classes = rapid.SampledFrom([]int{0, 2, 3, 7}).Draw(t, "classes")
				}
				if c.gini && classes == 0 {
					classes = 5
				}
				s, values := drawRoot(t, classes, c.whole)
				if c.gini && s.node.target.entropy {
					t.Skip()
				}
				low, high := kernel.Extremes(values)
				if s.node.pure || low == high || c.whole && (high-low >= maxBins || (int(high-low)+1)*max(1, classes) > maxCells) {
					t.Skip()
				}
				if name == "counted" && len(values) <= insertionMax {
					t.Skip() // another order of equal values, so entropy's sums are rounded differently
				}
				want := drawBest(t, s, values)
				got := want
				found := s.searchSorted(values, &want)
				if ok := c.search(s, values, low, high, &got); ok != found || got != want {
					t.Fatalf("found %v %+v, want %v %+v", ok, got, found, want)
				}
				searched++
				if name == "narrowed" {
					count := min(maxBins, max(minBins, len(values)/rowsPerBin))
					ruleOut := s.ruleOut
					if s.node.target.entropy {
						ruleOut = s.ruleOutEntropy2
					}
					if ruleOut(count, -want.score) < s.node.drawn/2 {
						narrowed++
						if l, h := nearQuartiles(values, low, high); len(values) >= clipMin && 2*(h-l) < high-low {
							clipped++
						}
					}
				}
			})
			if searched < 5 || name == "narrowed" && clipped == 0 && !testing.Short() {
				t.Errorf("%d searches, %d of them narrowed, %d of these clipped, prove little", searched, narrowed, clipped)
			}
		})
	}
}

// BenchmarkSearch searches a direction of noise when a better cut is known, which is the
// case for most candidates of a node.
func BenchmarkSearch(b *testing.B) {
	for _, c := range []struct {
		name      string
		classes   int
		criterion forest.Criterion
		whole     bool
		search    search
	}{
		{"gini2/sorted", 2, forest.Gini, false, sortedSearch},
		{"gini2/narrowed", 2, forest.Gini, false, (*searcher).searchNarrowed2},
		{"entropy2/sorted", 2, forest.Entropy, false, sortedSearch},
		{"entropy2/narrowed", 2, forest.Entropy, false, (*searcher).searchNarrowed2},
		{"gini10/sorted", 10, forest.Gini, true, sortedSearch},
		{"gini10/counted", 10, forest.Gini, true, countedSearch},
		{"gini10/cells", 10, forest.Gini, true, cellsSearch},
	} {
		for _, n := range []int{100, 1000, 20000} {
			d := noise(n, 1, c.classes)
			values := d.Columns[0]
			for i := range values {
				if c.whole {
					values[i] = float32(math.Round(float64(values[i]) * 20))
				}
			}
			params := Params{Trees: 1, Sampling: forest.AllRows, Growth: forest.Growth{Criterion: c.criterion}}
			w, _ := atRoot(b, d, params)
			s := &w.searcher
			low, high := kernel.Extremes(values)
			known := noCut()
			s.searchSorted(values, &known)
			known.score += 0.01 * math.Abs(known.score)
			b.Run(c.name+"/"+strconv.Itoa(n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					best := known
					c.search(s, values, low, high, &best)
				}
				reportRows(b, n)
			})
		}
	}
}
