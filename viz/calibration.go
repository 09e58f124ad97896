package viz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// CalibrationCurve draws how often an event happened among rows with similar predicted
// probabilities: a reliability diagram. Perfect probabilities lie on the diagonal; a
// point below it says that the model is too sure. Bars at the bottom show how many rows
// each point stands for. The numbers come from eval.Calibration.
type CalibrationCurve struct {
	Title  string
	Class  string // the event
	Series []CalibrationSeries
}

// A CalibrationSeries is the curve of one model, with an entry for each bin.
type CalibrationSeries struct {
	Name                string
	Predicted, Observed []float64 // mean predicted probability and observed share, from 0 to 1
	Low, High           []float64 // confidence interval of Observed; nil draws none
	Rows                []int     // nil draws no bars
}

// Figure draws the curves. It panics if there are none, if the slices of a series differ
// in length, or if a number isn't in [0, 1].
func (d CalibrationCurve) Figure() *Figure {
	if len(d.Series) == 0 {
		panic("viz: calibration without a series")
	}
	p := newPlot("predicted probability of "+d.Class, "observed share of "+d.Class)
	p.Add(paleGrid(), diagonal{})
	keys := []key{}
	most := 1
	for _, s := range d.Series {
		s.check()
		for _, n := range s.Rows {
			most = max(most, n)
		}
	}
	for k, s := range d.Series {
		line := seriesStyle(k)
		glyph := draw.GlyphStyle{Color: classColor(k), Radius: 3.8 * px, Shape: classShape(k)}
		keys = append(keys, key{name: s.Name, line: &line, glyph: &glyph})
		p.Add(calibrationPlot{s, k, len(d.Series), most, line, glyph})
	}
	keys = append(keys, key{name: "perfect", line: levelStyle})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.03, 1.03, -0.03, 1.03
	f := &Figure{Title: d.Title, Alt: d.alt(), Width: 560, Height: 540, keys: keys}
	f.body = func(c draw.Canvas) { drawPlot(c, p) }
	f.live = func() any { return d.live(p) }
	return f
}

func (s CalibrationSeries) check() {
	n := len(s.Predicted)
	if len(s.Observed) != n || s.Rows != nil && len(s.Rows) != n || len(s.Low) != len(s.High) || s.Low != nil && len(s.Low) != n {
		panic(fmt.Sprintf("viz: calibration %q has %d predictions, %d observed shares, %d numbers of rows and %d and %d ends of intervals",
			s.Name, n, len(s.Observed), len(s.Rows), len(s.Low), len(s.High)))
	}
	for i := range n {
		if !(s.Predicted[i] >= 0 && s.Predicted[i] <= 1 && s.Observed[i] >= 0 && s.Observed[i] <= 1) {
			panic(fmt.Sprintf("viz: calibration %q has a predicted probability of %v and an observed share of %v", s.Name, s.Predicted[i], s.Observed[i]))
		}
	}
}

func (d CalibrationCurve) alt() string {
	s := fmt.Sprintf("Observed share of %s against its predicted probability.", d.Class)
	for _, series := range d.Series {
		most, at := 0.0, 0
		for i, p := range series.Predicted {
			if gap := math.Abs(series.Observed[i] - p); gap > most {
				most, at = gap, i
			}
		}
		if len(series.Predicted) == 0 {
			continue
		}
		last := len(series.Predicted) - 1
		s += fmt.Sprintf(" %s: %d points, from %s observed at %s predicted to %s at %s; furthest from the diagonal: %s at %s.", series.Name, last+1,
			formatShort(series.Observed[0], 2), formatShort(series.Predicted[0], 2), formatShort(series.Observed[last], 2), formatShort(series.Predicted[last], 2),
			formatShort(series.Observed[at], 2), formatShort(series.Predicted[at], 2))
	}
	return s
}

// diagonal is where perfect probabilities lie.
type diagonal struct{}

func (diagonal) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	c.StrokeLine2(*levelStyle, toX(0), toY(0), toX(1), toY(1))
}

type calibrationPlot struct {
	CalibrationSeries
	k, of, most int // which series of how many; the most rows of a point
	line        draw.LineStyle
	glyph       draw.GlyphStyle
}

func (s calibrationPlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	bars := s.line
	bars.Width, bars.Dashes = 1.2*px, nil
	points := make([]vg.Point, len(s.Predicted))
	for i, v := range s.Predicted {
		points[i] = vg.Point{X: toX(v), Y: toY(s.Observed[i])}
		x := points[i].X + vg.Length(float64(s.k)-float64(s.of-1)/2)*5*px
		if s.Rows != nil {
			top := c.Min.Y + 40*px*vg.Length(s.Rows[i])/vg.Length(s.most)
			fillRectangle(c, mix(white, classColor(s.k), 0.45), vg.Rectangle{Min: vg.Point{X: x - 2.5*px, Y: c.Min.Y}, Max: vg.Point{X: x + 2.5*px, Y: top}})
		}
		if s.Low != nil {
			c.StrokeLine2(bars, points[i].X, toY(s.Low[i]), points[i].X, toY(s.High[i]))
		}
	}
	c.StrokeLines(s.line, points)
	for _, pt := range points {
		c.DrawGlyph(s.glyph, pt)
	}
}

// live returns the ECharts chart, with the numbers of each point under the pointer.
func (d CalibrationCurve) live(p *plot.Plot) any {
	chart := charts.NewLine()
	liveFrame(&chart.BaseConfiguration, d.Title, opts.XAxis{Name: p.X.Label.Text, Min: p.X.Min, Max: p.X.Max}, opts.YAxis{Name: p.Y.Label.Text, Min: p.Y.Min, Max: p.Y.Max})
	for k, s := range d.Series {
		own := charts.WithItemStyleOpts(opts.ItemStyle{Color: hex(classColor(k))})
		var points []opts.LineData
		var bars []opts.CustomData
		for i, v := range s.Predicted {
			name := fmt.Sprintf("predicted %s, observed %s", formatShort(v, 3), formatShort(s.Observed[i], 3))
			if s.Rows != nil {
				name += fmt.Sprintf(", %d rows", s.Rows[i])
			}
			points = append(points, opts.LineData{Name: name, Value: []any{jsonNumber(v), jsonNumber(s.Observed[i])}, Symbol: "circle", SymbolSize: 8})
			if s.Low != nil {
				bars = append(bars, opts.CustomData{Value: []any{jsonNumber(v), jsonNumber(s.Low[i]), jsonNumber(s.High[i])}})
			}
		}
		chart.AddSeries(s.Name, points, own)
		if bars != nil {
			chart.MultiSeries = append(chart.MultiSeries, liveBars(s.Name, bars, "vertical", own))
		}
	}
	perfect := []opts.LineData{{Name: "perfect", Value: []any{0, 0}, Symbol: "none"}, {Name: "perfect", Value: []any{1, 1}, Symbol: "none"}}
	chart.AddSeries("perfect", perfect, charts.WithItemStyleOpts(opts.ItemStyle{Color: hex(ink)}), charts.WithLineStyleOpts(opts.LineStyle{Type: "dashed", Color: hex(ink)}))
	return chart.JSON()
}
