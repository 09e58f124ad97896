package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curves draws one or more series as lines, such as the error of several methods against the number of training rows.
//
// [Draw] panics if there is nothing to draw, if the slices of a series differ in length, if an x or a level isn't
// finite, or if a number isn't above 0 on a logarithmic axis.
type Curves struct {
	Title string
	X, Y  string // axis labels, with units

	Series []Series
	Levels []Level // horizontal reference lines

	LogX bool // logarithmic x axis; requires every x > 0
	LogY bool // logarithmic y axis; requires every y and level > 0
}

// A Series is one line of a [Curves] chart. Its points have marks in the picture, unless more than 100 follow each
// other without a gap.
type Series struct {
	Name string
	X, Y []float64 // of the same length; a NaN in Y leaves a gap

	// Err is the half length of the error bar at each point, in units of y;
	// nil draws none.
	Err []float64
}

// A Level is a horizontal reference line, such as the Bayes error.
type Level struct {
	Y    float64
	Name string
}

func (c Curves) figure() *Figure {
	p, keys := c.plot()
	return c.lay(p, keys)
}

// plot returns the curves on their axes, and the legend.
func (c Curves) plot() (*plot.Plot, []key) {
	if len(c.Series) == 0 {
		misuse("curves without a series")
	}
	for _, s := range c.Series {
		s.check(c)
	}
	var keys []key
	p := c.axes(func(p *plot.Plot) {
		for k, s := range c.Series {
			curve := seriesPlot{s, seriesStyle(k), pointStyle(k)}
			keys = append(keys, key{name: s.Name, line: curve.line, glyph: curve.glyph})
			p.Add(curve)
		}
		for _, l := range c.Levels {
			if l.Y-l.Y != 0 || c.LogY && l.Y <= 0 {
				misuse("level %q is at %v", l.Name, l.Y)
			}
			keys = append(keys, key{name: l.Name, line: levelStyle()})
			p.Add(levelPlot(l))
		}
	})
	return p, keys
}

// axes returns axes for what add adds to them.
func (c Curves) axes(add func(p *plot.Plot)) *plot.Plot {
	p := newPlot(c.X, c.Y)
	p.Add(paleGrid())
	add(p)
	if p.X.Min > p.X.Max {
		misuse("curves of %q without a finite point", c.Y)
	}
	p.X.Min, p.X.Max = c.pad(p.X.Min, p.X.Max)
	if c.LogX {
		p.X.Scale = logScale{}
	}
	if c.LogY {
		p.Y.Scale, p.Y.Min = logScale{}, c.lowest()
	}
	p.Y.Min, p.Y.Max = c.rangeY(p.Y.Min, p.Y.Max)
	return p
}

// panel returns a figure of axes whose y is named by the title.
func (c Curves) panel(p *plot.Plot) *Figure {
	p.Y.Label.Text = ""
	return plotFigure(c.Title, c.alt(), p)
}

func (c Curves) lay(p *plot.Plot, keys []key) *Figure {
	f := plotFigure(c.Title, c.alt(), p, keys...)
	f.live = func() any { return c.live(p) }
	return f
}

// lowest returns the lowest level, point or end of an error bar that is above 0.
func (c Curves) lowest() float64 {
	low := math.Inf(1)
	for _, l := range c.Levels {
		low = min(low, l.Y)
	}
	for _, s := range c.Series {
		for i, y := range s.Y {
			if y-s.err(i) > 0 {
				y -= s.err(i)
			}
			if y > 0 {
				low = min(low, y)
			}
		}
	}
	return low
}

func (s Series) check(c Curves) {
	if len(s.X) == 0 || len(s.X) != len(s.Y) || s.Err != nil && len(s.Err) != len(s.Y) {
		misuse("series %q has %d x, %d y and %d error bars; want equal numbers, or no error bars",
			s.Name, len(s.X), len(s.Y), len(s.Err))
	}
	for _, x := range s.X {
		if x-x != 0 {
			misuse("series %q has x = %v", s.Name, x)
		}
		if c.LogX && !(x > 0) {
			misuse("series %q has x = %v on a logarithmic axis", s.Name, x)
		}
	}
	for _, y := range s.Y {
		if c.LogY && y <= 0 {
			misuse("series %q has y = %v on a logarithmic axis", s.Name, y)
		}
	}
}

func seriesStyle(k int) draw.LineStyle {
	dash := k / len(Palette)
	if current == Print { // greys are hard to tell apart
		dash = k
	}
	return draw.LineStyle{Color: classColor(k), Width: 2 * px, Dashes: dashes[dash%len(dashes)]}
}

// err returns the half length of the error bar at point i.
func (s Series) err(i int) float64 { return errorBar(s.Err, i) }

// errorBar returns the half length of bar i, or 0 if there is none.
func errorBar(bars []float64, i int) float64 {
	if bars == nil || !(bars[i] > 0) || math.IsInf(bars[i], 1) {
		return 0
	}
	return bars[i]
}

// interval returns the ends of an error bar, which are finite.
func interval(v, err float64) (low, high float64) {
	return clamp(v-err, -math.MaxFloat64), clamp(v+err, -math.MaxFloat64)
}

// pad widens an x range a little, so that the first and last points are clear of
// the frame.
func (c Curves) pad(lo, hi float64) (float64, float64) {
	if c.LogX {
		return padLog(lo, hi, 0.03)
	}
	return widen(lo, hi, 0.03)
}

// padLog widens the range of a logarithmic axis on both sides by a share of its length, within the finite numbers.
func padLog(lo, hi, share float64) (float64, float64) {
	r := math.Pow(hi/lo, share)
	switch {
	case r == 1:
		r = 2
	case math.IsInf(r, 1):
		r = math.Pow(hi, share) / math.Pow(lo, share)
	}
	return clamp(lo/r, math.SmallestNonzeroFloat64), clamp(hi*r, 0)
}

func (c Curves) rangeY(lo, hi float64) (float64, float64) {
	if c.LogY {
		return padLog(lo, hi, 0.05)
	}
	low, high := pad(lo, hi, 0.05*(hi-lo), max(0.05*math.Abs(hi), 1e-3))
	if lo >= 0 && lo < 0.3*hi {
		low = 0
	}
	return low, high
}

func (c Curves) alt() string {
	s := fmt.Sprintf("%s against %s.", cmp.Or(c.Y, "y"), cmp.Or(c.X, "x"))
	for _, series := range c.Series {
		last := len(series.X) - 1
		s += fmt.Sprintf(" %s: %s at %s to %s at %s%s.", series.Name, formatNumber(series.Y[0]), formatNumber(series.X[0]),
			formatNumber(series.Y[last]), formatNumber(series.X[last]), series.extremes())
	}
	for _, l := range c.Levels {
		s += fmt.Sprintf(" Level %s: %s.", l.Name, formatNumber(l.Y))
	}
	return s
}

// extremes says where a series is lowest and highest, if that isn't at one of its ends.
func (s Series) extremes() (text string) {
	low, high := extremes(s.Y)
	for _, e := range []struct {
		name string
		at   int
	}{{"lowest", low}, {"highest", high}} {
		if y := s.Y[e.at]; y == y && y != s.Y[0] && y != s.Y[len(s.Y)-1] {
			text += fmt.Sprintf(", %s %s at %s", e.name, formatNumber(y), formatNumber(s.X[e.at]))
		}
	}
	return text
}

// extremes returns the places of the lowest and the highest value.
func extremes(values []float64) (low, high int) {
	for i, v := range values {
		if v < values[low] || values[low] != values[low] {
			low = i
		}
		if v > values[high] || values[high] != values[high] {
			high = i
		}
	}
	return low, high
}

// manyPoints are so many that their marks would hide the line.
const manyPoints = 100

// seriesPlot draws a line with its points and error bars.
type seriesPlot struct {
	Series
	line  draw.LineStyle
	glyph draw.GlyphStyle
}

func (s seriesPlot) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, ymin = math.Inf(1), math.Inf(1)
	xmax, ymax = math.Inf(-1), math.Inf(-1)
	for i, y := range s.Y {
		if y-y != 0 {
			continue
		}
		xmin, xmax = min(xmin, s.X[i]), max(xmax, s.X[i])
		low, high := interval(y, s.err(i))
		ymin, ymax = min(ymin, low), max(ymax, high)
	}
	return
}

func (s seriesPlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	bars := s.line
	bars.Width, bars.Dashes = 1.2*px, nil
	var lines [][]vg.Point
	var line []vg.Point
	for i, y := range s.Y {
		if y-y != 0 {
			lines, line = append(lines, line), nil
			continue
		}
		x := toX(s.X[i])
		line = append(line, pt(x, toY(y)))
		if e := s.err(i); e > 0 {
			low, high := interval(y, e)
			if logarithmic(p.Y) {
				low = max(low, p.Y.Min/2) // below the frame
			}
			lo, hi := toY(low), toY(high)
			const cap = 4 * px
			c.StrokeLines(bars, c.ClipLinesXY([]vg.Point{pt(x, lo), pt(x, hi)},
				[]vg.Point{pt(x-cap, lo), pt(x+cap, lo)}, []vg.Point{pt(x-cap, hi), pt(x+cap, hi)})...)
		}
	}
	lines = append(lines, line)
	c.StrokeLines(s.line, c.ClipLinesXY(lines...)...)
	for _, line := range lines {
		if len(line) > manyPoints {
			continue
		}
		for _, pt := range line {
			c.DrawGlyph(s.glyph, pt)
		}
	}
}

// levelPlot draws a horizontal line.
type levelPlot Level

func levelStyle() draw.LineStyle { return stroke(ink, 1.4, 3, 3) }

func (l levelPlot) DataRange() (xmin, xmax, ymin, ymax float64) {
	return math.Inf(1), math.Inf(-1), l.Y, l.Y
}

func (l levelPlot) Plot(c draw.Canvas, p *plot.Plot) {
	_, toY := p.Transforms(&c)
	y := toY(l.Y)
	if !c.ContainsY(y) {
		return
	}
	c.StrokeLine2(levelStyle(), c.Min.X, y, c.Max.X, y)
}

// live returns the option object of the ECharts chart.
func (c Curves) live(p *plot.Plot) any {
	chart := newLivePlot(c.Title, p)
	for k, s := range c.Series {
		var points, bars []livePoint
		for i, x := range s.X {
			name := fmt.Sprintf("%s: %s", formatNumber(x), formatNumber(s.Y[i]))
			if e := s.err(i); e > 0 {
				name += " ± " + formatShort(e, 2)
				low, high := interval(s.Y[i], e)
				if c.LogY {
					low = max(low, p.Y.Min)
				}
				bars = append(bars, livePoint{Value: []any{x, jsonNumber(low), jsonNumber(high)}})
			}
			points = append(points, livePoint{Name: name, Value: []any{x, jsonNumber(s.Y[i])}})
		}
		chart.addCurve(s.Name, classColor(k), points, 7, bars)
	}
	if c.Levels != nil {
		var lines []opts.MarkLineNameYAxisItem
		for _, l := range c.Levels {
			lines = append(lines, opts.MarkLineNameYAxisItem{Name: l.Name, YAxis: l.Y})
		}
		markLine(&chart.MultiSeries[0], opts.LineStyle{Color: hex(ink), Type: "dashed"},
			opts.Label{Formatter: "{b}", Position: "insideEndTop"}, charts.WithMarkLineNameYAxisItemOpts(lines...))
	}
	return chart.JSON()
}

// addCurve adds a line with points of a size, and error bars.
func (c liveChart) addCurve(name string, colour color.Color, points []livePoint, size int, bars []livePoint) {
	for i := range points {
		points[i].Symbol, points[i].SymbolSize = "circle", size
	}
	c.add(types.ChartLine, name, colour, points).Animation = no
	c.addBars(name, colour, bars, "vertical", 0)
}
