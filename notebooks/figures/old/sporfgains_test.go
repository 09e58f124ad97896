package old

import (
	"context"
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// madeGain has a gain that is 3·(first trait) + 1.
func madeGain() Gain {
	g := Gain{Names: []string{"a", "b"}}
	for i := range 12 {
		a := float64(i)
		g.Sets = append(g.Sets, string(rune('a'+i)))
		g.Points, g.StdErr = append(g.Points, 3*a+1), append(g.StdErr, 2)
		g.Traits = append(g.Traits, []float64{a, math.Mod(a*5, 7)})
	}
	return g
}

// Differences are of κ in points, fold by fold: 10 and 20 have the mean 15 and the standard error 5. A set of which a
// method lacks folds is left out.
func TestGains(t *testing.T) {
	var table []Record
	add := func(set, method string, fold int, kappa float64) {
		table = append(table, Record{Run: Run{Problem: set, Method: method, Repeat: fold},
			Result: Result{More: map[string]float64{"kappa": kappa}}})
	}
	for fold := 1; fold <= 5; fold++ {
		add("a", "RF", fold, 0.5)
		add("a", "SPORF", fold, 0.5+0.1*float64(fold%2))
		add("b", "RF", fold, 0.5)
	}
	add("b", "SPORF", 1, 0.6)
	traits := []Record{
		{Run: Run{Problem: "a"}, Result: Result{More: map[string]float64{"n": 64, "p": 8, "classes": 2, "linear": 0.75}}},
		{Run: Run{Problem: "b"}, Result: Result{More: map[string]float64{"n": 64, "p": 8, "classes": 2}}},
	}
	g := Gains(table, traits, "SPORF", "RF")
	if len(g.Sets) != 1 || g.Sets[0] != "a" {
		t.Fatalf("sets %v; want a", g.Sets)
	}
	// Points are 10, 0, 10, 0, 10.
	if math.Abs(g.Points[0]-6) > 1e-9 || math.Abs(g.StdErr[0]-math.Sqrt(6)) > 1e-9 {
		t.Errorf("%v ± %v; want 6 ± √6", g.Points[0], g.StdErr[0])
	}
	got := g.Traits[0]
	if got[0] != 6 || got[1] != 3 || got[2] != 3 || got[3] != 1 || math.Abs(got[11]-0.25) > 1e-12 {
		t.Errorf("traits %v", got)
	}
}

// A gain that is linear in a trait is found by the linear model from the other sets; a forest of
// values comes near.
func TestLeftOut(t *testing.T) {
	g := madeGain()
	for i, v := range g.LinearLeftOut(1e-9) {
		if math.Abs(v-g.Points[i]) > 1e-6 {
			t.Errorf("set %d: %v; want %v", i, v, g.Points[i])
		}
	}
	v := must.Value(g.LeftOut(context.Background(), rf.Learner{Trees: 100, NodeFeatures: 2, Seed: 1}))
	for i := 1; i < len(v)-1; i++ {
		if math.Abs(v[i]-g.Points[i]) > 6 {
			t.Errorf("set %d: %v; want about %v", i, v[i], g.Points[i])
		}
	}
}

// The gains 1, 4, …, 34 have the variance 9·13 = 117, and squared standard errors of 4.
func TestNoise(t *testing.T) {
	if got := madeGain().Noise(); math.Abs(got-4.0/117) > 1e-12 {
		t.Errorf("%v; want 4/117", got)
	}
}
