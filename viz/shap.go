package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/datasets"
)

// SHAP draws how much each feature moved each prediction (Lundberg and Lee, 2017): a row for each feature with a point
// for each row of the data, at its Shapley value, piled up where many are alike and coloured by the feature's cell,
// grey for a category and black if it is missing. Features are in descending order of the mean magnitude of their
// values, which stands beside their names. If there are more than 2,000 rows it draws 2,000 of them, evenly spaced. The
// numbers come from package forest/shap.
//
// [Draw] panics if Values doesn't have a number for each row and feature of Data, or if there are none.
type SHAP struct {
	Title  string
	X      string            // what the values are, with units, such as "effect on the probability of virginica"
	Data   *datasets.Dataset // the explained rows, as the trees see them
	Values [][]float64       // by row and feature
	Most   int               // the most features to draw; 0 means 12
}

const (
	shapRow = 38 // height of a feature's row, in CSS pixels
	shapBin = 3  // width of a pile, in CSS pixels
)

func (s SHAP) figure() *Figure {
	s.check()
	means := make([]float64, s.Data.P()) // of the magnitudes
	for _, row := range s.Values {
		for j, v := range row {
			means[j] += math.Abs(v) / float64(len(s.Values))
		}
	}
	descending := make([]float64, len(means))
	for j, mean := range means {
		descending[j] = -mean
	}
	order := inOrder(descending)
	order = order[:min(len(order), cmp.Or(s.Most, 12))]
	drawing := shapPlot{data: s.Data, values: s.Values, order: order}
	style := textStyle(tickSize, false)
	alt := fmt.Sprintf("%s of %d rows, by feature. Mean magnitudes:", cmp.Or(s.X, "Shapley values"), len(s.Values))
	for _, j := range order {
		name, mean := featureName(s.Data, j), formatShort(means[j], 2)
		drawing.scales = append(drawing.scales, newScale(s.Data, j))
		drawing.rows = append(drawing.rows, shorten(name, style, 150*px)+"  "+mean)
		alt += fmt.Sprintf(" %s %s,", name, mean)
	}
	alt = alt[:len(alt)-1] + "."
	keys := []key{{name: "feature: low to high", ramp: lowHigh}, {name: "number: mean magnitude"}}
	category := func(j int) bool { return s.Data.Features[j].Categories != nil }
	if slices.ContainsFunc(order, category) {
		keys = append(keys, key{name: "category", glyph: marker(lowHigh(0.5), 2.6, shapes[0])})
	}
	missing := func(j int) bool {
		return slices.ContainsFunc(s.Data.Column(nil, j), func(v float32) bool { return v != v })
	}
	if slices.ContainsFunc(order, missing) {
		keys = append(keys, key{name: "missing", glyph: marker(missingColour, 2.6, shapes[0])})
	}
	if left := len(means) - len(order); left > 0 {
		alt += fmt.Sprintf(" %d features with smaller ones aren't drawn.", left)
		keys = append(keys, key{name: fmt.Sprintf("%d more features aren't drawn", left)})
	}
	p := drawing.axes(s.X, 0.5).Plot
	p.Add(zeroLine(stroke(grey, 1.4)), drawing)
	var drawn []float64
	for _, row := range s.Values {
		drawn = append(drawn, pick(row, order)...)
	}
	p.X.Min, p.X.Max = zeroRange(drawn, 0.03)
	f := plotFigure(s.Title, alt, p, keys...)
	f.Height = 110 + shapRow*float64(len(order))
	return f
}

func (s SHAP) check() {
	if s.Data == nil || s.Data.N() == 0 || s.Data.P() == 0 || len(s.Values) != s.Data.N() {
		misuse("Shapley values of %d rows; want data with as many rows, and some features", len(s.Values))
	}
	if s.Most < 0 {
		misuse("Shapley values of %d features; want 1 or more, or 0 for 12", s.Most)
	}
	for i, row := range s.Values {
		if len(row) != s.Data.P() {
			misuse("row %d has %d Shapley values for %d features", i, len(row), s.Data.P())
		}
	}
}

var missingColour = classColor(6)

// lowHigh is the colour of a cell, from low (blue) by grey to high (vermillion), in few steps: a PNG has 256 colours
// for everything.
func lowHigh(t float64) color.NRGBA {
	const steps = 20
	t = math.Round(t*steps) / steps
	return between(classColor(0), mix(white, grey, 0.75), classColor(5), t)
}

// A scale maps the cells of a feature to 0 … 1, from its quantile of 5 % to that of 95 %, so that outliers don't
// leave the others one colour. The codes of categories are neither low nor high: all are 0.5.
type scale struct{ lo, hi float64 }

func newScale(d *datasets.Dataset, j int) scale {
	cells := sorted(d.Column(nil, j))
	if len(cells) == 0 || d.Features[j].Categories != nil {
		return scale{}
	}
	n := len(cells)
	s := scale{cells[n*5/100], cells[n-1-n*5/100]}
	if s.lo == s.hi {
		s = scale{cells[0], cells[n-1]}
	}
	return s
}

// sorted returns the cells that are numbers in ascending order.
func sorted(cells []float32) (values []float64) {
	for _, v := range cells {
		if v-v == 0 {
			values = append(values, float64(v))
		}
	}
	slices.Sort(values)
	return values
}

// color returns the colour of a cell.
func (s scale) color(cell float64) color.NRGBA {
	if cell != cell {
		return missingColour
	}
	return lowHigh(s.at(cell))
}

// at returns the place of a cell, 0.5 if all cells are equal.
func (s scale) at(cell float64) float64 {
	if s.lo == s.hi {
		return 0.5
	}
	return max(0, min(1, (cell-s.lo)/(s.hi-s.lo)))
}

// A shapPlot draws the piles of each feature.
type shapPlot struct {
	rows
	data   *datasets.Dataset
	values [][]float64
	order  []int
	scales []scale // of the features in order
}

func (s shapPlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	rows := evenly(len(s.values), maxPoints)
	half := float64((toY(0.5)-toY(0))/px) - 3
	for k, j := range s.order {
		x := make([]float64, len(rows)) // in CSS pixels
		for i, r := range rows {
			x[i] = float64((toX(s.values[r][j]) - c.Min.X) / px)
		}
		above, radius := piles(x, half)
		y := toY(s.at(k))
		for i, r := range rows {
			fillDot(c, s.scales[k].color(float64(s.data.At(r, j))), pt(c.Min.X+css(x[i]), y+css(above[i])), css(radius))
		}
	}
}

// fillDot draws a point without an outline: where many overlap, outlines would be most of what is seen. A point without
// a place, such as that of a missing cell, is left out.
func fillDot(c draw.Canvas, fill color.NRGBA, at vg.Point, radius vg.Length) {
	if place := float64(at.X + at.Y); place-place != 0 {
		return
	}
	var path vg.Path
	path.Move(pt(at.X+radius, at.Y))
	path.Arc(at, radius, 0, 2*math.Pi)
	path.Close()
	c.SetColor(fill)
	c.Fill(path)
}

// piles returns how far each point at some x is above or below the middle, so that points in the same bin don't cover
// each other more than the room on each side makes necessary, and their radius.
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
