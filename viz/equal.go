package viz

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// equalUnits makes f draw p with a unit equally long on both axes, in a picture
// of about their shape. Where its size is changed, the axes keep their ranges
// and leave the rest of the room empty.
func (f *Figure) equalUnits(p *plot.Plot) {
	x, y := p.X.Max-p.X.Min, p.Y.Max-p.Y.Min
	const beside, above = 90, 110 // about what names, ticks, title and legend take
	f.Width = min(f.Width, max(300, beside+(f.Height-above)*x/y))
	f.Height = min(f.Height, max(240, above+(f.Width-beside)*y/x))
	f.body = func(c draw.Canvas) {
		// Cropping changes which labels fit, and they the room that is left. That may go
		// round in circles, so the labels stay as they are in the end.
		for i := range 8 {
			if i < 4 {
				setTicks(c, p)
			}
			area := p.DataCanvas(c)
			w, h := area.Max.X-area.Min.X, area.Max.Y-area.Min.Y
			unit := min(w/vg.Length(x), h/vg.Length(y))
			c = draw.Crop(c, 0, unit*vg.Length(x)-w, h-unit*vg.Length(y), 0)
		}
		p.Draw(c)
	}
}

// liveEqualUnits makes a unit equally long on both axes of the live chart.
func (f *Figure) liveEqualUnits(chart *charts.Scatter, p *plot.Plot) {
	x, y := p.X.Max-p.X.Min, p.Y.Max-p.Y.Min
	unit := min((f.Width-88)/x, (f.Height-128)/y)
	grid := &chart.GridList[0]
	grid.Right, grid.Bottom = "", ""
	grid.Width, grid.Height = fmt.Sprintf("%.0f", unit*x), fmt.Sprintf("%.0f", unit*y)
}
