package viz

import (
	"fmt"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// equalUnits makes f draw p with units of the same length on both axes, and gives the picture about the proportions of
// their ranges. If the size of f is changed later, the ranges stay and the rest of the canvas is empty.
func (f *Figure) equalUnits(p *plot.Plot) {
	x, y := p.X.Max-p.X.Min, p.Y.Max-p.Y.Min
	const beside, above = 90, 110 // about the space of names, ticks, title and legend
	f.equal = true
	f.Width = min(f.Width, max(300, beside+(f.Height-above)*x/y))
	f.Height = min(f.Height, max(240, above+(f.Width-beside)*y/x))
	f.body = func(c draw.Canvas) {
		// A name that is much longer than its axis would take the chart's space.
		bare, named := *p, *p
		bare.X.Label.Text, bare.Y.Label.Text = labelOf(p.X, 0, 0), labelOf(p.Y, 0, 0)
		area := bare.DataCanvas(withEqualUnits(c, &bare)).Size()
		const beside = 80 * px
		named.X.Label.Text, named.Y.Label.Text = labelOf(p.X, area.X, beside), labelOf(p.Y, area.Y, beside)
		named.Draw(withEqualUnits(c, &named))
	}
}

// labelOf returns the label of an axis, shortened to a length if it is longer than that and more.
func labelOf(a plot.Axis, length, more vg.Length) string {
	text, style := a.Label.Text, a.Label.TextStyle
	if shorten(text, style, length+more) == text {
		return text
	}
	return shorten(text, style, length)
}

// withEqualUnits returns the part of a canvas on which p has units of the same length, and sets its ticks.
func withEqualUnits(c draw.Canvas, p *plot.Plot) draw.Canvas {
	x, y := p.X.Max-p.X.Min, p.Y.Max-p.Y.Min
	// Cropping changes which tick labels fit, and labels change the remaining space. That may not converge, so the
	// last four rounds keep the labels.
	for i := range 8 {
		if i < 4 {
			setTicks(c, p)
		}
		area := p.DataCanvas(c)
		w, h := area.Size().X, area.Size().Y
		unit := min(w/vg.Length(x), h/vg.Length(y))
		c = draw.Crop(c, 0, unit*vg.Length(x)-w, h-unit*vg.Length(y), 0)
	}
	return c
}

// liveUnits gives both axes of the live chart units of the same length, if those of the picture have it.
func (f *Figure) liveUnits(chart liveChart, p *plot.Plot) liveChart {
	if f.equal {
		x, y := p.X.Max-p.X.Min, p.Y.Max-p.Y.Min
		grid := &chart.GridList[0]
		left, _ := strconv.ParseFloat(grid.Left, 64)
		unit := min((f.Width-24-left)/x, (f.Height-128)/y)
		grid.Right, grid.Bottom = "", ""
		grid.Width, grid.Height = fmt.Sprintf("%.0f", unit*x), fmt.Sprintf("%.0f", unit*y)
	}
	return chart
}
