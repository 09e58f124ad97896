package viz

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/forest"
)

// LambdaPath draws a regularisation path, such as that of tao.Learner.Path: the error of a forest, its number of
// parameters and the FLOPs of a prediction (see [forest.Size]) against the penalty λ that it was trained with, and
// marks the chosen λ. The axis of λ is logarithmic, and those of the sizes are where they span a factor of ten or more.
// It has no live form.
//
// [Draw] panics if there are no models, if one is nil, if Lambda, Models and the errors differ in length, if no error
// is finite, and if a λ or Chosen, unless 0, isn't a finite number above 0.
type LambdaPath struct {
	Title  string
	Lambda []float64        // in any order
	Models []*forest.Forest // one for each λ

	// Errors are one or more measures of the models' error, such as out of bag and on
	// test rows. Y has a number for each model, in their order; X isn't used.
	Errors []Series

	// Chosen is the λ to mark. 0 means the one with the least error by the first series of
	// Errors, and the largest of several. So the first series shouldn't be the error on test
	// rows.
	Chosen float64
}

func (l LambdaPath) figure() *Figure {
	l.check()
	l = l.sorted()
	chosen := l.chosen()
	parameters, flops := make([]float64, len(l.Models)), make([]float64, len(l.Models))
	for i, m := range l.Models {
		size := m.Size()
		parameters[i], flops[i] = float64(size.Parameters), size.FLOPs
	}
	grid := Grid{Title: l.Title}
	var keys []key
	add := func(c Curves, p *plot.Plot) {
		if chosen > 0 {
			p.Add(upright(chosen))
		}
		grid.Charts = append(grid.Charts, c.panel(p))
	}
	if len(l.Errors) > 0 {
		panel := Curves{Title: "Error", X: "λ", Y: "Error", LogX: true, Series: l.Errors}
		p, own := panel.plot()
		keys = own
		add(panel, p)
	}
	for _, s := range []Series{{Name: "Parameters", Y: parameters}, {Name: "FLOPs per row", Y: flops}} {
		panel := Curves{Title: s.Name, X: "λ", Y: s.Name, LogX: true,
			Series: []Series{{Name: "The forest", X: l.Lambda, Y: s.Y}}}
		add(panel, sizePlot(panel))
	}
	f := grid.figure()
	if chosen > 0 {
		keys = append(keys, key{name: "λ = " + formatNumber(chosen), line: levelStyle()})
		f.Alt += fmt.Sprintf("\nMarked: λ = %s.", formatNumber(chosen))
	}
	f.keys = keys
	return f
}

func (l LambdaPath) check() {
	if len(l.Models) == 0 || len(l.Lambda) != len(l.Models) {
		misuse("a path of %d forests for %d values of λ", len(l.Models), len(l.Lambda))
	}
	for i, m := range l.Models {
		if m == nil {
			misuse("model %d of a path is nil", i)
		}
	}
	for _, s := range l.Errors {
		if len(s.Y) != len(l.Models) || s.Err != nil && len(s.Err) != len(l.Models) {
			misuse("series %q of a path has %d errors and %d error bars of %d forests", s.Name, len(s.Y), len(s.Err),
				len(l.Models))
		}
	}
	for _, v := range append([]float64{cmp.Or(l.Chosen, 1)}, l.Lambda...) {
		if !(v > 0) || math.IsInf(v, 1) {
			misuse("λ = %v on a logarithmic axis", v)
		}
	}
}

// sorted returns the path in order of λ, with the X of the errors.
func (l LambdaPath) sorted() LambdaPath {
	order := inOrder(l.Lambda)
	s := l
	s.Lambda, s.Models, s.Errors = pick(l.Lambda, order), pick(l.Models, order), nil
	for _, e := range l.Errors {
		s.Errors = append(s.Errors, Series{Name: e.Name, X: s.Lambda, Y: pick(e.Y, order), Err: pick(e.Err, order)})
	}
	return s
}

// chosen returns the λ to mark, or 0 if there is none. The path is sorted.
func (l LambdaPath) chosen() float64 {
	if l.Chosen > 0 || len(l.Errors) == 0 {
		return l.Chosen
	}
	least, chosen := math.Inf(1), 0.0
	for i, e := range l.Errors[0].Y {
		if e <= least {
			least, chosen = e, l.Lambda[i]
		}
	}
	return chosen
}

// sizePlot returns a plot of one positive series, whose y axis is logarithmic if it spans a factor of ten or more.
func sizePlot(c Curves) *plot.Plot {
	s := c.Series[0]
	low, high := extremes(s.Y)
	c.LogY = s.Y[high] >= 10*s.Y[low] && s.Y[low] > 0
	return c.axes(func(p *plot.Plot) {
		p.Add(seriesPlot{s, stroke(ink, 2), marker(ink, 3.6, shapes[0])})
		if p.Y.Min > p.Y.Max { // no number is finite
			p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = s.X[0], s.X[0], 0, 1
		}
	})
}

// upright is an x at which a vertical line is drawn.
type upright float64

// Plot draws the line.
func (u upright) Plot(c draw.Canvas, p *plot.Plot) {
	toX, _ := p.Transforms(&c)
	if x := toX(float64(u)); c.ContainsX(x) {
		c.StrokeLine2(levelStyle(), x, c.Min.Y, x, c.Max.Y)
	}
}
