package ccf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// A witness is a source that shows each draw to a function.
type witness struct {
	*source
	saw func(node *grow.Node, s *source)
}

func (w witness) Draw(node *grow.Node, attempt int) bool {
	ok := w.source.Draw(node, attempt)
	if ok {
		w.saw(node, w.source)
	}
	return ok
}

// watch grows trees one after another and calls saw after each draw that has features.
func watch(t *testing.T, d *datasets.Dataset, m, trees int, sampling forest.Sampling,
	saw func(node *grow.Node, s *source)) []forest.Tree {
	t.Helper()
	grown := make([]forest.Tree, trees)
	spec := &grow.Spec{Source: func() grow.Source { return witness{newSource(m, len(d.Classes), deviations(d)), saw} }}
	for k := range grown { // each from another seed
		e := must.Value(grow.New(d, grow.Params{Method: "ccf", Trees: 1, Growth: forest.Growth{Criterion: forest.Entropy},
			Sampling: sampling, Seed: uint64(k)}))
		must.Do(e.Grow(t.Context(), grown[k:k+1], 0, func(int) *grow.Spec { return spec }))
	}
	return grown
}

// grid returns rows whose cells are whole numbers below values, with independent classes.
func grid(n, p, classes, values int, seed uint64) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(seed, 2))
	d := &datasets.Dataset{Columns: make([][]float32, p), Features: make([]datasets.Feature, p),
		Classes: make([]string, classes)}
	for i := range n {
		for j := range d.Columns {
			d.Columns[j] = append(d.Columns[j], float32((j+1)*rng.IntN(values)))
		}
		d.Labels = append(d.Labels, int32(i%classes))
	}
	return d
}

// oneCore makes the test run on one core until it ends.
func oneCore(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// distinct returns the number of different rows among those listed, in the drawn features.
func distinct(s *source, rows []int32) int {
	seen := map[string]bool{}
	for _, i := range rows {
		var cells []float32
		for k := range s.Features {
			cells = append(cells, s.Columns[k][i])
		}
		seen[fmt.Sprint(cells)] = true
	}
	return len(seen)
}

// Combinations come from a bootstrap sample of the node's rows or, if that has one class or one
// point, from all of them (Algorithm 2, lines 6 to 11).
func TestProjectionBootstrap(t *testing.T) {
	oneCore(t)
	var samples, whole, drawn, listed int
	d := grid(60, 5, 3, 7, 1)
	watch(t, d, 3, 20, forest.AllRows, func(node *grow.Node, s *source) {
		n := node.Len()
		all := make([]int32, n)
		column := make([]float32, n)
		for i := range all {
			all[i] = int32(i)
		}
		for k, j := range s.Features {
			if node.Column(column, j); !slices.Equal(column, s.Columns[k]) || grow.Constant(column) {
				t.Fatalf("feature %d of the node is read as %v", j, s.Columns[k])
			}
		}
		if !slices.IsSorted(s.Features) || len(slices.Compact(slices.Clone(s.Features))) != len(s.Features) ||
			len(s.Features) > 3 {
			t.Fatalf("features %v", s.Features)
		}
		sum := 0
		for i, times := range s.times {
			sum += int(times)
			at := slices.Index(s.sample.rows, int32(i))
			if (at >= 0) != (times > 0) {
				t.Fatalf("row %d was drawn %d times and is number %d of the sample", i, times, at)
			}
			if at < 0 {
				continue
			}
			if s.sample.weights[at] != float64(times) || s.sample.Classes[s.sample.slots[at]] != node.Label(i) {
				t.Fatalf("row %d, drawn %d times, of class %d: weight %v and class %d", i, times, node.Label(i),
					s.sample.weights[at], s.sample.Classes[s.sample.slots[at]])
			}
		}
		if sum != n || len(s.sample.Classes) < 2 {
			t.Fatalf("%d of %d rows drawn, of %d classes", sum, n, len(s.sample.Classes))
		}
		if points := distinct(s, s.sample.rows); points < 2 || min(points, 3) != s.distinctRows() {
			t.Fatalf("the sample has %d different rows, %d counted", points, s.distinctRows())
		}
		if n >= 40 {
			drawn += n
			listed += len(s.sample.rows)
		}
		if len(s.sample.rows) == n {
			whole++
		} else {
			samples++
		}
	})
	// A bootstrap sample of n rows lists n(1 − (1 − 1/n)ⁿ) ≈ 0.636 n of them for n = 50.
	if share := float64(listed) / float64(drawn); math.Abs(share-0.636) > 0.03 {
		t.Errorf("samples list %.3f of the rows, want 0.636", share)
	}
	if whole == 0 || samples == 0 {
		t.Errorf("%d samples are all rows, %d a part", whole, samples)
	}
}

// If all features are drawn, the trees are bagged and nothing is drawn at nodes.
func TestAllFeaturesTakeAllRows(t *testing.T) {
	oneCore(t)
	watch(t, grid(60, 4, 3, 7, 1), 4, 5, forest.Sampling{}, func(node *grow.Node, s *source) {
		if len(s.sample.rows) != node.Len() {
			t.Fatalf("%d of %d rows are in the sample", len(s.sample.rows), node.Len())
		}
		for k, i := range s.sample.rows {
			if s.sample.weights[k] != node.Weight(int(i)) {
				t.Fatalf("row %d weighs %v, want %v", i, s.sample.weights[k], node.Weight(int(i)))
			}
		}
	})
}

// Two points are divided along the line through them, in standard deviations.
func TestTwoPoints(t *testing.T) {
	oneCore(t)
	d := &datasets.Dataset{
		Features: make([]datasets.Feature, 3),
		Columns:  [][]float32{{1, 1, 4, 4, 4}, {10, 10, 2, 2, 2}, {5, 5, 5, 5, 5}},
		Labels:   []int32{0, 0, 1, 1, 0},
		Classes:  []string{"a", "b"},
	}
	tree := watch(t, d, 2, 1, forest.AllRows, func(*grow.Node, *source) {})[0]
	root := tree.Splits.At(tree.Nodes[0].Split)
	// Variances are 3²·6/25 and 8²·6/25, so the weights' ratio is (3/9)/(−8/64).
	if len(tree.Nodes) != 3 || !slices.Equal(root.Features, []int32{0, 1}) ||
		math.Abs(float64(root.Weights[0]/root.Weights[1])+8.0/3) > 1e-6 {
		t.Errorf("root %+v of %d nodes, want weights in proportion 8 to −3", root, len(tree.Nodes))
	}
}

// The threshold and the combination are the best by entropy over all of the node's rows,
// though the combinations come from a sample of them.
func TestBestSplitOfAllRows(t *testing.T) {
	oneCore(t)
	for seed := range uint64(40) {
		d := grid(50, 6, 4, 1000, seed)
		var candidates [][]float64 // values of the root's rows
		watch(t, d, 3, 1, forest.AllRows, func(node *grow.Node, s *source) {
			if candidates != nil || node.Depth() > 0 {
				return
			}
			for c := s.Next(); c != nil; c = s.Next() {
				values := make([]float64, d.N())
				for i := range values {
					for k, j := range c.Features {
						values[i] += float64(c.Weights[k]) * float64(d.Columns[j][i])
					}
				}
				candidates = append(candidates, values)
			}
		})
		if len(candidates) != 3 {
			t.Fatalf("%d combinations of 3 features and 4 classes", len(candidates))
		}
		want := math.Inf(1)
		for _, values := range candidates {
			for _, cut := range values {
				want = min(want, entropies(d, values, cut))
			}
		}
		// The same draws again, by the learner.
		f := must.Value(Learner{Trees: 1, NodeFeatures: 3, MaxDepth: 1}.Fit(t.Context(), d))
		root := f.Trees[0].Nodes[0]
		fn := f.Trees[0].Splits.At(root.Split)
		values := make([]float64, d.N())
		for i := range values {
			for k, j := range fn.Features {
				values[i] += float64(fn.Weights[k]) * float64(d.Columns[j][i])
			}
		}
		if got := entropies(d, values, float64(root.Value)); math.Abs(got-want) > 1e-9 {
			t.Errorf("seed %d: entropy %v after the root, the best is %v", seed, got, want)
		}
	}
}

// entropies returns the entropy of the rows on both sides of a cut, times their number.
func entropies(d *datasets.Dataset, values []float64, cut float64) (sum float64) {
	for _, left := range []bool{true, false} {
		counts := make([]float64, len(d.Classes))
		total := 0.0
		for i, v := range values {
			if (v <= cut) == left {
				counts[d.Labels[i]]++
				total++
			}
		}
		for _, c := range counts {
			if c > 0 {
				sum -= c * math.Log(c/total)
			}
		}
	}
	return sum
}
