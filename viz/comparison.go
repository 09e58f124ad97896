package viz

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

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
	differences := c.differences()
	var names []string
	var values []float64
	for _, m := range differences {
		names = append(names, m.method)
		values = append(append(values, m.dots...), m.low, m.high)
	}
	rows := newRows(names, 160*px)
	a := rows.axes("← better      "+c.label()+"      worse →", 0.5)
	low, high := zeroRange(values, 0.05)
	a.mark(zeroLine(stroke(ink, 1.4)))
	for k, m := range differences {
		a.mark(m.marks(rows.at(k), high-low)...)
	}
	a.X.Min, a.X.Max = low, high
	a.keys = c.keys(differences)
	f := a.figure(c.Title, c.alt(differences))
	f.Height = 110 + rows.shared(320, 34, 54)
	return f
}

func (c Comparison) label() string {
	baseline := c.Of.Contenders[0].Name
	if c.Of.Regression {
		return "RMSE minus that of " + baseline
	}
	return fmt.Sprintf("error minus that of %s, percentage points", baseline)
}

// A difference is how a method differs from the baseline, in the unit of the axis.
type difference struct {
	method          string
	dots            []float64 // in each split
	mean, low, high float64   // the mean and the ends of its interval
	claim           claim
}

func (c Comparison) differences() []difference {
	unit := 100.0
	if c.Of.Regression {
		unit = 1
	}
	var all []difference
	for k, contender := range c.Of.Contenders[1:] {
		d := c.Of.Differences[k+1]
		m := difference{method: contender.Name, mean: unit * d.Difference, low: unit * d.Interval.Low,
			high: unit * d.Interval.High, claim: noClaim}
		for split, baseline := range c.Of.Loss[0] {
			m.dots = append(m.dots, unit*(c.Of.Loss[k+1][split]-baseline))
		}
		switch {
		case m.high < 0:
			m.claim = claimBetter
		case m.low > 0:
			m.claim = claimWorse
		}
		all = append(all, m)
	}
	return all
}

// A claim is what an interval says of a method.
type claim struct {
	name   string
	colour color.NRGBA
}

var (
	claimBetter = claim{"better", classColor(0)}
	claimWorse  = claim{"worse", classColor(5)}
	noClaim     = claim{"could be either", mix(grey, ink, 0.4)} // the interval holds 0
)

func (c Comparison) alt(differences []difference) string {
	var parts []string
	for _, m := range differences {
		parts = append(parts, fmt.Sprintf("%s %s, interval %s to %s, %s", m.method, formatShort(m.mean, 2),
			formatShort(m.low, 2), formatShort(m.high, 2), m.claim.name))
	}
	return fmt.Sprintf("%s, mean of %d splits: %s.", c.label(), len(c.Of.Loss[0]), strings.Join(parts, "; "))
}

func (c Comparison) keys(differences []difference) []key {
	keys := []key{{name: "one split", glyph: dotStyle}}
	for _, claim := range []claim{claimBetter, claimWorse, noClaim} {
		if slices.ContainsFunc(differences, func(m difference) bool { return m.claim == claim }) {
			name := fmt.Sprintf("%g\u00a0%% interval: %s", math.Round(1000*c.Of.Level)/10, claim.name)
			keys = append(keys, key{name: name, line: stroke(claim.colour, 3)})
		}
	}
	return keys
}

// Dots are above the middle of their row, those that would overlap above each other; the
// interval is below.
const (
	dotsAbove  = 0.08
	meanBelow  = 0.18
	meanRadius = 4.2
)

// heights returns how far each dot is above the middle of its row.
func (m difference) heights(width float64) []float64 {
	heights := make([]float64, len(m.dots))
	for i, v := range m.dots {
		below := 0
		for _, other := range m.dots[:i] {
			if math.Abs(v-other) < 0.012*width {
				below++
			}
		}
		heights[i] = min(dotsAbove+0.09*float64(below), 0.47)
	}
	return heights
}

var dotStyle = marker(mix(ink, white, 0.55), 2.4, shapes[0])

// marks returns the dots, the mean and its interval around a y, on an axis of some width.
func (m difference) marks(y, width float64) []mark {
	each := dots{name: m.method, glyph: dotStyle}
	heights := m.heights(width)
	for i, v := range m.dots {
		each.at = append(each.at, dot{x: v, y: y + heights[i], tip: fmt.Sprintf("split %d: %s", i+1, formatShort(v, 3))})
	}
	if len(finite([]float64{m.mean, m.low, m.high})) < 3 {
		return []mark{each}
	}
	y -= meanBelow
	text := fmt.Sprintf("%s, %s to %s: %s", formatShort(m.mean, 3), formatShort(m.low, 3), formatShort(m.high, 3),
		m.claim.name)
	return []mark{each,
		spans{m.method, stroke(m.claim.colour, 2.4), 5 * px, []span{{m.low, y, m.high, y, text}}},
		dots{name: m.method, glyph: marker(m.claim.colour, meanRadius, shapes[0]), at: []dot{{x: m.mean, y: y, tip: text}}}}
}
