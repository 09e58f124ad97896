package auto

import (
	"cmp"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

// A Direction is what splits of much the same weights have in common.
type Direction struct {
	Words  string  // such as "petal length − sepal width"
	Share  float64 // of what all splits decreased the impurity by
	Splits int     // number of nodes
}

// mostNamed is the largest number of features that a Direction names.
const mostNamed = 4

// Directions returns the directions that any forest splits along, the largest shares first; see Report.Directions.
func Directions(model *forest.Forest) (found []Direction) {
	place := map[string]int{}
	for _, p := range model.Projections() {
		words := mainly(p, model.Features)
		i, known := place[words]
		if !known {
			i = len(found)
			place[words] = i
			found = append(found, Direction{Words: words})
		}
		found[i].Share += p.Importance
		found[i].Splits += p.Splits
	}
	slices.SortStableFunc(found, func(a, b Direction) int { return cmp.Compare(b.Share, a.Share) })
	return found
}

// mainly returns the sum or difference of the main features of a projection. The first has a plus.
func mainly(p forest.Projection, names []string) string {
	order := make([]int, len(p.Index))
	for i := range order {
		order[i] = i
	}
	size := func(i int) float64 { return math.Abs(float64(p.Weights[i])) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size(b), size(a)) })
	main := 1
	for main < len(order) && 2*size(order[main]) >= size(order[0]) {
		main++
	}
	rest := ""
	if main > mostNamed {
		main, rest = mostNamed, " …"
	}
	order = order[:main]
	slices.Sort(order)
	var signs forest.Projection
	for _, i := range order {
		sign := float32(1)
		if (p.Weights[i] < 0) != (p.Weights[order[0]] < 0) {
			sign = -1
		}
		signs.Index, signs.Weights = append(signs.Index, p.Index[i]), append(signs.Weights, sign)
	}
	return signs.Format(names) + rest
}
