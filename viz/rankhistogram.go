package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A RankHistogram shows how often each method has which rank over data sets (Tomita et al., SPORF,
// figure 5B): a small histogram for each method, all in the same units, with the percentage of data
// sets over each bar. Methods are in order of mean rank, the best on top. Methods that share a rank
// on a set share the bars, too: two that tie for ranks 1 and 2 have half a set in each.
type RankHistogram struct {
	Title   string
	Methods []string
	Ranks   [][]float64 // by data set and method, as eval.FriedmanTest's Table has them; a set with a NaN is left out
}

// Figure draws the histograms. It panics if there are no methods, if a data set has another number
// of ranks, or ranks that so many methods can't have, and if no set is without a NaN.
func (r RankHistogram) Figure() *Figure {
	h := r.count()
	p := newPlot("rank (1 is best)", "")
	p.Add(h)
	n := float64(len(r.Methods))
	p.X.Min, p.X.Max = 0.4, n+0.6
	p.Y.Min, p.Y.Max = 0, n
	ticks := make(plot.ConstantTicks, len(r.Methods))
	for i := range h.names {
		ticks[i] = plot.Tick{Value: n - float64(i) - 0.6, Label: h.names[i]}
	}
	p.Y.Tick.Marker = ticks
	p.Y.Tick.LineStyle.Width, p.Y.LineStyle.Width = 0, 0
	height := 90 + n*min(64, max(40, 320/n))
	return &Figure{
		Title: r.Title, Alt: h.alt(), Width: defaultWidth, Height: height,
		body: func(c draw.Canvas) { p.X.Tick.Marker = wholeTicks(len(r.Methods)); p.Draw(c) },
		live: func() any { return h.live(r.Title, height) },
	}
}

// wholeTicks labels the numbers from 1 to n.
func wholeTicks(n int) plot.ConstantTicks {
	ticks := make(plot.ConstantTicks, n)
	for i := range ticks {
		ticks[i] = plot.Tick{Value: float64(i + 1), Label: fmt.Sprint(i + 1)}
	}
	return ticks
}

// rankCounts are histograms of ranks.
type rankCounts struct {
	names []string    // with mean ranks, in their order
	share [][]float64 // of each method in this order: the share of sets by rank
	most  float64     // the largest share
	sets  int
}

// count returns the histograms.
func (r RankHistogram) count() rankCounts {
	n := len(r.Methods)
	if n == 0 {
		panic("viz: rank histogram without methods")
	}
	share, mean := make([][]float64, n), make([]float64, n)
	for j := range share {
		share[j] = make([]float64, n)
	}
	h := rankCounts{}
	for i, set := range r.Ranks {
		if len(set) != n {
			panic(fmt.Sprintf("viz: data set %d has %d ranks of %d methods", i, len(set), n))
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
				panic(fmt.Sprintf("viz: data set %d has rank %v %d times, of %d methods", i, rank, tied, n))
			}
			mean[j] += rank
			for k := range tied {
				share[j][int(first)-1+k] += 1 / float64(tied)
			}
		}
	}
	if h.sets == 0 {
		panic("viz: rank histogram without a data set on which all methods have ranks")
	}
	order := make([]int, n)
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
	for _, j := range order {
		for k := range share[j] {
			share[j][k] /= float64(h.sets)
			h.most = max(h.most, share[j][k])
		}
		h.names = append(h.names, withRank(r.Methods[j], mean[j]/float64(h.sets), textStyle(tickSize, false), 180*px))
		h.share = append(h.share, share[j])
	}
	return h
}

func (h rankCounts) alt() string {
	var first []string
	for i, name := range h.names {
		first = append(first, fmt.Sprintf("%s %s", name, percent(h.share[i][0])))
	}
	return fmt.Sprintf("Histograms of the ranks of %d methods over %d data sets. Methods by mean rank, with the share of first ranks: %s.", len(h.names), h.sets, strings.Join(first, ", "))
}

// withRank returns a method's name, shortened if long, with its mean rank.
func withRank(name string, rank float64, style text.Style, width vg.Length) string {
	number := fmt.Sprintf(" (%.2f)", rank)
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

func (h rankCounts) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	row := toY(1) - toY(0)
	style := textStyle(min(10.5*px, 0.26*row), false)
	style.XAlign, style.YAlign = draw.XCenter, draw.YBottom
	labels := style.Width(percent(1)) < toX(2)-toX(1)
	for i, shares := range h.share {
		base := c.Max.Y - vg.Length(i+1)*row
		for k, share := range shares {
			x, half := toX(float64(k+1)), 0.4*(toX(2)-toX(1))
			top := base + vg.Length(share/h.most*(1-rowSpace))*row
			if share > 0 {
				c.FillPolygon(classColor(0), []vg.Point{{X: x - half, Y: base}, {X: x + half, Y: base}, {X: x + half, Y: top}, {X: x - half, Y: top}})
			}
			if labels && share > 0 {
				c.FillText(style, vg.Point{X: x, Y: top + px}, percent(share))
			}
		}
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: px}, c.Min.X, base, c.Max.X, base)
	}
}

// live returns a chart with a grid for all names and ranks and, above it, one for each histogram.
func (h rankCounts) live(title string, height float64) any {
	const left, right, top, bottom = 200, 24, 44, 52
	n := len(h.names)
	ranks := make([]string, n)
	for k := range ranks {
		ranks[k] = fmt.Sprint(k + 1)
	}
	chart := charts.NewBar()
	liveFrame(&chart.BaseConfiguration, title,
		opts.XAxis{Name: "rank (1 is best)", Type: "category", Data: ranks},
		opts.YAxis{Type: "category", Data: h.names, Inverse: opts.Bool(true)})
	chart.Legend.Show = opts.Bool(false)
	chart.GridList[0] = opts.Grid{Left: fmt.Sprint(left), Right: fmt.Sprint(right), Top: fmt.Sprint(top), Bottom: fmt.Sprint(bottom)}
	row := (height - top - bottom) / float64(n)
	for i, shares := range h.share {
		chart.GridList = append(chart.GridList, opts.Grid{Left: fmt.Sprint(left), Right: fmt.Sprint(right),
			Top: fmt.Sprintf("%.1f", top+(float64(i)+rowSpace)*row), Height: fmt.Sprintf("%.1f", (1-rowSpace)*row)})
		chart.XAxisList = append(chart.XAxisList, opts.XAxis{GridIndex: i + 1, Type: "category", Data: ranks,
			AxisLabel: &opts.AxisLabel{Show: opts.Bool(false)}, AxisTick: &opts.AxisTick{Show: opts.Bool(false)}})
		chart.YAxisList = append(chart.YAxisList, opts.YAxis{GridIndex: i + 1, Show: opts.Bool(false), Min: 0, Max: h.most})
		var bars []opts.BarData
		for k, share := range shares {
			text := ""
			if share > 0 {
				text = percent(share)
			}
			bars = append(bars, opts.BarData{Name: fmt.Sprintf("rank %d: %s of %d data sets", k+1, percent(share), h.sets), Value: []any{k, jsonNumber(share), text}})
		}
		chart.AddSeries(h.names[i], bars, charts.WithItemStyleOpts(opts.ItemStyle{Color: hex(classColor(0))}),
			charts.WithBarChartOpts(opts.BarChart{XAxisIndex: i + 1, YAxisIndex: i + 1}),
			charts.WithLabelOpts(opts.Label{Show: opts.Bool(true), Position: "top", Formatter: "{@[2]}", FontSize: 10}))
	}
	return chart.JSON()
}
