package eval

import (
	"math"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// rareRows returns 40 rows, 5 of them of class yes, and what is predicted of them: yes from a probability on.
func rareRows(from float64) (*datasets.Dataset, []float64, *forest.OutOfBag) {
	d, oob, losses := &datasets.Dataset{Classes: []string{"no", "yes"}}, &forest.OutOfBag{}, []float64(nil)
	for i := range 40 {
		y, p, said := int32(0), float64(i*37%41)/64, int32(0)
		if i%8 == 3 {
			y, p = 1, p+0.25
		}
		loss := 0.0
		if p > from {
			said = 1
		}
		if said != y {
			loss = 1
		}
		d.Labels, oob.Labels = append(d.Labels, y), append(oob.Labels, said)
		oob.Proba, losses = append(oob.Proba, []float64{1 - p, p}), append(losses, loss)
	}
	return d, losses, oob
}

// Recall, precision, AUC, the threshold of the largest Youden index and the errors are those of scikit-learn 1.9.1
// (recall_score, precision_score, roc_auc_score, roc_curve, DummyClassifier), the standard error is numpy's.
func TestAssessClasses(t *testing.T) {
	a := Assess(rareRows(0.6))
	if a.Guess != "no" || a.Guessing != 0.125 || a.Loss != 0.1 || math.Abs(a.Gain-0.025) > 1e-15 ||
		math.Abs(a.StdErr-0.056472139715992374) > 1e-15 || a.Better() != 0 {
		t.Errorf("%+v", a)
	}
	if len(a.Rare) != 1 || a.Rare[0] != (RareClass{Name: "yes", Rows: 5, Said: 5, Found: 3, AUC: 0.86, Threshold: 0.62,
		Alarms: 4, Alarmed: 3}) {
		t.Errorf("%+v", a.Rare)
	}
	want := `Guessing "no", the largest class, for every row has an error rate of 12.5 %. Whether the model is ` +
		`better than guessing is in doubt: it may be worse by 8.6 or better by 12.5 points (1.96 standard errors around ` +
		`the difference).
"yes" is rare, 5 of 40 rows (12.5 %). The model says so of 5 rows and finds 3: a recall of 60 %, with a precision of ` +
		`60 %. The AUC is 0.86, where 0.5 is chance.`
	if a.String() != want {
		t.Errorf("%s\nwant\n%s", a, want)
	}
	// A model that errs on more rows than guessing does, but not on so many more that it is worse beyond doubt.
	d, losses, oob := rareRows(0.6)
	for i := range 5 {
		losses[8*i] = 1
	}
	if a := Assess(d, losses, oob); a.Better() != 0 || !strings.Contains(a.String(), "no better than guessing.") {
		t.Error(a)
	}
	for i := range losses {
		losses[i] = 1
	}
	if a := Assess(d, losses, oob); a.Better() != -1 || !strings.Contains(a.String(), "worse beyond doubt, by 77.") {
		t.Error(a)
	}
	never := Assess(rareRows(2)).String()
	for _, want := range []string{"12.5 %. The model is no better than guessing.\n", "never says so: it finds none",
		"At a threshold of 0.62 of its probability the model finds 3 of 5 (false alarms: 1)."} {
		if !strings.Contains(never, want) {
			t.Errorf("no %q in %s", want, never)
		}
	}
}

// Rows that are in every sample don't count, nor does a class of 20 % or more, or of more than half an even share.
func TestAssessRows(t *testing.T) {
	d, losses, oob := rareRows(0.6)
	for i := range losses {
		if i%8 == 3 && i > 3 || i < 3 {
			losses[i], oob.Labels[i], oob.Proba[i] = math.NaN(), -1, []float64{math.NaN(), math.NaN()}
		}
	}
	if a := Assess(d, losses, oob); a.Rows != 33 || a.Guessing != 1/33. || len(a.Rare) != 1 || a.Rare[0].Rows != 1 {
		t.Errorf("%+v", a)
	}
	d, losses, oob = rareRows(0.6)
	for i := range 3 {
		d.Labels[i] = 1 // 8 of 40
	}
	if a := Assess(d, losses, oob); a.Rare != nil {
		t.Errorf("%+v", a)
	}
	for i := range losses {
		d.Labels[i], losses[i] = 0, 0
	}
	if a := Assess(d, losses, oob); a.Rare != nil || a.Better() != 0 || strings.Contains(a.String(), "NaN") {
		t.Error(a)
	}
	for i := range losses {
		losses[i] = math.NaN()
	}
	if a := Assess(d, losses, oob); !strings.HasPrefix(a.String(), "No row is out of bag") {
		t.Error(a)
	}
}

// The mean squared errors and R² are those of scikit-learn 1.9.1 (mean_squared_error, DummyRegressor, r2_score), the
// standard error and the ordered errors are numpy's.
func TestAssessValues(t *testing.T) {
	d, oob, losses := &datasets.Dataset{}, &forest.OutOfBag{}, []float64(nil)
	for i := range 40 {
		y, p := float64(i*i%23)+float64(i)/2, 0.75*float64(i*i%23)+float64(i)/2+float64(i*5%7-2)
		d.Values, oob.Values = append(d.Values, y), append(oob.Values, p)
		losses = append(losses, (y-p)*(y-p))
	}
	a := Assess(d, losses, oob)
	for _, pair := range [][2]float64{{a.Loss, 6.9265625}, {a.Guessing, 72.419375}, {a.R2(), 0.9043548428856228},
		{a.StdErr, 14.10014388542342}, {a.Half, 2}, {a.NineTenths, 4}} {
		if math.Abs(pair[0]-pair[1]) > 1e-12 {
			t.Errorf("%v, want %v", pair[0], pair[1])
		}
	}
	// (65.4928125 − 1.96·14.10014388542342)/72.419375; no R² is above 1
	want := `Guessing the mean has a root mean squared error of 8.51 and an R² of 0; the model has an R² of 0.90. The ` +
		`model is better beyond doubt, by 0.52 to 1.00 of R² (1.96 standard errors around the difference).
Half of the predictions are off by at most 2, nine in ten by at most 4.`
	if a.String() != want {
		t.Errorf("%s\nwant\n%s", a, want)
	}
	// The sum of these values divided by 40 isn't quite 0.1.
	for i := range losses {
		d.Values[i], losses[i] = 0.1, 0
	}
	same := Assess(d, losses, nil)
	if s := same.String(); same.Guessing != 0 || s != "All values are the same, so guessing is right." {
		t.Errorf("guessing a constant has a loss of %v: %s", same.Guessing, s)
	}
	// Five rows, each of which is predicted better than by their mean.
	few := &datasets.Dataset{Values: []float64{0, 1, 5, 7, 8}}
	want = "Guessing the mean has a root mean squared error of 3.187 and an R² of 0; the model has an R² of 1.00. " +
		"The model is better by 1.00 of R², but these rows don't tell how sure that is."
	if a := Assess(few, make([]float64, 5), nil); a.Better() != 0 || a.String() != want {
		t.Errorf("%d, %s\nwant\n%s", a.Better(), a, want)
	}
	// Each row gains 1, so nothing says how sure the gain is.
	for i := range losses {
		d.Values[i] = float64(2*(i%2) - 1)
	}
	alike := Assess(d, losses, nil)
	want = "Guessing the mean has a root mean squared error of 1 and an R² of 0; the model has an R² of 1.00. " +
		"The model is better by 1.00 of R², but these rows don't tell how sure that is."
	if alike.Better() != 0 || alike.String() != want {
		t.Errorf("%d, %s\nwant\n%s", alike.Better(), alike, want)
	}
}
