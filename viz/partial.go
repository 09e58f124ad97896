package viz

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/internal/naming"
)

// PartialDependence draws how a model's prediction depends on one feature, averaged over the others (Friedman, 2001): a
// thick line. Thin lines behind it are single rows (Goldstein et al., 2015); if these aren't alike, the mean hides
// something. Marks on the axis are the deciles of the feature in the data: where they are far apart, there is little to
// learn from. The numbers come from inspect.PartialDependence.
//
// [Draw] panics if there are no values, if they aren't ascending, if one isn't the code of one of Categories, unless
// these are nil, or if Mean or one of Rows doesn't have a number for each value.
type PartialDependence struct {
	Title string
	X, Y  string // the feature's name, and what is predicted

	Values []float64   // of the feature, ascending
	Mean   []float64   // mean prediction at each value
	Rows   [][]float64 // predictions of single rows at each value, of which at most 100 are drawn; nil draws none
	Cells  []float32   // the feature's cells in the data, for the marks; nil draws none

	// Categories are the names of the values 0, 1, 2, … of a categorical feature, which no line joins and which have no
	// marks on the axis. Nil means numbers.
	Categories []string
}

// maxRowCurves is the most rows of which a partial dependence chart draws curves.
const maxRowCurves = 100

func (d PartialDependence) figure() *Figure {
	if len(d.Values) == 0 || len(d.Mean) != len(d.Values) || !slices.IsSorted(d.Values) {
		misuse("partial dependence with %d means at %d values; want one at each of several ascending values", len(d.Mean),
			len(d.Values))
	}
	for i, row := range d.Rows {
		if len(row) != len(d.Values) {
			misuse("row %d has %d predictions at %d values", i, len(row), len(d.Values))
		}
	}
	for _, v := range d.Values {
		if n := len(d.Categories); n > 0 && !naming.IsCode(v, n) {
			misuse("partial dependence at %v; want the code of one of %d categories", v, n)
		}
	}
	curves := Curves{Title: d.Title, X: d.X, Y: d.Y, Series: []Series{{Name: "mean", X: d.Values, Y: d.Mean,
		Points: d.Categories != nil, names: d.Categories}}}
	rows := d.drawn()
	a := curves.axes(pictureOnly{rowCurves{d.Values, rows}})
	heights := append(finite(slices.Concat(rows...)), a.Y.Min, a.Y.Max)
	a.Y.Min, a.Y.Max = slices.Min(heights), slices.Max(heights)
	if n := len(d.Categories); n > 0 {
		a.X.Tick.Marker = nameTicks{names: d.Categories}
		a.X.Min, a.X.Max = -0.5, float64(n)-0.5
	} else {
		a.mark(pictureOnly{rugPlot(deciles(d.Cells))})
	}
	if rows != nil {
		a.keys = append(a.keys, key{name: fmt.Sprintf("%d rows", len(rows)), line: rowStyle})
	}
	return a.figure(d.Title, d.alt())
}

// drawn returns the rows of which there are curves, evenly spaced.
func (d PartialDependence) drawn() [][]float64 {
	return pick(d.Rows, evenly(len(d.Rows), maxRowCurves))
}

func (d PartialDependence) alt() string {
	low, high := extremes(d.Mean)
	at := Series{X: d.Values, names: d.Categories}.at
	s := fmt.Sprintf("Mean prediction of %s against %s from %s to %s: lowest %s at %s, highest %s at %s.", d.Y, d.X,
		at(0), at(len(d.Values)-1), formatShort(d.Mean[low], 3), at(low), formatShort(d.Mean[high], 3), at(high))
	if len(d.Rows) > 0 {
		s += fmt.Sprintf(" Behind it the curves of %d single rows.", len(d.drawn()))
	}
	return s
}

var rowStyle = stroke(mix(white, classColor(4), 0.55), 0.7)

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
				line = append(line, pt(toX(r.x[i]), toY(y)))
			}
		}
		c.StrokeLines(rowStyle, c.ClipLinesXY(line)...)
	}
}

// deciles returns the 9 deciles of the cells that are numbers.
func deciles(cells []float32) (marks []float64) {
	if values := sorted(cells); values != nil {
		for tenth := 1; tenth < 10; tenth++ {
			marks = append(marks, values[(len(values)-1)*tenth/10])
		}
	}
	return marks
}

// rugPlot draws short marks on the x axis.
type rugPlot []float64

func (r rugPlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, _ := p.Transforms(&c)
	for _, v := range r {
		if x := toX(v); c.ContainsX(x) {
			c.StrokeLine2(stroke(ink, 1.2), x, c.Min.Y, x, c.Min.Y+8*px)
		}
	}
}
