package hrf

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
)

// Table 6 has 40, 43 and 29 significant wins of HRF on bagging, RF and ET, and 4, 2 and 11 losses, on 52 sets. A method
// has three others, so its dominance on a set is between −3 and 3.
func TestDominance(t *testing.T) {
	r := &paper.Results{Root: "../../.."}
	f := dominance(r)
	if want := (40 + 43 + 29 - 4 - 2 - 11) / 52.0; math.Abs(f.Paper.Value-want) > 1e-12 {
		t.Errorf("printed dominance %v, want %v", f.Paper.Value, want)
	}
	sum := 0.0
	for method := range order {
		for _, d := range dominances(r, method) {
			if sum += d; math.Abs(d) > 3 {
				t.Errorf("a dominance of %v among four methods", d)
			}
		}
	}
	if sum != 0 { // a win is another one's loss
		t.Errorf("dominances add up to %v", sum)
	}
}

// The sets that boosting's items name are those with five divisions in the file of results, whose errors are those of
// the predictions.
func TestBoosted(t *testing.T) {
	r := &paper.Results{Root: "../../.."}
	divisions, errors := map[[2]string]int{}, map[[2]string]float64{}
	r.Lines("classifiers.csv", func(l *paper.Line) {
		if set, ok := strings.CutPrefix(l.Text("set"), "hrf/"); ok {
			key := [2]string{set, boosters[l.Text("method")]}
			divisions[key]++
			errors[key] += l.Number("score") / boostedDivisions
		}
	})
	for _, f := range Paper.Figures {
		method, _ := strings.CutPrefix(f.Name, "Table 5, ")
		if !slices.Contains(slices.Collect(maps.Values(boosters)), method) {
			continue
		}
		sets := boosted(r).Of(method)
		if len(sets) != f.Here.Sets {
			t.Errorf("%s names %d sets of %d", f.Name, f.Here.Sets, len(sets))
		}
		for _, m := range sets {
			key := [2]string{m.Problem, method}
			if divisions[key] != boostedDivisions || math.Abs(100-100*errors[key]-m.Score.Value) > 1e-3 {
				t.Errorf("%v: %d divisions, accuracy %v, error %v", key, divisions[key], m.Score, errors[key])
			}
		}
	}
	if r.Err != nil {
		t.Fatal(r.Err)
	}
}
