package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/forest/eval"
)

// Boxes draws samples as box plots, such as the errors of repeats: a box from the first to the third quartile with a
// line at the median, whiskers to the last values within 1.5 times the box's length, and points beyond (Tukey,
// Exploratory Data Analysis, 1977). As there, quartiles are the medians of both halves of a sample, and the value in
// the middle of an odd number is in both. Each group has a box of every series, side by side. It has no live form.
//
// [Draw] panics if there are no groups or series, if a series hasn't as many samples as there are groups, or if a
// sample is empty, has a number that isn't finite, or is so large that whiskers can't be computed, and if a level
// isn't finite.
type Boxes struct {
	Title  string
	X, Y   string   // axis labels, with units
	Groups []string // names along the x axis
	Series []Sample
	Levels []Level
}

// A Sample is a series of a [Boxes] chart.
type Sample struct {
	Name   string
	Values [][]float64 // by group
}

func (b Boxes) figure() *Figure {
	if len(b.Groups) == 0 || len(b.Series) == 0 {
		misuse("%d groups of %d boxes", len(b.Groups), len(b.Series))
	}
	a := newAxes(b.X, b.Y)
	alt := fmt.Sprintf("Box plots of %s, medians:", cmp.Or(b.Y, "samples"))
	for k, s := range b.Series {
		if len(s.Values) != len(b.Groups) {
			misuse("series %q has %d samples for %d groups", s.Name, len(s.Values), len(b.Groups))
		}
		a.keys = append(a.keys, key{name: s.Name, line: stroke(classColor(k), 9)})
		alt += fmt.Sprintf(" %s:", s.Name)
		for g, values := range s.Values {
			box, err := newBox(float64(g), values)
			if err != nil {
				misuse("box %q of series %q: %v", b.Groups[g], s.Name, err)
			}
			if reach := box.Median + 2.5*(box.Quartile3-box.Quartile1); reach-reach != 0 {
				misuse("box %q of series %q has numbers from %v to %v, too large for whiskers", b.Groups[g], s.Name, box.Min,
					box.Max)
			}
			box.FillColor = mix(classColor(k), white, 0.35)
			box.BoxStyle, box.MedianStyle = stroke(ink, 1), stroke(ink, 2)
			box.WhiskerStyle = stroke(ink, 1)
			box.GlyphStyle = marker(classColor(k), 2, draw.CircleGlyph{})
			a.Add(boxPlot{box, k, len(b.Series)})
			alt += fmt.Sprintf(" %s %s,", b.Groups[g], formatNumber(box.Median))
		}
		alt = alt[:len(alt)-1] + ";"
	}
	for _, l := range b.Levels {
		a.level(l)
	}
	a.Y.Min, a.Y.Max = widen(a.Y.Min, a.Y.Max, 0.04)
	a.NominalX(b.Groups...)
	a.X.Label.Text, a.Y.Padding = b.X, 0
	a.X.Min, a.X.Max = -0.6, float64(len(b.Groups))-0.4
	if len(b.Series) == 1 && b.Levels == nil {
		a.keys = nil
	}
	return plotFigure(b.Title, alt[:len(alt)-1]+".", a.Plot, a.keys...)
}

// newBox returns the box of a sample.
func newBox(at float64, values []float64) (*plotter.BoxPlot, error) {
	box, err := plotter.NewBoxPlot(0, at, plotter.Values(values))
	if err != nil {
		return nil, err
	}
	// gonum/plot has the middle of an odd number only in the upper half.
	ascending := slices.Sorted(slices.Values(values))
	half := (len(values) + 1) / 2
	box.Quartile1, box.Quartile3 = eval.Median(ascending[:half]), eval.Median(ascending[len(values)-half:])
	reach := 1.5 * (box.Quartile3 - box.Quartile1)
	box.AdjLow, box.AdjHigh, box.Outside = math.Inf(1), math.Inf(-1), nil
	for i, v := range box.Values {
		if v < box.Quartile1-reach || v > box.Quartile3+reach {
			box.Outside = append(box.Outside, i)
			continue
		}
		box.AdjLow, box.AdjHigh = min(box.AdjLow, v), max(box.AdjHigh, v)
	}
	return box, nil
}

// boxPlot draws the box of a series among others of its group, as wide as there is room.
type boxPlot struct {
	*plotter.BoxPlot
	series, of int
}

func (b boxPlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, _ := p.Transforms(&c)
	room := 0.84 * (toX(1) - toX(0)) / vg.Length(b.of)
	box := *b.BoxPlot
	box.Width = min(0.8*room, 26*px)
	box.CapWidth = box.Width / 2
	box.Offset = vg.Length(float64(b.series)-float64(b.of-1)/2) * min(room, 34*px)
	box.Plot(c, p)
}

// DataRange leaves x to the chart.
func (b boxPlot) DataRange() (xmin, xmax, ymin, ymax float64) {
	return math.Inf(1), math.Inf(-1), b.Min, b.Max
}

// GlyphBoxes asks for no room beside the axes.
func (b boxPlot) GlyphBoxes(*plot.Plot) []plot.GlyphBox { return nil }
