package grow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

func TestDivideIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(floats(), 1, 60).Draw(t, "values")
		threshold := floats().Draw(t, "threshold")
		var want, right []int
		s := make([]int, len(values))
		for i, v := range values {
			s[i] = i
			if v <= threshold {
				want = append(want, i)
			} else {
				right = append(right, i)
			}
		}
		left := len(want)
		want = append(want, right...)
		if n := divide(s, make([]int, len(s)), values, threshold); n != left || !slices.Equal(s, want) {
			t.Fatalf("%d go left, in order %v; want %d, %v", n, s, left, want)
		}
	})
}

func TestDividePackedDividesBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(floats(), 1, 60).Draw(t, "values")
		threshold := floats().Draw(t, "threshold")
		ids, payload := make([]int32, len(values)), make([]uint32, len(values))
		for i := range ids {
			ids[i], payload[i] = int32(i)<<8, ^uint32(i)
		}
		wantIDs, wantPayload := slices.Clone(ids), slices.Clone(payload)
		left := divide(wantIDs, make([]int32, len(ids)), values, threshold)
		divide(wantPayload, make([]uint32, len(ids)), values, threshold)
		n := dividePacked(ids, payload, make([]key, len(ids)), values, threshold)
		if n != left || !slices.Equal(ids, wantIDs) || !slices.Equal(payload, wantPayload) {
			t.Fatalf("%d go left, in order %v %v; want %d, %v %v", n, ids, payload, left, wantIDs, wantPayload)
		}
	})
}

// Everything that travels with a row must still be that row's after a split.
func TestPartitionKeepsRowsTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, params := drawProblem(t)
		w, _ := atRoot(t, d, params)
		if w.pure {
			t.Skip("pure")
		}
		counts := params.Sampling.Counts(nil, d.N(), 0)
		var tree forest.Tree
		if !w.split(task{hi: len(w.bag.ids), parent: -1}, &tree) {
			t.Skip("not split")
		}
		root := tree.Nodes[0]
		sides := w.stack[len(w.stack)-2:]
		right, left := sides[0], sides[1]
		if left.lo != 0 || left.hi != right.lo || right.hi != len(w.bag.ids) || right.parent != 0 || left.parent != -1 {
			t.Fatalf("sides %+v and %+v of %d rows", left, right, len(w.bag.ids))
		}
		for i, r := range w.bag.ids {
			if (d.Columns[root.Split][r] <= root.Value) != (i < left.hi) {
				t.Fatalf("row %d with %v is on the wrong side of %v", r, d.Columns[root.Split][r], root.Value)
			}
			if i > 0 && i != left.hi && w.bag.ids[i-1] >= r {
				t.Fatalf("rows %d, %d out of order", w.bag.ids[i-1], r)
			}
			checkRow(t, w, i, d, params, counts[r])
		}
	})
}

func checkRow(t *rapid.T, w *worker, i int, d *datasets.Dataset, params Params, count uint16) {
	r := w.bag.ids[i]
	if w.packed() {
		if p := w.bag.payload[i]; classOf(p) != uint32(d.Labels[r]) || countOf(p) != int64(count) {
			t.Fatalf("row %d has class %d and count %d, want %d and %d", r, classOf(p), countOf(p), d.Labels[r], count)
		}
		return
	}
	weight := float64(count)
	if d.Weights != nil {
		weight *= float64(d.Weights[r])
	}
	if c := params.Growth.ClassWeights; c != nil {
		weight *= c[d.Labels[r]]
	}
	if diff := w.bag.weight(i) - weight; diff > 1e-12 || diff < -1e-12 || w.bag.drawn[i] != count {
		t.Fatalf("row %d has weight %v and count %d, want %v and %d", r, w.bag.weight(i), w.bag.drawn[i], weight, count)
	}
	if d.Values != nil && w.bag.values[i] != d.Values[r] || d.Labels != nil && w.bag.labels[i] != d.Labels[r] {
		t.Fatalf("row %d has another row's target", r)
	}
}

// The rounding of a projection is prescribed, so that training and prediction
// agree on every row.
func TestProjectRoundsAsThePoolPrescribes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(1, 5).Draw(t, "p")
		columns := make([][]float32, p)
		dir := Direction{}
		for j := range columns {
			cell := rapid.OneOf(floats(), rapid.Map(rapid.IntRange(-1<<23, 1<<23), func(i int) float32 { return float32(i) / 1e6 }))
			columns[j] = rapid.SliceOfN(cell, 7, 7).Draw(t, "column")
			dir.Index = append(dir.Index, int32(j))
			weight := rapid.SampledFrom([]float32{1, -1, 0.3, -0.7, 1. / 3, 0.9999999}).Draw(t, "weight")
			dir.Weights = append(dir.Weights, weight)
		}
		w := &worker{bag: &sample{ids: []int32{6, 2, 0, 5}}, near: near{columns: columns}, lo: 1, hi: 4}
		got := make([]float32, 3)
		w.project(got, dir)
		for i, r := range w.bag.ids[1:4] {
			var want float32
			for k, j := range dir.Index {
				product := dir.Weights[k] * columns[j][r]
				want = float32(want + float32(product))
			}
			if got[i] != want && !(got[i] != got[i] && want != want) {
				t.Fatalf("row %d projects to %v, want %v", r, got[i], want)
			}
		}
	})
}

func TestAxesDrawsFeaturesOnce(t *testing.T) {
	const p, m = 7, 3
	a := NewAxes(p, m)
	var first, all [p]int
	const nodes = 7000
	for node := range nodes {
		rng := forest.NewRand(uint64(node))
		a.Begin(&rng)
		seen := map[int32]bool{}
		found := false
		for {
			dir, ok := a.Next(found)
			if !ok {
				break
			}
			if len(dir.Index) != 1 || dir.Weights[0] != 1 || seen[dir.Index[0]] {
				t.Fatalf("node %d: direction %v, seen %v", node, dir, seen)
			}
			if len(seen) == 0 {
				first[dir.Index[0]]++
			}
			seen[dir.Index[0]] = true
			if len(seen) <= m {
				all[dir.Index[0]]++
			}
			found = len(seen) >= node%9 // 0: at once; p and more: never
		}
		if want := min(p, max(m, node%9)); len(seen) != want {
			t.Fatalf("node %d: %d features, want %d", node, len(seen), want)
		}
	}
	// χ²(6): 1e-4 of it lies above 27.9. Inclusion has a smaller variance than
	// independent draws, by (p−m)/(p−1).
	if chi := chiSquare(first[:], nodes/p); chi > 27.9 {
		t.Errorf("first features %v: χ² = %.1f", first, chi)
	}
	if chi := chiSquare(all[:], nodes*m/p) * (p - 1) / (p - m); chi > 27.9 {
		t.Errorf("features %v: χ² = %.1f", all, chi)
	}
}

func chiSquare(counts []int, want float64) float64 {
	var chi float64
	for _, n := range counts {
		chi += (float64(n) - want) * (float64(n) - want) / want
	}
	return chi
}

// What a node draws depends on its stream alone, not on nodes before.
func TestAxesForgetsTheNodeBefore(t *testing.T) {
	used := NewAxes(9, 4)
	for node := range 50 {
		draw := func(a *Axes, found bool) (features []int32) {
			rng := forest.NewRand(uint64(node))
			a.Begin(&rng)
			for dir, ok := a.Next(found); ok; dir, ok = a.Next(found) {
				features = append(features, dir.Index[0])
			}
			return features
		}
		if got, want := draw(used, node%2 == 0), draw(NewAxes(9, 4), node%2 == 0); !slices.Equal(got, want) {
			t.Fatalf("node %d draws %v, want %v", node, got, want)
		}
	}
}

// A tree that has room needs one allocation, the copy without spare room: the
// node loop itself needs none, whatever the method and the number of nodes.
func TestNodeLoopDoesNotAllocate(t *testing.T) {
	for _, classes := range []int{0, 2, 4} {
		for _, weighted := range []bool{false, true} {
			for _, random := range []bool{false, true} {
				d := noise(3000, 6, classes)
				if weighted {
					d.Weights = slices.Repeat([]float32{1.5}, d.N())
				}
				params := Params{Trees: 1, Sampling: forest.Bootstrap(1), RandomThreshold: random,
					Directions: func(p int) Directions { return &sums{p: p} }}
				x, err := newData(d, params)
				if err != nil {
					t.Fatal(err)
				}
				w := newWorker(x, params, newCrew())
				var tree forest.Tree
				w.grow(0, &tree) // warms the worker up
				if len(tree.Nodes) < 500 {
					t.Fatalf("%d nodes prove little", len(tree.Nodes))
				}
				// One for each slice of the tree that is handed out.
				allocs := testing.AllocsPerRun(3, func() { w.grow(0, &tree) })
				if allocs > 5 {
					t.Errorf("%d classes, weighted %v, random %v: %v allocations for %d nodes", classes, weighted, random, allocs, len(tree.Nodes))
				}
			}
		}
	}
}

// sums draws the sums of two features.
type sums struct {
	p, n    int
	rng     *forest.Rand
	index   [2]int32
	weights [2]float32
}

func (s *sums) Begin(rng *forest.Rand) { s.rng, s.n = rng, 0 }

func (s *sums) Next(found bool) (Direction, bool) {
	if s.n == 3 {
		return Direction{}, false
	}
	s.n++
	j := s.rng.Intn(s.p - 1)
	s.index, s.weights = [2]int32{int32(j), int32(j + 1)}, [2]float32{1, -1}
	return Direction{Index: s.index[:], Weights: s.weights[:]}, true
}

// endless draws the same direction for ever and calls off at the fifth.
type endless struct {
	n   int
	off func()
}

func (e *endless) Begin(*forest.Rand) {}

func (e *endless) Next(bool) (Direction, bool) {
	if e.n++; e.n == 5 {
		e.off()
	}
	return Direction{Index: []int32{0}, Weights: []float32{1}}, true
}

// A single node, on a single core, must notice.
func TestCancelWithinANode(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, classes := range []int{0, 2} {
		ctx, cancel := context.WithCancel(context.Background())
		params := Params{Trees: 1, Directions: func(int) Directions { return &endless{off: cancel} }}
		if f, err := Forest(ctx, noise(100, 1, classes), params); f != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	}
}

// noise returns n rows whose target has nothing to do with them.
func noise(n, p, classes int) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(1, 2))
	d := &datasets.Dataset{Classes: make([]string, classes)}
	for range p {
		col := make([]float32, n)
		for i := range col {
			col[i] = float32(rng.NormFloat64())
		}
		d.Columns = append(d.Columns, col)
		d.Features = append(d.Features, datasets.Feature{})
	}
	for range n {
		if classes == 0 {
			d.Values = append(d.Values, rng.NormFloat64())
		} else {
			d.Labels = append(d.Labels, int32(rng.IntN(classes)))
		}
	}
	return d
}

// A bootstrap sample may miss every row that has weight.
func TestSampleWithoutWeight(t *testing.T) {
	d := noise(60, 2, 2)
	d.Weights = make([]float32, d.N())
	d.Labels[0], d.Labels[1] = 0, 1
	d.Weights[0], d.Weights[1] = 1, 1
	values := noise(60, 2, 0)
	values.Weights = d.Weights
	values.Values[0], values.Values[1] = 3, 5
	for _, d := range []*datasets.Dataset{d, values} {
		params := Params{Trees: 200, Sampling: forest.Bootstrap(1), Directions: func(p int) Directions { return NewAxes(p, p) }}
		f, err := Forest(context.Background(), d, params)
		if err != nil {
			t.Fatal(err)
		}
		missed := 0
		for i, tree := range f.Trees {
			counts := params.Sampling.Counts(nil, d.N(), i)
			if counts[0] > 0 || counts[1] > 0 {
				continue
			}
			missed++
			// Such a tree sees all rows that have weight.
			if len(tree.Nodes) != 3 || tree.Nodes[1].Weight != 1 || tree.Nodes[2].Weight != 1 {
				t.Errorf("tree %d: nodes %+v", i, tree.Nodes)
			}
		}
		if missed == 0 {
			t.Error("no tree missed both rows: the test proves nothing")
		}
		if _, err := f.MarshalBinary(); err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkGrow(b *testing.B) {
	for _, n := range []int{1000, 20000} {
		for _, classes := range []int{0, 2, 10} {
			d := noise(n, 20, classes)
			params := Params{Trees: 1, Sampling: forest.Bootstrap(1), Directions: func(p int) Directions { return NewAxes(p, 4) }}
			x, err := newData(d, params)
			if err != nil {
				b.Fatal(err)
			}
			w := newWorker(x, params, newCrew())
			b.Run(fmt.Sprintf("%d/%d", n, classes), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					var tree forest.Tree
					w.grow(0, &tree)
				}
			})
		}
	}
}

func TestCheckRows(t *testing.T) {
	if err := CheckRows(1 << 30); err != nil {
		t.Error(err)
	}
	if err := CheckRows(1<<30 + 1); err == nil || !strings.Contains(err.Error(), "1073741825 rows") {
		t.Errorf("error %v; want one with the number of rows", err)
	}
}

func TestCheckCoefficients(t *testing.T) {
	if err := checkCoefficients(math.MaxInt32); err != nil {
		t.Error(err)
	}
	if err := checkCoefficients(math.MaxInt32 + 1); err == nil || !strings.Contains(err.Error(), "2147483648 coefficients") {
		t.Errorf("error %v", err)
	}
}

// A failure of one worker must stop the others.
func TestFailureStopsWorkers(t *testing.T) {
	c := newCrew()
	params := Params{Method: "test", Trees: 1, Directions: func(p int) Directions { return &sums{p: p} }}
	x, err := newData(noise(100, 4, 2), params)
	if err != nil {
		t.Fatal(err)
	}
	c.fail(errors.New("reason"))
	if newWorker(x, params, c).grow(0, new(forest.Tree)) || (*c.failure.Load()).Error() != "reason" {
		t.Error("went on")
	}
}
