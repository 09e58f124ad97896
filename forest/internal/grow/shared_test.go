package grow

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// drawTies draws data of about one of the given numbers of rows, and one of the given numbers of classes. Columns are
// copies of others, plain, mirrored or scaled, so that the scores of many cuts differ by rounding only.
func drawTies(t *rapid.T, rows, numbersOfClasses []int) (*datasets.Dataset, Params) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	n := rapid.SampledFrom(rows).Draw(t, "n") + rng.IntN(8)
	classes := rapid.SampledFrom(numbersOfClasses).Draw(t, "classes")
	grid := rapid.SampledFrom([]int{2, 7, 1000}).Draw(t, "grid")
	d := &datasets.Dataset{Classes: make([]string, classes)}
	for j := range 12 {
		col := make([]float32, n)
		for i := range col {
			switch {
			case j > 2 && j%3 == 0:
				col[i] = -d.Columns[rng.IntN(2)][i]
			case j > 2 && j%3 == 1:
				col[i] = d.Columns[2][i] * 3
			default:
				col[i] = float32(rng.IntN(grid))/8 - 1
			}
		}
		d.Columns = append(d.Columns, col)
		d.Features = append(d.Features, datasets.Feature{})
	}
	pure := rng.IntN(4) == 0 // one column separates the classes
	for i := range n {
		switch y := rng.IntN(max(2, classes)); {
		case classes == 0:
			d.Values = append(d.Values, float64(y))
		case pure:
			d.Labels = append(d.Labels, int32(min(classes-1, int(d.Columns[2][i]+1))))
		default:
			d.Labels = append(d.Labels, int32(y))
		}
	}
	if classes > 0 {
		d.Labels[0], d.Labels[1] = 0, 1
	}
	if rng.IntN(5) == 0 {
		d.Weights = slices.Repeat([]float32{0.5}, n)
	}
	params := Params{Trees: 1, Sampling: forest.AllRows}
	params.Growth.MinLeaf = rapid.SampledFrom([]int{0, 3}).Draw(t, "minleaf")
	if classes > 0 && rng.IntN(3) == 0 {
		params.Growth.Criterion = forest.Entropy
	}
	if rng.IntN(2) == 0 {
		params.Sampling, params.Seed = forest.Sampling{}, rng.Uint64()
	}
	return d, params
}

// However the candidates are shared out, the cut must be the one found in order.
func TestSharedSearchFindsTheCutOfOne(t *testing.T) {
	searched, rivals := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d, params := drawTies(t, []int{5, 12, 40, 150, 900}, []int{2, 2, 2, 0, 3})
		w, _ := atRoot(t, d, params)
		if w.node.pure {
			t.Skip("pure")
		}
		one := &w.searcher
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1))
		order := rng.Perm(d.P())
		before := rapid.IntRange(0, 3).Draw(t, "searched before")
		for _, j := range order[:before] {
			one.consider(axis(j, Search))
		}
		if one.best.perfect {
			t.Skip("done")
		}
		h := &w.shared
		for _, j := range order[before:] {
			h.add(axis(j, Search))
		}
		shared := keepSearch(one)
		shareOut(h, w, shared, rng)
		rivals += min(1, max(0, len(h.rivals)-1))
		for i := 0; i < h.count && !one.best.perfect; i++ {
			one.consider(&h.candidates[i])
		}
		searched++
		if shared.best != one.best || shared.found != one.found {
			t.Fatalf("found %v %+v, want %v %+v", shared.found, shared.best, one.found, one.best)
		}
		if m := w.node.Len(); one.found && (fmt.Sprint(shared.winner) != fmt.Sprint(one.winner) ||
			!slices.Equal(shared.winnerValues[:m], one.winnerValues[:m])) {
			t.Fatalf("%v won, want %v", shared.winner, one.winner)
		}
	})
	if searched < 10 || rivals == 0 && !testing.Short() {
		t.Errorf("%d searches, %d of them with rivals, prove little", searched, rivals)
	}
}

// keepSearch returns a searcher with a copy of what s has found.
func keepSearch(s *searcher) *searcher {
	c := &searcher{}
	c.begin(s.maxRows, s.node.target)
	c.node, c.best, c.found = s.node, s.best, s.found
	c.winner.keep(&s.winner)
	copy(c.winnerValues, s.winnerValues)
	return c
}

// shareOut does what h.search does for s, each candidate being searched by any of
// four searchers.
func shareOut(h *sharedSearch, w *worker, s *searcher, rng *rand.Rand) {
	searchers := []*searcher{s}
	for range 3 {
		c := &searcher{}
		c.begin(s.maxRows, s.node.target)
		searchers = append(searchers, c)
	}
	found := s.found
	one := w.searcher
	w.searcher = *s
	h.begin(w)
	*s, w.searcher = w.searcher, one
	for _, c := range searchers {
		c.beginShare(h)
	}
	for number := range int32(h.count) {
		c := searchers[rng.IntN(len(searchers))]
		if !c.best.perfect && number <= h.perfect.Load() {
			c.searchNumber(h, number)
		}
	}
	for _, i := range rng.Perm(len(searchers)) {
		h.merge(searchers[i])
	}
	s.best, s.found = h.start, found
	h.decide(s)
}

// duplicated returns rows whose columns are equal or mirrored.
func duplicated(n int) *datasets.Dataset {
	d := noise(n, 8, 2)
	for j := 2; j < 8; j++ {
		for i, v := range d.Columns[j%2] {
			d.Columns[j][i] = v * float32(1-2*(j/2%2))
		}
	}
	return d
}

func weighted(d *datasets.Dataset) *datasets.Dataset {
	for i := range d.N() {
		d.Weights = append(d.Weights, float32(i%5)+0.5)
	}
	return d
}

// mixture draws twelve sums with thresholds of all kinds.
type mixture struct{ sums }

func (m *mixture) Next() *Candidate {
	if m.n == 12 {
		return nil
	}
	m.n++
	j := m.rng.Intn(m.p)
	m.features[0], m.weights[0] = int32(j), 1
	m.next = Candidate{Function: forest.Linear(m.features[:1], m.weights[:1]), Cut: Cut(m.n / 2 % 3),
		Threshold: float32(m.n) / 10}
	return &m.next
}

// A draw may have more candidates than are collected at a time.
func TestSharedSearchOfManyCandidates(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	d := noise(4000, 5, 2)
	params := Params{Trees: 1, Sampling: forest.AllRows, Growth: forest.Growth{MaxDepth: 1}}
	many := func() Source { return &many{sums: sums{p: 5}, most: 3*maxSharedCandidates + 5} }
	runtime.GOMAXPROCS(1)
	want := must.Value(Forest(context.Background(), d, params, many))
	runtime.GOMAXPROCS(3)
	got := must.Value(Forest(context.Background(), d, params, many))
	equalTrees(t, got.Trees[0], want.Trees[0])
}

// many draws sums with random weights.
type many struct {
	sums
	most int
}

func (m *many) Next() *Candidate {
	if m.n == m.most {
		return nil
	}
	m.n++
	j := m.rng.Intn(m.p - 1)
	m.features = [2]int32{int32(j), int32(j + 1)}
	m.weights = [2]float32{float32(m.rng.Float64()), float32(m.rng.Float64() - 0.5)}
	m.next = Candidate{Function: forest.Linear(m.features[:], m.weights[:])}
	return &m.next
}

// A tree grown by several workers must equal the tree of one. They help with searches and with subtrees.
func TestHelpersGrowTheSameTree(t *testing.T) {
	mixed := func() Source { return &mixture{sums{p: 8}} }
	for name, c := range map[string]struct {
		d         *datasets.Dataset
		criterion forest.Criterion
		source    func() Source
	}{
		"gini":        {noise(40000, 8, 2), forest.Gini, allAxes(8)},
		"duplicates":  {duplicated(40000), forest.Gini, allAxes(8)},
		"entropy":     {noise(40000, 8, 2), forest.Entropy, allAxes(8)},
		"classes":     {noise(40000, 8, 4), forest.Gini, allAxes(8)},
		"differences": {noise(40000, 8, 9), forest.Gini, drawSums(8)},
		"values":      {noise(40000, 8, 0), forest.Gini, allAxes(8)},
		"weights":     {weighted(noise(40000, 8, 3)), forest.Gini, allAxes(8)},
		"every cut":   {noise(40000, 8, 2), forest.Gini, mixed},
	} {
		e := newEngine(t, c.d, Params{Trees: 1, Growth: forest.Growth{MinLeaf: 40, Criterion: c.criterion}, Seed: 1,
			Fallback: AllFeatures})
		spec := &Spec{Source: c.source}
		var alone, together forest.Tree
		newWorker(e, newTeam()).grow(0, spec, &alone)

		var subtrees, searches atomic.Int64
		for subtrees.Load() == 0 || searches.Load() == 0 { // until they have helped with both
			team := newTeam()
			var helpers sync.WaitGroup
			for range 3 {
				helpers.Go(func() {
					w := newWorker(e, team)
					for j, ok := w.next(team.ended); ok; j, ok = w.next(team.ended) {
						if j.subtree != nil {
							subtrees.Add(1)
						} else {
							searches.Add(1)
						}
						w.do(j)
					}
				})
			}
			for team.waiting.Load() < 3 {
				runtime.Gosched()
			}
			newWorker(e, team).grow(0, spec, &together)
			close(team.ended)
			helpers.Wait()
			t.Run(name, func(t *testing.T) { equalTrees(t, together, alone) })
		}
	}
}

// BenchmarkRoot searches a node of many rows, alone and with helpers.
func BenchmarkRoot(b *testing.B) {
	d := noise(500000, 20, 2)
	for i, y := range d.Labels {
		d.Columns[3][i] += float32(y)
	}
	e := must.Value(New(d, Params{Trees: 1, Sampling: forest.AllRows, Growth: forest.Growth{MaxDepth: 1}}))
	spec := func(int) *Spec { return &Spec{Source: allAxes(20)} }
	for _, cores := range []int{1, 2, 4} {
		b.Run(fmt.Sprint(cores), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			for b.Loop() {
				must.Do(e.Grow(context.Background(), make([]forest.Tree, 1), 0, spec))
			}
		})
	}
}

func TestNearIsBelow(t *testing.T) {
	h := &sharedSearch{margin: 1e-6}
	for _, score := range []float64{-1e6, -1, 0, 1, 1e6} {
		if near := h.leastRival(score); near > score || score != 0 && near == score || score-near > 1.1e-6*math.Abs(score) {
			t.Errorf("%v is near %v", near, score)
		}
	}
	if near := h.leastRival(math.Inf(-1)); !math.IsInf(near, -1) {
		t.Errorf("%v is near −Inf", near)
	}
}
