package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/datasets"
)

// SHAP draws how much each feature moved each prediction (Lundberg and Lee, 2017): a row for each feature with a point for
// each row of the data, at its Shapley value, piled up where many are alike and coloured by the feature's cell. Features are
// in descending order of the mean magnitude of their values, which stands beside their names. The numbers come from
// package forest/shap.
type SHAP struct {
	Title  string
	X      string            // what the values are, with units, such as "effect on the probability of virginica"
	Data   *datasets.Dataset // the explained rows, as the trees see them
	Values [][]float64       // by row and feature
	Most   int               // the most features to draw; 0 means 12
}

const (
	shapFeatures = 12 // drawn by default
	shapRow      = 38 // height of a feature's row, in CSS pixels
	shapBin      = 3  // width of a pile, in CSS pixels
)

// Figure draws the points, of 2,000 rows, evenly spaced, if there are more. It panics if Values doesn't have a number for each
// row and feature of Data, or if there are none.
func (s SHAP) Figure() *Figure {
	checkSHAP(s.Data, s.Values)
	order, means := s.order()
	left := len(means) - len(order)
	p := newPlot(s.X, "")
	drawing := shapPlot{data: s.Data, values: s.Values, order: order}
	for _, j := range order {
		drawing.scales = append(drawing.scales, newScale(s.Data, j))
	}
	p.Add(paleGrid(), drawing)
	p.X.Min, p.X.Max = shapRange(s.Values, order)
	p.Y.Min, p.Y.Max = -0.5, float64(len(order))-0.5
	ticks, style := make(plot.ConstantTicks, len(order)), textStyle(tickSize, false)
	for k, j := range order {
		name := shorten(featureName(s.Data.Features[j].Name, j), style, 150*px)
		ticks[k] = plot.Tick{Value: float64(len(order) - 1 - k), Label: name + "  " + formatShort(means[j], 2)}
	}
	p.Y.Tick.Marker, p.Y.Tick.LineStyle.Width = ticks, 0
	f := &Figure{Title: s.Title, Width: defaultWidth, Height: 110 + shapRow*float64(len(order)), body: func(c draw.Canvas) { drawPlot(c, p) }}
	f.keys = []key{{name: "feature: low to high", ramp: lowHigh}, {name: "number: mean magnitude"}}
	f.Alt = fmt.Sprintf("%s of %d rows, by feature. Mean magnitudes:", cmp.Or(s.X, "Shapley values"), len(s.Values))
	for _, j := range order {
		f.Alt += fmt.Sprintf(" %s %s,", featureName(s.Data.Features[j].Name, j), formatShort(means[j], 2))
	}
	f.Alt = f.Alt[:len(f.Alt)-1] + "."
	if left > 0 {
		f.Alt += fmt.Sprintf(" %d features with smaller ones aren't drawn.", left)
		f.keys = append(f.keys, key{name: fmt.Sprintf("%d more features aren't drawn", left)})
	}
	return f
}

// checkSHAP panics if values doesn't have a number for each row and feature of d.
func checkSHAP(d *datasets.Dataset, values [][]float64) {
	if d == nil || d.N() == 0 || d.P() == 0 || len(values) != d.N() {
		panic(fmt.Sprintf("viz: Shapley values of %d rows; want data with as many rows, and some features", len(values)))
	}
	for i, row := range values {
		if len(row) != d.P() {
			panic(fmt.Sprintf("viz: row %d has %d Shapley values for %d features", i, len(row), d.P()))
		}
	}
}

// order returns the features to draw, in descending order of their mean magnitudes, and these of all features.
func (s SHAP) order() (order []int, means []float64) {
	means = make([]float64, s.Data.P())
	for _, row := range s.Values {
		for j, v := range row {
			means[j] += math.Abs(v) / float64(len(s.Values))
		}
	}
	for j := range means {
		order = append(order, j)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(means[b], means[a]) })
	return order[:min(len(order), cmp.Or(s.Most, shapFeatures))], means
}

// shapRange returns the range of the values of some features, and 0, slightly widened.
func shapRange(values [][]float64, features []int) (lo, hi float64) {
	for _, row := range values {
		for _, j := range features {
			lo, hi = min(lo, row[j]), max(hi, row[j])
		}
	}
	if lo == hi {
		return -1, 1
	}
	pad := 0.03 * (hi - lo)
	return lo - pad, hi + pad
}

// lowHigh is the colour of a cell, from low (blue) by grey to high (vermillion), in few steps: a PNG has 256 colours for
// everything. Grey papers have light and dark.
func lowHigh(t float64) color.NRGBA {
	const steps = 20
	t = math.Round(t*steps) / steps
	if current == Print {
		return sequential(t)
	}
	if middle := mix(white, grey, 0.75); t < 0.5 {
		return mix(classColor(0), middle, 2*t)
	} else {
		return mix(middle, classColor(5), 2*t-1)
	}
}

// A scale maps the cells of a feature to 0 … 1, from its quantile of 5 % to that of 95 %, so that outliers don't
// leave the others one colour.
type scale struct{ lo, hi float64 }

func newScale(d *datasets.Dataset, j int) scale {
	var cells []float64
	for _, v := range d.Column(nil, j) {
		if v-v == 0 {
			cells = append(cells, float64(v))
		}
	}
	if len(cells) == 0 {
		return scale{}
	}
	slices.Sort(cells)
	s := scale{cells[len(cells)*5/100], cells[len(cells)-1-len(cells)*5/100]}
	if s.lo == s.hi {
		s = scale{cells[0], cells[len(cells)-1]}
	}
	return s
}

// at returns the place of a cell, 0.5 if all cells are equal.
func (s scale) at(cell float64) float64 {
	if s.lo == s.hi {
		return 0.5
	}
	return max(0, min(1, (cell-s.lo)/(s.hi-s.lo)))
}

// evenly returns at most so many of n rows, evenly spaced.
func evenly(n, most int) []int {
	rows := make([]int, min(n, most))
	for i := range rows {
		rows[i] = i * n / len(rows)
	}
	return rows
}

// A shapPlot draws the piles of each feature.
type shapPlot struct {
	data   *datasets.Dataset
	values [][]float64
	order  []int
	scales []scale // of the features in order
}

func (s shapPlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: grey, Width: 1.4 * px}, toX(0), c.Min.Y, toX(0), c.Max.Y)
	rows := evenly(len(s.values), maxPoints)
	half := float64((toY(0.5)-toY(0))/px) - 3
	for k, j := range s.order {
		x := make([]float64, len(rows)) // in CSS pixels
		for i, r := range rows {
			x[i] = float64((toX(s.values[r][j]) - c.Min.X) / px)
		}
		above, radius := piles(x, half)
		y := toY(float64(len(s.order) - 1 - k))
		for i, r := range rows {
			fillDot(c, lowHigh(s.scales[k].at(float64(s.data.At(r, j)))), vg.Point{X: c.Min.X + vg.Length(x[i])*px, Y: y + vg.Length(above[i])*px}, vg.Length(radius)*px)
		}
	}
}

// fillDot draws a point without an outline: where many overlap, outlines would be most of what is seen.
func fillDot(c draw.Canvas, fill color.NRGBA, at vg.Point, radius vg.Length) {
	var path vg.Path
	path.Move(vg.Point{X: at.X + radius, Y: at.Y})
	path.Arc(at, radius, 0, 2*math.Pi)
	path.Close()
	c.SetColor(fill)
	c.Fill(path)
}

// piles returns how far each point at some x is above or below the middle, so that points in the same bin don't cover each
// other more than the room on each side makes necessary, and their radius.
func piles(x []float64, room float64) (above []float64, radius float64) {
	counts, place := map[int]int{}, make([]int, len(x))
	most := 0
	for i, v := range x {
		bin := int(math.Floor(v / shapBin))
		place[i] = counts[bin]
		counts[bin]++
		most = max(most, counts[bin])
	}
	radius = max(1.2, min(2.6, room/2))
	step := min(1.6*radius, (room-radius)/max(1, float64(most)/2))
	above = make([]float64, len(x))
	for i, k := range place {
		above[i] = float64((k+1)/2) * step
		if k%2 == 1 {
			above[i] = -above[i]
		}
	}
	return above, radius
}

// SHAPDependence draws the Shapley values of one feature against its cells: a point for each row. A second feature may
// colour the points; where points of the same cell have other values and other colours, the two features act together.
// The numbers come from package forest/shap.
type SHAPDependence struct {
	Title   string
	Y       string            // what the values are, with units
	Data    *datasets.Dataset // the explained rows, as the trees see them
	Values  [][]float64       // by row and feature
	Feature int
	Colour  int // the feature that colours the points; if it is Feature, they have one colour
}

// Figure draws the points, of 2,000 rows, evenly spaced, if there are more. It panics if a feature doesn't exist, or if Values
// doesn't have a number for each row and feature of Data.
func (s SHAPDependence) Figure() *Figure {
	checkSHAP(s.Data, s.Values)
	if p := s.Data.P(); s.Feature < 0 || s.Feature >= p || s.Colour < 0 || s.Colour >= p {
		panic(fmt.Sprintf("viz: Shapley values of feature %d, coloured by feature %d of %d", s.Feature, s.Colour, p))
	}
	name, colour := featureName(s.Data.Features[s.Feature].Name, s.Feature), featureName(s.Data.Features[s.Colour].Name, s.Colour)
	p := newPlot(name, s.Y)
	p.X.Min, p.X.Max = columnRange(s.Data, s.Feature)
	p.Y.Min, p.Y.Max = shapRange(s.Values, []int{s.Feature})
	drawing := dependencePlot{s, newScale(s.Data, s.Colour)}
	p.Add(paleGrid(), drawing)
	f := &Figure{Title: s.Title, Width: defaultWidth, Height: defaultHeight, body: func(c draw.Canvas) { drawPlot(c, p) }}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, row := range s.Values {
		lo, hi = min(lo, row[s.Feature]), max(hi, row[s.Feature])
	}
	f.Alt = fmt.Sprintf("%s against %s for %d rows: %s to %s", cmp.Or(s.Y, "Shapley values"), name, len(s.Values), formatShort(lo, 3), formatShort(hi, 3))
	if s.Colour != s.Feature {
		f.keys = []key{{name: fmt.Sprintf("%s, %s to %s", colour, formatShort(drawing.scale.lo, 3), formatShort(drawing.scale.hi, 3)), ramp: lowHigh}}
		f.Alt += fmt.Sprintf("; coloured by %s", colour)
	}
	f.Alt += "."
	f.live = func() any { return drawing.live(p) }
	return f
}

// A dependencePlot draws the points of a SHAPDependence.
type dependencePlot struct {
	SHAPDependence
	scale scale
}

// color returns the colour of a row's point.
func (s dependencePlot) color(r int) color.NRGBA {
	if s.Colour == s.Feature {
		return classColor(0)
	}
	return lowHigh(s.scale.at(float64(s.Data.At(r, s.Colour))))
}

func (s dependencePlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: grey, Width: 1.4 * px}, c.Min.X, toY(0), c.Max.X, toY(0))
	rows := evenly(len(s.Values), maxPoints)
	radius := vg.Length(2.6) * px
	if len(rows) > 500 {
		radius = 1.8 * px
	}
	for _, r := range rows {
		x, y := float64(s.Data.At(r, s.Feature)), s.Values[r][s.Feature]
		fillDot(c, s.color(r), vg.Point{X: toX(x), Y: toY(y)}, radius)
	}
}

// live returns the ECharts chart, with the numbers under the pointer, and zoom.
func (s dependencePlot) live(p *plot.Plot) any {
	chart := liveScatter(s.Title, p)
	chart.Legend.Show = opts.Bool(false)
	columns := p.X.Label.Text + ", " + p.Y.Label.Text
	if s.Colour != s.Feature {
		colour := featureName(s.Data.Features[s.Colour].Name, s.Colour)
		columns += ", " + colour
		colors := make([]string, 9)
		for i := range colors {
			colors[i] = hex(lowHigh(float64(i) / 8))
		}
		chart.VisualMapList = []opts.VisualMap{{Type: "continuous", Min: float32(s.scale.lo), Max: float32(s.scale.hi), Dimension: "2", Orient: "horizontal",
			Left: "64", Top: "30", Text: []string{colour + " " + formatShort(s.scale.hi, 3), formatShort(s.scale.lo, 3)}, InRange: &opts.VisualMapInRange{Color: colors}}}
	}
	var points []opts.ScatterData
	for _, r := range evenly(len(s.Values), maxPoints) {
		points = append(points, opts.ScatterData{Value: []any{jsonNumber(float64(s.Data.At(r, s.Feature))),
			jsonNumber(s.Values[r][s.Feature]), jsonNumber(float64(s.Data.At(r, s.Colour)))}})
	}
	chart.AddSeries(columns, points, charts.WithItemStyleOpts(opts.ItemStyle{Color: hex(classColor(0))}),
		charts.WithScatterChartOpts(opts.ScatterChart{Symbol: "circle", SymbolSize: 6}))
	return chart.JSON()
}
