package forest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// pool returns a pool of the given functions.
func pool(functions ...Function) (s Pool) {
	for _, fn := range functions {
		s.Add(fn)
	}
	return s
}

// Splits that raise impurity count as negative. A feature with a negative total has
// importance 0, and the others sum to 1.
func TestImportanceIsNeverNegative(t *testing.T) {
	stump := func(split int32, gain float32) Tree {
		return Tree{
			Nodes:  []Node{{Split: split, Next: 2, Weight: gain}, ValueLeaf(0, 1), ValueLeaf(0, 1)},
			Splits: pool(Linear([]int32{0, 1}, []float32{1, -1})),
		}
	}
	f := &Forest{Features: []string{"a", "b", "c"}, Trees: []Tree{stump(1<<30, -4), stump(0, 8), stump(1, 1), stump(2, 2),
		stump(2, -1)}}
	// a has −2 + 8, b −2 + 1, c 2 − 1.
	if got, want := f.Importance(), []float64{6. / 7, 0, 1. / 7}; !slices.Equal(got, want) {
		t.Errorf("importances %v, want %v", got, want)
	}
	want := []Projection{
		{[]int32{0}, []float32{1}, 8. / 6, 1},
		{[]int32{2}, []float32{1}, 1. / 6, 2},
		{[]int32{1}, []float32{1}, 1. / 6, 1},
		{[]int32{0, 1}, []float32{1, -1}, -4. / 6, 1},
	}
	if got := f.Projections(); !reflect.DeepEqual(got, want) {
		t.Errorf("projections %v, want %v", got, want)
	}
	f.Trees = f.Trees[:1]
	if got := f.Importance(); !slices.Equal(got, []float64{0, 0, 0}) {
		t.Errorf("importances %v, want zeros", got)
	}
}

// The oracle compares each split with every projection, coefficient by coefficient, and
// uses neither keys nor shared functions. It has the whole symmetric matrix of quadratics.
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
				total += float64(n.Weight)
				v, matrix := coefficients(tree, n, p)
				magnitude, sum := make([]float64, p), 0.0
				for j := range p {
					magnitude[j] = math.Abs(float64(v[j]))
					for _, q := range matrix[j] {
						magnitude[j] += math.Abs(float64(q))
					}
					sum += magnitude[j]
				}
				for j, m := range magnitude {
					if m != 0 {
						feature[j] += float64(n.Weight) * m / sum
					}
				}
				if kind := tree.Splits.At(n.Split).Kind; kind == Quadratic || kind == LowRank {
					continue
				}
				k := slices.IndexFunc(dense, func(w []float32) bool { return slices.Equal(v, w) || slices.Equal(v, negative(w)) })
				if k < 0 {
					k = len(dense)
					dense, gain, nodes = append(dense, v), append(gain, 0), append(nodes, 0)
				}
				gain[k] += float64(n.Weight)
				nodes[k]++
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
			want := gain[k]
			if total > 0 {
				want /= total
			}
			if math.Abs(g.Importance-want) > 1e-12 {
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
	for j, v := range want {
		want[j] = max(0, v)
		total += want[j]
	}
	for j, got := range f.Importance() {
		if total > 0 && math.Abs(got-want[j]/total) > 1e-12 || total == 0 && got != 0 {
			t.Fatalf("feature %d has importance %v, want %v of %v", j, got, want[j], total)
		}
	}
}

// coefficients returns the weights of a split's function for all features, and the
// symmetric matrix of a Quadratic, or the sum over the squares of a LowRank of their
// absolute matrices.
func coefficients(t *Tree, n Node, p int) ([]float32, [][]float32) {
	v, matrix := make([]float32, p), make([][]float32, p)
	if int(n.Split) < p {
		v[n.Split] = 1
		return v, matrix
	}
	fn := t.Splits.At(n.Split)
	next := 0
	for i, j := range fn.Features {
		v[j] = fn.Weights[i]
		for _, k := range fn.Features[:i+1] {
			if fn.Kind != Quadratic {
				break
			}
			for _, at := range []int32{j, k} {
				if matrix[at] == nil {
					matrix[at] = make([]float32, p)
				}
			}
			if matrix[j][k] = fn.Q[next]; j != k {
				matrix[j][k] /= 2
				matrix[k][j] = matrix[j][k]
			}
			next++
		}
	}
	for at := 0; at < len(fn.Factors); at += len(fn.Features) {
		u := fn.Factors[at:]
		for i, j := range fn.Features {
			if matrix[j] == nil {
				matrix[j] = make([]float32, p)
			}
			for l, k := range fn.Features {
				matrix[j][k] += max(u[i]*u[l], -u[i]*u[l])
			}
		}
	}
	return v, matrix
}

func negative(v []float32) []float32 {
	w := make([]float32, len(v))
	for i := range v {
		w[i] = -v[i]
	}
	return w
}
