// Package yourdata holds what the notebook your-data.ipynb does with a table about which nothing is known but its file
// and its target: it says what a model answers to rows that it hasn't seen and what moved its predictions, finds rows and
// columns that deserve a look, and chooses methods to compare.
package yourdata

import (
	"fmt"
	"math"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/ordered"
	"github.com/obliqua-ml/obliqua/internal/plain"
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
// how far they are off. It says what guessing would do, too; see [eval.Assessment].
func DescribeErrors(oob *forest.OutOfBag, train *datasets.Dataset) string {
	guessing := eval.Assess(train, oob.Losses(), oob)
	if train.Labels != nil {
		return fmt.Sprintf("Out of bag, %.1f %% of the rows are taken for another class. %s\n\n%s", 100*guessing.Loss,
			guessing, mistakes(oob, train, 5))
	}
	return fmt.Sprintf("Out of bag, the root mean squared error is %s. %s\n",
		plain.Number(math.Sqrt(guessing.Loss), 4), guessing)
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
