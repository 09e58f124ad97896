package forest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func TestImportanceByHand(t *testing.T) {
	f := &Forest{
		Features: []string{"a", "b", "c"}, Classes: []string{"n", "j"},
		Trees: []Tree{{
			// a + b and −a − b are one projection, 2a + 2b is another; −b is b;
			// c has no weight in the fifth, and the last is not used.
			Nodes: []Node{
				{Split: 3, Next: 2, Weight: 8},
				{Split: LeafClass},
				{Split: 4, Next: 4, Weight: 4},
				{Split: LeafClass},
				{Split: 5, Next: 6, Weight: 2},
				{Split: LeafClass},
				{Split: 6, Next: 8, Weight: 1},
				{Split: LeafClass},
				{Split: 7, Next: 10, Weight: 1},
				{Split: LeafClass},
				{Split: 1, Next: 12, Weight: 1},
				{Split: LeafClass},
				{Split: LeafClass},
			},
			Splits: Pool{
				Start:   []int32{0, 2, 4, 6, 7, 10, 11},
				Index:   []int32{0, 1, 0, 1, 0, 1, 1, 0, 1, 2, 2},
				Weights: []float32{1, 1, -1, -1, 2, 2, -1, 0, -3, 1, 1},
			},
		}, {
			Nodes: []Node{{Split: 3, Next: 2, Weight: 3}, {Split: LeafClass}, {Split: LeafClass}},
			Splits: Pool{
				Start: []int32{0, 2}, Index: []int32{0, 1}, Weights: []float32{1, 1},
			},
		}},
	}
	// In all 20: a + b 8 + 4 + 3, 2a + 2b 2, b 1 + 1, 3b − c 1. So a has half of
	// 17, b half of 17 and 2 and three quarters of 1, c a quarter of 1.
	want := []Projection{
		{[]int32{0, 1}, []float32{1, 1}, 15. / 20, 3},
		{[]int32{1}, []float32{1}, 2. / 20, 2},
		{[]int32{0, 1}, []float32{2, 2}, 2. / 20, 1},
		{[]int32{1, 2}, []float32{3, -1}, 1. / 20, 1},
	}
	if got := f.Projections(); !reflect.DeepEqual(got, want) {
		t.Errorf("projections\n%v\nwant\n%v", got, want)
	}
	for j, want := range []float64{8.5 / 20, 11.25 / 20, 0.25 / 20} {
		if got := f.Importance()[j]; math.Abs(got-want) > 1e-12 {
			t.Errorf("feature %d has importance %v, want %v", j, got, want)
		}
	}
}

func TestImportanceOfNothing(t *testing.T) {
	f := &Forest{Features: []string{"a", "b"}, Classes: []string{"n"}, Trees: []Tree{{Nodes: []Node{{Split: LeafClass}}}}}
	if got := f.Importance(); !slices.Equal(got, []float64{0, 0}) {
		t.Error(got)
	}
	if got := f.Projections(); len(got) != 0 {
		t.Error(got)
	}
}

// The oracle compares each split with every projection, coefficient by
// coefficient, and knows nothing of keys or of sharing within a tree.
func TestImportanceAgainstDenseCoefficients(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		p := 1 + rng.IntN(4)
		f := drawForest(rng, p, 2, 1+rng.IntN(4))
		var dense [][]float32
		var gain []float64
		var nodes []int
		feature := make([]float64, p)
		total := 0.0
		for i := range f.Trees {
			tree := &f.Trees[i]
			for _, n := range tree.Nodes {
				if n.IsLeaf() {
					continue
				}
				v := coefficients(tree, n, p)
				k := slices.IndexFunc(dense, func(w []float32) bool { return slices.Equal(v, w) || slices.Equal(v, negative(w)) })
				if k < 0 {
					k = len(dense)
					dense, gain, nodes = append(dense, v), append(gain, 0), append(nodes, 0)
				}
				gain[k] += float64(n.Weight)
				nodes[k]++
				total += float64(n.Weight)
				sum := 0.0
				for _, w := range v {
					sum += math.Abs(float64(w))
				}
				for j, w := range v {
					if w != 0 {
						feature[j] += float64(n.Weight) * math.Abs(float64(w)) / sum
					}
				}
			}
		}
		checkImportance(t, f, feature)
		got := f.Projections()
		if len(got) != len(dense) {
			t.Fatalf("%d projections, want %d", len(got), len(dense))
		}
		for i, g := range got {
			v := make([]float32, p)
			for k, j := range g.Index {
				v[j] = g.Weights[k]
			}
			if len(g.Weights) > 0 && g.Weights[0] <= 0 || slices.Contains(g.Weights, 0) {
				t.Fatalf("weights %v", g.Weights)
			}
			k := slices.IndexFunc(dense, func(w []float32) bool { return slices.Equal(v, w) || slices.Equal(v, negative(w)) })
			if k < 0 || nodes[k] != g.Splits {
				t.Fatalf("projection %v with %d splits isn't there", g, g.Splits)
			}
			nodes[k] = -1
			if want := gain[k] / max(total, 1e-300); math.Abs(g.Importance-want) > 1e-12 {
				t.Fatalf("projection %v has importance %v, want %v", g, g.Importance, want)
			}
			if i > 0 && g.Importance > got[i-1].Importance {
				t.Fatal("not sorted")
			}
		}
	}
}

func checkImportance(t *testing.T, f *Forest, want []float64) {
	t.Helper()
	total := 0.0
	for _, v := range want {
		total += v
	}
	for j, got := range f.Importance() {
		if total > 0 && math.Abs(got-want[j]/total) > 1e-12 || total == 0 && got != 0 {
			t.Fatalf("feature %d has importance %v, want %v of %v", j, got, want[j], total)
		}
	}
}

func coefficients(t *Tree, n Node, p int) []float32 {
	v := make([]float32, p)
	if int(n.Split) < p {
		v[n.Split] = 1
		return v
	}
	index, weights := t.Splits.At(int(n.Split) - p)
	for i, j := range index {
		v[j] = weights[i]
	}
	return v
}

func negative(v []float32) []float32 {
	w := make([]float32, len(v))
	for i := range v {
		w[i] = -v[i]
	}
	return w
}
