package viz

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/forest/eval"
)

// Comparison draws how much the loss of each method of a comparison differs from that of the
// baseline: a small dot for every split, the mean with its interval, and a line at 0. Left of
// the line a method is better than the baseline. An interval is blue if it lies left of 0,
// orange if it lies right, and grey if it holds 0. Error rates are in percentage points.
type Comparison struct {
	Title string
	Of    *eval.Comparison
}

// Figure draws the differences. It panics if there is no comparison.
func (c Comparison) Figure() *Figure {
	if c.Of == nil {
		panic("viz: no comparison to draw")
	}
	p := newPlot(c.axisLabel(), "")
	p.Add(paleGrid(), comparisonPlot{c})
	p.X.Min, p.X.Max = c.valueRange()
	n := c.methods()
	p.Y.Min, p.Y.Max = -0.5, float64(n)-0.5
	p.Y.Tick.Marker = c.ticks()
	p.Y.Tick.LineStyle.Width = 0
	height := 110 + float64(n)*max(34, min(54, 320/float64(n)))
	return &Figure{Title: c.Title, Alt: c.alt(), Width: defaultWidth, Height: height, keys: c.keys(),
		body: func(canvas draw.Canvas) { drawPlot(canvas, p) },
		live: func() any { return c.live(p, height) }}
}

// methods returns the number of methods that are compared with the baseline. Method k of them
// is contender k + 1.
func (c Comparison) methods() int { return len(c.Of.Contenders) - 1 }

func (c Comparison) label() string {
	baseline := c.Of.Contenders[0].Name
	if c.Of.Regression {
		return "RMSE minus that of " + baseline
	}
	return fmt.Sprintf("error minus that of %s, percentage points", baseline)
}

// axisLabel returns the label with the side on which a method is better.
func (c Comparison) axisLabel() string { return "← better      " + c.label() + "      worse →" }

// scaled returns a difference of losses in the unit of the axis.
func (c Comparison) scaled(v float64) float64 {
	if c.Of.Regression {
		return v
	}
	return 100 * v
}

// dots returns the differences of method k in each split.
func (c Comparison) dots(k int) []float64 {
	d := make([]float64, len(c.Of.Loss[0]))
	for f := range d {
		d[f] = c.scaled(c.Of.Loss[k+1][f] - c.Of.Loss[0][f])
	}
	return d
}

// estimate returns the mean difference of method k and the ends of its interval.
func (c Comparison) estimate(k int) (mean, low, high float64) {
	d := c.Of.Differences[k+1]
	return c.scaled(d.Difference), c.scaled(d.Interval.Low), c.scaled(d.Interval.High)
}

// A claim is what an interval says of a method.
type claim int

const (
	noClaim claim = iota // the interval holds 0
	claimBetter
	claimWorse
)

// claim returns what the interval of method k says.
func (c Comparison) claim(k int) claim {
	switch _, low, high := c.estimate(k); {
	case high < 0:
		return claimBetter
	case low > 0:
		return claimWorse
	}
	return noClaim
}

var (
	claimColors = themed(func() map[claim]color.NRGBA {
		return map[claim]color.NRGBA{noClaim: mix(grey, ink, 0.4), claimBetter: classColor(0), claimWorse: classColor(5)}
	})
	claimNames = map[claim]string{noClaim: "could be either", claimBetter: "better", claimWorse: "worse"}
)

// valueRange returns the range of the axis, which includes 0.
func (c Comparison) valueRange() (lo, hi float64) {
	for k := range c.methods() {
		_, low, high := c.estimate(k)
		for _, v := range append(finite(c.dots(k)), finite([]float64{low, high})...) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo == hi {
		return -1, 1
	}
	pad := 0.05 * (hi - lo)
	return lo - pad, hi + pad
}

func (c Comparison) alt() string {
	var parts []string
	for k := range c.methods() {
		mean, low, high := c.estimate(k)
		parts = append(parts, fmt.Sprintf("%s %s, interval %s to %s, %s", c.Of.Contenders[k+1].Name,
			formatShort(mean, 2), formatShort(low, 2), formatShort(high, 2), claimNames[c.claim(k)]))
	}
	return fmt.Sprintf("%s, mean of %d splits: %s.", c.label(), len(c.Of.Loss[0]), strings.Join(parts, "; "))
}

func (c Comparison) keys() []key {
	keys := []key{{name: "one split", glyph: dotStyle}}
	for _, s := range []claim{claimBetter, claimWorse, noClaim} {
		for k := range c.methods() {
			if c.claim(k) == s {
				keys = append(keys, key{name: c.level() + " interval: " + claimNames[s], line: &draw.LineStyle{Color: (*claimColors)[s], Width: 3 * px}})
				break
			}
		}
	}
	return keys
}

func (c Comparison) level() string { return fmt.Sprintf("%g\u00a0%%", math.Round(1000*c.Of.Level)/10) }

// ticks returns ticks that put the names beside their methods, shortened if long.
func (c Comparison) ticks() plot.ConstantTicks {
	style := textStyle(tickSize, false)
	ticks := make(plot.ConstantTicks, c.methods())
	for k := range ticks {
		ticks[k] = plot.Tick{Value: c.at(k), Label: shorten(c.Of.Contenders[k+1].Name, style, 160*px)}
	}
	return ticks
}

// at returns the y of a method's row.
func (c Comparison) at(k int) float64 { return float64(c.methods() - 1 - k) }

// Dots are above the middle of their row, those that would overlap above each other; the
// interval is below.
const (
	dotsAbove  = 0.08
	meanBelow  = 0.18
	meanRadius = 4.2
)

// heights returns how far each dot of method k is above the middle of its row.
func (c Comparison) heights(k int, width float64) []float64 {
	dots := c.dots(k)
	heights := make([]float64, len(dots))
	for f, v := range dots {
		below := 0
		for _, other := range dots[:f] {
			if math.Abs(v-other) < 0.012*width {
				below++
			}
		}
		heights[f] = min(dotsAbove+0.09*float64(below), 0.47)
	}
	return heights
}

var dotStyle = themed(func() draw.GlyphStyle {
	return draw.GlyphStyle{Color: mix(ink, white, 0.55), Radius: 2.4 * px, Shape: shapes[0]}
})

type comparisonPlot struct{ Comparison }

func (c comparisonPlot) Plot(canvas draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&canvas)
	canvas.StrokeLine2(draw.LineStyle{Color: ink, Width: 1.4 * px}, toX(0), canvas.Min.Y, toX(0), canvas.Max.Y)
	for k := range c.methods() {
		heights := c.heights(k, p.X.Max-p.X.Min)
		for f, v := range c.dots(k) {
			if v-v == 0 {
				canvas.DrawGlyph(*dotStyle, vg.Point{X: toX(v), Y: toY(c.at(k) + heights[f])})
			}
		}
		mean, low, high := c.estimate(k)
		if len(finite([]float64{mean, low, high})) < 3 {
			continue
		}
		y, style := toY(c.at(k)-meanBelow), draw.LineStyle{Color: (*claimColors)[c.claim(k)], Width: 2.4 * px}
		const cap = 5 * px
		canvas.StrokeLine2(style, toX(low), y, toX(high), y)
		canvas.StrokeLine2(style, toX(low), y-cap, toX(low), y+cap)
		canvas.StrokeLine2(style, toX(high), y-cap, toX(high), y+cap)
		canvas.DrawGlyph(draw.GlyphStyle{Color: style.Color, Radius: meanRadius * px, Shape: shapes[0]}, vg.Point{X: toX(mean), Y: y})
	}
}

// live returns the option object of the ECharts chart.
func (c Comparison) live(p *plot.Plot, height float64) any {
	var names []string // shortened
	for _, tick := range c.ticks() {
		names = append(names, tick.Label)
	}
	chart := charts.NewScatter()
	liveFrame(&chart.BaseConfiguration, c.Title,
		opts.XAxis{Name: c.axisLabel(), Type: "value", Min: p.X.Min, Max: p.X.Max},
		opts.YAxis{Type: "category", Data: names, Inverse: opts.Bool(true)})
	chart.YAxisList = append(chart.YAxisList, opts.YAxis{Type: "value", Show: opts.Bool(false), Min: p.Y.Min, Max: p.Y.Max})
	chart.Legend.Show = opts.Bool(false)
	chart.GridList[0] = opts.Grid{Left: "180", Right: "24", Top: "50", Bottom: "52"}
	var intervals []opts.CustomData
	for k := range c.methods() {
		var dots []opts.ScatterData
		heights := c.heights(k, p.X.Max-p.X.Min)
		for f, v := range c.dots(k) {
			dots = append(dots, opts.ScatterData{Name: fmt.Sprintf("split %d: %s", f+1, formatShort(v, 3)), Value: []any{jsonNumber(v), jsonNumber(c.at(k) + heights[f])}})
		}
		method := c.Of.Contenders[k+1].Name
		chart.AddSeries(method, dots, charts.WithItemStyleOpts(opts.ItemStyle{Color: hex(mix(ink, white, 0.55))}),
			charts.WithScatterChartOpts(opts.ScatterChart{YAxisIndex: 1, SymbolSize: 5}))
		mean, low, high := c.estimate(k)
		text := fmt.Sprintf("%s, %s to %s: %s", formatShort(mean, 3), formatShort(low, 3), formatShort(high, 3), claimNames[c.claim(k)])
		own := charts.WithItemStyleOpts(opts.ItemStyle{Color: hex((*claimColors)[c.claim(k)])})
		chart.AddSeries(method, []opts.ScatterData{{Name: text, Value: []any{jsonNumber(mean), c.at(k) - meanBelow}}}, own,
			charts.WithScatterChartOpts(opts.ScatterChart{YAxisIndex: 1, SymbolSize: 2 * meanRadius}))
		intervals = []opts.CustomData{{Name: text, Value: []any{jsonNumber(low), jsonNumber(high), c.at(k) - meanBelow}}}
		bars := liveBars(method, intervals, "horizontal", own)
		bars.YAxisIndex = 1
		chart.MultiSeries = append(chart.MultiSeries, bars)
	}
	first := &chart.MultiSeries[0]
	charts.WithMarkLineNameXAxisItemOpts(opts.MarkLineNameXAxisItem{XAxis: 0})(first)
	charts.WithMarkLineStyleOpts(opts.MarkLineStyle{Symbol: []string{"none"}, Label: &opts.Label{Show: opts.Bool(false)},
		LineStyle: &opts.LineStyle{Color: hex(ink), Type: "solid"}})(first)
	return chart.JSON()
}
