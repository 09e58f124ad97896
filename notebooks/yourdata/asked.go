package yourdata

import (
	"fmt"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/quantile"
	"github.com/obliqua-ml/obliqua/internal/ordered"
	"github.com/obliqua-ml/obliqua/internal/plain"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/viz"
)

const (
	shownRows     = 10  // of a table
	intervalLevel = 0.9 // of prediction intervals
)

// Answers says what a model that was trained on train answers to ten rows of test, drawn at random, and how sure it is:
// the three most probable classes, or the value with an interval that holds it with a probability of 90 %. The note
// counts over all rows of test how often that was right. Answers ends the cell where [forest.Forest.Proba] or
// [quantile.Fit] returns an error.
func Answers(model *forest.Forest, train, test *datasets.Dataset) viz.Table {
	if model.Regression() {
		return answerValues(model, train, test)
	}
	return answerClasses(model, test)
}

// drawn returns the places of ten rows.
func drawn(d *datasets.Dataset) []int32 { return ordered.Drawn(min(shownRows, d.N()), d.N()) }

func answerClasses(model *forest.Forest, test *datasets.Dataset) viz.Table {
	t := viz.Table{Plain: true, Columns: []string{"row", "is", "the model says"}}
	predicted := nb.Predict(model, test)
	is := func(i int) string { return test.Classes[test.Labels[i]] }
	right, expected := 0, 0.0
	for i, name := range predicted.Names() {
		if is(i) == name {
			right++
		}
		expected += predicted.Proba[i][predicted.Labels[i]]
	}
	for _, row := range drawn(test) {
		i := int(row)
		p := predicted.Proba[i]
		var answer []string
		for _, k := range ordered.Largest(p)[:min(3, len(p))] {
			answer = append(answer, fmt.Sprintf("%s %.0f %%", plain.Short(model.Classes[k], 18), 100*p[k]))
		}
		t.Add(fmt.Sprint(number(test, i)), plain.Short(is(i), 18), strings.Join(answer, ", "))
	}
	t.Note = fmt.Sprintf("It is right about %d of all %d rows. By its own probabilities it should be about %.1f.", right,
		test.N(), expected)
	return t
}

func answerValues(model *forest.Forest, train, test *datasets.Dataset) viz.Table {
	t := viz.Table{Plain: true,
		Columns: []string{"row", "is", "the model says", fmt.Sprintf("%.0f %% interval", 100*intervalLevel)}}
	values := nb.Predict(model, test).Values
	of := nb.Value(quantile.Fit(nb.Context(), model, train))
	intervals := nb.Value(of.Intervals(nb.Context(), test, intervalLevel))
	inside := 0
	for i, v := range intervals {
		if y := test.Values[i]; v.Low <= y && y <= v.High {
			inside++
		}
	}
	for _, row := range drawn(test) {
		i := int(row)
		t.Add(fmt.Sprint(number(test, i)), fmt.Sprintf("%.4g", test.Values[i]), fmt.Sprintf("%.4g", values[i]),
			fmt.Sprintf("%.4g to %.4g", intervals[i].Low, intervals[i].High))
	}
	t.Note = fmt.Sprintf("%d of all %d rows are in their intervals. It should be about %.1f.", inside, test.N(),
		intervalLevel*float64(test.N()))
	return t
}

// number returns the number of a row in its file, from 1.
func number(d *datasets.Dataset, i int) int {
	if d.Rows != nil {
		i = int(d.Rows[i])
	}
	return i + 1
}
