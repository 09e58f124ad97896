package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"

	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

// Scatter draws the rows of a data set over two of its columns, coloured by class. Categories have their names. If
// there are more than 2,000 rows it draws 2,000 of them, evenly spaced.
//
// [Draw] panics if a column or a row doesn't exist.
type Scatter struct {
	Title string
	Data  *datasets.Dataset
	X, Y  int // the columns; both 0 means columns 0 and 1

	// Rows are the rows to draw; nil means all. The axes cover all rows of Data,
	// so that pictures of different rows can be compared.
	Rows []int32

	Equal bool // units have the same length on both axes

	// Diagonal draws the line on which both coordinates are equal, and gives both axes the same range and units, to
	// compare one measurement with another. The alternative text then says how many points are above the line and below.
	Diagonal bool
}

// maxPoints is the most points that a chart draws.
const maxPoints = 2000

func (s Scatter) figure() *Figure {
	points := newPoints(s.Data, s.X, s.Y, s.Rows)
	if s.Diagonal {
		points.data = points.alike()
	}
	a := points.axes()
	a.mark(points)
	a.keys = points.keys()
	alt := points.alt()
	if s.Diagonal {
		low, high := min(a.X.Min, a.Y.Min), max(a.X.Max, a.Y.Max)
		a.X.Min, a.X.Max, a.Y.Min, a.Y.Max = low, high, low, high
		a.mark(diagonal("equal", low, high))
		alt += points.besideDiagonal()
	}
	f := a.figure(s.Title, alt)
	if s.Equal || s.Diagonal {
		f.equalUnits(a.Plot)
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
		misuse("columns %d and %d of a data set of %d columns", x, y, d.P())
	}
	n := d.N()
	if of != nil {
		n = len(of)
	}
	rows := evenly(n, maxPoints)
	for i := range rows {
		if of != nil {
			rows[i] = int(of[rows[i]])
		}
		if rows[i] < 0 || rows[i] >= d.N() {
			misuse("row %d of a data set of %d rows", rows[i], d.N())
		}
	}
	return points{d, x, y, of, rows}
}

// alike returns the data with the scale of column x for column y, too.
func (p points) alike() *datasets.Dataset {
	scales := make([]datasets.Scale, p.data.P())
	for j, f := range p.data.Features {
		scales[j] = f.Scale
	}
	scales[p.y] = scales[p.x]
	return p.data.Rescale(scales)
}

// evenly returns at most so many of n rows, evenly spaced.
func evenly(n, most int) []int {
	rows := make([]int, min(n, most))
	for i := range rows {
		rows[i] = i * n / len(rows)
	}
	return rows
}

// plot returns axes with the names of the columns, and of their categories.
func (p points) plot() *plot.Plot { return p.named(newPlot(p.name(p.x), p.name(p.y))) }

func (p points) axes() *axes {
	a := newAxes(p.name(p.x), p.name(p.y))
	p.named(a.Plot)
	return a
}

func (p points) named(plt *plot.Plot) *plot.Plot {
	if names := p.data.Features[p.x].Categories; names != nil {
		plt.X.Tick.Marker = nameTicks{names: names}
	}
	if names := p.data.Features[p.y].Categories; names != nil {
		plt.Y.Tick.Marker = nameTicks{names: names}
	}
	return plt
}

// each visits the points in order of their rows, so that no class lies on top of another, but for those with a missing
// coordinate.
func (p points) each(visit func(row int, x, y float64)) {
	for _, i := range p.rows {
		x, y := float64(p.data.At(i, p.x)), float64(p.data.At(i, p.y))
		if x-x == 0 && y-y == 0 {
			visit(i, x, y)
		}
	}
}

// name returns the name of a feature or, if it has none, x and its number.
func (p points) name(j int) string { return featureName(p.data, j) }

// featureName returns what the cells of a feature are: its name, such as "time − 1700000000000" if they are relative to
// an offset, or x and its number.
func featureName(d *datasets.Dataset, j int) string {
	return d.Features[j].Scale.Of(cmp.Or(plain.Name(d.Features[j].Name), fmt.Sprintf("x%d", j)))
}

// categorical reports whether an axis has categories.
func (p points) categorical() bool {
	return p.data.Features[p.x].Categories != nil || p.data.Features[p.y].Categories != nil
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
		keys = append(keys, key{name: name, glyph: pointStyle(k)})
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

// besideDiagonal says how many of the drawn points lie where.
func (p points) besideDiagonal() string {
	var above, below int
	p.each(func(_ int, x, y float64) {
		switch {
		case y > x:
			above++
		case y < x:
			below++
		}
	})
	return fmt.Sprintf(" Above the diagonal: %d; below: %d.", above, below)
}

// extent returns the name and range of a column, such as "x (0 to 3)", over all rows of
// the data.
func (p points) extent(j int) string {
	lo, hi, ok := finiteRange(p.data, j)
	if n := len(p.data.Features[j].Categories); n > 0 {
		return fmt.Sprintf("%s (%d categories)", p.name(j), n)
	}
	if !ok {
		return p.name(j)
	}
	return fmt.Sprintf("%s (%s to %s)", p.name(j), formatShort(lo, 3), formatShort(hi, 3))
}

func pointStyle(k int) draw.GlyphStyle {
	return marker(classColor(k), 3.6, classShape(k))
}

// style returns the glyph of class k. It is smaller if the points would cover more
// than half of the canvas.
func (p points) style(c draw.Canvas, k int) draw.GlyphStyle {
	style := pointStyle(k)
	area := float64(c.Size().X * c.Size().Y)
	half := vg.Length(math.Sqrt(area / 2 / math.Pi / float64(len(p.rows))))
	style.Radius = min(style.Radius, max(1.4*px, half))
	return style
}

// area returns the range of all rows of the data, slightly widened.
func (p points) area() (r rectangle) {
	r.x1, r.x2 = columnRange(p.data, p.x)
	r.y1, r.y2 = columnRange(p.data, p.y)
	return r
}

// DataRange returns the sides of the area.
func (p points) DataRange() (xmin, xmax, ymin, ymax float64) { return p.area().DataRange() }

func columnRange(d *datasets.Dataset, j int) (lo, hi float64) {
	if n := len(d.Features[j].Categories); n > 0 {
		return -0.5, float64(n) - 0.5
	}
	lo, hi, ok := finiteRange(d, j)
	if !ok {
		return 0, 1
	}
	lo, hi = widen(lo, hi, 0.04)
	return max(lo, -math.MaxFloat32), min(hi, math.MaxFloat32) // regions are predicted in between
}

// widen widens a range on both sides by a share of its length, or by 1 if it has none.
func widen(lo, hi, share float64) (float64, float64) { return pad(lo, hi, share*(hi-lo), 1) }

// pad widens a range by d on both sides, within the finite numbers: by alone if its ends are so near to each other that
// an axis has no numbers between them, and by more if these are so large that alone doesn't change them.
func pad(lo, hi, d, alone float64) (float64, float64) {
	const least = 1e-300
	size := max(math.Abs(lo), math.Abs(hi))
	if !(hi-lo > least) {
		d = alone
	}
	if hi-lo+2*d < 1e-13*size {
		d = size / 2
	}
	return max(lo-d, -math.MaxFloat64), min(hi+d, math.MaxFloat64)
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

// Plot draws the points.
func (p points) Plot(c draw.Canvas, plt *plot.Plot) {
	p.drawIn(c, plt, func(row int) draw.GlyphStyle { return p.style(c, p.class(row)) })
}

// drawIn draws the points in styles.
func (p points) drawIn(c draw.Canvas, plt *plot.Plot, style func(row int) draw.GlyphStyle) {
	toX, toY := plt.Transforms(&c)
	p.each(func(row int, x, y float64) { c.DrawGlyph(style(row), pt(toX(x), toY(y))) })
}

// addTo adds a series for each class, or one without a name if there are no labels.
func (p points) addTo(chart liveChart, _ *plot.Plot) {
	chart.zoom()
	if p.categorical() {
		chart.Tooltip.Formatter = "{a}<br/>({b})"
	}
	classes := p.data.Classes
	if p.data.Labels == nil {
		classes = []string{""}
	}
	of := make([][]livePoint, len(classes))
	for _, i := range p.rows {
		k := p.class(i)
		of[k] = append(of[k], p.live(i))
	}
	for k, name := range classes {
		chart.addPoints(name, classColor(k), of[k], liveSymbols[k%len(liveSymbols)], 8)
	}
}

func (p points) live(row int) livePoint {
	text := ""
	if p.categorical() {
		text = p.data.Text(row, p.x) + ", " + p.data.Text(row, p.y)
	}
	return tip(text, float64(p.data.At(row, p.x)), float64(p.data.At(row, p.y)))
}

// zoom lets the reader zoom, and shows coordinates under the pointer. Lines stay whose ends are outside.
func (c liveChart) zoom() {
	c.DataZoomList = []opts.DataZoom{{Type: "inside", FilterMode: "none"},
		{Type: "inside", YAxisIndex: 0, FilterMode: "none"}}
	c.Tooltip.Formatter = "{a}<br/>({c})"
}

// addPoints adds points of one symbol and size.
func (c liveChart) addPoints(name string, colour color.Color, points []livePoint, symbol string, size int) {
	s := c.add(types.ChartScatter, name, colour, points)
	s.Symbol, s.SymbolSize = symbol, size
}
