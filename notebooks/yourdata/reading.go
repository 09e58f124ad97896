package yourdata

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
)

// DescribeProjections formats the most important projections of a forest, a line each, with
// their share of the decrease in impurity.
func DescribeProjections(model *forest.Forest, most int) string {
	names := make([]string, len(model.Features))
	for j, name := range model.Features {
		names[j] = Short(name, 28)
	}
	var text strings.Builder
	projections := model.Projections()
	for _, p := range projections[:min(most, len(projections))] {
		fmt.Fprintf(&text, "%5.1f %%  %s\n", 100*p.Importance, p.Format(names))
	}
	return text.String()
}

// MainColumns returns the columns of d with the largest impurity importance in a forest that was
// trained on d after [Steps], at most that many, the largest first. That of a categorical column
// is the sum over the features made of it.
func MainColumns(model *forest.Forest, d *datasets.Dataset, most int) []int {
	sums := make([]float64, d.P())
	place := map[string]int{}
	for j, f := range d.Features {
		place[f.Name] = j
	}
	for k, importance := range model.Importance() {
		name := model.Features[k]
		j, whole := place[name]
		for end := len(name) - 1; !whole && end > 0; end-- { // such as colour=red
			if name[end] == '=' || name[end] == '|' {
				j, whole = place[name[:end]]
			}
		}
		if whole {
			sums[j] += importance
		}
	}
	columns := make([]int, d.P())
	for j := range columns {
		columns[j] = j
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
	return columns[:min(most, len(columns))]
}

// DescribeErrors says where out-of-bag predictions err: for classes as [Mistakes] does, for values
// how far they are off.
func DescribeErrors(oob *forest.OutOfBag, train *datasets.Dataset) string {
	if train.Labels != nil {
		return fmt.Sprintf("Out of bag, %.1f %% of the rows are taken for another class.\n\n%s", 100*oob.Error(), Mistakes(oob, train, 5))
	}
	var predicted, truth, off []float64
	for _, r := range oob.Rows {
		predicted, truth = append(predicted, oob.Values[r]), append(truth, train.Values[r])
		off = append(off, math.Abs(oob.Values[r]-train.Values[r]))
	}
	slices.Sort(off)
	return fmt.Sprintf("Out of bag, the root mean squared error is %.4g and R² is %.3f. Half of the predictions are off by at most %.3g, nine in ten by at most %.3g.\n",
		eval.RMSE(predicted, truth), eval.R2(predicted, truth), off[len(off)/2], off[len(off)*9/10])
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
