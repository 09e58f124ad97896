package viz

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
	a := newAxes("predicted probability of "+d.Class, "observed share of "+d.Class)
	a.mark(diagonal("perfect", 0, 1))
	most := 1
	for _, s := range d.Series {
		s.check()
		for _, n := range s.Rows {
			most = max(most, n)
		}
	}
	for k, s := range d.Series {
		curve := dots{s.Name, seriesStyle(k), marker(classColor(k), 3.8, classShape(k)), s.dots()}
		a.keys = append(a.keys, key{name: s.Name, line: curve.line, glyph: curve.glyph})
		aside := vg.Length(float64(k)-float64(len(d.Series)-1)/2) * 5 * px
		a.mark(pictureOnly{rowCounts{s, mix(white, classColor(k), 0.45), aside, most}},
			spans{name: s.Name, style: errorStyle(k), of: s.intervals()}, curve)
	}
	a.keys = append(a.keys, key{name: "perfect", line: levelStyle()})
	a.X.Min, a.X.Max, a.Y.Min, a.Y.Max = -0.03, 1.03, -0.03, 1.03
	f := a.figure(d.Title, d.alt())
	f.Width, f.Height = 560, 540
	return f
}

// dots returns the points, with their numbers under the pointer.
func (s CalibrationSeries) dots() (points []dot) {
	for i, v := range s.Predicted {
		tip := fmt.Sprintf("predicted %s, observed %s", formatShort(v, 3), formatShort(s.Observed[i], 3))
		if s.Rows != nil {
			tip += fmt.Sprintf(", %d rows", s.Rows[i])
		}
		points = append(points, dot{x: v, y: s.Observed[i], tip: tip})
	}
	return points
}

func (s CalibrationSeries) intervals() (bars []span) {
	for i := range s.Low {
		bars = append(bars, span{x1: s.Predicted[i], y1: s.Low[i], x2: s.Predicted[i], y2: s.High[i]})
	}
	return bars
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

// rowCounts are bars at the lower edge for the rows of each point.
type rowCounts struct {
	CalibrationSeries
	pale  color.NRGBA
	aside vg.Length // how far they are beside their point
	most  int       // rows of a point
}

// Plot draws the bars.
func (s rowCounts) Plot(c draw.Canvas, p *plot.Plot) {
	toX, _ := p.Transforms(&c)
	for i, n := range s.Rows {
		x, top := toX(s.Predicted[i])+s.aside, c.Min.Y+40*px*vg.Length(n)/vg.Length(s.most)
		fillRectangle(c, s.pale, rect(x-2.5*px, c.Min.Y, x+2.5*px, top))
	}
}
