package auto

import (
	"cmp"
	"fmt"
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

// String returns the share and the words in a line.
func (d Direction) String() string { return fmt.Sprintf("%5.1f %%  %s", 100*d.Share, d.Words) }

// mostNamed is the largest number of features that a Direction names.
const mostNamed = 4

// Directions returns the directions that a forest splits along, those with the largest shares first. Fitted
// directions are hardly ever equal, so those are one that agree in their main features and in the signs of
// these: at most four features, those with the largest weights, of which none is below half of the largest. Words ends in
// "…" if more than four reach that half. Opposite directions are the same. Weights are compared as they are, which makes sense if
// all features have the same scale, as those of a [Learner]'s models have: words such as "income + age" add
// standard deviations there.
//
// Shares sum to 1 unless a split is quadratic; see [forest.Projection].
func Directions(model *forest.Forest) []Direction {
	place := map[string]int{}
	var directions []Direction
	for _, p := range model.Projections() {
		words := mainly(p, model.Features)
		i, known := place[words]
		if !known {
			i = len(directions)
			place[words] = i
			directions = append(directions, Direction{Words: words})
		}
		directions[i].Share += p.Importance
		directions[i].Splits += p.Splits
	}
	slices.SortStableFunc(directions, func(a, b Direction) int { return cmp.Compare(b.Share, a.Share) })
	return directions
}

// mainly returns the sum or difference of the main features of a projection, of which the first has a plus.
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
