package grow

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
)

// chain returns a tree that splits on the given features, one below the other.
func chain(features ...int32) *forest.Tree {
	t := &forest.Tree{Classes: 2}
	for range features {
		t.Nodes = append(t.Nodes, forest.Node{})
	}
	for i := range features {
		t.Nodes = append(t.Nodes, forest.ClassLeaf(int32(i%2), 1))
	}
	t.Nodes = append(t.Nodes, forest.ClassLeaf(1, 1))
	for i, j := range features {
		t.Nodes[i] = forest.Node{Split: t.Splits.Add(forest.Linear([]int32{j}, []float32{1})), Next: int32(2*len(features) - i)}
	}
	return t
}

// Table 1 of the HRF paper: feature depths, cumulative depths and weights of two trees of
// five features, with α = 0.5 and β = 1.
func TestMemoryOfTable1(t *testing.T) {
	m := featureMemory{Memory: forest.Memory{Alpha: 0.5, Beta: 1}, depths: make([]int32, 5)}
	if w := m.weights(); w != nil {
		t.Fatalf("weights %v before the first tree, want equal ones", w)
	}
	for _, step := range []struct {
		tree       *forest.Tree
		cumulative []float64
		sum        float64
	}{
		{chain(0, 1, 2, 1), []float64{0, 1, 2, 4, 4}, 11},
		{chain(3, 4, 2, 2), []float64{4, 4.5, 3, 2, 3}, 16.5},
	} {
		m.remember(step.tree)
		sum := 0.0
		for _, w := range m.weights() {
			sum += w
		}
		if !slices.Equal(m.weights(), step.cumulative) || sum != step.sum {
			t.Errorf("weights %v that sum to %v, want %v and %v", m.weights(), sum, step.cumulative, step.sum)
		}
	}
}

// A tree without splits gives all features the depth β; with α = 0 only the last counts.
func TestMemoryOfLeavesAndOfTheLastTree(t *testing.T) {
	m := featureMemory{Memory: forest.Memory{Beta: 3}, depths: make([]int32, 3)}
	m.remember(chain())
	if w := m.weights(); !slices.Equal(w, []float64{3, 3, 3}) {
		t.Errorf("weights %v after a leaf", w)
	}
	m.remember(chain(2, 0))
	if w := m.weights(); !slices.Equal(w, []float64{1, 4, 0}) { // the deepest split is at 1
		t.Errorf("weights %v, want those of the last tree", w)
	}
	one := featureMemory{Memory: forest.Memory{Beta: 1}, depths: make([]int32, 1)}
	one.remember(chain(0))
	if w := one.weights(); w != nil {
		t.Errorf("weights %v of a feature of weight 0, want equal ones", w)
	}
}

// drawWeighted returns the first count features drawn at a node, in as many draws as that
// takes.
func drawWeighted(a *WeightedAxes, node, until int) (features []int32) {
	n := &Node{rng: forest.NewRand(uint64(node))}
	for attempt := 0; a.Draw(n, attempt); attempt++ {
		for c := a.Next(); c != nil; c = a.Next() {
			features = append(features, c.Features[0])
		}
		if len(features) >= until {
			break
		}
	}
	return features
}

// Ordered pairs have the probabilities of successive sampling, w_i/Σ·w_j/(Σ − w_i), and a
// feature of weight 0 is never drawn, nor is any twice. With a feature of nearly all the
// weight the second one comes from the features that are left.
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
		a := NewWeightedAxes(weights, 2, Search)
		counts := map[[2]int32]int{}
		const draws = 300_000
		for node := range draws {
			pair := drawWeighted(a, node, 0)
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

// Once all features of positive weight are drawn, the others are drawn uniformly.
func TestWeightedAxesDrawsTheRestUniformly(t *testing.T) {
	a := NewWeightedAxes([]float64{0, 5, 0, 0}, 2, Search)
	var second [4]int
	for node := range 3000 {
		all := drawWeighted(a, node, 4)
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

// Weighted draws don't depend on the node before.
func TestWeightedAxesForgetsTheNodeBefore(t *testing.T) {
	weights := []float64{3, 0, 1, 1, 7, 0.5}
	used := NewWeightedAxes(weights, 2, Search)
	used.features.number = math.MaxUint32 - 20 // so that the number of the node overflows
	for node := range 50 {
		until := node % 3 * 3
		got, want := drawWeighted(used, node, until), drawWeighted(NewWeightedAxes(weights, 2, Search), node, until)
		if !slices.Equal(got, want) {
			t.Fatalf("node %d draws %v, want %v", node, got, want)
		}
	}
}

// A forest with a memory has, on any number of cores, the trees that are grown one at a
// time with the weights that the earlier trees give.
func TestForestWithMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	d := noise(3000, 6, 2)
	remember := forest.Memory{Alpha: 0.5, Beta: 2}
	source := func(weights []float64) Source {
		if weights == nil {
			return NewAxes(6, 2, Search)
		}
		return NewWeightedAxes(weights, 2, Search)
	}
	params := Params{Method: "test", Trees: 6, Seed: 4, Fallback: NoRedraw}
	var want []forest.Tree
	m := featureMemory{Memory: remember, depths: make([]int32, 6)}
	for i := range params.Trees {
		weights := m.weights()
		e := newEngine(t, d, params)
		trees := e.Forest().Trees
		if err := e.Grow(context.Background(), trees[:i+1], func(int) *Spec {
			return &Spec{Source: func() Source { return source(weights) }}
		}); err != nil {
			t.Fatal(err)
		}
		want = append(want, trees[i])
		m.remember(&trees[i])
	}
	for _, cores := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(cores)
		f, err := ForestWithMemory(context.Background(), d, params, remember, source)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			equalTrees(t, f.Trees[i], want[i])
		}
	}
	if _, err := ForestWithMemory(context.Background(), d, params, forest.Memory{Alpha: 2, Beta: 1}, source); err == nil ||
		err.Error() != "test: a memory of Alpha 2 and Beta 1; want Alpha in [0, 1] and Beta from 1 to 1073741824" {
		t.Errorf("error %v", err)
	}
	if fmt.Sprint(want[0].Nodes[0]) == fmt.Sprint(want[1].Nodes[0]) {
		t.Error("the second tree begins as the first, whose root feature has no weight")
	}
}
