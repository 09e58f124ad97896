package godt

import (
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

var dividers = []paper.Figure{{Name: "Dividers", Shows: "accuracy, %, of ways to divide a node", Ours: true,
	Place: "godt#How much of it is the mixture?", Of: of(&Dividers), Draw: byDivider}}

// byDivider draws the accuracies of dividers on features as they are and standardised. The colour is what a divider
// loses to the mixture: blue is better. The table compares K-means alone with the mixture.
func byDivider(r *paper.Results) paper.Drawing {
	const usual = "mixture, diagonal"
	means := r.Means(of(&Dividers)[0])
	sets, methods := means.Names(func(m paper.Mean) string { return m.Problem }), Dividers.Grids[0].Methods
	g := viz.Grid{Columns: 1, Width: 760}
	t := viz.Table{Title: "K-means alone and the mixture", Columns: []string{"features", "accuracy, %|K-means",
		"accuracy, %|mixture", "two-sided Wilcoxon p"}}
	for x, features := range []string{"as they are", "standardised"} {
		of := func(method string) (accuracies []float64) {
			for _, set := range sets {
				accuracies = append(accuracies, 100*means.At(set, method, x).Score.Value)
			}
			return append(accuracies, eval.Mean(accuracies))
		}
		base := of(usual)
		h := viz.HeatMap{Title: "features " + features, Rows: methods, Columns: append(sets[:len(sets):len(sets)], "mean"),
			Limit: 12}
		for _, method := range methods {
			var values []float64
			var texts []string
			for i, v := range of(method) {
				values, texts = append(values, base[i]-v), append(texts, paper.Decimals(v, 1))
			}
			h.Values, h.Text = append(h.Values, values), append(h.Text, texts)
		}
		g.Charts = append(g.Charts, h)
		k, n := of("K-means"), len(sets)
		t.Add(features, paper.Decimals(k[n], 1), paper.Decimals(base[n], 1),
			paper.Significant(twoSided(k[:n], base[:n]), 2))
	}
	return paper.Drawing{Chart: g, Tables: []viz.Table{t}}
}
