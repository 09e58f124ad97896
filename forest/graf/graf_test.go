package graf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/device"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// Sections 7.1 and 7.2: 100 trees, half of the features, as many trials.
func TestZeroValueIsThePaper(t *testing.T) {
	d := sim.Trunk{Features: 7}.Sample(80, 1)
	got := fitted(Learner{Seed: 3}, d)
	want := fitted(Learner{Trees: 100, TreeFeatures: 4, Candidates: 4, MinSplit: 2, Seed: 3}, d)
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got.Trees) != 100 || got.Rule != forest.Consensus {
		t.Error("the zero value isn't 100 trees of 4 of 7 features with 4 trials")
	}
	for features, want := range map[int]int{Log2: 3, Sqrt: 3, Half: 4, All: 7, 2: 2} {
		f := fitted(Learner{Trees: 1, TreeFeatures: features}, d)
		if plane := firstPlane(&f.Trees[0]); len(plane.Features) != want {
			t.Errorf("M = %d of 7 is a subspace of %d features, want %d", features, len(plane.Features), want)
		}
	}
}

func firstPlane(tree *forest.Tree) forest.Function {
	for _, fn := range tree.Splits.All() {
		return fn
	}
	panic("no planes")
}

func TestGrid(t *testing.T) {
	var got [][2]int
	for _, l := range (Learner{Candidates: 3}).Grid(&datasets.Dataset{Columns: make([][]float32, 10)}) {
		l := l.(Learner)
		if l.Candidates != 0 {
			t.Errorf("K = %d; want M", l.Candidates)
		}
		got = append(got, [2]int{l.TreeFeatures, l.MinSplit})
	}
	// log2 10 = 3.3, √10 = 3.2
	if want := [][2]int{{3, 2}, {3, 5}, {5, 2}, {5, 5}, {10, 2}, {10, 5}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The planes of a tree are over one subspace and are shared by its nodes, also after the
// forest has been saved and loaded.
func TestPlanesAreShared(t *testing.T) {
	d := sim.Hypercube{Features: 8}.Sample(0, 1)
	f := fitted(Learner{Trees: 3, TreeFeatures: 5, Seed: 1}, d)
	b := must.Value(f.MarshalBinary())
	var read forest.Forest
	must.Do(read.UnmarshalBinary(b))
	checkPlanesAreUsed(t, &read)
	for i, tree := range read.Trees {
		splits := len(tree.Nodes) - tree.Leaves()
		if planes := tree.Splits.Len(); planes*3 > splits {
			t.Errorf("tree %d has %d planes for %d splits", i, planes, splits)
		}
		first := firstPlane(&tree)
		for _, plane := range tree.Splits.All() {
			if len(plane.Features) != 5 || !slices.Equal(plane.Features, first.Features) {
				t.Fatalf("tree %d has a plane over features %v and one over %v", i, first.Features, plane.Features)
			}
		}
	}
}

// Every split of a tree of unshared planes has a plane of its own, so its model counts as that of an
// oblique tree (section 6): a split M+1 and 2 numbers, a leaf 1. A device isn't asked.
func TestUnsharedPlanes(t *testing.T) {
	d := sim.Hypercube{Features: 8}.Sample(0, 1)
	g := must.Value(Learner{Trees: 3, TreeFeatures: 5, Unshared: true, Seed: 1}.prepare(d))
	g.minProducts = 0
	f := must.Value(g.forest(t.Context(), forest.Options{Device: &plainDevice{loadErr: errors.New("it was asked")}}))
	size := 0
	for i, tree := range f.Trees {
		splits := len(tree.Nodes) - tree.Leaves()
		if planes := tree.Splits.Len(); planes != splits {
			t.Errorf("tree %d has %d planes for %d splits", i, planes, splits)
		}
		size += splits*(5+1+2) + tree.Leaves()
	}
	if got := inspect.ModelSize(f); got != size {
		t.Errorf("a model of %d numbers, want %d", got, size)
	}
}

// Predictions are those of eq. 18–20 and 22, computed from the leaves that rows reach.
func TestPosteriorsAndConsensus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := table(t)
		f := fitted(learner(t, d.P()), d)
		leaves := must.Value(f.Apply(t.Context(), d))
		totals := d.ClassCounts()
		scores := make([][]float64, d.N())
		for i := range scores {
			scores[i] = make([]float64, len(d.Classes))
			for tree := range f.Trees {
				h := make([]float64, len(d.Classes))
				sum := 0.0
				for k := range d.N() {
					if leaves[k][tree] == leaves[i][tree] {
						inverse := float64(d.N()) / float64(totals[d.Labels[k]])
						h[d.Labels[k]] += inverse
						sum += inverse
					}
				}
				for c := range h {
					scores[i][c] += math.Log2(1 + h[c]/sum)
				}
			}
		}
		for i, y := range must.Value(f.Predict(t.Context(), d)) {
			if best := slices.Max(scores[i]); scores[i][y] < best-1e-5 {
				t.Fatalf("row %d: class %d of score %v; the best is %v", i, y, scores[i][y], best)
			}
		}
	})
}

// A leaf has one class, equal rows in its tree's subspace, or fewer than MinSplit rows, and
// every split divides some rows.
func TestLeavesAreAsPureAsCanBe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := table(t)
		l := learner(t, d.P())
		l.TreeFeatures = All
		f := fitted(l, d)
		leaves := must.Value(f.Apply(t.Context(), d))
		for tree := range f.Trees {
			rows := map[int32][]int32{}
			for i := range leaves {
				rows[leaves[i][tree]] = append(rows[leaves[i][tree]], int32(i))
			}
			if len(rows) != f.Trees[tree].Leaves() {
				t.Fatalf("%d of %d leaves have rows", len(rows), f.Trees[tree].Leaves())
			}
			all := samples.UpTo(d.P())
			everyone := samples.UpTo(d.N())
			decrease := z(d, everyone) // the splits' weights sum up to what Z(S) has lost
			for _, n := range f.Trees[tree].Nodes {
				if !n.IsLeaf() {
					decrease -= float64(n.Weight)
				}
			}
			for _, rows := range rows {
				decrease -= z(d, rows)
			}
			if math.Abs(decrease) > 1e-4 {
				t.Fatalf("the weights of splits are off by %v in all", decrease)
			}
			for leaf, rows := range rows {
				n := f.Trees[tree].Leaf(int(leaf))
				if n.Weight != float32(len(rows)) {
					t.Fatalf("a leaf of %d rows has weight %v", len(rows), n.Weight)
				}
				pure := !slices.ContainsFunc(rows, func(i int32) bool { return d.Labels[i] != d.Labels[rows[0]] })
				if pure != (n.Kind == forest.LeafClass) {
					t.Fatalf("a leaf of kind %d has rows %v", n.Kind, rows)
				}
				if !pure && len(rows) >= max(2, l.MinSplit) && !alike(d, rows, all) {
					t.Fatalf("rows %v could be divided", rows)
				}
			}
		}
	})
}

// All features are equally likely to be in a tree's subspace, which depends on the seed.
func TestSubspaces(t *testing.T) {
	d := noise(30, 7, 2, 6)
	const trees = 2000
	f := fitted(Learner{Trees: trees, TreeFeatures: 3, Seed: 1}, d)
	counts := make([]float64, 7)
	for _, tree := range f.Trees {
		for _, j := range firstPlane(&tree).Features {
			counts[j]++
		}
	}
	for j, c := range counts {
		if p := 3. / 7; math.Abs(c-trees*p) > 5*math.Sqrt(trees*p*(1-p)) {
			t.Errorf("feature %d is in %v of %d trees, want about %v", j, c, trees, trees*p)
		}
	}
	if g := fitted(Learner{Trees: trees, TreeFeatures: 3, Seed: 2}, d); fmt.Sprint(f.Trees) == fmt.Sprint(g.Trees) {
		t.Error("two seeds give the same trees")
	}
}

func TestSameBytesOnAnyNumberOfCores(t *testing.T) {
	d := sim.Hypercube{Features: 7, Multiclass: true}.Sample(0, 2)
	for _, memory := range []forest.Memory{{}, {Alpha: 0.5, Beta: 1}} {
		fittest.SameBytes(t, fmt.Sprint(memory), Learner{Trees: 9, Memory: memory, Seed: 5}, d)
	}
}

// A view gives the same tree as a copy of its rows, and trees don't depend on each other.
func TestViewsAndFewerTrees(t *testing.T) {
	d := noise(90, 4, 3, 3)
	rows := make([]int32, 120)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range rows {
		rows[i] = int32(rng.IntN(90))
	}
	view := d.Subset(rows)
	whole := *view
	whole.Rows, whole.Columns = nil, nil
	for j := range view.Columns {
		whole.Columns = append(whole.Columns, view.Column(nil, j))
	}
	for _, m := range []int{2, All} {
		a := fitted(Learner{Trees: 3, TreeFeatures: m}, view)
		if b := fitted(Learner{Trees: 3, TreeFeatures: m}, &whole); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Error("a view and its copy give different forests")
		}
		if c := fitted(Learner{Trees: 5, TreeFeatures: m}, view); fmt.Sprint(a.Trees) != fmt.Sprint(c.Trees[:3]) {
			t.Error("the first trees depend on how many there are")
		}
	}
}

// Multiplying all cells by a power of two gives the same partition, also if cells become
// very large or very small.
func TestScale(t *testing.T) {
	d := noise(200, 3, 2, 4)
	want := fitted(Learner{Trees: 3, TreeFeatures: All}, d)
	for _, e := range []int{-100, -60, 40, 80, 126} {
		scaled := fittest.Times(d, e)
		fittest.SameLeaves(t, fmt.Sprint("cells times 2^", e), want, d, fitted(Learner{Trees: 3, TreeFeatures: All}, scaled),
			scaled)
	}
}

// For rows so close that the sums of every plane are rounded to one value, a plane that
// divides a single feature is drawn.
func TestRowsThatRoundingCantTellApart(t *testing.T) {
	d := noise(40, 2, 2, 5)
	for i := range d.Columns[0] {
		d.Columns[0][i] = 1e8
		d.Columns[1][i] = float32(i) * 1e-3
	}
	f := fitted(Learner{Trees: 4, TreeFeatures: All}, d)
	if got := eval.Error(must.Value(f.Predict(t.Context(), d)), d.Labels); got != 0 {
		t.Errorf("training error %v, want 0", got)
	}
	checkPlanesAreUsed(t, f)
}

// checkPlanesAreUsed fails if a plane divides nothing.
func checkPlanesAreUsed(t *testing.T, f *forest.Forest) {
	t.Helper()
	for i, tree := range f.Trees {
		used := map[int32]bool{}
		for _, n := range tree.Nodes {
			if !n.IsLeaf() {
				used[n.Split] = true
			}
		}
		if len(used) != tree.Splits.Len() {
			t.Errorf("tree %d uses %d of its %d planes", i, len(used), tree.Splits.Len())
		}
	}
}

// The threshold between two adjacent float32s must be rounded down to separate them.
func TestNeighbouringNumbers(t *testing.T) {
	d := noise(2, 1, 2, 1)
	ulp := float32(0x1p-23)
	d.Columns[0], d.Labels = []float32{1 + ulp, 1 + 2*ulp}, []int32{0, 1}
	f := fitted(Learner{Trees: 20}, d)
	if got := must.Value(f.Predict(t.Context(), d)); !slices.Equal(got, d.Labels) {
		t.Errorf("labels %v, want %v", got, d.Labels)
	}
}

// A huge cell scales the weights of the trees that see its feature, and of no
// others: these keep slanted planes.
func TestHugeCellStaysInItsSubspaces(t *testing.T) {
	d := noise(300, 4, 2, 1)
	d.Columns[0][0] = math.MaxFloat32
	f := fitted(Learner{Trees: 20, TreeFeatures: 2}, d)
	for i, tree := range f.Trees {
		for _, plane := range tree.Splits.All() {
			if plane.Features[0] != 0 && (plane.Weights[0] == 0 || plane.Weights[1] == 0) {
				t.Fatalf("tree %d has plane %v over features %v", i, plane.Weights, plane.Features)
			}
		}
	}
}

// The number of allocations for a tree doesn't depend on its number of steps.
func TestStepsAllocateNothing(t *testing.T) {
	allocs := func(n int) float64 {
		d := noise(n, 3, 2, 9)
		count := func(trees int) float64 {
			l := Learner{Trees: trees, TreeFeatures: All}
			return testing.AllocsPerRun(1, func() { fitted(l, d) })
		}
		return (count(20) - count(10)) / 10
	}
	if few, many := allocs(100), allocs(800); many > few+2 {
		t.Errorf("%v allocations a tree with 800 rows, %v with 100", many, few)
	}
}

// Cancellation takes effect within a tree, too.
func TestCancelledWithinATree(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	g := must.Value(Learner{}.prepare(noise(50, 2, 2, 1)))
	cancel()
	if err := newWorker(g).grow(ctx, 0, new(forest.Tree)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// Eq. 8 isn't concave where class sizes differ, though the text below it says
// that dividing a region never raises Z. With 1000 and 10 rows in all, a region of
// 200 and 10 has Z = 210·2·0.2·1/1.2²; once 5 rows of the small class are divided
// from it, 205·2·0.2·0.5/0.7².
func TestZMayRise(t *testing.T) {
	g := &grower{inv: []float64{1. / 1000, 1. / 10}}
	whole := g.impurity([]device.Run{{Class: 0, N: 200}, {Class: 1, N: 10}})
	parts := g.impurity([]device.Run{{Class: 0, N: 200}, {Class: 1, N: 5}}) + g.impurity([]device.Run{{Class: 1, N: 5}})
	if math.Abs(whole-84/1.44) > 1e-9 || math.Abs(parts-41/0.49) > 1e-9 || parts < whole {
		t.Errorf("Z goes from %v to %v; want from 58.3 to 83.7", whole, parts)
	}
}

func TestBadInput(t *testing.T) {
	good := noise(20, 3, 2, 1)
	weighted, values, missing := *good, *good, *good
	weighted.Weights = make([]float32, 20)
	values.Labels, values.Classes, values.Values = nil, nil, make([]float64, 20)
	missing.Columns = slices.Clone(good.Columns)
	missing.Columns[1] = slices.Clone(good.Columns[1])
	missing.Columns[1][7] = float32(math.NaN())
	for _, c := range []struct {
		want    string
		learner Learner
		data    *datasets.Dataset
	}{
		{"TreeFeatures 4", Learner{TreeFeatures: 4}, good},
		{"TreeFeatures -5", Learner{TreeFeatures: -5}, good},
		{"Trees -1", Learner{Trees: -1}, good},
		{"Candidates -1", Learner{Candidates: -1}, good},
		{"MinSplit -1", Learner{MinSplit: -1}, good},
		{"row 7", Learner{}, &missing},
		{"row weights", Learner{}, &weighted},
		{"want labels", Learner{}, &values},
	} {
		_, err := c.learner.Fit(t.Context(), c.data)
		readtest.WantError(t, err, c.want)
	}
}

func TestProgress(t *testing.T) {
	reports := 0
	ctx := forest.WithProgress(t.Context(), func(done, total int) {
		if reports++; done != reports || total != 5 {
			t.Errorf("report %d: tree %d of %d", reports, done, total)
		}
	})
	must.Value(Learner{Trees: 5}.Fit(ctx, noise(50, 2, 2, 1)))
	if reports != 5 {
		t.Errorf("%d reports; want 5", reports)
	}
}

func BenchmarkFit(b *testing.B) {
	fittest.Benchmark(b, map[string]*datasets.Dataset{
		"parity12":     sim.Hypercube{Features: 12}.Sample(14000, 1),
		"multiclass12": sim.Hypercube{Features: 12, Multiclass: true}.Sample(14000, 1),
	}, Learner{Trees: 10, TreeFeatures: All})
	fittest.Benchmark(b, map[string]*datasets.Dataset{
		"noise60": noise(2000, 60, 2, 1), "noise784": noise(500, 784, 10, 1),
	}, Learner{Trees: 2, TreeFeatures: All})
}

// Gains of eight planes in regions of few rows, of up to 255, and of more.
func BenchmarkGains(b *testing.B) {
	for _, classes := range []int{2, 10} {
		for _, n := range []int{12, 200, 2000} {
			b.Run(fmt.Sprintf("classes=%d/n=%d", classes, n), func(b *testing.B) {
				g := must.Value(Learner{TreeFeatures: All}.prepare(noise(n, 8, classes, 1)))
				w := newWorker(g)
				w.begin(0)
				rng := rand.New(rand.NewPCG(1, 1))
				sides := make([]uint8, n)
				for i := range sides {
					sides[i] = uint8(rng.Uint32())
				}
				var gains [8]float64
				for b.Loop() {
					w.addGains(&w.regions[0], sides, &gains, 8)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
			})
		}
	}
}
