package yourdata

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
)

// What is said of rows is what the model predicts, and is counted.
func TestAnswersOfClasses(t *testing.T) {
	train, test := nb.Split(mixed(t, false))
	model := must.Value(auto.Learner{Trees: 50, Seed: 1}.Fit(t.Context(), train))
	text := Answers(model, train, test).String()
	lines := strings.Split(text, "\n")
	labels, proba := must.Value(model.Predict(t.Context(), test)), must.Value(model.Proba(t.Context(), test))
	right, expected := 0, 0.0
	for i, k := range labels {
		if k == test.Labels[i] {
			right++
		}
		expected += max(proba[i][0], proba[i][1])
	}
	for _, line := range lines[1:11] {
		row := 0
		must.Value(fmt.Sscan(line, &row))
		i := slices.Index(test.Rows, int32(row-1))
		k := labels[i]
		want := fmt.Sprintf("%s %.0f %%, %s", test.Classes[k], 100*proba[i][k], test.Classes[1-k])
		if strings.Fields(line)[1] != test.Classes[test.Labels[i]] || !strings.Contains(line, want) {
			t.Errorf("%q, want %q", line, want)
		}
	}
	if want := fmt.Sprintf("right about %d of all 75 rows. By its own probabilities it should be about %.1f.", right,
		expected); !strings.Contains(text, want) {
		t.Errorf("%s\nwant %s", text, want)
	}
}

// Noise of standard deviation 1 is in an interval of 90 % if that is some 2·1.64 long. Of 2000 rows, 1800 should be
// inside; by chance it is 1800 ± 13.
func TestAnswersOfValues(t *testing.T) {
	rng := forest.NewRand(3)
	d := &datasets.Dataset{Target: "y", Features: []datasets.Feature{{Name: "x"}}, Columns: make([][]float32, 1)}
	for range 2500 {
		x := rng.Normal()
		d.Columns[0], d.Values = append(d.Columns[0], float32(x)), append(d.Values, 3*x+rng.Normal())
	}
	train, test := nb.Split(d, datasets.Holdout{Test: 0.8})
	model := must.Value(auto.Learner{Trees: 100, Seed: 1}.Fit(t.Context(), train))
	lines := strings.Split(Answers(model, train, test).String(), "\n")
	if !strings.Contains(lines[0], "90 % interval") || len(lines) != 13 {
		t.Errorf("%d lines: %s", len(lines), lines[:2])
	}
	var inside, of int
	var should float64
	must.Value(fmt.Sscanf(lines[11], "%d of all %d rows are in their intervals. It should be about %f.", &inside, &of,
		&should))
	if math.Abs(float64(inside)-1800) > 60 || of != 2000 || should != 1800 {
		t.Errorf("%s", lines[11])
	}
}
