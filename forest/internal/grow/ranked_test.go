package grow

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// listed proposes the given candidates.
type listed []*Candidate

func (l *listed) Draw(*Node, int) bool { return len(*l) > 0 }

func (l *listed) Next() *Candidate {
	if len(*l) == 0 {
		return nil
	}
	c := (*l)[0]
	*l = (*l)[1:]
	return c
}

// A ranked search finds the same cut, score (to the last bit) and candidate as sorting all
// rows for one candidate after another. Columns are mirrored and repeated, so that many
// scores differ by rounding only.
func TestRankedSearchFindsTheCutOfSorting(t *testing.T) {
	searched, passed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d, params := drawTies(t, []int{250, 900, 3000}, []int{0, 0, 3, 10})
		if rapid.Bool().Draw(t, "continuous") {
			roughen(d, rapid.Uint64().Draw(t, "roughen"))
		}
		w, _ := atRoot(t, d, params)
		if w.node.pure || !w.node.shouldRank() {
			t.Skip("not ranked")
		}
		order := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1)).Perm(d.P())
		plain := keepSearch(&w.searcher)
		var source listed
		for _, j := range order {
			c := axis(j, Search)
			source = append(source, c)
			values := plain.values[:w.node.Len()]
			w.node.project(values, &c.Function)
			if !plain.best.perfect && plain.searchSorted(values, &plain.best) {
				plain.found = true
				plain.winner.keep(c)
				plain.values, plain.winnerValues = plain.winnerValues, plain.values
			}
		}
		s := &w.searcher
		w.searchCollected(&source, (*worker).searchRanked)
		for _, r := range s.ranking {
			if r.bound < s.best.score {
				passed++
			}
		}
		searched++
		if s.best != plain.best || s.found != plain.found {
			t.Fatalf("found %v %+v, want %v %+v", s.found, s.best, plain.found, plain.best)
		}
		if m := w.node.Len(); plain.found && (fmt.Sprint(s.winner) != fmt.Sprint(plain.winner) ||
			!slices.Equal(s.winnerValues[:m], plain.winnerValues[:m])) {
			t.Fatalf("%v won, want %v", s.winner, plain.winner)
		}
	})
	if searched < 10 || passed == 0 {
		t.Errorf("%d searches, %d candidates passed by, prove little", searched, passed)
	}
}

// roughen replaces the first three columns, and those that repeat them, by columns without
// ties and with outliers.
func roughen(d *datasets.Dataset, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	for j, col := range d.Columns {
		for i := range col {
			switch {
			case j < 3:
				col[i] = float32(rng.NormFloat64() * (1 + 50*float64(i%40/39)))
			case j%3 == 0:
				col[i] = -d.Columns[j%2][i]
			case j%3 == 1:
				col[i] = d.Columns[2][i] * 3
			default:
				col[i] = float32(rng.NormFloat64())
			}
		}
	}
	for i := range d.Values {
		d.Values[i] = float64(d.Columns[0][i])*0.3 + rng.NormFloat64()
	}
}

// No cut of a candidate has a score above bound, and one has the score likely.
func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, params := drawTies(t, []int{50, 250, 900}, []int{0, 0, 3, 10})
		params.Growth.Criterion = forest.Gini
		params.Growth.MinLeaf = 0
		if rapid.Bool().Draw(t, "continuous") {
			roughen(d, rapid.Uint64().Draw(t, "roughen"))
		}
		w, _ := atRoot(t, d, params)
		if w.node.pure || w.node.target.classes > 0 && !w.node.target.packed {
			t.Skip("no bounds")
		}
		s := &w.searcher
		for j := range d.Columns {
			values := s.values[:w.node.Len()]
			w.node.project(values, &axis(j, Search).Function)
			likely, bound := s.likely(values)
			best := noCut()
			s.searchSorted(values, &best)
			room := slack * (1 + best.score)
			if best.score > bound+room || likely > best.score+room {
				t.Fatalf("column %d: a score of %v, likely %v, at most %v", j, best.score, likely, bound)
			}
		}
	})
}

// Buckets sort keys into the same order as radix sort.
func TestBucketsSortAsDigitsDo(t *testing.T) {
	byBuckets, byDigits := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		values := make([]float32, rapid.SampledFrom([]int{41, 100, 2000, 5000}).Draw(t, "n"))
		grid := rapid.SampledFrom([]int{3, 50, 1 << 20}).Draw(t, "grid")
		for i := range values {
			values[i] = float32(rng.NormFloat64()*float64(grid)) / 64
			if grid < 100 {
				values[i] = float32(rng.IntN(grid)) - 1
			}
		}
		if rapid.Bool().Draw(t, "outlier") {
			values[0] = 1e9 // so that all others share a bucket
		}
		d := &datasets.Dataset{Features: make([]datasets.Feature, 1), Columns: [][]float32{values},
			Values: make([]float64, len(values))}
		d.Values[0] = 1
		w, _ := atRoot(t, d, Params{Trees: 1, Sampling: forest.AllRows})
		s := &w.searcher
		low, high := kernel.Extremes(values)
		if low == high {
			t.Skip("constant")
		}
		to, ok := s.buckets.sortable(values, low, high)
		if !ok {
			t.Fatal("not sortable")
		}
		keys, ok := s.bucketSorted(values, to)
		if ok {
			byBuckets++
		} else {
			byDigits++
			keys = SortKeys(keys, s.tmp)
		}
		want := make([]key, len(values))
		for i, v := range values {
			want[i] = NewKey(v, uint32(i))
		}
		if want = SortKeys(want, make([]key, len(want))); !slices.Equal(keys, want) {
			t.Fatal("another order")
		}
	})
	if byBuckets == 0 || byDigits == 0 {
		t.Errorf("%d sorted by buckets and %d by digits prove little", byBuckets, byDigits)
	}
}

// Skipping features that are constant in a node above doesn't change trees, on data with
// columns that are constant in parts of it.
func TestConstantsAreThoseOfTheNode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		classes := rapid.SampledFrom([]int{0, 2, 3}).Draw(t, "classes")
		d := noise(rapid.SampledFrom([]int{30, 400}).Draw(t, "n"), 5, classes)
		for i := range d.N() {
			for j := range 3 { // of five columns
				d.Columns[j][i] = 0
			}
			d.Columns[rng.IntN(3)][i] = float32(rng.IntN(2))
		}
		cut := rapid.SampledFrom([]Cut{Search, Random}).Draw(t, "cut")
		grown := func(remember bool) forest.Tree {
			e := must.Value(New(d, Params{Trees: 1, Sampling: forest.AllRows, Fallback: Redraw}))
			w := newWorker(e, newTeam())
			if !remember {
				w.searcher.constants = constants{}
			}
			var tree forest.Tree
			w.grow(0, &Spec{Source: func() Source { return NewAxes(nil, d.P(), 2, cut) }}, &tree)
			return tree
		}
		if got, want := grown(true), grown(false); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatal("another tree")
		}
	})
}

func BenchmarkBuckets(b *testing.B) {
	for _, n := range []int{100, 1000, 5000} {
		d := noise(n, 1, 0)
		w, _ := atRoot(b, d, Params{Trees: 1, Sampling: forest.AllRows})
		s, values := &w.searcher, d.Columns[0]
		low, high := kernel.Extremes(values)
		b.Run(fmt.Sprintf("buckets/%d", n), func(b *testing.B) {
			for b.Loop() {
				to, _ := s.buckets.sortable(values, low, high)
				s.bucketSorted(values, to)
			}
			reportRows(b, n)
		})
		b.Run(fmt.Sprintf("digits/%d", n), func(b *testing.B) {
			for b.Loop() {
				keys := s.keys[:n]
				for i, v := range values {
					keys[i] = NewKey(v, uint32(i))
				}
				SortKeys(keys, s.tmp)
			}
			reportRows(b, n)
		})
	}
}

// BenchmarkRank bounds a candidate; most are ruled out after that.
func BenchmarkRank(b *testing.B) {
	for _, classes := range []int{0, 10} {
		for _, n := range []int{200, 20000} {
			d := noise(n, 1, classes)
			w, _ := atRoot(b, d, Params{Trees: 1, Sampling: forest.AllRows})
			b.Run(fmt.Sprintf("%d classes/%d", classes, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					w.searcher.likely(d.Columns[0])
				}
				reportRows(b, n)
			})
		}
	}
}
