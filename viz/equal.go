package viz

import (
	"fmt"

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
	whole := p
	f.body = func(c draw.Canvas) {
		p := shortened(c, whole)
		const beside = 40 * px // of the axes, where their names may be
		// Cropping changes which tick labels fit, and labels change the remaining space. That may not converge, so the
		// last four rounds keep the labels.
		for i := range 8 {
			if i < 4 {
				setTicks(c, p)
				p = shortened(draw.Crop(p.DataCanvas(c), -beside, beside, -beside, beside), whole)
				setTicks(c, p)
			}
			area := p.DataCanvas(c)
			w, h := area.Size().X, area.Size().Y
			unit := min(w/vg.Length(x), h/vg.Length(y))
			c = draw.Crop(c, 0, unit*vg.Length(x)-w, h-unit*vg.Length(y), 0)
		}
		p.Draw(c)
	}
}

// liveUnits gives both axes of the live chart units of the same length, if those of the picture have it.
func (f *Figure) liveUnits(chart liveChart, p *plot.Plot) liveChart {
	if f.equal {
		x, y := p.X.Max-p.X.Min, p.Y.Max-p.Y.Min
		unit := min((f.Width-88)/x, (f.Height-128)/y)
		grid := &chart.GridList[0]
		grid.Right, grid.Bottom = "", ""
		grid.Width, grid.Height = fmt.Sprintf("%.0f", unit*x), fmt.Sprintf("%.0f", unit*y)
	}
	return chart
}
