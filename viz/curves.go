package viz

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Curves draws one or more series as lines, such as the error of several methods against the number of training rows.
//
// [Draw] panics if there is nothing to draw, if the slices of a series differ in length, if an x or a level isn't
// finite, or if a number isn't above 0 on a logarithmic axis.
type Curves struct {
	Title string
	X, Y  string // axis labels, with units

	Series []Series
	Levels []Level // horizontal reference lines

	LogX bool // logarithmic x axis; requires every x > 0
	LogY bool // logarithmic y axis; requires every y and level > 0
}

// A Series is one line of a [Curves] chart. Its points have marks in the picture, unless more than 100 follow each
// other without a gap.
type Series struct {
	Name string
	X, Y []float64 // of the same length; a NaN in Y leaves a gap

	// Err is the half length of the error bar at each point, in units of y;
	// nil draws none.
	Err []float64

	// Dots says which points have marks; nil means all.
	Dots []bool

	Points bool // no line joins the points

	names []string // of x = 0, 1, 2, …; nil if x are numbers
}

// A Level is a horizontal reference line, such as the Bayes error.
type Level struct {
	Y    float64
	Name string
}

func (c Curves) figure() *Figure { return c.axes().figure(c.Title, c.alt()) }

// axes returns the axes with the curves, above some other marks.
func (c Curves) axes(below ...mark) *axes {
	if len(c.Series) == 0 {
		misuse("curves without a series")
	}
	a := newAxes(c.X, c.Y)
	a.mark(below...)
	for k, s := range c.Series {
		s.check(c)
		curve := dots{s.Name, seriesStyle(k), pointStyle(k), s.dots()}
		a.keys = append(a.keys, key{name: s.Name, line: curve.line, glyph: curve.glyph})
		a.mark(spans{s.Name, errorStyle(k), 4 * px, s.errorBars()}, curve)
	}
	for _, l := range c.Levels {
		if c.LogY && l.Y <= 0 {
			misuse("level %q is at %v", l.Name, l.Y)
		}
		a.level(l)
	}
	c.setRanges(a.Plot)
	return a
}

// level adds a horizontal line with its name in the legend.
func (a *axes) level(l Level) {
	if l.Y-l.Y != 0 {
		misuse("level %q is at %v", l.Name, l.Y)
	}
	a.keys = append(a.keys, key{name: l.Name, line: levelStyle})
	a.mark(rule{name: l.Name, at: l.Y, style: levelStyle})
}

// setRanges widens the axes around their marks.
func (c Curves) setRanges(p *plot.Plot) {
	if p.X.Min > p.X.Max {
		misuse("curves of %q without a finite point", c.Y)
	}
	padX(p, c.LogX)
	if c.LogY {
		p.Y.Scale, p.Y.Min = logScale{}, c.lowest()
	}
	p.Y.Min, p.Y.Max = c.rangeY(p.Y.Min, p.Y.Max)
}

// lowest returns the lowest level, point or end of an error bar that is above 0.
func (c Curves) lowest() float64 {
	low := math.Inf(1)
	for _, l := range c.Levels {
		low = min(low, l.Y)
	}
	for _, s := range c.Series {
		for i, y := range s.Y {
			if y-s.err(i) > 0 {
				y -= s.err(i)
			}
			if y > 0 {
				low = min(low, y)
			}
		}
	}
	return low
}

func (s Series) check(c Curves) {
	if len(s.X) == 0 || len(s.X) != len(s.Y) || s.Err != nil && len(s.Err) != len(s.Y) ||
		s.Dots != nil && len(s.Dots) != len(s.Y) {
		misuse("series %q has %d x, %d y, %d error bars and %d dots; want equal numbers, or none of the last two",
			s.Name, len(s.X), len(s.Y), len(s.Err), len(s.Dots))
	}
	for _, x := range s.X {
		if x-x != 0 {
			misuse("series %q has x = %v", s.Name, x)
		}
		if c.LogX && !(x > 0) {
			misuse("series %q has x = %v on a logarithmic axis", s.Name, x)
		}
	}
	for _, y := range s.Y {
		if c.LogY && y <= 0 {
			misuse("series %q has y = %v on a logarithmic axis", s.Name, y)
		}
	}
}

func seriesStyle(k int) draw.LineStyle {
	return stroke(classColor(k), 2, dashes[k/len(Palette)%len(dashes)]...)
}

// errorStyle returns the line of the error bars of series k.
func errorStyle(k int) draw.LineStyle { return stroke(classColor(k), 1.2) }

var levelStyle = stroke(ink, 1.4, 3, 3)

// dots returns the points, with their numbers under the pointer.
func (s Series) dots() (points []dot) {
	for i, x := range s.X {
		if s.Points && i > 0 {
			points = append(points, dot{x: x, y: math.NaN()})
		}
		tip := fmt.Sprintf("%s: %s", s.at(i), formatNumber(s.Y[i]))
		if e := s.err(i); e > 0 {
			tip += " ± " + formatShort(e, 2)
		}
		points = append(points, dot{x, s.Y[i], tip, s.Dots != nil && !s.Dots[i]})
	}
	return points
}

// at returns the x of point i in words.
func (s Series) at(i int) string {
	if s.names != nil {
		return s.names[int(s.X[i])]
	}
	return formatNumber(s.X[i])
}

// errorBars returns the error bars of the points that are drawn.
func (s Series) errorBars() (bars []span) {
	for i, x := range s.X {
		if y, e := s.Y[i], s.err(i); y-y == 0 && e > 0 {
			low, high := interval(y, e)
			bars = append(bars, span{x1: x, y1: low, x2: x, y2: high})
		}
	}
	return bars
}

// err returns the half length of the error bar at point i.
func (s Series) err(i int) float64 { return errorBar(s.Err, i) }

// errorBar returns the half length of bar i, or 0 if there is none.
func errorBar(bars []float64, i int) float64 {
	if bars == nil || !(bars[i] > 0) || math.IsInf(bars[i], 1) {
		return 0
	}
	return bars[i]
}

// interval returns the ends of an error bar, which are finite.
func interval(v, err float64) (low, high float64) {
	return clamp(v-err, -math.MaxFloat64), clamp(v+err, -math.MaxFloat64)
}

// padX widens the x axis a little, so that the first and last points are clear of the frame, and makes it logarithmic
// if log says so.
func padX(p *plot.Plot, log bool) {
	if !log {
		p.X.Min, p.X.Max = widen(p.X.Min, p.X.Max, 0.03)
		return
	}
	p.X.Scale = logScale{}
	p.X.Min, p.X.Max = padLog(p.X.Min, p.X.Max, 0.03)
}

// padLog widens the range of a logarithmic axis on both sides by a share of its length, within the finite numbers.
func padLog(lo, hi, share float64) (float64, float64) {
	r := math.Pow(hi/lo, share)
	switch {
	case r == 1:
		r = 2
	case math.IsInf(r, 1):
		r = math.Pow(hi, share) / math.Pow(lo, share)
	}
	return clamp(lo/r, math.SmallestNonzeroFloat64), clamp(hi*r, 0)
}

func (c Curves) rangeY(lo, hi float64) (float64, float64) {
	if c.LogY {
		return padLog(lo, hi, 0.05)
	}
	low, high := pad(lo, hi, 0.05*(hi-lo), max(0.05*math.Abs(hi), 1e-3))
	if lo >= 0 && lo < 0.3*hi {
		low = 0
	}
	return low, high
}

func (c Curves) alt() string {
	s := fmt.Sprintf("%s against %s.", cmp.Or(c.Y, "y"), cmp.Or(c.X, "x"))
	for _, series := range c.Series {
		last := len(series.X) - 1
		s += fmt.Sprintf(" %s: %s at %s to %s at %s%s.", series.Name, formatNumber(series.Y[0]), formatNumber(series.X[0]),
			formatNumber(series.Y[last]), formatNumber(series.X[last]), series.extremes())
	}
	for _, l := range c.Levels {
		s += fmt.Sprintf(" Level %s: %s.", l.Name, formatNumber(l.Y))
	}
	return s
}

// extremes says where a series is lowest and highest, if that isn't at one of its ends.
func (s Series) extremes() (text string) {
	low, high := extremes(s.Y)
	for _, e := range []struct {
		name string
		at   int
	}{{"lowest", low}, {"highest", high}} {
		if y := s.Y[e.at]; y == y && y != s.Y[0] && y != s.Y[len(s.Y)-1] {
			text += fmt.Sprintf(", %s %s at %s", e.name, formatNumber(y), formatNumber(s.X[e.at]))
		}
	}
	return text
}

// extremes returns the places of the lowest and the highest value.
func extremes(values []float64) (low, high int) {
	for i, v := range values {
		if v < values[low] || values[low] != values[low] {
			low = i
		}
		if v > values[high] || values[high] != values[high] {
			high = i
		}
	}
	return low, high
}
