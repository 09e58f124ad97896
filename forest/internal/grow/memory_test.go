package grow

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// recordChain records a tree that splits on the given features, one below the other.
func recordChain(m *FeatureMemory, features ...int32) {
	for depth, j := range features {
		fn := forest.Linear([]int32{j}, []float32{1})
		m.use(&fn, depth)
	}
	m.remember()
}

// Table 1 of the HRF paper: feature depths, cumulative depths and weights of two trees of
// five features, with α = 0.5 and β = 1.
func TestMemoryOfTable1(t *testing.T) {
	m := must.Value(NewFeatureMemory(forest.Memory{Alpha: 0.5, Beta: 1}, 5))
	if w := m.Weights(); w != nil {
		t.Fatalf("weights %v before the first tree, want equal ones", w)
	}
	for _, step := range []struct {
		features   []int32
		cumulative []float64
		sum        float64
	}{
		{[]int32{0, 1, 2, 1}, []float64{0, 1, 2, 4, 4}, 11},
		{[]int32{3, 4, 2, 2}, []float64{4, 4.5, 3, 2, 3}, 16.5},
	} {
		recordChain(m, step.features...)
		sum := 0.0
		for _, w := range m.Weights() {
			sum += w
		}
		if !slices.Equal(m.Weights(), step.cumulative) || sum != step.sum {
			t.Errorf("weights %v that sum to %v, want %v and %v", m.Weights(), sum, step.cumulative, step.sum)
		}
	}
}

// A tree without splits gives all features the depth β; with α = 0 only the last counts.
func TestMemoryOfLeavesAndOfTheLastTree(t *testing.T) {
	m := must.Value(NewFeatureMemory(forest.Memory{Beta: 3}, 3))
	m.remember()
	if w := m.Weights(); !slices.Equal(w, []float64{3, 3, 3}) {
		t.Errorf("weights %v after a leaf", w)
	}
	recordChain(m, 2, 0)
	if w := m.Weights(); !slices.Equal(w, []float64{1, 4, 0}) { // the deepest split is at 1
		t.Errorf("weights %v, want those of the last tree", w)
	}
	one := must.Value(NewFeatureMemory(forest.Memory{Beta: 1}, 1))
	recordChain(one, 0)
	if w := one.Weights(); w != nil {
		t.Errorf("weights %v of a feature of weight 0, want equal ones", w)
	}
}

// Ordered pairs have the probabilities of successive sampling, w_i/Σ·w_j/(Σ − w_i), and a
// feature of weight 0 is never drawn, nor is any twice. With a feature of nearly all the
// weight the second one comes from the features that are left. The first weights are those of Table 1 of the HRF paper.
func TestWeightedAxesDrawsInProportion(t *testing.T) {
	for _, weights := range [][]float64{
		{0, 1, 2, 4, 4},
		{0, 1000, 1, 3},
		{1, 1, 1},
	} {
		total := 0.0
		for _, w := range weights {
			total += w
		}
		a := NewAxes(weights, len(weights), 2, Search)
		counts := map[[2]int32]int{}
		const draws = 300_000
		for node := range draws {
			pair := drawAxes(t, a, node, 0)
			if len(pair) != 2 {
				t.Fatalf("draws %v, want two", pair)
			}
			counts[[2]int32(pair)]++
		}
		chi, df := 0.0, -1
		for i, wi := range weights {
			for j, wj := range weights {
				p := wi / total * wj / (total - wi)
				n := float64(counts[[2]int32{int32(i), int32(j)}])
				if i == j || p == 0 {
					if n > 0 {
						t.Errorf("weights %v: the pair %d, %d is drawn %v times", weights, i, j, n)
					}
					continue
				}
				df++
				chi += (n - draws*p) * (n - draws*p) / (draws * p)
			}
		}
		// The 1 − 10⁻⁴ quantile of χ², by Wilson and Hilferty.
		v := 2 / (9 * float64(df))
		if most := float64(df) * math.Pow(1-v+3.719*math.Sqrt(v), 3); chi > most {
			t.Errorf("weights %v: χ²(%d) = %.1f, at most %.1f expected: %v", weights, df, chi, most, counts)
		}
	}
}

// The first feature drawn is the first one whose sum of weights is above a uniform number.
func TestWeightedDrawInvertsTheSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.OneOf(rapid.Just(0.), rapid.Float64Range(0, 9), rapid.Just(1e12)), 1, 70).Draw(t,
			"weights")
		total := 0.0
		for _, w := range weights {
			total += w
		}
		if total == 0 {
			t.Skip("no weight")
		}
		rng := forest.NewRand(rapid.Uint64().Draw(t, "seed"))
		draw := NewWeightedDraw(weights)
		for range 30 {
			left := rng // a copy, which gives the same numbers
			x := float64(left.Float64() * total)
			want, sum := 0, weights[0]
			for sum <= x {
				want++
				sum += weights[want]
			}
			draw.Begin()
			if got := draw.Next(&rng); got != int32(want) {
				t.Fatalf("drew %d, want %d", got, want)
			}
		}
	})
}

// Once all features of positive weight are drawn, the others are drawn uniformly.
func TestWeightedAxesDrawsTheRestUniformly(t *testing.T) {
	a := NewAxes([]float64{0, 5, 0, 0}, 4, 2, Search)
	var second [4]int
	for node := range 3000 {
		all := drawAxes(t, a, node, 4)
		sorted := slices.Clone(all)
		slices.Sort(sorted)
		if all[0] != 1 || !slices.Equal(sorted, []int32{0, 1, 2, 3}) {
			t.Fatalf("node %d draws %v, want feature 1 and then the others", node, all)
		}
		second[all[1]]++
	}
	if chi := chiSquare([]int{second[0], second[2], second[3]}, 1000); chi > 18.4 { // 10⁻⁴ of χ²(2)
		t.Errorf("second features %v: χ² = %.1f", second, chi)
	}
}

// weigh returns the weights of Algorithm 2 after another tree, given its feature depths as
// the finished tree has them.
func weigh(m forest.Memory, cumulative []float64, tree *forest.Tree) []float64 {
	depths := make([]int32, len(cumulative))
	never := max(0, tree.FeatureDepths(depths)) + m.Beta
	next := make([]float64, len(cumulative))
	for j, d := range depths {
		if d < 0 {
			d = int32(never)
		}
		next[j] = float64(d) + float64(m.Alpha*cumulative[j])
	}
	return next
}

// drawBoth returns a source of single features and, at every other node, differences of
// two, which may have a coefficient of 0.
func drawBoth(weights []float64) Source {
	draw := NewWeightedDraw(weights)
	return &rule{draw: once, next: func(n *Node) *Candidate {
		draw.Begin()
		i, j := draw.Next(n.Rand()), draw.Next(n.Rand())
		if n.Rand().Intn(2) == 0 {
			return axis(int(i), Search)
		}
		return &Candidate{Function: forest.Linear([]int32{min(i, j), max(i, j)}, []float32{1, float32(-n.Rand().Intn(2))})}
	}}
}

// A forest with a memory has, on any number of cores, the trees that are grown one at a
// time with the weights that the finished earlier trees give. Shallow trees don't use all
// features.
func TestForestWithMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const p = 12
	d := noise(3000, p, 2)
	remember := forest.Memory{Alpha: 0.5, Beta: 2}
	source := func(weights []float64) Source {
		if weights == nil {
			weights = slices.Repeat([]float64{1}, p)
		}
		return drawBoth(weights)
	}
	for _, depth := range []int{0, 2} {
		params := Params{Method: "test", Trees: 6, Seed: 4, Fallback: NoRedraw, Growth: forest.Growth{MaxDepth: depth}}
		e := newEngine(t, d, params)
		var want []forest.Tree
		weights, cumulative := []float64(nil), make([]float64, p)
		for i := range params.Trees {
			trees := e.Forest().Trees
			must.Do(e.Grow(context.Background(), trees[:i+1], 0, func(int) *Spec {
				return &Spec{Source: func() Source { return source(weights) }}
			}))
			want = append(want, trees[i])
			cumulative = weigh(remember, cumulative, &trees[i])
			weights = cumulative
		}
		for _, cores := range []int{1, 2, 3, 8} {
			runtime.GOMAXPROCS(cores)
			f := must.Value(ForestWithMemory(context.Background(), d, params, remember, source))
			for i := range want {
				equalTrees(t, f.Trees[i], want[i])
			}
		}
		if fmt.Sprint(want[0].Nodes[0]) == fmt.Sprint(want[1].Nodes[0]) {
			t.Error("the second tree begins as the first, whose root feature has no weight")
		}
	}
}

func TestForestWithMemoryRefusesMemories(t *testing.T) {
	source := func([]float64) Source { return NewAxes(nil, 6, 2, Search) }
	_, err := ForestWithMemory(context.Background(), noise(50, 6, 2), Params{Method: "test", Trees: 1},
		forest.Memory{Alpha: 2, Beta: 1}, source)
	if err == nil || err.Error() != "test: a memory of Alpha 2 and Beta 1; want Alpha in [0, 1] and Beta from 1 to "+
		"1073741824" {
		t.Errorf("error %v", err)
	}
}

func BenchmarkWeightedDraw(b *testing.B) {
	for _, p := range []int{16, 50, 500} {
		weights := make([]float64, p)
		rng := forest.NewRand(1)
		for j := range weights {
			weights[j] = 1 + 8*rng.Float64()
		}
		w := NewWeightedDraw(weights)
		m := int(math.Sqrt(float64(p)))
		b.Run(fmt.Sprintf("%d of %d", m, p), func(b *testing.B) {
			for b.Loop() {
				w.Begin()
				for range m {
					w.Next(&rng)
				}
			}
		})
	}
}
