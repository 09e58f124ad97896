package godt

import (
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

var dividers = []paper.Figure{{Name: "Dividers", Shows: "accuracy, %, of ways to divide a node", Ours: true,
	Place: "godt#How much of it is the mixture?", Of: of(&Dividers), Draw: byDivider,
	Claims: []paper.Claim{kMeansAlone(0, "as they are"), kMeansAlone(1, "standardised")}}}

const usual = "mixture, diagonal"

// kMeansAlone claims that K-means alone is as accurate as the mixture.
func kMeansAlone(x int, features string) paper.Claim {
	series := func(method string) paper.Series {
		return paper.Series{Part: paper.Part{Experiment: &Dividers, Methods: []string{method}, X: []int{x}}}
	}
	return paper.Claim{Says: "accuracy of K-means alone less the mixture's, features " + features,
		Find: paper.Less(series("K-means"), series(usual))}
}

// byDivider draws the accuracies of dividers on features as they are and standardised. The colour is what a divider
// loses to the mixture: blue is better.
func byDivider(r *paper.Results) paper.Drawing {
	means, methods := r.Means(of(&Dividers)[0]), Dividers.Grids[0].Methods
	sets := names(Sets, "small")
	g := viz.Grid{Columns: 1, Width: 760}
	for x, features := range []string{"as they are", "standardised"} {
		of := func(method string) (accuracies []float64) {
			for _, set := range sets {
				accuracies = append(accuracies, 100*means.At(set, method, x).Score.Value)
			}
			return append(accuracies, eval.Mean(accuracies))
		}
		h := viz.HeatMap{Title: "features " + features, Rows: methods, Limit: 12,
			Columns: append(names(Sets, "small"), "mean")}
		for _, method := range methods {
			var values []float64
			var texts []string
			for i, v := range of(method) {
				values, texts = append(values, of(usual)[i]-v), append(texts, paper.Decimals(v, 1))
			}
			h.Values, h.Text = append(h.Values, values), append(h.Text, texts)
		}
		g.Charts = append(g.Charts, h)
	}
	return paper.Draw(g)
}
