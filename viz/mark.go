package viz

import (
	"image/color"
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A mark is a part of a chart on two axes. It draws itself in the picture, and adds itself to the live chart.
type mark interface {
	plot.Plotter
	addTo(chart liveChart, p *plot.Plot)
}

// axes are the axes of a chart with its marks, in the order in which they are drawn, and its legend.
type axes struct {
	*plot.Plot
	rows   rows // names in place of numbers on the y axis
	marks  []mark
	keys   []key
	legend bool // the live chart has a legend
}

// newAxes returns axes without marks on a grid.
func newAxes(x, y string) *axes {
	a := &axes{Plot: newPlot(x, y), legend: true}
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = pale, pale
	a.Add(g)
	return a
}

// mark adds marks.
func (a *axes) mark(marks ...mark) {
	for _, m := range marks {
		a.Add(m)
	}
	a.marks = append(a.marks, marks...)
}

// figure returns the picture and the live chart of the marks.
func (a *axes) figure(title, alt string) *Figure {
	f := plotFigure(title, alt, a.Plot, a.keys...)
	f.live = func() any {
		chart := newLivePlot(title, a.Plot)
		if a.rows != nil {
			top := 44
			if a.legend {
				top = 76
			}
			chart = a.rows.live(title, valueAxis(a.Plot), rowsLeft, top)
			chart.Legend.Show = opts.Bool(a.legend)
			chart.YAxisList = append(chart.YAxisList, opts.YAxis{Type: "value", Show: no, Min: a.Y.Min, Max: a.Y.Max})
		}
		for _, m := range a.marks {
			m.addTo(chart, a.Plot)
		}
		chart.separate(a.Plot)
		return f.liveUnits(chart, a.Plot).option(a.Plot)
	}
	return f
}

// dots are points, which may be joined by a line. A point that isn't finite leaves a gap.
type dots struct {
	name  string
	line  draw.LineStyle  // none if its width is 0
	glyph draw.GlyphStyle // none if it has no shape
	at    []dot
}

// A dot is a point.
type dot struct {
	x, y float64
	tip  string // shown under the pointer
	bare bool   // without a glyph
}

func (d dot) drawn() bool { return d.x-d.x == 0 && d.y-d.y == 0 }

// manyPoints are so many that their glyphs would hide the line.
const manyPoints = 100

// DataRange returns the range of the finite points.
func (d dots) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, at := range d.at {
		if at.drawn() {
			xmin, xmax, ymin, ymax = min(xmin, at.x), max(xmax, at.x), min(ymin, at.y), max(ymax, at.y)
		}
	}
	return
}

// Plot draws the line and, above it, the points.
func (d dots) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	var lines [][]vg.Point
	var glyphs []vg.Point
	for part := range parts(d.at) {
		var line []vg.Point
		for _, at := range part {
			point := pt(toX(at.x), toY(at.y))
			line = append(line, point)
			if !at.bare && (d.line.Width == 0 || len(part) <= manyPoints) {
				glyphs = append(glyphs, point)
			}
		}
		lines = append(lines, line)
	}
	if d.line.Width > 0 {
		c.StrokeLines(d.line, c.ClipLinesXY(lines...)...)
	}
	if d.glyph.Shape != nil {
		for _, at := range glyphs {
			c.DrawGlyph(d.glyph, at)
		}
	}
}

// parts yields the points between gaps.
func parts(at []dot) func(yield func([]dot) bool) {
	return func(yield func([]dot) bool) {
		for len(at) > 0 {
			n := slices.IndexFunc(at, func(d dot) bool { return !d.drawn() })
			if n < 0 {
				n = len(at)
			}
			if n > 0 && !yield(at[:n]) {
				return
			}
			at = at[min(n+1, len(at)):]
		}
	}
}

func (d dots) addTo(chart liveChart, _ *plot.Plot) {
	points := make([]livePoint, len(d.at))
	for i, at := range d.at {
		points[i] = tip(at.tip, at.x, at.y)
		if at.bare {
			points[i].Symbol = "none"
		}
	}
	kind, colour := types.ChartScatter, d.glyph.Color
	if d.line.Width > 0 {
		kind, colour = types.ChartLine, d.line.Color
	}
	s := chart.add(kind, d.name, colour, points)
	s.YAxisIndex, s.Symbol, s.Animation = len(chart.YAxisList)-1, "none", no
	if d.line.Width > 0 {
		s.LineStyle = liveStroke(d.line)
	}
	if d.glyph.Shape != nil {
		s.Symbol, s.SymbolSize = liveSymbol(d.glyph), math.Round(float64(2*d.glyph.Radius/px))
	}
}

// liveSymbols are the symbols of ECharts that are most like [shapes].
var liveSymbols = []string{"circle", "rect", "triangle", "diamond", "arrow", "roundRect", "pin"}

func liveSymbol(glyph draw.GlyphStyle) string {
	k := slices.IndexFunc(shapes, func(s shape) bool { return &s[0] == &glyph.Shape.(shape)[0] })
	return liveSymbols[k%len(liveSymbols)]
}

// spans are lines that are level or upright, such as error bars.
type spans struct {
	name  string
	style draw.LineStyle
	cap   vg.Length // half the length of the lines across their ends
	of    []span
}

// A span is a line between two points, of which the first is the lower one.
type span struct {
	x1, y1, x2, y2 float64
	tip            string
}

// DataRange returns the range of the ends.
func (s spans) DataRange() (xmin, xmax, ymin, ymax float64) {
	var ends dots
	for _, l := range s.of {
		ends.at = append(ends.at, dot{x: l.x1, y: l.y1}, dot{x: l.x2, y: l.y2})
	}
	return ends.DataRange()
}

// Plot draws the lines.
func (s spans) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for _, l := range s.of {
		if logarithmic(p.Y) {
			l.y1 = max(l.y1, p.Y.Min/2) // below the frame
		}
		a, b := pt(toX(l.x1), toY(l.y1)), pt(toX(l.x2), toY(l.y2))
		across := pt(s.cap, 0)
		if l.y1 == l.y2 {
			across = pt(0, s.cap)
		}
		lines := [][]vg.Point{{a, b}}
		if s.cap > 0 {
			lines = append(lines, []vg.Point{a.Sub(across), a.Add(across)}, []vg.Point{b.Sub(across), b.Add(across)})
		}
		c.StrokeLines(s.style, c.ClipLinesXY(lines...)...)
	}
}

func (s spans) addTo(chart liveChart, p *plot.Plot) {
	var level, upright []livePoint
	for _, l := range s.of {
		if l.y1 == l.y2 {
			level = append(level, tip(l.tip, l.x1, l.x2, l.y1))
		} else {
			upright = append(upright, tip(l.tip, l.x1, max(l.y1, p.Y.Min), l.y2))
		}
	}
	axis := len(chart.YAxisList) - 1
	chart.addBars(s.name, s.style.Color, level, "horizontal", axis)
	chart.addBars(s.name, s.style.Color, upright, "vertical", axis)
}

// A rule is a line across the whole chart, level or upright.
type rule struct {
	name    string
	at      float64
	upright bool
	style   draw.LineStyle
}

// DataRange returns the place on one axis.
func (r rule) DataRange() (xmin, xmax, ymin, ymax float64) {
	if r.upright {
		return r.at, r.at, math.Inf(1), math.Inf(-1)
	}
	return math.Inf(1), math.Inf(-1), r.at, r.at
}

func (r rule) ends(p *plot.Plot) plotter.XYs {
	if r.upright {
		return plotter.XYs{{X: r.at, Y: p.Y.Min}, {X: r.at, Y: p.Y.Max}}
	}
	return plotter.XYs{{X: p.X.Min, Y: r.at}, {X: p.X.Max, Y: r.at}}
}

// Plot draws the line.
func (r rule) Plot(c draw.Canvas, p *plot.Plot) {
	c.StrokeLines(r.style, c.ClipLinesXY(toCanvas(c, p)(r.ends(p)))...)
}

func (r rule) addTo(chart liveChart, p *plot.Plot) { chart.addLine(r.name, r.style, r.ends(p)) }

// diagonal returns a piece of the line on which both coordinates are equal.
func diagonal(name string, low, high float64) dots {
	return dots{name: name, line: levelStyle, at: []dot{{x: low, y: low, bare: true}, {x: high, y: high, bare: true}}}
}

// tiles are rectangles of one colour.
type tiles struct {
	name string
	fill color.NRGBA
	of   []tile
}

// A tile is a rectangle from (x1, y1) to (x2, y2).
type tile struct {
	x1, y1, x2, y2 float64
	tip            string
}

// Plot draws the rectangles.
func (t tiles) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for _, r := range t.of {
		fillRectangle(c, t.fill, rect(toX(r.x1), toY(r.y1), toX(r.x2), toY(r.y2)))
	}
}

func (t tiles) addTo(chart liveChart, _ *plot.Plot) {
	var data []livePoint
	for _, r := range t.of {
		const label = "" // live.js draws one above the rectangle
		data = append(data, livePoint{Name: r.tip, Value: append(numbers(r.x1, r.y1, r.x2, r.y2), label)})
	}
	s := chart.add(types.ChartCustom, t.name, t.fill, data)
	s.RenderItem, s.YAxisIndex = types.FuncStr("tile"), len(chart.YAxisList)-1
	s.Encode = &opts.Encode{X: []int{0, 2}, Y: []int{1, 3}}
}

// pictureOnly is a mark that isn't in the live chart.
type pictureOnly struct{ plot.Plotter }

func (pictureOnly) addTo(liveChart, *plot.Plot) {}
