package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Mixture draws the components of a Gaussian mixture over two features, the rows that it was fitted to, and boundaries
// between components.
//
// A component is drawn as two ellipses, at Mahalanobis distances 1 and 2 from its mean: one and two standard deviations
// in every direction, which hold 39 % and 86 % of it. Its weight stands beside its mean. Rows have the colours of their
// classes; to show clusters instead, give data whose labels are the clusters. If there are more than 2,000 rows, 2,000
// of them are drawn.
//
// [Draw] panics if the data don't have two features, if a row doesn't exist, if a component isn't as its type says, and
// if a function has a feature other than 0 and 1 or a threshold isn't finite.
type Mixture struct {
	Title string
	Data  *datasets.Dataset // of two features

	// Rows are the rows in colour, such as those of a node; the others are grey. Nil means
	// all. The axes cover all rows of Data and all ellipses.
	Rows []int32

	Components []Gaussian
	Boundaries []Boundary

	// Within restricts Boundaries to where these splits of other nodes lead, those above a
	// node from the root down. They are drawn as thin lines, each as far as those before it
	// lead. Their names aren't used.
	Within []Side

	Equal bool // units have the same length on both axes; otherwise angles and circles are distorted
}

// A Gaussian is a component of a mixture over two features.
type Gaussian struct {
	Mean       [2]float64
	Covariance [2][2]float64 // symmetric and positive semidefinite
	Weight     float64       // its share of the mixture, from 0 to 1
}

func (m Mixture) figure() *Figure {
	m.check()
	area := m.area()
	d := m.drawing(area)
	p := d.plot(area)
	f := plotFigure(m.Title, m.alt(), p, d.keys()...)
	if m.Equal {
		f.equalUnits(p)
	}
	chart := d.live(p)
	more := chart.setLegend(f.Width)
	f.tall = 1 + more/f.Height
	f.live = func() any { return f.liveUnits(chart, p).JSON() }
	return f
}

func (m Mixture) check() {
	if m.Data.P() != 2 {
		misuse("a mixture over data of %d features; want 2", m.Data.P())
	}
	for k, g := range m.Components {
		c, w := g.Covariance, g.Weight
		sum := g.Mean[0] + g.Mean[1] + c[0][0] + c[0][1] + c[1][0] + c[1][1]
		if sum-sum != 0 || !(w >= 0 && w <= 1+1e-9) || c[0][0] < 0 || c[1][1] < 0 ||
			max(math.Abs(g.Mean[0]), math.Abs(g.Mean[1]), math.Sqrt(c[0][0]), math.Sqrt(c[1][1])) > math.MaxFloat32 ||
			math.Abs(c[0][1]-c[1][0]) > 1e-9*math.Sqrt(c[0][0]*c[1][1]) || c[0][1]*c[0][1] > (1+1e-9)*c[0][0]*c[1][1] {
			misuse("component %d has mean %v, covariance %v and weight %v; want a symmetric positive semidefinite covariance, "+
				"a weight from 0 to 1, and nothing beyond the cells of data", k, g.Mean, c, w)
		}
	}
	for _, b := range m.Boundaries {
		b.check()
	}
	for _, s := range m.Within {
		s.check()
	}
}

func (b *Boundary) check() {
	fn := b.Function
	if len(fn.Weights) > 2 || slices.ContainsFunc(fn.Features, func(j int32) bool { return j > 1 }) ||
		b.Threshold-b.Threshold != 0 {
		misuse("boundary %q of features %v and %d weights at threshold %v; want a function of features 0 "+
			"and 1, and a finite threshold",
			b.Name, fn.Features, len(fn.Weights), b.Threshold)
	}
}

// ellipse returns the points at a Mahalanobis distance from the mean, counter-clockwise
// and closed: μ + distance·L·(cos t, sin t), with LLᵀ the covariance (Cholesky).
func (g Gaussian) ellipse(distance float64) plotter.XYs {
	const corners = 90
	a := math.Sqrt(g.Covariance[0][0])
	b := 0.0
	if a > 0 {
		b = g.Covariance[0][1] / a
	}
	c := math.Sqrt(max(0, g.Covariance[1][1]-b*b))
	line := make(plotter.XYs, corners+1)
	for i := range line {
		sin, cos := math.Sincos(2 * math.Pi * float64(i%corners) / corners)
		line[i] = plotter.XY{X: g.Mean[0] + distance*a*cos, Y: g.Mean[1] + distance*(b*cos+c*sin)}
	}
	return line
}

// area returns the range of the axes.
func (m Mixture) area() (r rectangle) {
	r = newPoints(m.Data, 0, 1, m.Rows).area()
	const beyond = 2.1 // standard deviations
	for _, g := range m.Components {
		x, y := beyond*math.Sqrt(g.Covariance[0][0]), beyond*math.Sqrt(g.Covariance[1][1])
		r = r.union(rectangle{g.Mean[0] - x, g.Mean[0] + x, g.Mean[1] - y, g.Mean[1] + y})
	}
	return r
}

func (r rectangle) union(s rectangle) rectangle {
	return rectangle{min(r.x1, s.x1), max(r.x2, s.x2), min(r.y1, s.y1), max(r.y2, s.y2)}
}

func (m Mixture) alt() string {
	s := newPoints(m.Data, 0, 1, m.Rows).alt()
	for k, g := range m.Components {
		sd := [2]float64{math.Sqrt(g.Covariance[0][0]), math.Sqrt(g.Covariance[1][1])}
		s += fmt.Sprintf(" Component %d: weight %s, mean (%s, %s), standard deviations %s and %s", k+1,
			formatShort(g.Weight, 3),
			formatShort(g.Mean[0], 3), formatShort(g.Mean[1], 3), formatShort(sd[0], 3), formatShort(sd[1], 3))
		if sd[0]*sd[1] > 0 {
			s += ", correlation " + formatShort(g.Covariance[0][1]/(sd[0]*sd[1]), 3)
		}
		s += "."
	}
	for _, b := range m.Boundaries {
		s += fmt.Sprintf(" Boundary %s: %s = %s.", b.Name, b.Function.Format(m.Data.FeatureNames(), 3),
			formatShort(float64(b.Threshold), 3))
	}
	return s
}

// A mixtureDrawing holds the points and lines of a mixture's picture.
type mixtureDrawing struct {
	Mixture
	rows, grey points
	above      curve   // of Within
	components []curve // their ellipses
	boundaries []curve
}

// A curve is the lines of one style.
type curve struct {
	name  string // in the live legend
	style draw.LineStyle
	lines []plotter.XYs
}

// curves returns all curves in the order in which they are drawn.
func (d *mixtureDrawing) curves() []curve {
	return slices.Concat([]curve{d.above}, d.components, d.boundaries)
}

// drawing returns what is to be drawn, with boundaries within the area.
func (m Mixture) drawing(area rectangle) *mixtureDrawing {
	d := &mixtureDrawing{Mixture: m, rows: newPoints(m.Data, 0, 1, m.Rows),
		above: curve{name: "splits above", style: stroke(grey, 1.6)}}
	coloured := make([]bool, m.Data.N())
	for _, i := range m.Rows {
		coloured[i] = true
	}
	others := []int32{}
	if m.Rows != nil {
		others = slices.DeleteFunc(allRows(m.Data), func(i int32) bool { return coloured[i] })
	}
	plain := *m.Data
	plain.Labels = nil
	d.grey = newPoints(&plain, 0, 1, others)
	for k := range m.Within {
		d.above.lines = append(d.above.lines, m.Within[k].within(area, m.Within[:k])...)
	}
	for k, g := range m.Components {
		name := fmt.Sprintf("component %d, weight %s", k+1, weightLabel(g))
		d.components = append(d.components, curve{name, ellipseStyle(k), []plotter.XYs{g.ellipse(1), g.ellipse(2)}})
	}
	for k, b := range m.Boundaries {
		d.boundaries = append(d.boundaries, curve{b.Name, boundaryStyle(k), b.within(area, m.Within)})
	}
	return d
}

// ellipseStyle returns the line of component k's ellipses.
func ellipseStyle(k int) draw.LineStyle {
	style := stroke(ink, 1.3)
	for _, d := range dashes[k%len(dashes)] {
		style.Dashes = append(style.Dashes, d*px)
	}
	return style
}

// boundaryStyle returns the line of boundary k. From the second on they have colours that only
// the third class and later ones have.
func boundaryStyle(k int) draw.LineStyle {
	style := chordStyle
	if k > 0 {
		style.Color = Palette[5-(k-1)%4]
		style.Dashes = []vg.Length{css(float64(8 + 4*k)), 5 * px}
	}
	return style
}

var greyStyle = marker(mix(pale, grey, 0.348), 2.6, shapes[0])
var meanStyle = marker(ink, 5.5, shapes[5])

func (d *mixtureDrawing) keys() []key {
	keys := d.rows.keys()
	if len(d.grey.rows) > 0 {
		keys = append(keys, key{name: "other rows", glyph: greyStyle})
	}
	for k, c := range d.components {
		name := fmt.Sprintf("component %d", k+1)
		if k == 0 {
			name += " (1 and 2 standard deviations, and the weight)"
		}
		keys = append(keys, key{name: name, line: c.style})
	}
	for _, b := range d.boundaries {
		keys = append(keys, key{name: b.name, line: b.style})
	}
	if d.Within != nil {
		keys = append(keys, key{name: d.above.name, line: d.above.style})
	}
	return keys
}

// plot returns the mixture on axes that show the area.
func (d *mixtureDrawing) plot(area rectangle) *plot.Plot {
	p := d.rows.plot()
	p.Add(greyPoints{d.grey}, d.rows, d)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = area.x1, area.x2, area.y1, area.y2
	return p
}

// greyPoints are rows that aren't those of the node.
type greyPoints struct{ points }

// Plot draws the points.
func (g greyPoints) Plot(c draw.Canvas, p *plot.Plot) {
	style := greyStyle
	if len(g.rows) > 0 { // smaller if there are many
		style.Radius = min(style.Radius, 0.8*g.style(c, 0).Radius)
	}
	g.drawIn(c, p, func(int) draw.GlyphStyle { return style })
}

// Plot draws all lines, and the means with their weights.
func (d *mixtureDrawing) Plot(c draw.Canvas, p *plot.Plot) {
	path := toCanvas(c, p)
	for _, curve := range d.curves() {
		for _, line := range curve.lines {
			c.StrokeLines(curve.style, c.ClipLinesXY(path(line))...)
		}
	}
	style := textStyle(tickSize, true)
	for _, g := range d.Components {
		at := path(plotter.XYs{{X: g.Mean[0], Y: g.Mean[1]}})[0]
		label := weightLabel(g)
		ground := color.NRGBA{white.R, white.G, white.B, 0xcc}
		fillRectangle(c, ground, rect(at.X+7*px, at.Y-7*px, at.X+11*px+style.Width(label), at.Y+8*px))
		c.FillText(style, pt(at.X+9*px, at.Y+px), label)
		c.DrawGlyph(meanStyle, at)
	}
}

func weightLabel(g Gaussian) string { return strconv.FormatFloat(g.Weight, 'f', 2, 64) }

// live returns the ECharts chart.
func (d *mixtureDrawing) live(p *plot.Plot) liveChart {
	chart := newLivePlot(d.Title, p)
	chart.zoom()
	if len(d.grey.rows) > 0 {
		var others []livePoint
		for _, i := range d.grey.rows {
			others = append(others, d.grey.live(i))
		}
		chart.addPoints("other rows", greyStyle.Color, others, "circle", 5)
	}
	d.rows.addTo(chart, p)
	if d.above.lines != nil {
		chart.addLine(d.above.name, d.above.style, d.above.lines...)
	}
	for k, c := range d.components {
		chart.addLine(c.name, c.style, c.lines...)
		// The mean has the name of the ellipses, so the legend switches both.
		mean := d.Components[k].Mean
		chart.addPoints(c.name, ink, []livePoint{tip("", mean[0], mean[1])},
			"path://M4 0h3v4h4v3h-4v4h-3v-4h-4v-3h4z", 12)
	}
	for _, b := range d.boundaries {
		chart.addLine(b.name, b.style, b.lines...)
	}
	chart.separate(p)
	return chart
}

// A legendItem is an entry of a live legend.
type legendItem struct {
	Name      string          `json:"name"`
	ItemStyle *opts.ItemStyle `json:"itemStyle,omitempty"`
	LineStyle *opts.LineStyle `json:"lineStyle,omitempty"`
}

// setLegend gives the chart a legend of as many rows as it needs, without dots on lines, and returns the height of all
// but the first row, which the chart must have in addition.
func (chart liveChart) setLegend(width float64) (more float64) {
	const row, swatch, gap = 22, 30, 10 // of ECharts
	style := textStyle(tickSize, false)
	items := []legendItem{} // not nil, which would mean all series
	x := 0.0
	for _, s := range chart.MultiSeries {
		if s.Name == "" || slices.ContainsFunc(items, func(i legendItem) bool { return i.Name == s.Name }) {
			continue
		}
		item := legendItem{Name: s.Name, LineStyle: s.LineStyle}
		if s.Type == types.ChartLine {
			item.ItemStyle = &opts.ItemStyle{Color: "transparent"}
		}
		items = append(items, item)
		w := swatch + 1.1*float64(style.Width(s.Name)/px)
		if x > 0 && x+w > width-20 {
			x, more = 0, more+row
		}
		x += w + gap
	}
	chart.Legend.Type, chart.Legend.Data = "plain", items
	chart.GridList[0].Top = fmt.Sprint(76 + more)
	return more
}
