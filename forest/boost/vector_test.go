package boost

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// By algebra: two rows of each of six classes, three classes on each side of x. All classes begin with a probability of
// 1/6, so on the side of a class its gradients sum to 2·5/6 − 4/6 = 1, on the other side to −1, and its second
// derivatives to 6·(1/6·5/6)·6/5 = 1 on both.
func TestValuesOfAllClassesByHand(t *testing.T) {
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}}, Columns: make([][]float32, 1),
		Classes: []string{"a", "b", "c", "d", "e", "f"}}
	for i := range 12 {
		d.Columns[0] = append(d.Columns[0], float32(i/6))
		d.Labels = append(d.Labels, int32(i/2))
	}
	l := Learner{Rounds: 1, Rate: 0.5, Depth: 1, MinLeaf: 1, Folds: 1, Penalty: -1, Fraction: 1, Seed: 1}
	f := fitted(l, d)
	if len(f.Trees) != 1 || f.Trees[0].Outputs != 6 || len(f.Trees[0].Nodes) != 3 {
		t.Fatalf("%d trees, the first of %d nodes with %d values; want one tree of 3 nodes with 6", len(f.Trees),
			len(f.Trees[0].Nodes), f.Trees[0].Outputs)
	}
	tree := f.Trees[0]
	near := func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 }
	for k, want := range [][]float32{{0.5, 0.5, 0.5, -0.5, -0.5, -0.5}, {-0.5, -0.5, -0.5, 0.5, 0.5, 0.5}} {
		leaf := tree.Leaf(k + 1)
		if leaf.Kind != forest.LeafValues || !slices.EqualFunc(leaf.Dist, want, near) || !near(leaf.Weight, 6) {
			t.Errorf("leaf %d is %+v; want the values %v and the weight 6", k, leaf, want)
		}
	}
	// Each class: the gradient is 1 above its mean of 0 on one side and 1 below on the other, with weights of 1.
	if root := tree.Nodes[0]; root.Value != 0.5 || !near(root.Weight, 12) {
		t.Errorf("the root has the threshold %v and the gain %v; want 0.5 and 12", root.Value, root.Weight)
	}
	want := math.Exp(0.5) / (3*math.Exp(0.5) + 3*math.Exp(-0.5))
	if got := must.Value(f.Proba(t.Context(), d))[0][0]; math.Abs(got-want) > 1e-6 {
		t.Errorf("probability %v; want %v", got, want)
	}
}

// manyClasses returns rows of seven classes, some with weights and some of weight 0.
func manyClasses(n int, seed uint64) *datasets.Dataset {
	d := sim.RandomRBF{Features: 5, Classes: 7}.Sample(n, seed)
	for i := range n {
		d.Weights = append(d.Weights, float32(i%4))
	}
	return d
}

// vectorGrower returns a grower of the first member, whose rows' gradients are still to be set.
func vectorGrower(d *datasets.Dataset, share float64) *grower {
	l := Learner{Fraction: share, Seed: 1}.withDefaults(d)
	engine := must.Value(grow.New(d, grow.Params{Method: "boost", Trees: 1, Growth: forest.Growth{MaxDepth: l.Depth},
		Sampling: forest.AllRows, Fallback: grow.NoRedraw}))
	g := newGrower(must.Value(l.begin(nil, engine, d)), nil)
	g.weights(g.member.weights, 0)
	g.norms = make([]float64, d.N())
	g.member.scores = g.members[0].scores
	return g
}

// The gradients of a row are the derivatives of its loss, and sum to 0 over the classes.
func TestGradientsOfAllClasses(t *testing.T) {
	d := manyClasses(300, 1)
	g := vectorGrower(d, 1)
	m := &g.member
	rng := forest.NewRand(3)
	for c := range m.scores {
		for i := range m.scores[c] {
			m.scores[c][i] = rng.Normal()
		}
	}
	row := make([]float64, 7)
	for i := range 20 {
		g.gradientsOf(int32(i), 2, make([]float64, 7))
		gradients, _ := g.vectors.of(int32(i))
		sum, squares := 0.0, 0.0
		for c, got := range gradients {
			loss := func(by float64) float64 {
				for k := range row {
					row[k] = m.scores[k][i]
				}
				row[c] += by
				return 2 * g.loss.of(i, row)
			}
			if want := (loss(-1e-5) - loss(1e-5)) / 2e-5; math.Abs(float64(got)-want) > 1e-5 {
				t.Errorf("row %d, class %d: gradient %v; want %v", i, c, got, want)
			}
			sum += float64(got)
			squares += float64(got) * float64(got)
		}
		if norm := g.norms[i]; math.Abs(sum) > 1e-6 || math.Abs(norm-math.Sqrt(squares+4e-4)) > 1e-6 {
			t.Errorf("row %d: gradients sum to %v, and have the norm %v; want 0 and %v", i, sum, norm, math.Sqrt(squares))
		}
	}
}

// Rows are drawn with probabilities in proportion to the norms of their gradients, but at most 1, which sum to the
// number of rows to draw; gradients are divided by them.
func TestDrawByGradients(t *testing.T) {
	d := manyClasses(400, 1)
	rapid.Check(t, func(t *rapid.T) {
		g := vectorGrower(d, rapid.Float64Range(0.05, 0.95).Draw(t, "share"))
		rng := forest.NewRand(rapid.Uint64().Draw(t, "seed"))
		rows := 0
		for i, w := range g.member.weights {
			if w > 0 {
				rows++
				g.norms[i] = math.Exp(3 * rng.Normal())
			}
			gradients, hessians := g.vectors.of(int32(i))
			gradients[0], hessians[0] = float32(rng.Normal()), 1
		}
		before := slices.Clone(g.vectors.gradients)
		certain := g.certainNorm()
		expected, variance := 0.0, 0.0
		for i, w := range g.member.weights {
			if p := min(1, g.norms[i]/certain); w > 0 {
				expected += p
				variance += p * (1 - p)
			}
		}
		if want := g.Fraction * float64(rows); math.Abs(expected-want) > 1e-6*want {
			t.Fatalf("probabilities sum to %v; want %v", expected, want)
		}
		g.drawByGradients(&rng, g.vectors.scale)
		drawn := 0
		for i, count := range g.counts {
			p := min(1, g.norms[i]/certain)
			gradients, hessians := g.vectors.of(int32(i))
			switch {
			case count == 0 && p == 1 && g.member.weights[i] > 0 || count > 0 && g.member.weights[i] == 0:
				t.Fatalf("row %d of weight %v and probability %v is drawn %d times", i, g.member.weights[i], p, count)
			case count > 0 && (math.Abs(float64(hessians[0])*p-1) > 1e-6 ||
				math.Abs(float64(gradients[0])*p-float64(before[7*i])) > 1e-6*math.Abs(float64(before[7*i]))):
				t.Fatalf("row %d of probability %v has %v and %v; want %v and 1 divided by it", i, p, gradients[0], hessians[0],
					before[7*i])
			}
			drawn += int(count)
		}
		if math.Abs(float64(drawn)-expected) > 6*math.Sqrt(variance)+1 {
			t.Fatalf("%d rows are drawn; want about %v", drawn, expected)
		}
	})
}

// A node is split for a class in proportion to the sum of its squared gradients.
func TestDrawClass(t *testing.T) {
	d := manyClasses(50, 1)
	g := vectorGrower(d, 1)
	n := node{drawn: []int32{3, 5, 9}}
	for _, i := range n.drawn {
		gradients, hessians := g.vectors.of(i)
		gradients[2], gradients[4], hessians[2], hessians[4] = 1, -2, 3, 5
	}
	drawn := [7]int{}
	for name := range uint64(10_000) {
		n.name = name
		g.drawClass(&n)
		switch n.total {
		case total{gradient: 3, weight: 9, rows: 3}:
			drawn[2]++
		case total{gradient: -6, weight: 15, rows: 3}:
			drawn[4]++
		default:
			t.Fatalf("the node has %+v", n.total)
		}
	}
	if want := 8000; math.Abs(float64(drawn[4]-want)) > 5*math.Sqrt(8000*0.2) {
		t.Errorf("drawn %v times; want class 4 about %d times", drawn, want)
	}
}

// Only ratios of weights matter, also of very small and very large ones.
func TestWeightsOfManyClasses(t *testing.T) {
	d := manyClasses(300, 1)
	var want []float64
	for _, scale := range []float32{1, 0x1p-140, 0x1p100} {
		scaled := *d
		scaled.Weights = slices.Clone(d.Weights)
		for i := range scaled.Weights {
			scaled.Weights[i] *= scale
		}
		f := fitted(Learner{Rounds: 5, Penalty: -1, Seed: 1}, &scaled)
		var got []float64
		for _, p := range must.Value(f.Proba(t.Context(), d)) {
			got = append(got, p...)
		}
		if want == nil {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("weights times %v give other probabilities", scale)
		}
	}
}

// Large tables are sampled by gradients, and do about as well as a random forest, which errs on so many rows.
func TestManyRows(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for classes, forests := range map[int]int{2: 196, 3: 226, 7: 319} {
		d := sim.RandomRBF{Features: 5, Classes: classes}.Sample(sampledRows+1001, 1)
		rows := make([]int32, d.N())
		for i := range rows {
			rows[i] = int32(i)
		}
		train, test := d.Subset(rows[1000:]), d.Subset(rows[:1000])
		for _, share := range []float64{0, 1} {
			f := fitted(Learner{Rounds: 60, Folds: 2, Rate: 0.3, Fraction: share, Seed: 1}, train)
			wrong := 0
			for i, label := range must.Value(f.Predict(t.Context(), test)) {
				if label != d.Labels[rows[i]] {
					wrong++
				}
			}
			if wrong > forests*11/10 {
				t.Errorf("%d classes, Fraction %v: %d of 1000 rows are predicted wrongly", classes, share, wrong)
			}
		}
	}
}
