package boost

import (
	"cmp"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// A placed is a bin of categories with its place on a line.
type placed struct {
	at  float64
	bin int
}

// searchSingles returns the best cut of a single feature.
func (g *grower) searchSingles() (best cut, feature int) {
	for j := range g.binned.features {
		if c := g.searchSingle(j, best.score); c.score > 0 {
			best, feature = c, j
		}
	}
	return best, feature
}

// searchSingle returns the best cut of a feature, or none if its score isn't above most. Missing cells are tried on
// both sides.
func (g *grower) searchSingle(j int, most float64) cut {
	bins := &g.binned.features[j]
	h := g.node.histograms[j][:bins.count]
	if bins.of != nil {
		return g.scan(total{}, g.sort(j), most)
	}
	best := g.scan(total{}, h, most)
	if bins.missing == 0 || h[bins.missing].rows == 0 {
		return best
	}
	if c := g.scan(h[bins.missing], h[:bins.missing], max(most, best.score)); c.score > 0 {
		best, best.missingLeft = c, true
	}
	return best
}

// sort puts the bins of a categorical feature that the node's rows have in the order of their means, which the penalty
// draws to the node's mean. It returns their totals. Without a penalty no set of bins is better than the best cut in
// this order (Fisher, Journal of the American Statistical Association 53, 1958).
func (g *grower) sort(j int) []total {
	all, h := &g.node.total, &g.node.histograms[j]
	mean := all.gradient / all.weight
	g.order, g.sorted = g.order[:0], g.sorted[:0]
	for k := range g.binned.features[j].count {
		if t := &h[k]; t.rows > 0 {
			g.order = append(g.order, placed{(t.gradient - float64(t.weight*mean)) / (t.weight + g.shrinkage), k})
		}
	}
	slices.SortFunc(g.order, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.bin, b.bin))
	})
	for _, p := range g.order {
		g.sorted = append(g.sorted, h[p.bin])
	}
	return g.sorted
}

// single returns the function and the threshold of a cut of a feature. Missing cells that no row of the node has go
// with more weight.
func (g *grower) single(j int, c *cut) (fn forest.Function, threshold float32) {
	bins := &g.binned.features[j]
	fn = g.axis
	fn.Features[0], fn.MissingLeft = int32(j), c.missingLeft
	if g.forest.Fills != nil && (bins.missing == 0 || g.node.histograms[j][bins.missing].rows == 0) {
		fn.MissingLeft = 2*c.left.weight > g.node.total.weight
	}
	switch {
	case bins.of != nil:
		g.makeSet(&fn, j, c)
		return fn, 0.5
	case c.next == bins.missing: // missing cells against the others
		return fn, math.MaxFloat32
	}
	return fn, grow.Midpoint(bins.high[c.at], bins.low[c.next])
}

// makeSet makes a function the set of the categories on the left of a cut. Categories that no row has go with missing
// cells.
func (g *grower) makeSet(fn *forest.Function, j int, c *cut) {
	bins, h := &g.binned.features[j], &g.node.histograms[j]
	g.sort(j)
	var left [maxBins]bool
	for _, p := range g.order[:c.at+1] {
		left[p.bin] = true
	}
	if h[bins.missing].rows > 0 {
		fn.MissingLeft = left[bins.missing]
	}
	others := uint32(0)
	if fn.MissingLeft {
		others = math.MaxUint32
	}
	g.set = g.set[:0]
	for category, bin := range bins.of {
		if category%32 == 0 {
			g.set = append(g.set, others)
		}
		if h[bin].rows > 0 && left[bin] != fn.MissingLeft {
			g.set[category/32] ^= 1 << (category % 32)
		}
	}
	for len(g.set) > 0 && g.set[len(g.set)-1] == others {
		g.set = g.set[:len(g.set)-1]
	}
	fn.Kind, fn.Categories = forest.Set, g.set
}
