// Package sporf has the figures and tables of Tomita et al.: Sparse Projection Oblique Randomer Forests (JMLR 21,
// 2020), in the paper's order.
//
//   - choices.go: the runs of most figures, as the authors' programs do them
//   - simulations.go: figures 1 to 3
//   - projections.go: figure 4
//   - sets.go, effects.go: table 1 and figure 5, and other methods on the same sets
//   - settings.go: figures 6 and 7
//   - times.go: figures 8 to 10
//   - trees.go: figures 11 and 12
//
// How the runs are done is in tools/experiments/sporf.
package sporf

import (
	"slices"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

// Paper is the paper's room.
var Paper = paper.Paper{
	Key: "sporf", Name: "SPORF",
	Experiments: []*paper.Experiment{&Consistency, &Simulated, &Errors, &Importances, &Table1, &OnSets, &Sizes, &Noise,
		&WholeNoise, &Scaling, &Predictions, &Bias, &WholeBias},
	Figures: slices.Concat([]paper.Figure{
		{Name: "Algorithm 1", Shows: "growing a SPORF tree", Place: "forest/sporf"},
		{Name: "Algorithm 2", Shows: "the best split of a node", Place: "forest/internal/grow"},
	}, simulations, projections, effects, settings, times, sets, trees),
}

// pointsFile has points of the paper's figures that its authors have published.
const pointsFile = "sporf_points.csv"

// authors returns the points of a figure from pointsFile. Methods are called like "SPORF, authors".
func authors(r *paper.Results, figure string) paper.Means {
	points := r.Points(pointsFile, figure)
	for i := range points {
		points[i].Method += ", authors"
	}
	return points
}

// less claims the sign of the difference of a measure of two methods; nil is the score.
func less(says string, sign paper.Sign, p paper.Part, a, b string, measure paper.Measure) paper.Claim {
	return paper.Claim{Says: says, Sign: sign, Find: paper.Less(p.By(a).Of(measure), p.By(b).Of(measure))}
}

// A panel draws a chart of a figure.
type panel = func(r *paper.Results) viz.Chart

// lines is a panel of means against X, with the axes of c: a line for each of the part's methods, and for each of the
// authors' in a figure of pointsFile, if any. Of is nil for the score.
func lines(c viz.Curves, p paper.Part, figure string, of func(m paper.Mean) paper.Number) panel {
	return func(r *paper.Results) viz.Chart {
		means := append(r.Means(p).Of(p.Methods...), authors(r, figure)...)
		drawn := c
		drawn.Series = paper.Curves("", "", "", means, of).Series
		return drawn
	}
}
