package viz

import (
	"fmt"
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Scatter draws the rows of a data set over two of its columns, coloured by
// class. If there are more than 2,000 rows it draws 2,000 of them, evenly spaced.
type Scatter struct {
	Title string
	Data  *datasets.Dataset
	X, Y  int // the columns; both 0 means columns 0 and 1

	// Rows are the rows to draw; nil means all. The axes cover all rows of Data,
	// so that pictures of different rows can be compared.
	Rows []int32

	Equal bool // units have the same length on both axes
}

// maxPoints is the most points that a chart draws.
const maxPoints = 2000

// Figure draws the rows. It panics if a column or a row doesn't exist.
func (s Scatter) Figure() *Figure {
	points := newPoints(s.Data, s.X, s.Y, s.Rows)
	f := &Figure{Title: s.Title, Alt: points.alt(), Width: defaultWidth, Height: defaultHeight, keys: points.keys()}
	p := newPlot(points.name(points.x), points.name(points.y))
	p.Add(paleGrid(), points)
	f.body = func(c draw.Canvas) { drawPlot(c, p) }
	if s.Equal {
		f.equalUnits(p)
	}
	f.live = func() any {
		chart := points.live(s.Title, p)
		if s.Equal {
			f.liveEqualUnits(chart, p)
		}
		return chart.JSON()
	}
	return f
}

// points are rows of a data set, drawn over columns x and y.
type points struct {
	data *datasets.Dataset
	x, y int
	of   []int32 // the rows to draw; nil means all
	rows []int   // those drawn: all of these, or 2,000
}

func newPoints(d *datasets.Dataset, x, y int, of []int32) points {
	if x == 0 && y == 0 {
		y = 1
	}
	if x < 0 || x >= d.P() || y < 0 || y >= d.P() {
		panic(fmt.Sprintf("viz: columns %d and %d of a data set of %d columns", x, y, d.P()))
	}
	n := d.N()
	if of != nil {
		n = len(of)
	}
	rows := make([]int, min(n, maxPoints))
	for i := range rows {
		rows[i] = i * n / len(rows)
		if of != nil {
			rows[i] = int(of[rows[i]])
		}
		if rows[i] < 0 || rows[i] >= d.N() {
			panic(fmt.Sprintf("viz: row %d of a data set of %d rows", rows[i], d.N()))
		}
	}
	return points{d, x, y, of, rows}
}

// name returns the name of a feature or, if it has none, x and its number.
func (p points) name(j int) string { return featureName(p.data.Features[j].Name, j) }

func featureName(name string, j int) string {
	if name == "" {
		return fmt.Sprintf("x%d", j)
	}
	return name
}

// classes returns the class names, or one empty name if there are no labels.
func (p points) classes() []string {
	if p.data.Labels == nil {
		return []string{""}
	}
	return p.data.Classes
}

func (p points) class(i int) int {
	if p.data.Labels == nil {
		return 0
	}
	return int(p.data.Labels[i])
}

func (p points) keys() []key {
	if p.data.Labels == nil {
		return nil
	}
	var keys []key
	for k, name := range p.data.Classes {
		glyph := pointStyle(k)
		keys = append(keys, key{name: name, glyph: &glyph})
	}
	return keys
}

func (p points) alt() string {
	d := p.data
	if p.of != nil {
		d = d.Subset(p.of)
	}
	s := fmt.Sprintf("%s against %s for %d rows", p.extent(p.y), p.extent(p.x), d.N())
	if d.Labels == nil {
		return s + "."
	}
	for k, n := range d.ClassCounts() {
		s += fmt.Sprintf("; class %s: %d", d.Classes[k], n)
	}
	return s + "."
}

// extent returns the name and range of a column, such as "x (0 to 3)", over all rows of
// the data.
func (p points) extent(j int) string {
	lo, hi, ok := finiteRange(p.data, j)
	if !ok {
		return p.name(j)
	}
	return fmt.Sprintf("%s (%s to %s)", p.name(j), formatShort(lo, 3), formatShort(hi, 3))
}

func pointStyle(k int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: classColor(k), Radius: 3.6 * px, Shape: classShape(k)}
}

// style returns the glyph of class k. It is smaller if the points would cover more
// than half of the canvas.
func (p points) style(c draw.Canvas, k int) draw.GlyphStyle {
	style := pointStyle(k)
	area := float64((c.Max.X - c.Min.X) * (c.Max.Y - c.Min.Y))
	half := vg.Length(math.Sqrt(area / 2 / math.Pi / float64(len(p.rows))))
	style.Radius = min(style.Radius, max(1.4*px, half))
	return style
}

// DataRange returns the range of all rows of the data, slightly widened.
func (p points) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = columnRange(p.data, p.x)
	ymin, ymax = columnRange(p.data, p.y)
	return
}

func columnRange(d *datasets.Dataset, j int) (lo, hi float64) {
	lo, hi, ok := finiteRange(d, j)
	if !ok {
		return 0, 1
	}
	pad := 0.04 * (hi - lo)
	if pad == 0 {
		pad = 1
	}
	return lo - pad, hi + pad
}

// finiteRange returns the range of the numbers in a column, and whether there are any.
func finiteRange(d *datasets.Dataset, j int) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range d.Column(nil, j) {
		if v-v == 0 {
			lo, hi = min(lo, float64(v)), max(hi, float64(v))
		}
	}
	return lo, hi, lo <= hi
}

// Plot draws the points in order of rows, so that no class lies on top of another.
func (p points) Plot(c draw.Canvas, plt *plot.Plot) {
	toX, toY := plt.Transforms(&c)
	for _, i := range p.rows {
		x, y := float64(p.data.At(i, p.x)), float64(p.data.At(i, p.y))
		if x-x == 0 && y-y == 0 {
			c.DrawGlyph(p.style(c, p.class(i)), vg.Point{X: toX(x), Y: toY(y)})
		}
	}
}

// liveSymbols are the symbols of ECharts that are most like [shapes].
var liveSymbols = []string{"circle", "rect", "triangle", "diamond", "arrow", "roundRect", "pin"}

// live returns the ECharts chart, with class and values under the pointer, and zoom.
func (p points) live(title string, plt *plot.Plot) *charts.Scatter {
	chart := liveScatter(title, plt)
	byClass := make([][]opts.ScatterData, len(p.classes()))
	for _, i := range p.rows {
		x, y := float64(p.data.At(i, p.x)), float64(p.data.At(i, p.y))
		k := p.class(i)
		byClass[k] = append(byClass[k], opts.ScatterData{Value: []any{jsonNumber(x), jsonNumber(y)}})
	}
	for k, name := range p.classes() {
		chart.AddSeries(name, byClass[k], charts.WithItemStyleOpts(opts.ItemStyle{Color: hex(classColor(k))}),
			charts.WithScatterChartOpts(opts.ScatterChart{Symbol: liveSymbols[k%len(liveSymbols)], SymbolSize: 8}))
	}
	return chart
}

// liveScatter returns a chart without points, with the axes of plt.
func liveScatter(title string, plt *plot.Plot) *charts.Scatter {
	chart := charts.NewScatter()
	liveFrame(&chart.BaseConfiguration, title,
		opts.XAxis{Name: plt.X.Label.Text, Min: plt.X.Min, Max: plt.X.Max}, opts.YAxis{Name: plt.Y.Label.Text, Min: plt.Y.Min, Max: plt.Y.Max})
	chart.DataZoomList = []opts.DataZoom{{Type: "inside"}, {Type: "inside", YAxisIndex: 0}}
	chart.Tooltip.Formatter = "{a}<br/>({c})"
	return chart
}
