package viz

import (
	"slices"

	"gonum.org/v1/plot"
)

// SmallMultiples puts panels of the same curves side by side, with one legend above them. Axes with the same label have
// the same range. It has no live form.
//
// [Draw] panics if there are no panels, if series or levels differ in name or order, or where it does for [Curves].
type SmallMultiples struct {
	Title   string
	Panels  []Curves // their series and levels must have the same names, in the same order
	Columns int      // as in [Grid]
}

func (s SmallMultiples) figure() *Figure {
	grid := Grid{Title: s.Title, Columns: s.Columns}
	var keys []key
	var plots []*plot.Plot
	for i, panel := range s.Panels {
		a := panel.axes()
		if i == 0 {
			keys = a.keys
		}
		if !slices.EqualFunc(a.keys, keys, func(a, b key) bool { return a.name == b.name }) {
			misuse("panel %q has other series or levels than panel %q", panel.Title, s.Panels[0].Title)
		}
		plots, a.keys = append(plots, a.Plot), nil
		grid.Charts = append(grid.Charts, a.figure(panel.Title, panel.alt()))
	}
	shareRanges(plots, func(p *plot.Plot) *plot.Axis { return &p.X })
	shareRanges(plots, func(p *plot.Plot) *plot.Axis { return &p.Y })
	f := grid.figure()
	f.keys = keys
	return f
}

// shareRanges gives axes with the same label and scale the union of their ranges.
func shareRanges(plots []*plot.Plot, axis func(*plot.Plot) *plot.Axis) {
	for _, p := range plots {
		for _, q := range plots {
			a, b := axis(p), axis(q)
			if a.Label.Text == b.Label.Text && logarithmic(*a) == logarithmic(*b) {
				a.Min, a.Max = min(a.Min, b.Min), max(a.Max, b.Max)
			}
		}
	}
}
