package inspect

import (
	"fmt"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/ordered"
)

// MainColumns returns the columns of d with the largest impurity importance in a forest that was trained on d, also if
// its steps made other features of them, as [datasets.Prepare] does: at most that many, the largest first. The
// importance of a column is the sum over the features made of it.
func MainColumns(model *forest.Forest, d *datasets.Dataset, most int) []int {
	if most < 0 {
		panic(fmt.Sprintf("inspect: the %d main columns; want 0 or more", most))
	}
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
