package auto

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// fitted returns a model and its report. Progress never goes back and ends at the number of trees, and the report can
// be read from the model's file.
func fitted(t *testing.T, l Learner, d *datasets.Dataset) (*forest.Forest, *Report) {
	t.Helper()
	last, end := 0, 0
	model := must.Value(l.Fit(forest.WithProgress(t.Context(), func(done, total int) {
		if done < last || done > total {
			t.Errorf("%d of %d trees after %d", done, total, last)
		}
		last, end = done, total
	}), d))
	if last != len(model.Trees) || end != last {
		t.Errorf("the last report was %d of %d, of %d trees", last, end, len(model.Trees))
	}
	r := must.Value(Read(model))
	var loaded forest.Forest
	must.Do(loaded.UnmarshalBinary(must.Value(model.MarshalBinary())))
	if again, err := Read(&loaded); err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("error %v, report of the saved model %+v, want %+v", err, again, r)
	}
	return model, r
}

// toExpect returns the out-of-bag error, lowered by the share of the score that averaging gains beyond one standard
// error, and raised by the optimism.
func toExpect(t *testing.T, model *forest.Forest, d *datasets.Dataset, optimism float64) float64 {
	t.Helper()
	oob := must.Value(model.OutOfBag(t.Context(), d))
	gain, doubt := eval.MeanStdErr(must.Value(model.AveragingGains(t.Context(), d, oob)))
	score, e := oob.Error(), oob.Error()
	if !model.Regression() {
		score = eval.Brier(oob.Proba, d.Labels)
	}
	if gain <= doubt {
		t.Errorf("averaging gains %v ± %v", gain, doubt)
	}
	return e*(1-(gain-doubt)/score) + optimism
}

// raw returns a table with missing cells, a category and a column of a wild scale.
func raw(n int, values bool) *datasets.Dataset {
	d := table(n, values, 0.5)
	d.Features = append(d.Features,
		datasets.Feature{Name: "city", Categories: []string{"x", "y", "z"}}, datasets.Feature{Name: "income"})
	city, income := make([]float32, n), make([]float32, n)
	for i := range n {
		city[i] = float32(i % 3)
		income[i] = float32(math.Exp(8 * float64(d.Columns[2][i])))
		if i%7 == 0 {
			income[i], city[i] = float32(nan), float32(nan)
		}
	}
	d.Columns = append(d.Columns, city, income)
	return d
}

func TestRawTables(t *testing.T) {
	for _, values := range []bool{false, true} {
		if values && testing.Short() {
			continue
		}
		d := raw(300, values)
		model, r := fitted(t, Learner{Trees: 40, Seed: 1}, d)
		if len(model.Trees) != 40 || r.Trees != 40 || r.Settled || r.Rows != 300 || r.Values != values {
			t.Errorf("%d trees, report %+v", len(model.Trees), r)
		}
		// A constant prediction has an error of about 1/2, or of the variance, 2.25.
		limit := 0.25
		if values {
			limit = 1.2
		}
		if e := toExpect(t, model, d, r.Optimism); math.Abs(e-r.Error) > 1e-9 || e > limit || r.Interval.Low > e ||
			r.Interval.High < e {
			t.Errorf("error %v to expect, report %+v", e, r)
		}
		if len(r.Race) != 4 || r.Race[3].Name != "random forest" || r.Race[3].Trees != 40 {
			t.Errorf("in the race: %+v", r.Race)
		}
		if calibrated := model.Calibration != (forest.Calibration{}); calibrated == values {
			t.Errorf("calibration %+v", model.Calibration)
		}
	}
}

// A mix learns how to share the time of its nodes, unless its trees are too few.
func TestShares(t *testing.T) {
	for _, trees := range []int{mix.Pilots, mix.Pilots + 1} {
		model, r := fitted(t, Learner{Trees: trees, Seed: 2}, table(200, false, 0.02))
		sum := 0.0
		for _, share := range r.Shares {
			sum += share
		}
		learned := strings.HasPrefix(r.Chosen, "mix") && len(model.Trees) > mix.Pilots
		if learned != (math.Abs(sum-1) < 1e-9) || !learned && sum != 0 ||
			learned != strings.Contains(r.String(), "% single features, ") {
			t.Errorf("%d trees of a %s have shares %v", trees, r.Chosen, r.Shares)
		}
	}
}

func TestVerdicts(t *testing.T) {
	r := Report{Rows: 80, Chosen: "random forest", Trees: 100, Settled: true, Error: 0.11,
		Interval: eval.Interval{Low: 0.05, High: 0.17},
		Slanted:  -0.031, SlantedInterval: eval.Interval{Low: -0.06, High: -0.002}}
	want := `The model is a random forest. It has 100 trees and learned from 80 rows.
On new rows expect an error rate of 11.0 % (95 % interval 5.0 to 17.0).
Slanted splits don't pay here: they raise the error of a random forest by 3.1 points (95 % interval 0.2 to 6.0).`
	if got := r.String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for interval, want := range map[eval.Interval]string{
		{Low: -0.06, High: 0.01}: "can't tell whether slanted splits pay: they change the error of a random forest by " +
			"−1.0 to 6.0 points.",
		{Low: -0.02, High: 0.0001}: "by 0.0 to 2.0 points.",
		{Low: 0, High: 0}:          "make no difference here",
		{Low: 0.01, High: 0.02}:    "they lower the error of a random forest by −3.1 points (95 % interval 1.0 to 2.0).",
	} {
		r.SlantedInterval = interval
		if got := r.String(); !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	r.Values, r.Error, r.Settled, r.Trees = true, 1234.5, false, most
	r.SlantedInterval = eval.Interval{}
	if got := r.String(); !strings.Contains(got, "no difference here: a random forest has the same errors.") {
		t.Error(got)
	}
	// Of 1600, whose root is 40; those of the rest are 32.19, 20 and 30.
	r.SlantedInterval = eval.Interval{Low: 564, High: 1200}
	r.Slanted = 700
	r.Race = append(r.Race, struct {
		Name  string
		Error float64
		Trees int
	}{"random forest", 1600, 100})
	r.Shares = [mix.Sources]float64{0.1, 0.2, 0.3, 0.4}
	got := r.String()
	if !strings.Contains(got, " a root mean squared error of 35.14 (") ||
		!strings.Contains(got, "lower the root mean squared error of a random forest by 10 (95 % interval 7.81 to 20).") ||
		!strings.HasSuffix(got, "\nWhere nodes sought directions: 10 % single features, 20 % sums and differences, "+
			"30 % fitted sums of few features, "+
			"40 % fitted sums of many features.\n"+
			"More trees may still help a little.") {
		t.Error(got)
	}
}

// Of n rows without an error the 95 % interval of Clopper and Pearson ends where (1 − p)ⁿ = 0.025.
func TestNoErrorIsNotCertainty(t *testing.T) {
	d := table(300, false, 0)
	for i := range d.N() {
		d.Columns[4][i] = float32(d.Labels[i])
	}
	_, r := fitted(t, Learner{Trees: 60, Seed: 1}, d)
	if r.Error != 0 || math.Abs(math.Pow(1-r.Interval.High, 300)-0.025) > 1e-12 {
		t.Errorf("%+v", r)
	}
}

// Of n rows of which none is right it begins where pⁿ = 0.025. Three rows may all gain by chance.
func TestThreeRows(t *testing.T) {
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}}, Columns: [][]float32{{1, 2, 3}},
		Labels: []int32{0, 1, 0}, Classes: []string{"p", "q"}}
	_, r := fitted(t, Learner{}, d)
	if r.Error < 0.99 || math.Abs(math.Pow(r.Interval.Low, 3)-0.025) > 1e-12 {
		t.Errorf("an error of %v, interval %v", r.Error, r.Interval)
	}
	_, r = fitted(t, Learner{Seed: 1}, d)
	if r.Slanted <= 0.5 || !strings.Contains(r.String(), "can't tell whether slanted splits pay") {
		t.Errorf("a gain of %v: %v", r.Slanted, r)
	}
}

// The values are those of categories. A few samples of rows choose a forest with large errors, so that the mean of
// samples is beyond their 97.5 % quantile.
func TestIntervalHoldsTheError(t *testing.T) {
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "c", Categories: []string{"r", "g", "b"}}, {Name: "x"}},
		Columns: make([][]float32, 2)}
	place := func(i int) int { return (i*7919 + i*i*31) % 101 }
	for i := range 120 {
		if i%3 == 0 {
			continue
		}
		c := []float32{0, 1, float32(math.NaN()), 2}[place(i)%4]
		d.Columns[0], d.Columns[1] = append(d.Columns[0], c), append(d.Columns[1], float32(place(i+3)))
		d.Values = append(d.Values, float64(place(i)%4)+0.25)
	}
	_, r := fitted(t, Learner{}, d)
	if !(r.Interval.Low <= r.Error && r.Error <= r.Interval.High) {
		t.Errorf("an error of %v is expected in the interval %v", r.Error, r.Interval)
	}
}

func TestSameModelOnAnyNumberOfCores(t *testing.T) {
	fittest.SameBytes(t, "auto", Learner{Seed: 7}, raw(200, false))
}

// The learner that Choose returns grows the trees of the model, alone and in parts.
func TestPartsOfTheChosen(t *testing.T) {
	ctx, d, l := context.Background(), raw(200, false), Learner{Trees: 30, Seed: 3}
	model, _ := fitted(t, l, d)
	learner := must.Value(l.Choose(ctx, d))
	var parts []*forest.Part
	for _, r := range [][2]int{{0, 9}, {9, 30}} {
		parts = append(parts, must.Value(forest.FitPart(ctx, learner, d, r[0], r[1])))
	}
	joined := must.Value(forest.Join(parts...))
	if !reflect.DeepEqual(joined.Trees, model.Trees) {
		t.Error("the trees of the parts aren't those of the model")
	}
	if _, err := forest.FitPart(ctx, l, d, 0, 9); !errors.Is(err, forest.ErrWhole) {
		t.Errorf("error %v of a part of the learner's own forest", err)
	}
}

// Errors have the learner's name, once, and say what is wrong.
func TestErrors(t *testing.T) {
	good := table(60, false, 0.5)
	oneClass, infinite, oneWeight := *good, *good, *good
	oneClass.Labels = make([]int32, good.N())
	first := append([]float32{float32(math.Inf(1))}, good.Columns[0][1:]...)
	infinite.Columns = append([][]float32{first}, good.Columns[1:]...)
	oneWeight.Weights = make([]float32, good.N())
	oneWeight.Weights[8] = 1
	without := &datasets.Dataset{Columns: good.Columns, Features: good.Features}
	for want, c := range map[string]struct {
		l Learner
		d *datasets.Dataset
	}{
		"-1 trees":                                 {Learner{Trees: -1}, good},
		`all 60 rows have class "low"`:             {Learner{Trees: 2}, &oneClass},
		"1 of 60 rows have a weight above 0":       {Learner{Trees: 2}, &oneWeight},
		"row 0, column \"a\"":                      {Learner{}, &infinite},
		"no target":                                {Learner{}, without},
		"leave too few rows out of bag to compare": {Learner{Trees: 2}, table(2, true, 0.5)},
	} {
		_, err := c.l.Fit(t.Context(), c.d)
		_, chosen := c.l.Choose(t.Context(), c.d)
		for _, err := range []error{err, chosen} {
			if err == nil || !strings.HasPrefix(err.Error(), "auto: ") || strings.Contains(err.Error(), "mix:") ||
				strings.Count(err.Error(), "auto:") != 1 || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v; want auto: … %s", err, want)
			}
		}
	}
	for report, want := range map[string]string{"": "no report", "[]": "auto: the model's report"} {
		_, err := Read(&forest.Forest{Report: report})
		readtest.WantError(t, err, want)
	}
}

// The report has what doubts.Of says of the raw table.
func TestReportDoubts(t *testing.T) {
	plain := table(60, false, 0.5)
	if _, r := fitted(t, Learner{Trees: 3}, plain); r.Doubts != nil {
		t.Errorf("doubts %q of a plain table", r.Doubts)
	}
	constant := *plain
	constant.Features = append(constant.Features, datasets.Feature{Name: "version", Categories: []string{"v1"}})
	constant.Columns = append(constant.Columns, make([]float32, 60))
	_, r := fitted(t, Learner{Trees: 3}, &constant)
	if len(r.Doubts) != 1 || !strings.Contains(r.Doubts[0], `"version" has one value`) ||
		!strings.HasSuffix(r.String(), "\n"+r.Doubts[0]) {
		t.Errorf("doubts %q in\n%v", r.Doubts, r)
	}
}

// A table of two classes, one of them rare, whose columns say nothing: the model is no better than guessing.
// Where they say all it is better beyond doubt.
func TestGuessing(t *testing.T) {
	d := table(400, false, 0)
	for i := range d.N() {
		d.Labels[i] = 0
		if i*37%101 < 5 {
			d.Labels[i] = 1
		}
	}
	d.Classes = []string{"fine", "fraud"}
	_, r := fitted(t, Learner{Trees: 25, Seed: 1}, d)
	for _, want := range []string{"The model is no better than guessing.", "Guessing \"fine\", the largest class",
		"a recall of 0 %, with a precision of 0 %"} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("no %q in %s", want, r)
		}
	}
	d.Columns[4] = make([]float32, d.N())
	for i := range d.N() {
		d.Columns[4][i] = float32(d.Labels[i])
	}
	if _, r = fitted(t, Learner{Trees: 25, Seed: 1}, d); !strings.Contains(r.String(), "better beyond doubt") {
		t.Error(r)
	}
}
