package viz

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/forest/eval"
)

// CalibrationCurve draws how often an event happened among rows with similar predicted probabilities: a reliability
// diagram. Perfect probabilities lie on the diagonal; a point below it says that the model is too sure. Bars at the
// bottom show how many rows each point stands for.
//
// [Draw] panics if there are no curves, if a number of a bin isn't in [0, 1], or if its number of rows is negative.
type CalibrationCurve struct {
	Title  string
	Class  string // the event
	Series []CalibrationSeries
}

// A CalibrationSeries is the curve of one model. A bin has no bar if its Rows is 0, and no interval if its High is 0.
type CalibrationSeries struct {
	Name string
	Of   eval.CalibrationCurve // see [eval.Calibration]
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
		for _, bin := range s.Of.Bins {
			most = max(most, bin.Rows)
		}
	}
	for k, s := range d.Series {
		points, intervals := s.marks()
		curve := dots{s.Name, seriesStyle(k), marker(classColor(k), 3.8, classShape(k)), points}
		a.keys = append(a.keys, key{name: s.Name, line: curve.line, glyph: curve.glyph})
		aside := vg.Length(float64(k)-float64(len(d.Series)-1)/2) * 5 * px
		a.mark(pictureOnly{rowCounts{s, mix(white, classColor(k), 0.45), aside, most}},
			spans{name: s.Name, style: errorStyle(k), of: intervals}, curve)
	}
	a.keys = append(a.keys, key{name: "perfect", line: levelStyle})
	a.X.Min, a.X.Max, a.Y.Min, a.Y.Max = -0.03, 1.03, -0.03, 1.03
	f := a.figure(d.Title, d.alt())
	f.Width, f.Height = 560, 540
	return f
}

// marks returns the points, with their numbers under the pointer, and the intervals.
func (s CalibrationSeries) marks() (points []dot, intervals []span) {
	for _, bin := range s.Of.Bins {
		tip := fmt.Sprintf("predicted %s, observed %s", formatShort(bin.Predicted, 3), formatShort(bin.Observed, 3))
		if bin.Rows > 0 {
			tip += fmt.Sprintf(", %d rows", bin.Rows)
		}
		points = append(points, dot{x: bin.Predicted, y: bin.Observed, tip: tip})
		if bin.High != 0 {
			intervals = append(intervals, span{x1: bin.Predicted, y1: bin.Low, x2: bin.Predicted, y2: bin.High})
		}
	}
	return points, intervals
}

func (s CalibrationSeries) check() {
	for _, bin := range s.Of.Bins {
		least := min(bin.Predicted, bin.Observed, bin.Low, bin.High)
		most := max(bin.Predicted, bin.Observed, bin.Low, bin.High)
		if !(least >= -1e-9 && most <= 1+1e-9) || bin.Rows < 0 { // intervals are rounded
			misuse("calibration %q has a bin of %+v; want shares and probabilities from 0 to 1", s.Name, bin)
		}
	}
}

func (d CalibrationCurve) alt() string {
	s := fmt.Sprintf("Observed share of %s against its predicted probability.", d.Class)
	for _, series := range d.Series {
		bins := series.Of.Bins
		points := len(bins)
		if points == 0 {
			continue
		}
		gaps := make([]float64, points)
		for i, bin := range bins {
			gaps[i] = math.Abs(bin.Observed - bin.Predicted)
		}
		at := func(i int) (observed, predicted string) {
			return formatShort(bins[i].Observed, 2), formatShort(bins[i].Predicted, 2)
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
	for _, bin := range s.Of.Bins {
		x, top := toX(bin.Predicted)+s.aside, c.Min.Y+40*px*vg.Length(bin.Rows)/vg.Length(s.most)
		fillRectangle(c, s.pale, rect(x-2.5*px, c.Min.Y, x+2.5*px, top))
	}
}
