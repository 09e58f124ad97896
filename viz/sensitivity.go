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

// SensitivityMap draws the rows of a data set over two of its columns. Rows on which
// a forest's regions depend more are darker (Gupta et al., GRAF, figure 12). A few
// rows are many times as sensitive as the others, so the top 5 % all have the darkest
// colour. Units have the same length on both axes. If there are more than 2,000 rows
// it draws 2,000 of them, evenly spaced. A [Scatter] of the same data with Equal has
// the same axes.
type SensitivityMap struct {
	Title       string
	Data        *datasets.Dataset
	X, Y        int       // the columns; both 0 means columns 0 and 1
	Sensitivity []float64 // ŝ of each row, 0 or more, such as the Scores of inspect.Sensitivity
}

// Figure draws the rows, the most sensitive ones on top. It panics if a column doesn't
// exist, or if there isn't a sensitivity of 0 or more for each row.
func (s SensitivityMap) Figure() *Figure {
	if len(s.Sensitivity) != s.Data.N() {
		panic(fmt.Sprintf("viz: %d sensitivities of %d rows", len(s.Sensitivity), s.Data.N()))
	}
	for i, v := range s.Sensitivity {
		if !(v >= 0) || v-v != 0 {
			panic(fmt.Sprintf("viz: row %d has sensitivity %v", i, v))
		}
	}
	limit := 1.0
	if sorted := slices.Sorted(slices.Values(s.Sensitivity)); len(sorted) > 0 && sorted[len(sorted)*95/100] > 0 {
		limit = sorted[len(sorted)*95/100]
	}
	points := newPoints(s.Data, s.X, s.Y, nil)
	slices.SortStableFunc(points.rows, func(a, b int) int { return cmp.Compare(s.Sensitivity[a], s.Sensitivity[b]) })
	p := newPlot(points.name(points.x), points.name(points.y))
	p.Add(paleGrid(), sensitivityPlot{points, s.Sensitivity, limit})
	f := &Figure{Title: s.Title, Width: defaultWidth, Height: defaultHeight,
		Alt:  fmt.Sprintf("Sensitivity of %s One row in 20 has %s or more.", points.alt(), formatShort(limit, 2)),
		keys: []key{{name: "sensitivity ŝ, 0 to ≥ " + formatShort(limit, 2), ramp: sequential}},
	}
	f.equalUnits(p)
	f.live = func() any {
		chart := sensitivityPlot{points, s.Sensitivity, limit}.live(s.Title, p)
		f.liveEqualUnits(chart, p)
		return chart.JSON()
	}
	return f
}

// sequential is a palette from pale yellow to nearly black. Each step is darker than
// the one before, or lighter on a dark ground, so it also works without colours. It doesn't start at white, where
// points would be invisible. It has 20 steps, since our PNGs have few colours.
func sequential(t float64) color.NRGBA {
	t = math.Round(19*t) / 19
	switch current {
	case Dark: // from nearly black to yellow
		t = 1 - 0.9*t
	case Print:
		return mix(white, ink, 0.12+0.88*t)
	}
	yellow, red, black := color.NRGBA{0xf6, 0xef, 0x8e, 0xff}, color.NRGBA{0xd5, 0x5e, 0x00, 0xff}, color.NRGBA{0x2a, 0x06, 0x30, 0xff}
	if t < 0.5 {
		return mix(yellow, red, 2*t)
	}
	return mix(red, black, 2*t-1)
}

// sensitivityPlot draws points by sensitivity.
type sensitivityPlot struct {
	points
	sensitivity []float64
	limit       float64 // sensitivity from which the colour is darkest
}

func (s sensitivityPlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	style := s.style(c, 0)
	for _, i := range s.rows {
		x, y := float64(s.data.At(i, s.x)), float64(s.data.At(i, s.y))
		if x-x == 0 && y-y == 0 {
			style.Color = sequential(min(1, s.sensitivity[i]/s.limit))
			c.DrawGlyph(style, vg.Point{X: toX(x), Y: toY(y)})
		}
	}
}

// live returns the ECharts chart, with coordinates and sensitivity under the pointer,
// and zoom.
func (s sensitivityPlot) live(title string, p *plot.Plot) *charts.Scatter {
	chart := liveScatter(title, p)
	chart.Legend.Show = opts.Bool(false)
	colors := make([]string, 9)
	for i := range colors {
		colors[i] = hex(sequential(float64(i) / 8))
	}
	chart.VisualMapList = []opts.VisualMap{{Type: "continuous", Max: float32(s.limit), Dimension: "2", Orient: "horizontal",
		Left: "64", Top: "30", Text: []string{"sensitivity ŝ ≥ " + formatShort(s.limit, 2), "0"}, InRange: &opts.VisualMapInRange{Color: colors}}}
	var points []opts.ScatterData
	for _, i := range s.rows {
		points = append(points, opts.ScatterData{Value: []any{
			jsonNumber(float64(s.data.At(i, s.x))), jsonNumber(float64(s.data.At(i, s.y))), jsonNumber(s.sensitivity[i])}})
	}
	chart.AddSeries(fmt.Sprintf("%s, %s, ŝ", p.X.Label.Text, p.Y.Label.Text), points,
		charts.WithScatterChartOpts(opts.ScatterChart{Symbol: "circle", SymbolSize: 8}))
	return chart
}
