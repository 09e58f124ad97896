package auto

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/forest"
)

// A Direction is what splits of much the same weights have in common.
type Direction struct {
	Words    string  // such as "petal length − 0.4·sepal width"
	Features int     // number of main features, at most four
	Share    float64 // of what all splits decreased the impurity by
	Splits   int     // number of nodes
}

// mostNamed is the largest number of features that a Direction names.
const mostNamed = 4

// Directions returns the directions that any forest splits along, the largest shares first; see Report.Directions.
func Directions(model *forest.Forest) (found []Direction) {
	place := map[string]int{}
	for _, p := range model.Projections() {
		signs, rest := mainly(p)
		key := signs.Format(nil) + rest
		i, known := place[key]
		if !known {
			i = len(found)
			place[key] = i
			found = append(found, Direction{Words: words(model, signs) + rest, Features: len(signs.Index)})
		}
		found[i].Share += p.Importance
		found[i].Splits += p.Splits
	}
	slices.SortStableFunc(found, func(a, b Direction) int { return cmp.Compare(b.Share, a.Share) })
	return found
}

// words returns a sum or difference of features in units of the columns. The weight of the first is 1.
func words(model *forest.Forest, signs forest.Projection) string {
	fn := forest.Linear(signs.Index, signs.Weights)
	q := model.Ask(&fn, 0)
	if len(q.Names) == 1 {
		return q.Names[0]
	}
	for i := len(q.Weights) - 1; i >= 0; i-- {
		q.Weights[i] /= q.Weights[0]
	}
	return cmp.Or(strings.Join(q.Terms(2), " "), "0")
}

// mainly returns the sum or difference of the main features of a projection, and what stands for the rest. The first
// has a plus. There are none if all weights are 0.
func mainly(p forest.Projection) (signs forest.Projection, rest string) {
	order := make([]int, len(p.Index))
	for i := range order {
		order[i] = i
	}
	size := func(i int) float64 { return math.Abs(float64(p.Weights[i])) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size(b), size(a)) })
	main := min(1, len(order))
	for main < len(order) && 2*size(order[main]) >= size(order[0]) {
		main++
	}
	if main > mostNamed {
		main, rest = mostNamed, " …"
	}
	order = order[:main]
	slices.Sort(order)
	for _, i := range order {
		sign := float32(1)
		if (p.Weights[i] < 0) != (p.Weights[order[0]] < 0) {
			sign = -1
		}
		signs.Index, signs.Weights = append(signs.Index, p.Index[i]), append(signs.Weights, sign)
	}
	return signs, rest
}
