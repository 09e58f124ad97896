package inspect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// leaf returns a leaf whose rows have the given class.
func leaf(class int32) forest.Node { return forest.ClassLeaf(class, 0) }

// drawForest returns a forest of random splits on single features.
func drawForest(rng *rand.Rand, p, classes, trees int) *forest.Forest {
	f := &forest.Forest{Sampling: forest.AllRows, Seed: rng.Uint64()}
	for j := range p {
		f.Features = append(f.Features, fmt.Sprintf("x%d", j))
	}
	for c := range classes {
		f.Classes = append(f.Classes, fmt.Sprintf("class %d", c))
	}
	for range trees {
		var t forest.Tree
		var grow func(depth int)
		grow = func(depth int) {
			if depth == 0 || rng.IntN(4) == 0 {
				t.Nodes = append(t.Nodes, leaf(int32(rng.IntN(max(1, classes)))))
				return
			}
			i := len(t.Nodes)
			t.Nodes = append(t.Nodes, forest.Node{Split: int32(rng.IntN(p)), Value: float32(rng.IntN(9)-4) / 4})
			grow(depth - 1)
			t.Nodes[i].Next = int32(len(t.Nodes))
			grow(depth - 1)
		}
		grow(5)
		f.Trees = append(f.Trees, t)
	}
	return f
}

// drawData returns n rows, and sets f's fields as if it was trained on them.
func drawData(rng *rand.Rand, f *forest.Forest, n int) *datasets.Dataset {
	d := &datasets.Dataset{Classes: slices.Clone(f.Classes), Labels: make([]int32, n)}
	for _, name := range f.Features {
		col := make([]float32, n)
		for i := range col {
			col[i] = float32(rng.IntN(17)-8) / 4
		}
		d.Features = append(d.Features, datasets.Feature{Name: name})
		d.Columns = append(d.Columns, col)
	}
	for i := range d.Labels {
		d.Labels[i] = int32(rng.IntN(max(1, len(f.Classes))))
	}
	f.Rows = n
	return d
}

// depths returns the number of splits above each node.
func depths(t *forest.Tree) []int {
	depth := make([]int, len(t.Nodes))
	for i, n := range t.Nodes {
		if !n.IsLeaf() {
			depth[i+1], depth[n.Next] = depth[i]+1, depth[i]+1
		}
	}
	return depth
}

// With one row a leaf every rank is 1 and eq. 30–33 can be done by hand: a tree
// of three leaves, at depths 1, 2 and 2.
func TestSensitivityByHand(t *testing.T) {
	f := &forest.Forest{
		Features: []string{"x"}, Classes: []string{"a", "b"},
		Trees: []forest.Tree{{Nodes: []forest.Node{
			{Split: 0, Next: 2, Value: 0.5},
			leaf(0),
			{Split: 0, Next: 4, Value: 1.5},
			leaf(0),
			leaf(1),
		}}},
	}
	train := drawData(rand.New(rand.NewPCG(1, 1)), f, 3)
	train.Columns[0], train.Labels = []float32{0, 1, 2}, []int32{0, 0, 1}
	s := must.Value(Sensitivity(context.Background(), f, train))
	want := []float64{math.Log(1 + 1./3), math.Log(1 + 2./3), math.Log(1 + 2./2)}
	sum := want[0] + want[1] + want[2]
	for i, w := range want {
		if math.Abs(s.Scores[i]-w) > 1e-15 || math.Abs(s.P[i]-w/sum) > 1e-15 {
			t.Errorf("row %d: ŝ = %v and p = %v, want %v and %v", i, s.Scores[i], s.P[i], w, w/sum)
		}
	}
}

// Where no tree has a split, all rows are as likely.
func TestSensitivityOfLeaves(t *testing.T) {
	f := &forest.Forest{Features: []string{"x"}, Classes: []string{"a", "b"},
		Trees: []forest.Tree{{Nodes: []forest.Node{leaf(0)}}}}
	s := must.Value(Sensitivity(t.Context(), f, drawData(rand.New(rand.NewPCG(1, 1)), f, 4)))
	if !slices.Equal(s.P, []float64{0.25, 0.25, 0.25, 0.25}) || slices.Max(s.Scores) != 0 {
		t.Errorf("scores %v, probabilities %v", s.Scores, s.P)
	}
}

// A row's rank is among all rows of its leaf, whatever their class, by an order that all trees
// share. Here a leaf at depth 1 has a row of each class, and class a has another row, alone in
// a leaf at depth 1. So the share of class a's row in the mixed leaf is 1/2 or 1/3, equally often
// over seeds, and the same in all trees of a forest.
func TestRanksAreRandomAndKeptOverTrees(t *testing.T) {
	f := &forest.Forest{Features: []string{"x"}, Classes: []string{"a", "b"}}
	for range 1000 {
		f.Trees = append(f.Trees, forest.Tree{Nodes: []forest.Node{{Split: 0, Next: 2, Value: 0.5}, leaf(0), leaf(1)}})
	}
	train := drawData(rand.New(rand.NewPCG(1, 1)), f, 3)
	train.Columns[0], train.Labels = []float32{0, 1, 1}, []int32{0, 0, 1}
	first, second := 0, 0
	for i := range f.Trees {
		g := *f
		g.Trees, g.Seed = f.Trees[i:i+1], uint64(i)
		s := must.Value(Sensitivity(context.Background(), &g, train))
		switch share := math.Expm1(s.Scores[1]); {
		case math.Abs(share-1./2) < 1e-12:
			first++
		case math.Abs(share-1./3) < 1e-12:
			second++
		default:
			t.Fatalf("a share of %v", share)
		}
	}
	if math.Abs(float64(first-second)) > 5*math.Sqrt(1000) {
		t.Errorf("first %d times, second %d times", first, second)
	}
}

// The scores are the mean over trees, however many are computed together, and the same
// on any number of cores.
func TestSensitivityTreeByTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, n := range []int{300, 5000, rowsAtOnce + 700} {
		if testing.Short() && n != 5000 {
			continue
		}
		f := drawForest(rng, 4, 3, 2*partialSums+3)
		train := drawData(rng, f, n)
		if n == 300 {
			rows := make([]int32, n)
			for i := range rows {
				rows[i] = int32(rng.IntN(n))
			}
			train = train.Subset(rows)
		}
		want := make([]float64, n)
		order := rankOrder(f.Seed, n)
		leaves := must.Value(f.Apply(t.Context(), train))
		for i := range f.Trees {
			depth, ranked := depths(&f.Trees[i]), make([]int, len(f.Trees[i].Nodes))
			theta, total := make([]float64, n), make([]float64, 3)
			for _, row := range order {
				leaf := leaves[row][i]
				ranked[leaf]++
				theta[row] = float64(depth[leaf]) / float64(ranked[leaf])
				total[train.Labels[row]] += theta[row]
			}
			for row, v := range theta {
				if v > 0 {
					want[row] += math.Log(1+v/total[train.Labels[row]]) / float64(len(f.Trees))
				}
			}
		}
		var first []float64
		for _, cores := range []int{1, 3, 20} {
			old := runtime.GOMAXPROCS(cores)
			s, err := Sensitivity(context.Background(), f, train)
			runtime.GOMAXPROCS(old)
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range s.Scores {
				if math.Abs(got-want[i]) > 1e-9*want[i]+1e-15 {
					t.Fatalf("row %d of %d: %v, want %v", i, n, got, want[i])
				}
			}
			if first == nil {
				first = s.Scores
			} else if !slices.Equal(first, s.Scores) {
				t.Errorf("%d cores give other scores for %d rows", cores, n)
			}
		}
	}
}

// An applier finds leaves as the forest does, and counts.
type applier struct {
	calls, rowTrees int
	err             error
}

func (a *applier) Apply(f *forest.Forest, d *datasets.Dataset) ([][]int32, error) {
	a.calls++
	a.rowTrees += d.N() * len(f.Trees)
	return must.Value(f.Apply(context.Background(), d)), a.err
}

// Another function that finds leaves is asked for every row and tree once, and the scores are the same.
func TestSensitivityBy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, n := range []int{300, rowsAtOnce + 700} {
		if testing.Short() && n > rowsAtOnce {
			continue
		}
		f := drawForest(rng, 4, 3, 2*partialSums+3)
		train := drawData(rng, f, n)
		want := must.Value(Sensitivity(context.Background(), f, train))
		a := &applier{}
		got, err := SensitivityBy(context.Background(), f, train, a.Apply)
		if err != nil || !slices.Equal(got.Scores, want.Scores) {
			t.Errorf("%d rows: other scores, or error %v", n, err)
		}
		if a.calls != 1 || a.rowTrees != n*len(f.Trees) {
			t.Errorf("%d rows: %d calls for %d rows times trees; want 1 for %d", n, a.calls, a.rowTrees, n*len(f.Trees))
		}
		a.err = errors.New("no device")
		if s, err := SensitivityBy(context.Background(), f, train, a.Apply); s != nil || !errors.Is(err, a.err) {
			t.Errorf("error %v; want %v", err, a.err)
		}
	}
}

func TestApproximate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	f := drawForest(rng, 3, 2, 1)
	train := drawData(rng, f, 10)
	train.Columns[0] = []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	s := &RowScores{Scores: make([]float64, 10), P: make([]float64, 10), train: train}
	for i := range s.Scores {
		s.Scores[i] = float64((i*7 + 3) % 10)
		s.P[i] = s.Scores[i] / 45
	}
	d := must.Value(s.Approximate(0.3, ByRank, 0))
	// Scores 3 0 7 4 1 8 5 2 9 6: the largest are 9, 8 and 7.
	if got, want := d.Column(nil, 0), []float32{2, 5, 8}; !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
	// One row of ten, many times: row i is drawn with probability p_i, or uniformly.
	const draws = 20000
	for _, by := range []Selection{ByProbability, Uniformly} {
		counts := make([]float64, 10)
		for seed := range uint64(draws) {
			d := must.Value(s.Approximate(0.1, by, seed))
			counts[int(d.At(0, 0))]++
		}
		for i, c := range counts {
			p := 0.1
			if by == ByProbability {
				p = s.P[i]
			}
			if math.Abs(c-draws*p) > 5*math.Sqrt(draws*p*(1-p)) {
				t.Errorf("selection %d: row %d came %v times of %d, want about %v", by, i, c, draws, draws*p)
			}
		}
	}
	// Drawing nine rows without replacement leaves out only the one of probability 0.
	if d = must.Value(s.Approximate(0.9, ByProbability, 5)); d.N() != 9 || slices.Contains(d.Column(nil, 0), 1) {
		t.Errorf("rows %v; want all but row 1, of probability 0", d.Column(nil, 0))
	}
	for _, fraction := range []float64{0, -1, 1.5, math.NaN()} {
		if _, err := s.Approximate(fraction, ByRank, 0); err == nil {
			t.Errorf("a fraction of %v is no error", fraction)
		}
	}
}

func TestSensitivityNeedsItsTrainingData(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	f := drawForest(rng, 3, 2, 2)
	train := drawData(rng, f, 10)
	f.Rows = 11
	_, err := Sensitivity(context.Background(), f, train)
	readtest.WantError(t, err, "11 rows; these have 10")
	f.Rows = 10
	train.Labels = nil
	_, err = Sensitivity(context.Background(), f, train)
	readtest.WantError(t, err, "no labels")
	other := drawData(rng, f, 10)
	other.Classes = []string{"class 0", "class 2"}
	_, err = Sensitivity(context.Background(), f, other)
	readtest.WantError(t, err, "trained on classes")
	r := drawForest(rng, 3, 0, 2)
	_, err = Sensitivity(context.Background(), r, drawData(rng, r, 10))
	readtest.WantError(t, err, "classes")
}

func BenchmarkSensitivity(b *testing.B) {
	train := sim.Trunk{Features: 20}.Sample(5000, 1)
	for _, l := range []forest.Learner{rf.Learner{Trees: 100, Seed: 1}, sporf.Learner{Trees: 100, Seed: 1},
		graf.Learner{Trees: 100, Seed: 1}} {
		f := fitted(b, l, train)
		b.Run(f.Method, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Sensitivity(context.Background(), f, train); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
