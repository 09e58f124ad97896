package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/datasets"
)

// SensitivityMap draws the rows of a data set over two of its columns. Rows on which a forest's regions depend more are
// darker (Gupta et al., GRAF, figure 12), and on top. A few rows are many times as sensitive as the others, so the top
// 5 % all have the darkest colour, or the most sensitive row if fewer have any sensitivity. Units have the same length
// on both axes. If there are more than 2,000 rows it draws 2,000 of them, evenly spaced. A [Scatter] of the same data
// with Equal has the same axes.
//
// [Draw] panics if a column doesn't exist, or if there isn't a sensitivity of 0 or more for each row.
type SensitivityMap struct {
	Title       string
	Data        *datasets.Dataset
	X, Y        int       // the columns; both 0 means columns 0 and 1
	Sensitivity []float64 // ŝ of each row, 0 or more, such as the Scores of inspect.Sensitivity
}

func (s SensitivityMap) figure() *Figure {
	if len(s.Sensitivity) != s.Data.N() {
		misuse("%d sensitivities of %d rows", len(s.Sensitivity), s.Data.N())
	}
	for i, v := range s.Sensitivity {
		if !(v >= 0) || v-v != 0 {
			misuse("row %d has sensitivity %v", i, v)
		}
	}
	limit, said := 1.0, " All have 0."
	sorted := slices.Sorted(slices.Values(s.Sensitivity))
	if n := len(sorted); n > 0 && sorted[n-1] > 0 {
		limit, said = sorted[n*95/100], " One row in 20 has %s or more."
		if limit == 0 {
			limit, said = sorted[n-1], " Fewer than one row in 20 have more than 0, at most %s."
		}
		said = fmt.Sprintf(said, formatShort(limit, 2))
	}
	points := newPoints(s.Data, s.X, s.Y, nil)
	slices.SortStableFunc(points.rows, func(a, b int) int { return cmp.Compare(s.Sensitivity[a], s.Sensitivity[b]) })
	a := points.axes()
	a.mark(sensitivityPlot{points, s.Sensitivity, limit})
	most := formatShort(limit, 2)
	a.keys = []key{{name: "sensitivity ŝ, 0 to ≥ " + most, ramp: sequential}}
	f := a.figure(s.Title, "Sensitivity of "+points.alt()+said)
	f.equalUnits(a.Plot)
	return f
}

// sequential is a palette from pale yellow to nearly black. Each step is darker than the one before, so it also works
// without colours. It doesn't start at white, where points would be invisible. It has 20 steps, since our PNGs have few
// colours.
func sequential(t float64) color.NRGBA {
	yellow, red, black := opaque(0xf6ef8e), classColor(5), opaque(0x2a0630)
	return between(yellow, red, black, math.Round(19*t)/19)
}

// sensitivityPlot draws points by sensitivity.
type sensitivityPlot struct {
	points
	sensitivity []float64
	limit       float64 // sensitivity from which the colour is darkest
}

func (s sensitivityPlot) Plot(c draw.Canvas, p *plot.Plot) {
	style := s.style(c, 0)
	s.drawIn(c, p, func(row int) draw.GlyphStyle {
		style.Color = sequential(min(1, s.sensitivity[row]/s.limit))
		return style
	})
}

// addTo adds the points, with coordinates and sensitivity under the pointer, and zoom.
func (s sensitivityPlot) addTo(chart liveChart, p *plot.Plot) {
	chart.zoom()
	chart.Legend.Show = no
	colours := make([]string, 9)
	for i := range colours {
		colours[i] = hex(sequential(float64(i) / 8))
	}
	chart.VisualMapList = []opts.VisualMap{{Type: "continuous", Max: single(s.limit), Dimension: "2",
		Orient: "horizontal", Left: "64", Top: "30", Text: []string{"sensitivity ŝ ≥ " + formatShort(s.limit, 2), "0"},
		InRange: &opts.VisualMapInRange{Color: colours}}}
	var points []livePoint
	for _, i := range s.rows {
		points = append(points, tip("", float64(s.data.At(i, s.x)), float64(s.data.At(i, s.y)), s.sensitivity[i]))
	}
	chart.addPoints(fmt.Sprintf("%s, %s, ŝ", p.X.Label.Text, p.Y.Label.Text), nil, points, "circle", 8)
}
