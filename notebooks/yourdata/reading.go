package yourdata

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/ordered"
)

// mainColumns returns the columns of d with the largest impurity importance in a forest that was
// trained on d as [datasets.Prepare] prepares it, at most that many, the largest first. That of a column
// is the sum over the features made of it.
func mainColumns(model *forest.Forest, d *datasets.Dataset, most int) []int {
	sums := make([]float64, d.P())
	place := map[string]int{}
	for j, f := range d.Features {
		place[f.Name] = j
	}
	for k, importance := range model.Importance() {
		if j, ok := columnOf(model.Features[k], place); ok {
			sums[j] += importance
		}
	}
	return ordered.Largest(sums)[:min(most, d.P())]
}

// columnOf returns the place of the column that a feature was made of, such as colour of colour=red, colour|price
// or "colour is missing".
func columnOf(feature string, place map[string]int) (j int, ok bool) {
	if j, ok = place[feature]; ok {
		return j, true
	}
	if j, ok = place[strings.TrimSuffix(feature, " is missing")]; ok {
		return j, true
	}
	for end := len(feature) - 1; end > 0; end-- { // from the right: a name may have = or |
		if feature[end] == '=' || feature[end] == '|' {
			if j, ok = place[feature[:end]]; ok {
				return j, true
			}
		}
	}
	return 0, false
}

// DescribeErrors says where out-of-bag predictions err: which classes are taken for which others, or for values
// how far they are off.
func DescribeErrors(oob *forest.OutOfBag, train *datasets.Dataset) string {
	if train.Labels != nil {
		return fmt.Sprintf("Out of bag, %.1f %% of the rows are taken for another class.\n\n%s", 100*oob.Error(),
			mistakes(oob, train, 5))
	}
	var predicted, truth, off []float64
	for _, r := range oob.Rows {
		predicted, truth = append(predicted, oob.Values[r]), append(truth, train.Values[r])
		off = append(off, math.Abs(oob.Values[r]-train.Values[r]))
	}
	slices.Sort(off)
	return fmt.Sprintf(
		"Out of bag, the root mean squared error is %.4g and R² is %.3f. Half of the predictions are off by at most "+
			"%.3g, nine in ten by at most %.3g.\n",
		math.Sqrt(eval.MSE(predicted, truth)),
		eval.R2(predicted, truth),
		off[len(off)/2],
		off[len(off)*9/10],
	)
}

// Example returns the cells of a row by column name, as a client would send them in JSON. Missing
// cells are left out.
func Example(d *datasets.Dataset, row int) map[string]any {
	cells := map[string]any{}
	for j, f := range d.Features {
		switch v := d.At(row, j); {
		case v != v:
		case f.Categories != nil:
			cells[f.Name] = f.Categories[int(v)]
		default:
			cells[f.Name] = v
		}
	}
	return cells
}
