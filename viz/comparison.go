package viz

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"github.com/go-echarts/go-echarts/v2/types"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/forest/eval"
)

// Comparison draws how much the loss of each method of a comparison differs from that of the baseline: a small dot for
// every split, the mean with its interval, and a line at 0. Left of the line a method is better than the baseline. An
// interval is blue if it lies left of 0, orange if it lies right, and grey if it holds 0. Error rates are in percentage
// points.
//
// [Draw] panics if there is no comparison.
type Comparison struct {
	Title string
	Of    *eval.Comparison
}

func (c Comparison) figure() *Figure {
	if c.Of == nil {
		misuse("no comparison to draw")
	}
	var names []string
	var values []float64
	for k := range c.methods() {
		names = append(names, c.Of.Contenders[k+1].Name)
		_, low, high := c.estimate(k)
		values = append(append(values, c.dots(k)...), low, high)
	}
	drawing := comparisonPlot{c, newRows(names, 160*px)}
	p := drawing.plot("← better      "+c.label()+"      worse →", 0.5, 0.5)
	p.Add(paleGrid(), drawing)
	p.X.Min, p.X.Max = zeroRange(values, 0.05)
	f := plotFigure(c.Title, c.alt(), p, c.keys()...)
	f.Height = 110 + drawing.shared(320, 34, 54)
	f.live = func() any { return drawing.live(p) }
	return f
}

// methods returns the number of methods that are compared with the baseline. Method k of them
// is contender k + 1.
func (c Comparison) methods() int { return len(c.Of.Contenders) - 1 }

func (c Comparison) label() string {
	baseline := c.Of.Contenders[0].Name
	if c.Of.Regression {
		return "RMSE minus that of " + baseline
	}
	return fmt.Sprintf("error minus that of %s, percentage points", baseline)
}

// scaled returns a difference of losses in the unit of the axis.
func (c Comparison) scaled(v float64) float64 {
	if c.Of.Regression {
		return v
	}
	return 100 * v
}

// dots returns the differences of method k in each split.
func (c Comparison) dots(k int) []float64 {
	d := make([]float64, len(c.Of.Loss[0]))
	for f := range d {
		d[f] = c.scaled(c.Of.Loss[k+1][f] - c.Of.Loss[0][f])
	}
	return d
}

// estimate returns the mean difference of method k and the ends of its interval.
func (c Comparison) estimate(k int) (mean, low, high float64) {
	d := c.Of.Differences[k+1]
	return c.scaled(d.Difference), c.scaled(d.Interval.Low), c.scaled(d.Interval.High)
}

// A claim is what an interval says of a method.
type claim int

const (
	noClaim claim = iota // the interval holds 0
	claimBetter
	claimWorse
)

// claim returns what the interval of method k says.
func (c Comparison) claim(k int) claim {
	switch _, low, high := c.estimate(k); {
	case high < 0:
		return claimBetter
	case low > 0:
		return claimWorse
	}
	return noClaim
}

var claimNames = [...]string{noClaim: "could be either", claimBetter: "better", claimWorse: "worse"}

func (s claim) color() color.NRGBA {
	return [...]color.NRGBA{noClaim: mix(grey, ink, 0.4), claimBetter: classColor(0), claimWorse: classColor(5)}[s]
}

func (c Comparison) alt() string {
	var parts []string
	for k := range c.methods() {
		mean, low, high := c.estimate(k)
		parts = append(parts, fmt.Sprintf("%s %s, interval %s to %s, %s", c.Of.Contenders[k+1].Name,
			formatShort(mean, 2), formatShort(low, 2), formatShort(high, 2), claimNames[c.claim(k)]))
	}
	return fmt.Sprintf("%s, mean of %d splits: %s.", c.label(), len(c.Of.Loss[0]), strings.Join(parts, "; "))
}

func (c Comparison) keys() []key {
	keys := []key{{name: "one split", glyph: dotStyle()}}
	claims := map[claim]bool{}
	for k := range c.methods() {
		claims[c.claim(k)] = true
	}
	for _, s := range []claim{claimBetter, claimWorse, noClaim} {
		if claims[s] {
			keys = append(keys, key{name: c.level() + " interval: " + claimNames[s], line: stroke(s.color(), 3)})
		}
	}
	return keys
}

func (c Comparison) level() string { return fmt.Sprintf("%g\u00a0%%", math.Round(1000*c.Of.Level)/10) }

// Dots are above the middle of their row, those that would overlap above each other; the
// interval is below.
const (
	dotsAbove  = 0.08
	meanBelow  = 0.18
	meanRadius = 4.2
)

// heights returns how far each dot of method k is above the middle of its row.
func (c Comparison) heights(k int, width float64) []float64 {
	dots := c.dots(k)
	heights := make([]float64, len(dots))
	for f, v := range dots {
		below := 0
		for _, other := range dots[:f] {
			if math.Abs(v-other) < 0.012*width {
				below++
			}
		}
		heights[f] = min(dotsAbove+0.09*float64(below), 0.47)
	}
	return heights
}

func dotStyle() draw.GlyphStyle { return marker(mix(ink, white, 0.55), 2.4, shapes[0]) }

type comparisonPlot struct {
	Comparison
	rows
}

func (c comparisonPlot) Plot(canvas draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&canvas)
	drawZero(canvas, p, stroke(ink, 1.4))
	for k := range c.methods() {
		heights := c.heights(k, p.X.Max-p.X.Min)
		for f, v := range c.dots(k) {
			if v-v == 0 {
				canvas.DrawGlyph(dotStyle(), pt(toX(v), toY(c.at(k)+heights[f])))
			}
		}
		mean, low, high := c.estimate(k)
		if len(finite([]float64{mean, low, high})) < 3 {
			continue
		}
		y, colour := toY(c.at(k)-meanBelow), c.claim(k).color()
		drawInterval(canvas, stroke(colour, 2.4), toX(low), toX(high), y, 5*px)
		canvas.DrawGlyph(marker(colour, meanRadius, shapes[0]), pt(toX(mean), y))
	}
}

func (c comparisonPlot) live(p *plot.Plot) any {
	chart := c.rows.live(c.Title, p, 50)
	for k := range c.methods() {
		var dots []livePoint
		heights := c.heights(k, p.X.Max-p.X.Min)
		for f, v := range c.dots(k) {
			dots = append(dots, tip(fmt.Sprintf("split %d: %s", f+1, formatShort(v, 3)), v, c.at(k)+heights[f]))
		}
		method, y := c.Of.Contenders[k+1].Name, c.at(k)-meanBelow
		s := chart.add(types.ChartScatter, method, dotStyle().Color, dots)
		s.YAxisIndex, s.SymbolSize = 1, 5
		mean, low, high := c.estimate(k)
		text := fmt.Sprintf("%s, %s to %s: %s", formatShort(mean, 3), formatShort(low, 3), formatShort(high, 3),
			claimNames[c.claim(k)])
		colour := c.claim(k).color()
		s = chart.add(types.ChartScatter, method, colour, []livePoint{{Name: text, Value: []any{jsonNumber(mean), y}}})
		s.YAxisIndex, s.SymbolSize = 1, 2*meanRadius
		chart.addBars(method, colour, []livePoint{{Name: text, Value: []any{jsonNumber(low), jsonNumber(high), y}}},
			"horizontal", 1)
	}
	chart.markZero(stroke(ink, 1))
	return chart.JSON()
}
