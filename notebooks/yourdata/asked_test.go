package yourdata

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz"
)

func TestSetAside(t *testing.T) {
	for _, test := range []struct{ n, aside int }{{3, 1}, {100, 5}, {1000, 10}} {
		train, aside := SetAside(sim.Trunk{Features: 2}.Sample(test.n, 1))
		all := slices.Sorted(slices.Values(slices.Concat(train.Rows, aside.Rows)))
		if aside.N() != test.aside || train.N() != test.n-test.aside || len(slices.Compact(all)) != test.n {
			t.Errorf("%d rows: %d to learn from, %d aside", test.n, train.N(), aside.N())
		}
	}
}

// What is said of rows is what the model predicts, and is counted.
func TestDescribeAnswersOfClasses(t *testing.T) {
	train, aside := SetAside(mixed(t, false))
	model, err := auto.Learner{Trees: 50, Seed: 1}.Fit(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	table, err := DescribeAnswers(t.Context(), model, train, aside)
	if err != nil {
		t.Fatal(err)
	}
	text := table.String()
	lines := strings.Split(text, "\n")
	labels, proba, right, expected := must.Value(
		model.Predict(t.Context(), aside),
	), must.Value(
		model.Proba(t.Context(), aside),
	), 0, 0.0
	for i, k := range labels {
		if k == aside.Labels[i] {
			right++
		}
		expected += max(proba[i][0], proba[i][1])
		want := fmt.Sprintf("%s %.0f %%, %s", aside.Classes[k], 100*proba[i][k], aside.Classes[1-k])
		if fields := strings.Fields(lines[i+1]); fields[0] != fmt.Sprint(aside.Rows[i]+1) ||
			fields[1] != aside.Classes[aside.Labels[i]] ||
			!strings.Contains(lines[i+1], want) {
			t.Errorf("%q, want %q", lines[i+1], want)
		}
	}
	if want := fmt.Sprintf("right about %d of 10. By its own probabilities it should be about %.1f.", right,
		expected); !strings.Contains(
		text,
		want,
	) {
		t.Errorf("%s\nwant %s", text, want)
	}
}

// Noise of standard deviation 1 is in an interval of 90 % if that is some 2·1.64 long. Of 2000 rows, 1800 should be
// inside; by chance it is 1800 ± 13.
func TestDescribeAnswersOfValues(t *testing.T) {
	rng := forest.NewRand(3)
	d := &datasets.Dataset{Target: "y", Features: []datasets.Feature{{Name: "x"}}, Columns: make([][]float32, 1)}
	for range 2500 {
		x := rng.Normal()
		d.Columns[0], d.Values = append(d.Columns[0], float32(x)), append(d.Values, 3*x+rng.Normal())
	}
	var first, last []int32
	for i := range int32(2500) {
		if i < 500 {
			first = append(first, i)
		} else {
			last = append(last, i)
		}
	}
	train, asked := d.Subset(first), d.Subset(last)
	model, err := auto.Learner{Trees: 100, Seed: 1}.Fit(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	table, err := DescribeAnswers(t.Context(), model, train, asked)
	if err != nil {
		t.Fatal(err)
	}
	text := table.String()
	lines := strings.Split(text, "\n")
	if !strings.Contains(lines[0], "90 % interval") || strings.Fields(lines[1])[0] != "501" || len(lines) != 2003 {
		t.Errorf("%d lines: %s", len(lines), lines[:2])
	}
	var inside, of int
	var should float64
	if _, err := fmt.Sscanf(lines[2001], "%d of %d are in their intervals. It should be about %f.", &inside, &of,
		&should); err != nil {
		t.Fatal(err)
	}
	if math.Abs(float64(inside)-1800) > 60 || of != 2000 || should != 1800 {
		t.Errorf("%s", lines[2001])
	}
}

// Of a boosted forest the effects are those of all trees: they differ between two rows by what the log-odds do.
func TestEffectsOfBoosting(t *testing.T) {
	d := mixed(t, false)
	model, err := forest.Pipeline(boost.Learner{Rounds: 60, Seed: 1}, datasets.Prepare{}).Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	chart, err := Effects(t.Context(), model, d)
	if err != nil {
		t.Fatal(err)
	}
	s := chart.(viz.SHAP)
	if s.Title != "What moves the log-odds of yes" || s.X != "effect on the log-odds of yes" || len(s.Values) != d.N() {
		t.Errorf("%q, %q, %d rows", s.Title, s.X, len(s.Values))
	}
	proba, err := model.Proba(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	odds := func(i int) float64 { return math.Log(proba[i][1] / proba[i][0]) }
	for i := range s.Values {
		effects := floats.Sum(s.Values[i]) - floats.Sum(s.Values[0])
		if want := odds(i) - odds(0); math.Abs(effects-want) > 1e-4 {
			t.Errorf("row %d: effects differ by %v, log-odds by %v", i, effects, want)
		}
	}
}

// Pictures for two classes, for many, of which the four largest are drawn, and for values.
func TestEffects(t *testing.T) {
	for _, test := range []struct {
		d    *datasets.Dataset
		want []string
	}{
		{mixed(t, false), []string{"What speaks for yes"}},
		{mixed(t, true), []string{"What moves the prediction of y"}},
		{sim.RandomRBF{Features: 3, Classes: 6, Centroids: 12}.Sample(400, 1), nil},
	} {
		model, err := auto.Learner{Trees: 60, Seed: 1}.Fit(t.Context(), test.d)
		if err != nil {
			t.Fatal(err)
		}
		chart, err := Effects(t.Context(), model, test.d)
		if err != nil {
			t.Fatal(err)
		}
		if test.want == nil {
			counts := test.d.ClassCounts()
			largest := slices.Sorted(slices.Values(counts))[2:]
			for k, n := range counts {
				if n >= largest[0] {
					test.want = append(test.want, "What speaks for "+test.d.Classes[k])
				}
			}
		}
		charts := []viz.Chart{chart}
		if grid, ok := chart.(viz.Grid); ok {
			charts = grid.Charts
		}
		var titles []string
		for _, c := range charts {
			s := c.(viz.SHAP)
			titles = append(titles, s.Title)
			if len(s.Values) != 300 || s.Data.N() != 300 {
				t.Errorf("%s: %d rows", s.Title, len(s.Values))
			}
		}
		if !slices.Equal(titles, test.want) {
			t.Errorf("%q, want %q", titles, test.want)
		}
	}
}
