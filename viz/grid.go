package viz

import (
	"cmp"
	"errors"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Grid puts several charts into one picture, row by row. It has no live form. [Draw] panics if there are no charts
// or Columns is negative.
type Grid struct {
	Title   string // above all charts; may be empty
	Charts  []Chart
	Columns int // of panels; 0 means 3, or the number of charts if that is less

	// Width and Height are those of a panel, in CSS pixels. Width 0 means at most
	// 420, and at most 960 for all columns together. Height 0 means the height of
	// the highest chart, but at most 0.85 times the width.
	Width, Height float64
}

func (g Grid) figure() *Figure {
	switch {
	case len(g.Charts) == 0:
		misuse("grid without charts")
	case g.Columns < 0:
		misuse("a grid of %d columns", g.Columns)
	}
	columns := min(cmp.Or(g.Columns, 3), len(g.Charts))
	rows := (len(g.Charts) + columns - 1) / columns
	width, height := g.Width, g.Height
	if width == 0 {
		width = min(420, 960/float64(columns))
	}
	panels := make([]*Figure, len(g.Charts))
	alts, errs := make([]string, len(g.Charts)), make([]error, len(g.Charts))
	for i, chart := range g.Charts {
		panels[i] = chart.figure()
		alts[i] = panels[i].alt()
		errs[i] = panels[i].err
		if g.Height == 0 {
			height = min(0.85*width, max(height, panels[i].Height))
		}
	}
	f := &Figure{Title: g.Title, Alt: strings.Join(alts, "\n"), Width: width*float64(columns) + 24,
		Height: height*float64(rows) + 24, err: errors.Join(errs...)}
	if g.Title != "" {
		f.Height += 22
	}
	f.body = func(c draw.Canvas) {
		w := c.Size().X / vg.Length(columns)
		h := c.Size().Y / vg.Length(rows)
		for i, panel := range panels {
			x := c.Min.X + vg.Length(i%columns)*w
			y := c.Max.Y - vg.Length(i/columns+1)*h
			cell := draw.Canvas{Canvas: c.Canvas, Rectangle: rect(x, y, x+w, y+h)}
			panel.draw(cell)
		}
	}
	return f
}
