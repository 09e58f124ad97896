// Package yourdata holds what the notebook your-data.ipynb does with a table about which nothing is known but its file
// and its target: it says what a model answers to rows that it hasn't seen and what moved its predictions, finds rows
// and columns that deserve a look, and chooses methods to compare.
package yourdata

import (
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

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
