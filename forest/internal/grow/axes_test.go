package grow

import (
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/forest"
)

// drawAxes returns the features that a draws for a node, in as many draws as it takes to have until of them.
func drawAxes(t *testing.T, a *Axes, node, until int) (features []int32) {
	n := &Node{rng: forest.NewRand(uint64(node))}
	for attempt := 0; a.Draw(n, attempt); attempt++ {
		for c := a.Next(); c != nil; c = a.Next() {
			if c.Kind != forest.Axis || len(c.Features) != 1 || c.Weights[0] != 1 {
				t.Fatalf("node %d: candidate %v", node, c)
			}
			features = append(features, c.Features[0])
		}
		if len(features) >= until {
			break
		}
	}
	return features
}

func TestAxesDrawsFeaturesOnce(t *testing.T) {
	const p, m = 7, 3
	a := NewAxes(nil, p, m, Search)
	var first, all [p]int
	const nodes = 7000
	for node := range nodes {
		seen := map[int32]bool{}
		for k, j := range drawAxes(t, a, node, node%9) { // 0: one draw; p and more: all features
			if seen[j] {
				t.Fatalf("node %d: feature %d again", node, j)
			}
			seen[j] = true
			if k == 0 {
				first[j]++
			}
			if k < m {
				all[j]++
			}
		}
		if want := min(p, max(m, node%9)); len(seen) != want {
			t.Fatalf("node %d: %d features, want %d", node, len(seen), want)
		}
	}
	// The 1 − 1e-4 quantile of χ²(6) is 27.9. Inclusion has a smaller variance than
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

// The draws of a node depend on its random stream only, not on earlier nodes.
func TestAxesForgetsTheNodeBefore(t *testing.T) {
	for _, weights := range [][]float64{nil, {3, 0, 1, 1, 7, 0.5}} {
		used := NewAxes(weights, 6, 2, Search)
		if w, ok := used.features.(*WeightedDraw); ok {
			w.number = math.MaxUint32 - 20 // so that the number of the node overflows
		}
		for node := range 50 {
			until := node % 3 * 3
			got, want := drawAxes(t, used, node, until), drawAxes(t, NewAxes(weights, 6, 2, Search), node, until)
			if !slices.Equal(got, want) {
				t.Fatalf("node %d draws %v, want %v", node, got, want)
			}
		}
	}
}
