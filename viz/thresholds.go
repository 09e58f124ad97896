package viz

import (
	"fmt"

	"gonum.org/v1/gonum/integrate"

	"github.com/obliqua-ml/obliqua/forest/eval"
)

// A ThresholdCurve is a curve of all thresholds of a probability.
type ThresholdCurve uint8

const (
	ROC             ThresholdCurve = iota // share of the class found, against the share of other rows taken for it
	PrecisionRecall                       // share of the taken rows that are of the class, against that of the class found
	Gain                                  // share of the class found, against the share of all rows taken
)

// Thresholds draws what comes of the thresholds of a class's probability: the receiver operating characteristic (ROC),
// the precision–recall curve, or the cumulative gain. Another line is what guessing does; it is left out beside several
// curves of precision and recall, since each class has its own.
//
// [Draw] panics if there are no classes to draw, or if a class has no rows or all.
type Thresholds struct {
	Title string
	Curve ThresholdCurve
	Of    []eval.Thresholds // a line each; see [eval.Evaluation.Thresholds]
}

func (d Thresholds) figure() *Figure {
	if len(d.Of) == 0 {
		misuse("thresholds of no class")
	}
	chart := Curves{Title: d.Title}
	for _, t := range d.Of {
		if t.Of == 0 || t.Of == t.Rows {
			misuse("thresholds of %q, which %d of %d rows have; want some of both", t.Class, t.Of, t.Rows)
		}
		name := t.Class
		var x, y []float64
		switch d.Curve {
		case PrecisionRecall:
			chart.X, chart.Y = "recall: share of the class found", "precision"
			x, y = t.PrecisionRecall()
		case Gain:
			chart.X, chart.Y = "share of all rows taken", "share of the class found"
			x, y = t.Gain()
		default:
			chart.X, chart.Y = "share of other rows taken", "share of the class found"
			x, y = t.ROC()
			name += fmt.Sprintf(", area %.3f", integrate.Trapezoidal(x, y))
		}
		chart.Series = append(chart.Series, Series{Name: name, X: x, Y: y, Dots: make([]bool, len(x))})
	}
	switch t := d.Of[0]; {
	case d.Curve == PrecisionRecall && len(d.Of) == 1:
		chart.Levels = []Level{{Name: "guessing", Y: float64(t.Of) / float64(t.Rows)}}
	case d.Curve != PrecisionRecall:
		ends := []float64{0, 1}
		chart.Series = append(chart.Series, Series{Name: "guessing", X: ends, Y: ends, Dots: make([]bool, 2)})
	}
	f := chart.figure()
	f.Width, f.Height = 560, 540
	return f
}
