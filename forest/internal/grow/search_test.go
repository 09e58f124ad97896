package grow

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

func TestMidpointLiesBetween(t *testing.T) {
	check := func(t rapid.TB, a, b float32) {
		t.Helper()
		got := Midpoint(a, b)
		if !(a <= got && got < b) {
			t.Fatalf("Midpoint(%v, %v) = %v", a, b, got)
		}
		// No float32 between a and b is much nearer to the midpoint.
		middle := (float64(a) + float64(b)) / 2
		below := math.Nextafter32(b, a)
		err := math.Abs(float64(got) - middle)
		if slack := float64(math.Nextafter32(got, b)) - float64(got); err > slack && got != below {
			t.Fatalf("Midpoint(%v, %v) = %v, half-way is %v", a, b, got, middle)
		}
	}
	t.Run("any", rapid.MakeCheck(func(t *rapid.T) {
		a, b := floats().Draw(t, "a"), floats().Draw(t, "b")
		if a == b {
			t.Skip("equal")
		}
		check(t, min(a, b), max(a, b))
	}))
	t.Run("adjacent", rapid.MakeCheck(func(t *rapid.T) {
		a := floats().Draw(t, "a")
		if a == math.MaxFloat32 {
			t.Skip("nothing above")
		}
		check(t, a, math.Nextafter32(a, math.MaxFloat32))
	}))
	check(t, 0x1p127, 0x1.8p127) // a + b overflows
}

// A bag is the rows of a node, for computing impurities by their definitions.
type bag struct {
	labels  []int32
	values  []float64
	weights []float64 // user weight × class weight × times drawn
	counts  []int     // times drawn
	x       [][]float32
}

// impurity returns weight times impurity of the rows in, by definition.
func (b *bag) impurity(criterion forest.Criterion, in func(i int) bool) float64 {
	var total, sum float64
	classes := map[int32]float64{}
	for i, w := range b.weights {
		if !in(i) {
			continue
		}
		total += w
		if b.values != nil {
			sum += w * b.values[i]
		} else {
			classes[b.labels[i]] += w
		}
	}
	var s float64
	if b.values != nil {
		for i, w := range b.weights {
			if in(i) {
				s += w * (b.values[i] - sum/total) * (b.values[i] - sum/total)
			}
		}
		return s
	}
	for _, w := range classes {
		p := w / total
		if criterion == forest.Entropy && p > 0 {
			s -= p * math.Log(p)
		} else if criterion != forest.Entropy {
			s += p * (1 - p)
		}
	}
	return total * s
}

func (b *bag) count(in func(i int) bool) int {
	n := 0
	for i, c := range b.counts {
		if in(i) {
			n += c
		}
	}
	return n
}

// gain returns the decrease of impurity times weight of a cut, or NaN if a side
// is too small.
func (b *bag) gain(g forest.Growth, j int, threshold float32) float64 {
	left := func(i int) bool { return b.x[j][i] <= threshold }
	right := func(i int) bool { return !left(i) }
	if n := max(1, g.MinLeaf); b.count(left) < n || b.count(right) < n {
		return math.NaN()
	}
	all := func(int) bool { return true }
	return b.impurity(g.Criterion, all) - b.impurity(g.Criterion, left) - b.impurity(g.Criterion, right)
}

// best returns the largest gain over all features and boundaries, NaN if there
// is no cut.
func (b *bag) best(g forest.Growth, features ...int) float64 {
	best := math.NaN()
	for _, j := range features {
		for _, v := range b.x[j] {
			if z := b.gain(g, j, v); !(z <= best) && !math.IsNaN(z) {
				best = z
			}
		}
	}
	return best
}

// drawProblem draws a small data set with classes or values, and parameters for growing.
func drawProblem(t *rapid.T) (*datasets.Dataset, Params) {
	n := rapid.IntRange(2, 40).Draw(t, "n")
	if rapid.IntRange(0, 9).Draw(t, "large") == 0 {
		n = rapid.IntRange(41, 120).Draw(t, "n") // radix sort
	}
	classes := rapid.IntRange(0, 5).Draw(t, "classes")
	if classes == 1 {
		classes = 2
	}
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	grid := rapid.SampledFrom([]int{2, 3, 5, 20, 1000}).Draw(t, "grid")
	d := &datasets.Dataset{}
	for range 3 {
		col := make([]float32, n)
		for i := range col {
			col[i] = float32(rng.IntN(grid))/4 - 1
		}
		d.Columns = append(d.Columns, col)
		d.Features = append(d.Features, datasets.Feature{})
	}
	params := Params{Trees: 1, Sampling: forest.AllRows, Seed: rng.Uint64()}
	params.Growth.MinLeaf = rapid.SampledFrom([]int{0, 1, 2, 5}).Draw(t, "minleaf")
	if rapid.Bool().Draw(t, "bootstrap") {
		params.Sampling, params.Seed = forest.Sampling{}, rng.Uint64()
	}
	if rapid.Bool().Draw(t, "weighted") {
		d.Weights = make([]float32, n)
		for i := range d.Weights {
			d.Weights[i] = float32(rng.IntN(8)) / 4 * rng.Float32()
		}
		d.Weights[0], d.Weights[1] = 0.3, 0.7
	}
	if classes == 0 {
		d.Values = make([]float64, n)
		offset := rapid.SampledFrom([]float64{0, 1e3}).Draw(t, "offset")
		for i := range d.Values {
			d.Values[i] = offset + float64(rng.IntN(5))
		}
		return d, params
	}
	d.Classes = make([]string, classes)
	d.Labels = make([]int32, n)
	for i := range d.Labels {
		d.Labels[i] = int32(rng.IntN(classes))
		if rng.IntN(2) == 0 { // an informative feature
			d.Labels[i] = int32(d.Columns[0][i]+1) % int32(classes)
		}
	}
	d.Labels[0], d.Labels[1] = 0, 1
	if rapid.Bool().Draw(t, "entropy") {
		params.Growth.Criterion = forest.Entropy
	}
	return d, params
}

// atRoot returns a worker that has entered the root of tree 0, and the root's
// rows.
func atRoot(t rapid.TB, d *datasets.Dataset, params Params) (*worker, *bag) {
	e := must.Value(New(d, params))
	w := newWorker(e, newTeam())
	spec := &Spec{Source: allAxes(d.P())}
	sample := w.sampler.draw(0, params.Sampling, params.Seed, e.target)
	w.begin(origin{spec, e.data, e.target, sample}, task{hi: len(sample.ids)})
	w.node.enter(0, len(sample.ids), 0)
	w.searcher.enter(&w.node)
	b := &bag{x: make([][]float32, d.P())}
	for i, c := range drawn(d, params) {
		weight := float64(c)
		if d.Weights != nil {
			weight *= float64(d.Weights[i])
		}
		if weight == 0 {
			continue
		}
		b.weights = append(b.weights, weight)
		b.counts = append(b.counts, int(c))
		for j := range b.x {
			b.x[j] = append(b.x[j], d.At(i, j))
		}
		if d.Labels != nil {
			b.labels = append(b.labels, d.Labels[i])
		} else {
			b.values = append(b.values, d.Values[i])
		}
	}
	return w, b
}

// drawn returns how often each row is in the sample of tree 0. If the draw misses all rows
// of positive weight, the sample has all of these once.
func drawn(d *datasets.Dataset, params Params) []uint16 {
	counts := params.Sampling.Counts(nil, d.N(), params.Seed, 0)
	for i, c := range counts {
		if c > 0 && (d.Weights == nil || d.Weights[i] > 0) {
			return counts
		}
	}
	return slices.Repeat([]uint16{1}, d.N())
}

// allAxes makes sources of all features.
func allAxes(p int) func() Source { return func() Source { return NewAxes(nil, p, p, Search) } }

// axis returns the candidate that is feature j.
func axis(j int, cut Cut) *Candidate {
	return &Candidate{Function: forest.Linear([]int32{int32(j)}, []float32{1}), Cut: cut}
}

func TestSearchFindsTheBestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, params := drawProblem(t)
		w, b := atRoot(t, d, params)
		if w.node.pure {
			t.Skip("pure")
		}
		all := func(int) bool { return true }
		impurity := b.impurity(params.Growth.Criterion, all)
		tolerance := 1e-9 * (1 + impurity)
		best := noCut()
		before := math.NaN()
		for j := range d.P() {
			found := w.searcher.search(axis(j, Search), &best)
			want := b.best(params.Growth, j)
			if !found {
				if want > before+tolerance || !math.IsNaN(want) && math.IsNaN(before) {
					t.Fatalf("feature %d: no cut found, one gains %v; before %v", j, want, before)
				}
				continue
			}
			got := best.score - w.node.unsplitScore()
			if !(math.Abs(got-want) <= tolerance) {
				t.Fatalf("feature %d: gain %v, the best is %v", j, got, want)
			}
			if z := b.gain(params.Growth, j, best.threshold); !(math.Abs(z-want) <= tolerance) {
				t.Fatalf("feature %d: threshold %v gains %v, the best %v", j, best.threshold, z, want)
			}
			if got <= before-tolerance {
				t.Fatalf("feature %d: gain %v after %v", j, got, before)
			}
			if best.perfect && math.Abs(got-impurity) > tolerance {
				t.Fatalf("feature %d: called perfect; gain %v of %v", j, got, impurity)
			}
			checkHalfWay(t, b.x[j], best.threshold)
			before = got
		}
	})
}

// checkHalfWay fails unless the threshold is the midpoint of the values around it.
func checkHalfWay(t *rapid.T, values []float32, threshold float32) {
	below, above := float32(math.Inf(-1)), float32(math.Inf(1))
	for _, v := range values {
		if v <= threshold {
			below = max(below, v)
		} else {
			above = min(above, v)
		}
	}
	if want := (below + above) / 2; threshold != want { // exact on the grid
		t.Fatalf("threshold %v between %v and %v, want %v", threshold, below, above, want)
	}
}

// The gain of a threshold that is drawn or given is that by brute force.
func TestThresholdsWithoutSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, params := drawProblem(t)
		w, b := atRoot(t, d, params)
		if w.node.pure {
			t.Skip("pure")
		}
		w.node.rng = forest.NewRand(1)
		for _, cut := range []Cut{Random, Given} {
			c, best := axis(0, cut), noCut()
			c.Threshold = rapid.Float32Range(-2, 2).Draw(t, "threshold")
			found := w.searcher.search(c, &best)
			if cut == Random && !found {
				if low, high := slices.Min(b.x[0]), slices.Max(b.x[0]); low < high && params.Growth.MinLeaf <= 1 {
					t.Fatalf("no cut between %v and %v", low, high)
				}
				continue
			}
			if cut == Random {
				c.Threshold = best.threshold
			}
			want := b.gain(params.Growth, 0, c.Threshold) // NaN where a side is too small
			if found == math.IsNaN(want) {
				t.Fatalf("threshold %v splits: %v; gain %v", c.Threshold, found, want)
			}
			if !found {
				continue
			}
			if got := best.score - w.node.unsplitScore(); best.threshold != c.Threshold ||
				!(math.Abs(got-want) <= 1e-9*(1+w.node.weight)) {
				t.Fatalf("threshold %v: gain %v; want %v, %v", best.threshold, got, c.Threshold, want)
			}
			// Of several, the best wins.
			if best.score += 1e-6 * (1 + math.Abs(best.score)); cut == Given && w.searcher.search(c, &best) {
				t.Fatal("took a worse cut")
			}
		}
	})
}

// Random thresholds are uniform between the extremes of the values: chi-square of ten
// intervals, 9 degrees of freedom.
func TestRandomThresholdIsUniform(t *testing.T) {
	d := &datasets.Dataset{
		Features: make([]datasets.Feature, 1),
		Columns:  [][]float32{{-3, 7, 6.5, -2, 1}},
		Labels:   []int32{0, 1, 0, 1, 0}, Classes: []string{"a", "b"},
	}
	params := Params{Trees: 1, Sampling: forest.AllRows}
	w, _ := atRoot(t, d, params)
	const draws = 20000
	var bins [10]int
	for i := range draws {
		w.node.rng = forest.NewRand(uint64(i))
		best := noCut()
		w.searcher.search(axis(0, Random), &best)
		bins[int(best.threshold+3)]++
	}
	var chi float64
	for _, n := range bins {
		chi += (float64(n) - draws/10) * (float64(n) - draws/10) / (draws / 10)
	}
	if chi > 33.7 { // the upper 1e-4 quantile of χ²(9)
		t.Errorf("shares %v: χ² = %.1f", bins, chi)
	}
}

// Between neighbours half of the draws round to the upper one, which would leave
// the right side empty.
func TestRandomThresholdBetweenNeighbours(t *testing.T) {
	d := &datasets.Dataset{
		Features: make([]datasets.Feature, 1),
		Columns:  [][]float32{{1, math.Nextafter32(1, 2)}},
		Labels:   []int32{0, 1}, Classes: []string{"a", "b"},
	}
	params := Params{Trees: 1, Sampling: forest.AllRows}
	w, _ := atRoot(t, d, params)
	for i := range 20 {
		w.node.rng = forest.NewRand(uint64(i))
		best := noCut()
		if !w.searcher.search(axis(0, Random), &best) || best.threshold != 1 {
			t.Fatalf("threshold %v between 1 and the next number", best.threshold)
		}
	}
}

// A sum that overflows for some rows can't split them.
func TestSearchPassesOverOverflow(t *testing.T) {
	d := &datasets.Dataset{
		Features: make([]datasets.Feature, 2),
		Columns:  [][]float32{{3e38, -3e38, 3e38, -3e38}, {3e38, 3e38, -3e38, -3e38}},
		Labels:   []int32{0, 1, 0, 1}, Classes: []string{"a", "b"},
	}
	for _, cut := range []Cut{Search, Random, Given} {
		w, _ := atRoot(t, d, Params{Trees: 1, Sampling: forest.AllRows})
		best := noCut()
		for _, weights := range [][]float32{{1, 1}, {1, -1}, {2, -2}, {2, 2}} {
			if w.searcher.search(&Candidate{Function: forest.Linear([]int32{0, 1}, weights), Cut: cut}, &best) {
				t.Errorf("weights %v: cut at %v", weights, best.threshold)
			}
		}
		if !w.searcher.search(&Candidate{Function: forest.Linear([]int32{0, 1}, []float32{0.5, 0.25}), Cut: cut}, &best) {
			t.Error("a finite sum doesn't split")
		}
	}
}

// reportRows reports the time of a row.
func reportRows(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
}

func BenchmarkScan(b *testing.B) {
	for _, c := range []struct {
		name      string
		classes   int
		criterion forest.Criterion
		weighted  bool
	}{
		{"gini2", 2, forest.Gini, false},
		{"gini10", 10, forest.Gini, false},
		{"entropy2", 2, forest.Entropy, false},
		{"entropy10", 10, forest.Entropy, false},
		{"weightedgini2", 2, forest.Gini, true},
		{"weightedentropy2", 2, forest.Entropy, true},
		{"values", 0, forest.SquaredError, false},
	} {
		d := noise(4000, 1, c.classes)
		if c.weighted {
			d = weighted(d)
		}
		params := Params{Trees: 1, Growth: forest.Growth{Criterion: c.criterion}, Seed: 1}
		w, _ := atRoot(b, d, params)
		s, sample := &w.searcher, w.node.sample
		keys := s.keys[:w.node.Len()]
		for i := range keys {
			p := uint32(i)
			if sample.packed != nil {
				p = sample.packed[i]
			}
			keys[i] = NewKey(d.Columns[0][sample.ids[i]], p)
		}
		keys = SortKeys(keys, s.tmp)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				best := noCut()
				w.node.target.scan(s, keys, 0, &best)
			}
			reportRows(b, len(keys))
		})
	}
}
