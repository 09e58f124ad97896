package graf

import (
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/papers/graf"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// Two pairs of equal features, uncorrelated with each other, and a constant one: two components have half of the
// variance each.
func TestComponents(t *testing.T) {
	d := &datasets.Dataset{Features: make([]datasets.Feature, 5), Columns: [][]float32{
		{1, 1, -1, -1}, {5, 5, 1, 1}, {1, -1, 1, -1}, {3, 1, 3, 1}, {7, 7, 7, float32(math.NaN())}},
		Labels: []int32{0, 1, 0, 1}, Classes: []string{"a", "b"}}
	r := trial.Trial{Result: paper.Result{More: map[string]float64{}}, Train: d}
	must.Do(components(t.Context(), &r))
	if r.More["pc70"] != 2 || r.More["pc90"] != 2 || r.More["missing"] != 1 {
		t.Error(r.More)
	}
}

// Variances of 4, 1 and 0.25 in independent directions: two of them have 95 %.
func TestExplaining(t *testing.T) {
	d := &datasets.Dataset{Features: make([]datasets.Feature, 3), Columns: make([][]float32, 3), Labels: make([]int32, 8)}
	for i := range 8 {
		for j := range 3 {
			sign := float32(1 - 2*(i>>j&1))
			d.Columns[j] = append(d.Columns[j], sign*[]float32{2, 1, 0.5}[j])
		}
	}
	if got := must.Value(explaining(d, 0.5, 0.9, 0.99)); !slices.Equal(got, []float64{1, 2, 3}) {
		t.Error(got)
	}
}

// Section 7.2: with 16 features M is 4 (log₂ n and √n), 8 and 16, and the minimum is 2 or 5.
func TestSettings(t *testing.T) {
	var got []string
	for _, l := range settings("OT", 200, 1, 16) {
		got = append(got, trial.Setting(l, 16))
	}
	if want := []string{"M=4 K=0 min=2", "M=4 K=0 min=5", "M=8 K=0 min=2", "M=8 K=0 min=5", "M=16 K=0 min=2",
		"M=16 K=0 min=5"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// The setting and number of trees that are chosen are those of the highest κ by brute force, where forests of each
// number are trained by themselves and rows are labelled by the fold that lacks them.
func TestTuneByKappa(t *testing.T) {
	d, _, err := Cube("multi-class", 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	parts := must.Value(datasets.KFold{K: 5, Stratified: true, Seed: 1}.Folds(d))
	numbers := []int{20, 40, 100}
	for _, method := range []string{"GRAF", "OT, unshared planes", "RF"} {
		setting, trees, err := tuneByKappa(t.Context(), settings(method, 100, 1, 5), d, numbers)
		if err != nil {
			t.Fatal(err)
		}
		highest, wantSetting, wantTrees := -2.0, 0, 0
		for i := range settings(method, 100, 1, 5) {
			for _, n := range numbers {
				labels := make([]int32, d.N())
				for _, part := range parts {
					train, test := part.Split(d)
					model := must.Value(settings(method, n, 1, 5)[i].Fit(t.Context(), train))
					for k, y := range must.Value(model.Predict(t.Context(), test)) {
						labels[part.Test[k]] = y
					}
				}
				if k := eval.Kappa(labels, d.Labels); k > highest {
					highest, wantSetting, wantTrees = k, i, n
				}
			}
		}
		if setting != wantSetting || trees != wantTrees {
			t.Errorf("%s: setting %d of %d trees, want %d of %d", method, setting, trees, wantSetting, wantTrees)
		}
	}
}

// Of two features that aren't correlated one has a hundred times the range of the other, so it has nearly all of the
// variance of any half that has both of its values, and half of it if both are standardised.
func TestComponentsOfHalfAreNotScaled(t *testing.T) {
	for method, want := range map[string]float64{graf.Halved: 1, "GRAF": 2} {
		d := &datasets.Dataset{Features: make([]datasets.Feature, 2), Columns: [][]float32{
			{100, 100, 100, 100, -100, -100, -100, -100}, {1, -1, 1, -1, 1, -1, 1, -1}},
			Labels: []int32{0, 0, 0, 0, 1, 1, 1, 1}, Classes: []string{"a", "b"}}
		r := trial.Trial{Run: paper.Run{Method: method, Seed: 1}, Result: paper.Result{More: map[string]float64{}}, Train: d}
		must.Do(components(t.Context(), &r))
		if r.More["pc90"] != want || r.Score != 8 {
			t.Errorf("%s: %v components, %v rows; want %v and 8", method, r.More["pc90"], r.Score, want)
		}
	}
}
