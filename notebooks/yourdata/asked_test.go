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
	"github.com/obliqua-ml/obliqua/sim"
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
