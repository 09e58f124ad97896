package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// PartialDependence draws how a model's prediction depends on one feature, averaged over
// the others (Friedman, 2001): a thick line. Thin lines behind it are single rows
// (Goldstein et al., 2015); if these aren't alike, the mean hides something. Marks on the
// axis are the deciles of the feature in the data: where they are far apart, there is
// little to learn from. The numbers come from inspect.PartialDependence.
type PartialDependence struct {
	Title string
	X, Y  string // the feature's name, and what is predicted

	Values []float64   // of the feature, ascending
	Mean   []float64   // mean prediction at each value
	Rows   [][]float64 // predictions of single rows at each value, of which at most 100 are drawn; nil draws none
	Cells  []float32   // the feature's cells in the data, for the marks; nil draws none
}

// maxRowCurves is the most rows of which a partial dependence chart draws curves.
const maxRowCurves = 100

// Figure draws the curve. It panics if there are no values, if they aren't ascending, or
// if Mean or one of Rows doesn't have a number for each value.
func (d PartialDependence) Figure() *Figure {
	if len(d.Values) == 0 || len(d.Mean) != len(d.Values) || !slices.IsSorted(d.Values) {
		panic(fmt.Sprintf("viz: partial dependence with %d means at %d values; want one at each of several ascending values", len(d.Mean), len(d.Values)))
	}
	for i, row := range d.Rows {
		if len(row) != len(d.Values) {
			panic(fmt.Sprintf("viz: row %d has %d predictions at %d values", i, len(row), len(d.Values)))
		}
	}
	curves := Curves{Title: d.Title, X: d.X, Y: d.Y, Series: []Series{{Name: "mean", X: d.Values, Y: d.Mean}}}
	p, keys := curves.plot()
	f := curves.figure(p, keys)
	f.Alt = d.alt()
	lo, hi := p.Y.Min, p.Y.Max
	rows := d.drawn()
	for _, row := range rows {
		for _, v := range row {
			if v-v == 0 {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	p.Y.Min, p.Y.Max = lo, hi
	p.Add(rugPlot(deciles(d.Cells)))
	body := f.body
	f.body = func(c draw.Canvas) {
		if rows == nil {
			body(c)
			return
		}
		// The curves of the rows go below the mean, which is already part of the plot.
		setTicks(c, p)
		rowCurves{d.Values, rows}.Plot(p.DataCanvas(c), p)
		body(c)
	}
	if rows != nil {
		f.keys = append(f.keys, key{name: fmt.Sprintf("%d rows", len(rows)), line: rowStyle})
	}
	return f
}

// drawn returns the rows of which there are curves, evenly spaced.
func (d PartialDependence) drawn() [][]float64 {
	if len(d.Rows) <= maxRowCurves {
		return d.Rows
	}
	rows := make([][]float64, maxRowCurves)
	for i := range rows {
		rows[i] = d.Rows[i*len(d.Rows)/maxRowCurves]
	}
	return rows
}

func (d PartialDependence) alt() string {
	low, high := 0, 0
	for i, v := range d.Mean {
		if v < d.Mean[low] {
			low = i
		}
		if v > d.Mean[high] {
			high = i
		}
	}
	s := fmt.Sprintf("Mean prediction of %s against %s from %s to %s: lowest %s at %s, highest %s at %s.", d.Y, d.X,
		formatNumber(d.Values[0]), formatNumber(d.Values[len(d.Values)-1]),
		formatShort(d.Mean[low], 3), formatNumber(d.Values[low]), formatShort(d.Mean[high], 3), formatNumber(d.Values[high]))
	if len(d.Rows) > 0 {
		s += fmt.Sprintf(" Behind it the curves of %d single rows.", len(d.drawn()))
	}
	return s
}

var rowStyle = themed(func() draw.LineStyle { return draw.LineStyle{Color: mix(white, classColor(4), 0.55), Width: 0.7 * px} })

// rowCurves draws a thin line for each row.
type rowCurves struct {
	x    []float64
	rows [][]float64
}

func (r rowCurves) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for _, row := range r.rows {
		line := make([]vg.Point, 0, len(row))
		for i, y := range row {
			if y-y == 0 {
				line = append(line, vg.Point{X: toX(r.x[i]), Y: toY(y)})
			}
		}
		c.StrokeLines(*rowStyle, c.ClipLinesXY(line)...)
	}
}

// deciles returns the 9 deciles of the cells that are numbers.
func deciles(cells []float32) []float64 {
	var sorted []float64
	for _, v := range cells {
		if v-v == 0 {
			sorted = append(sorted, float64(v))
		}
	}
	if len(sorted) == 0 {
		return nil
	}
	slices.Sort(sorted)
	marks := make([]float64, 9)
	for i := range marks {
		marks[i] = sorted[(len(sorted)-1)*(i+1)/10]
	}
	return marks
}

// rugPlot draws short marks on the x axis.
type rugPlot []float64

func (r rugPlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, _ := p.Transforms(&c)
	for _, v := range r {
		if x := toX(v); c.ContainsX(x) {
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1.2 * px}, x, c.Min.Y, x, c.Min.Y+8*px)
		}
	}
}

// PartialDependencePair draws how a model's prediction depends on two features at once,
// averaged over the others: the darker, or in the dark theme the lighter, the higher. The numbers come from
// inspect.PartialDependencePair.
type PartialDependencePair struct {
	Title string
	X, Y  string // the features' names
	Label string // what is predicted

	XValues, YValues []float64   // ascending
	Mean             [][]float64 // Mean[j][i] is the mean prediction at XValues[i] and YValues[j]
}

// Figure draws the surface. It panics if there are no values, if they aren't ascending
// and different, or if Mean doesn't have a number for each pair.
func (d PartialDependencePair) Figure() *Figure {
	if len(d.XValues) == 0 || len(d.YValues) == 0 || len(d.Mean) != len(d.YValues) || !slices.IsSorted(d.XValues) || !slices.IsSorted(d.YValues) {
		panic(fmt.Sprintf("viz: partial dependence of %d rows of means at %d and %d values", len(d.Mean), len(d.XValues), len(d.YValues)))
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for j, row := range d.Mean {
		if len(row) != len(d.XValues) {
			panic(fmt.Sprintf("viz: row %d has %d means at %d values", j, len(row), len(d.XValues)))
		}
		for _, v := range row {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	p := newPlot(d.X, d.Y)
	p.Add(surface{d, lo, hi})
	f := &Figure{Title: d.Title, Width: defaultWidth, Height: defaultHeight,
		keys: []key{{name: fmt.Sprintf("%s, %s to %s", d.Label, formatShort(lo, 3), formatShort(hi, 3)), ramp: sequential}},
		body: func(c draw.Canvas) { drawPlot(c, p) }}
	f.Alt = fmt.Sprintf("Mean prediction of %s over %s from %s to %s and %s from %s to %s: %s.", d.Label,
		d.X, formatNumber(d.XValues[0]), formatNumber(d.XValues[len(d.XValues)-1]),
		d.Y, formatNumber(d.YValues[0]), formatNumber(d.YValues[len(d.YValues)-1]), d.extremes(lo, hi))
	f.live = func() any { return d.table().live() }
	return f
}

// extremes says where the highest and lowest means are.
func (d PartialDependencePair) extremes(lo, hi float64) string {
	var low, high string
	for j, row := range d.Mean {
		for i, v := range row {
			at := fmt.Sprintf("(%s, %s)", formatNumber(d.XValues[i]), formatNumber(d.YValues[j]))
			if v == lo && low == "" {
				low = "lowest " + formatShort(lo, 3) + " at " + at
			}
			if v == hi && high == "" {
				high = "highest " + formatShort(hi, 3) + " at " + at
			}
		}
	}
	return low + ", " + high
}

// table returns the surface as a heat map, which is its live form.
func (d PartialDependencePair) table() HeatMap {
	names := func(values []float64) []string {
		s := make([]string, len(values))
		for i, v := range values {
			s[i] = formatShort(v, 3)
		}
		return s
	}
	h := HeatMap{Title: d.Title, X: d.X, Y: d.Y, Columns: names(d.XValues), Rows: names(d.YValues), Values: slices.Clone(d.Mean)}
	slices.Reverse(h.Rows)
	slices.Reverse(h.Values)
	return h
}

// A surface draws a rectangle around each pair of values.
type surface struct {
	PartialDependencePair
	lo, hi float64
}

// borders returns the borders between the rectangles of neighbouring values.
func borders(values []float64) []float64 {
	n := len(values)
	b := make([]float64, n+1)
	for i := 1; i < n; i++ {
		b[i] = (values[i-1] + values[i]) / 2
	}
	b[0], b[n] = values[0]-0.5, values[0]+0.5
	if n > 1 {
		b[0], b[n] = values[0]-(b[1]-values[0]), values[n-1]+(values[n-1]-b[n-1])
	}
	return b
}

// DataRange returns the outer borders.
func (s surface) DataRange() (xmin, xmax, ymin, ymax float64) {
	x, y := borders(s.XValues), borders(s.YValues)
	return x[0], x[len(x)-1], y[0], y[len(y)-1]
}

func (s surface) color(v float64) color.NRGBA {
	if s.hi == s.lo {
		return sequential(0)
	}
	return sequential((v - s.lo) / (s.hi - s.lo))
}

func (s surface) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	x, y := borders(s.XValues), borders(s.YValues)
	for j, row := range s.Mean {
		for i, v := range row {
			if v-v == 0 {
				fillRectangle(c, s.color(v), vg.Rectangle{Min: vg.Point{X: toX(x[i]), Y: toY(y[j])}, Max: vg.Point{X: toX(x[i+1]) + 0.3*px, Y: toY(y[j+1]) + 0.3*px}})
			}
		}
	}
}
