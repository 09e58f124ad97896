package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// A RankHistogram shows how often each method has which rank over data sets (Tomita et al., SPORF, figure 5B): a small
// histogram for each method, all in the same units, with the percentage of data sets over each bar. Methods are in
// order of mean rank, the best on top. Methods that share a rank on a set share the bars, too: two that tie for ranks 1
// and 2 have half a set in each.
//
// [Draw] panics if there are no methods, if a data set has another number of ranks, or ranks that so many methods can't
// have, and if no set is without a NaN.
type RankHistogram struct {
	Title   string
	Methods []string
	Ranks   [][]float64 // by data set and method, as eval.FriedmanTest's Table has them; a set with a NaN is left out
}

func (r RankHistogram) figure() *Figure {
	h := r.count()
	n := float64(len(r.Methods))
	a := &axes{Plot: h.plot(rankAxis, 0, 1), rows: h.rows} // without a grid
	for k := range h.rows {
		a.mark(h.bars(k), rule{at: h.at(k), style: stroke(grey, 1)})
	}
	names := a.Y.Tick.Marker.(plot.ConstantTicks)
	for k := range names {
		names[k].Value += 0.4 // from the base of a histogram to about the middle
	}
	a.X.Min, a.X.Max = 0.4, n+0.6
	var ticks plot.ConstantTicks
	for k := range r.Methods {
		ticks = append(ticks, plot.Tick{Value: float64(k + 1), Label: fmt.Sprint(k + 1)})
	}
	a.X.Tick.Marker, a.Y.LineStyle.Width = ticks, 0
	f := a.figure(r.Title, h.alt())
	f.Height = 90 + h.shared(320, 40, 64)
	return f
}

const rankAxis = "rank (1 is best)"

// rankCounts are histograms of ranks.
type rankCounts struct {
	rows              // names with mean ranks, in their order
	share [][]float64 // of each method in this order: the share of sets by rank
	most  float64     // the largest share
	sets  int
}

// count returns the histograms.
func (r RankHistogram) count() rankCounts {
	n := len(r.Methods)
	if n == 0 {
		misuse("rank histogram without methods")
	}
	share, mean := make([][]float64, n), make([]float64, n)
	for j := range share {
		share[j] = make([]float64, n)
	}
	var h rankCounts
	for i, set := range r.Ranks {
		if len(set) != n {
			misuse("data set %d has %d ranks of %d methods", i, len(set), n)
		}
		if slices.ContainsFunc(set, math.IsNaN) {
			continue
		}
		h.sets++
		for j, rank := range set {
			tied := 0 // methods with this rank; they share the ranks around it
			for _, other := range set {
				if other == rank {
					tied++
				}
			}
			first := rank - float64(tied-1)/2
			if first != math.Trunc(first) || first < 1 || first+float64(tied-1) > float64(n) {
				misuse("data set %d has rank %v %d times, of %d methods", i, rank, tied, n)
			}
			mean[j] += rank
			for k := range tied {
				share[j][int(first)-1+k] += 1 / float64(tied)
			}
		}
	}
	if h.sets == 0 {
		misuse("rank histogram without a data set on which all methods have ranks")
	}
	for _, j := range inOrder(mean) {
		for k := range share[j] {
			share[j][k] /= float64(h.sets)
			h.most = max(h.most, share[j][k])
		}
		h.rows = append(h.rows, withRank(r.Methods[j], mean[j]/float64(h.sets), 180*px))
		h.share = append(h.share, share[j])
	}
	return h
}

func (h rankCounts) alt() string {
	var first []string
	for i, name := range h.rows {
		first = append(first, fmt.Sprintf("%s %s", name, percent(h.share[i][0])))
	}
	return fmt.Sprintf("Histograms of the ranks of %d methods over %d data sets. Methods by mean rank, "+
		"with the share of first ranks: %s.", len(h.rows), h.sets, strings.Join(first, ", "))
}

// withRank returns a method's name, shortened if long, with its mean rank.
func withRank(name string, rank float64, width vg.Length) string {
	number, style := fmt.Sprintf(" (%.2f)", rank), textStyle(tickSize, false)
	return shorten(name, style, width-style.Width(number)) + number
}

func percent(share float64) string {
	if share > 0 && share < 0.005 {
		return "<1\u00a0%"
	}
	return fmt.Sprintf("%.0f\u00a0%%", 100*share)
}

// rowSpace is the share of a histogram's row above its highest bar.
const rowSpace = 0.38

// bars returns the histogram of method i.
func (h rankCounts) bars(i int) tiles {
	t := tiles{name: h.rows[i], fill: classColor(0)}
	for k, share := range h.share[i] {
		if share > 0 {
			x, base := float64(k+1), h.at(i)
			name := fmt.Sprintf("rank %d: %s of %d data sets", k+1, percent(share), h.sets)
			t.of = append(t.of, tile{x - 0.4, base, x + 0.4, base + share/h.most*(1-rowSpace), name, percent(share)})
		}
	}
	return t
}
