package viz

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Passes draws the objective of tree alternating optimisation, its loss and its penalty after each pass. Dots mark
// strict passes, which may not raise the objective. Several runs can be compared. A loss or penalty that isn't finite
// leaves a gap. It has no live form.
//
//	trace := viz.Trace{Name: "free, then strict", Strict: 31}
//	for _, p := range history.Passes() { // of a tao.History of one tree
//		trace.Loss = append(trace.Loss, p.Loss)
//		trace.Penalty = append(trace.Penalty, p.Penalty)
//	}
//	viz.Show(viz.Passes{Title: "One tree", Traces: []viz.Trace{trace}})
//
// [Draw] panics if there are no traces, if one has no passes or not as many penalties as losses, if Strict isn't one of
// its passes or 0, and if no loss or penalty is finite.
type Passes struct {
	Title  string
	Traces []Trace
}

// A Trace is one run of [Passes]: a tree, or a forest by the sums over its trees.
type Trace struct {
	Name          string
	Loss, Penalty []float64 // after each pass, from the first; of the same length
	Strict        int       // the first strict pass, counted from 1; all later ones are strict, too. 0 means none
}

func (p Passes) figure() *Figure {
	if len(p.Traces) == 0 {
		misuse("passes without a trace")
	}
	for _, t := range p.Traces {
		if len(t.Loss) == 0 || len(t.Loss) != len(t.Penalty) || t.Strict < 0 || t.Strict > len(t.Loss) {
			misuse("trace %q has %d losses and %d penalties, and is strict from pass %d", t.Name, len(t.Loss), len(t.Penalty),
				t.Strict)
		}
	}
	grid := Grid{Title: p.Title}
	for _, quantity := range []struct {
		name string
		of   func(t Trace) []float64
	}{
		{"Objective", Trace.objective},
		{"Loss", func(t Trace) []float64 { return t.Loss }},
		{"Penalty", func(t Trace) []float64 { return t.Penalty }},
	} {
		panel := Curves{Title: quantity.name, X: "pass", Y: quantity.name}
		for _, t := range p.Traces {
			panel.Series = append(panel.Series, Series{Name: t.Name, X: t.numbers(), Y: quantity.of(t)})
		}
		grid.Charts = append(grid.Charts, p.panel(panel))
	}
	f := grid.figure()
	f.keys = p.keys()
	for _, t := range p.Traces {
		if t.Strict > 0 {
			f.Alt += fmt.Sprintf("\n%s is strict from pass %d.", t.Name, t.Strict)
		}
	}
	return f
}

// numbers returns the numbers of the passes.
func (t Trace) numbers() []float64 {
	numbers := make([]float64, len(t.Loss))
	for i := range numbers {
		numbers[i] = float64(i + 1)
	}
	return numbers
}

func (t Trace) objective() []float64 {
	sums := make([]float64, len(t.Loss))
	for i := range sums {
		sums[i] = t.Loss[i] + t.Penalty[i]
	}
	return sums
}

// panel returns a figure of one quantity.
func (p Passes) panel(c Curves) *Figure {
	return c.panel(c.axes(func(axes *plot.Plot) {
		for k, s := range c.Series {
			axes.Add(seriesPlot{Series: s, line: seriesStyle(k)})
			if first := p.Traces[k].Strict - 1; first >= 0 {
				s.X, s.Y = s.X[first:], s.Y[first:]
				axes.Add(seriesPlot{s, seriesStyle(k), strictStyle(k)})
			}
		}
	}))
}

// strictStyle returns the dots of trace k. They are small, for there may be many.
func strictStyle(k int) draw.GlyphStyle {
	return marker(classColor(k), 2.2, shapes[0])
}

func (p Passes) keys() []key {
	var keys []key
	strict := false
	for k, t := range p.Traces {
		keys = append(keys, key{name: t.Name, line: seriesStyle(k)})
		strict = strict || t.Strict > 0
	}
	if strict {
		keys = append(keys, key{name: "strict pass", glyph: marker(ink, 2.2, shapes[0])})
	}
	return keys
}
