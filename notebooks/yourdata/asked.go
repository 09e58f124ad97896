package yourdata

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/quantile"
	"github.com/obliqua-ml/obliqua/internal/ordered"
	"github.com/obliqua-ml/obliqua/internal/plain"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
)

// SetAside returns the rows of d to learn from, and some for asking the model about: ten, or a
// twentieth of the rows if that is less, but at least one. They are drawn at random.
func SetAside(d *datasets.Dataset) (train, aside *datasets.Dataset) {
	drawn := ordered.Drawn(max(1, min(10, d.N()/20)), d.N())
	var rest []int32
	for i := range int32(d.N()) {
		if !slices.Contains(drawn, i) {
			rest = append(rest, i)
		}
	}
	return d.Subset(rest), d.Subset(drawn)
}

// intervalLevel is the level of prediction intervals.
const intervalLevel = 0.9

// DescribeAnswers says what a model that was trained on train answers to other rows, and how sure it is: the three most
// probable classes, or the value with an interval that holds it with a probability of 90 %. The note counts how
// often it was right. DescribeAnswers returns an error where [forest.Forest.Proba] or [quantile.Fit] does.
func DescribeAnswers(ctx context.Context, model *forest.Forest, train, asked *datasets.Dataset) (nb.Table, error) {
	t := nb.Table{Plain: true}
	tell := tellClasses
	if model.Regression() {
		tell = tellValues
	}
	if err := tell(ctx, &t, model, train, asked); err != nil {
		return t, fmt.Errorf("yourdata: %w", err)
	}
	return t, nil
}

func tellClasses(ctx context.Context, t *nb.Table, model *forest.Forest, _, asked *datasets.Dataset) error {
	proba, err := model.Proba(ctx, asked)
	if err != nil {
		return err
	}
	t.Columns = []string{"row", "is", "the model says"}
	right, expected := 0, 0.0
	for i, p := range proba {
		order := ordered.Largest(p)
		var answer []string
		for _, k := range order[:min(3, len(order))] {
			answer = append(answer, fmt.Sprintf("%s %.0f %%", plain.Short(model.Classes[k], 18), 100*p[k]))
		}
		is := asked.Classes[asked.Labels[i]]
		if is == model.Classes[order[0]] {
			right++
		}
		expected += p[order[0]]
		t.Add(fmt.Sprint(number(asked, i)), plain.Short(is, 18), strings.Join(answer, ", "))
	}
	t.Note = fmt.Sprintf("It is right about %d of %d. By its own probabilities it should be about %.1f.", right,
		len(proba), expected)
	return nil
}

func tellValues(ctx context.Context, t *nb.Table, model *forest.Forest, train, asked *datasets.Dataset) error {
	values, err := model.PredictValues(ctx, asked)
	if err != nil {
		return err
	}
	q, err := quantile.Fit(ctx, model, train)
	if err != nil {
		return err
	}
	intervals, err := q.Intervals(ctx, asked, intervalLevel)
	if err != nil {
		return err
	}
	t.Columns = []string{"row", "is", "the model says", fmt.Sprintf("%.0f %% interval", 100*intervalLevel)}
	inside := 0
	for i, v := range intervals {
		y := asked.Values[i]
		if v.Low <= y && y <= v.High {
			inside++
		}
		t.Add(fmt.Sprint(number(asked, i)), fmt.Sprintf("%.4g", y), fmt.Sprintf("%.4g", values[i]),
			fmt.Sprintf("%.4g to %.4g", v.Low, v.High))
	}
	t.Note = fmt.Sprintf("%d of %d are in their intervals. It should be about %.1f.", inside, len(values),
		intervalLevel*float64(len(values)))
	return nil
}

// number returns the number of a row in its file, from 1.
func number(d *datasets.Dataset, i int) int {
	if d.Rows != nil {
		i = int(d.Rows[i])
	}
	return i + 1
}
