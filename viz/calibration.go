package viz

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
)

// CalibrationCurve draws how often an event happened among rows with similar predicted probabilities: a reliability
// diagram. Perfect probabilities lie on the diagonal; a point below it says that the model is too sure. Bars at the
// bottom show how many rows each point stands for. The numbers come from eval.Calibration.
//
// [Draw] panics if there are no curves, if the slices of a series differ in length, if a share or a probability isn't
// in [0, 1], or if a number of rows is negative.
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

func (d CalibrationCurve) figure() *Figure {
	if len(d.Series) == 0 {
		misuse("calibration without a series")
	}
	p := newPlot("predicted probability of "+d.Class, "observed share of "+d.Class)
	p.Add(paleGrid(), diagonal{0, 1})
	most := 1
	for _, s := range d.Series {
		s.check()
		for _, n := range s.Rows {
			most = max(most, n)
		}
	}
	var keys []key
	for k, s := range d.Series {
		curve := seriesPlot{Series{X: s.Predicted, Y: s.Observed}, seriesStyle(k), marker(classColor(k), 3.8, classShape(k))}
		keys = append(keys, key{name: s.Name, line: curve.line, glyph: curve.glyph})
		aside := vg.Length(float64(k)-float64(len(d.Series)-1)/2) * 5 * px
		p.Add(calibrationPlot{s, curve, mix(white, classColor(k), 0.45), aside, most})
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.03, 1.03, -0.03, 1.03
	f := plotFigure(d.Title, d.alt(), p, append(keys, key{name: "perfect", line: levelStyle()})...)
	f.Width, f.Height = 560, 540
	f.live = func() any { return d.live(p) }
	return f
}

func (s CalibrationSeries) check() {
	n := len(s.Predicted)
	if len(s.Observed) != n || s.Rows != nil && len(s.Rows) != n || len(s.Low) != len(s.High) || s.Low != nil &&
		len(s.Low) != n {
		misuse("calibration %q has %d predictions, %d observed shares, %d numbers of rows and %d and %d ends of intervals",
			s.Name, n, len(s.Observed), len(s.Rows), len(s.Low), len(s.High))
	}
	for i := range n {
		if !(s.Predicted[i] >= 0 && s.Predicted[i] <= 1 && s.Observed[i] >= 0 && s.Observed[i] <= 1) {
			misuse("calibration %q has a predicted probability of %v and an observed share of %v", s.Name, s.Predicted[i],
				s.Observed[i])
		}
		if s.Low != nil && !(min(s.Low[i], s.High[i]) >= -1e-9 && max(s.Low[i], s.High[i]) <= 1+1e-9) { // rounded
			misuse("calibration %q has an interval from %v to %v", s.Name, s.Low[i], s.High[i])
		}
		if s.Rows != nil && s.Rows[i] < 0 {
			misuse("calibration %q has a point of %d rows", s.Name, s.Rows[i])
		}
	}
}

func (d CalibrationCurve) alt() string {
	s := fmt.Sprintf("Observed share of %s against its predicted probability.", d.Class)
	for _, series := range d.Series {
		points := len(series.Predicted)
		if points == 0 {
			continue
		}
		gaps := make([]float64, points)
		for i, p := range series.Predicted {
			gaps[i] = math.Abs(series.Observed[i] - p)
		}
		at := func(i int) (observed, predicted string) {
			return formatShort(series.Observed[i], 2), formatShort(series.Predicted[i], 2)
		}
		_, furthest := extremes(gaps)
		y1, x1 := at(0)
		y2, x2 := at(points - 1)
		y, x := at(furthest)
		s += fmt.Sprintf(" %s: %d points, from %s observed at %s predicted to %s at %s; furthest from the "+
			"diagonal: %s at %s.",
			series.Name, points, y1, x1, y2, x2, y, x)
	}
	return s
}

// A diagonal is a piece of the line on which both coordinates are equal.
type diagonal struct{ low, high float64 }

func (d diagonal) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	c.StrokeLine2(levelStyle(), toX(d.low), toY(d.low), toX(d.high), toY(d.high))
}

type calibrationPlot struct {
	CalibrationSeries
	curve seriesPlot
	pale  color.NRGBA // of the bars of rows
	aside vg.Length   // how far they are beside their point
	most  int         // rows of a point
}

func (s calibrationPlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	bars := s.curve.line
	bars.Width, bars.Dashes = 1.2*px, nil
	for i, v := range s.Predicted {
		at := toX(v)
		if s.Rows != nil {
			x, top := at+s.aside, c.Min.Y+40*px*vg.Length(s.Rows[i])/vg.Length(s.most)
			fillRectangle(c, s.pale, rect(x-2.5*px, c.Min.Y, x+2.5*px, top))
		}
		if s.Low != nil {
			c.StrokeLine2(bars, at, toY(s.Low[i]), at, toY(s.High[i]))
		}
	}
	s.curve.Plot(c, p)
}

// live returns the ECharts chart, with the numbers of each point under the pointer.
func (d CalibrationCurve) live(p *plot.Plot) any {
	chart := newLivePlot(d.Title, p)
	for k, s := range d.Series {
		var points, bars []livePoint
		for i, v := range s.Predicted {
			name := fmt.Sprintf("predicted %s, observed %s", formatShort(v, 3), formatShort(s.Observed[i], 3))
			if s.Rows != nil {
				name += fmt.Sprintf(", %d rows", s.Rows[i])
			}
			points = append(points, tip(name, v, s.Observed[i]))
			if s.Low != nil {
				bars = append(bars, tip("", v, s.Low[i], s.High[i]))
			}
		}
		chart.addCurve(s.Name, classColor(k), points, 8, bars)
	}
	perfect := []livePoint{tip("perfect", 0, 0), tip("perfect", 1, 1)}
	perfect[0].Symbol, perfect[1].Symbol = "none", "none"
	s := chart.add(types.ChartLine, "perfect", ink, perfect)
	s.Animation, s.LineStyle = no, &opts.LineStyle{Type: "dashed", Color: hex(ink)}
	return chart.JSON()
}
