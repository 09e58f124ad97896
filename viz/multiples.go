package viz

import (
	"slices"

	"gonum.org/v1/plot"
)

// SmallMultiples puts panels of the same curves side by side, with one legend above them. Axes with the same label have the
// same range. It has no live form.
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
	plots := make([]*plot.Plot, len(s.Panels))
	for i, panel := range s.Panels {
		var own []key
		plots[i], own = panel.plot()
		if i == 0 {
			keys = own
		}
		if !slices.EqualFunc(own, keys, func(a, b key) bool { return a.name == b.name }) {
			misuse("panel %q has other series or levels than panel %q", panel.Title, s.Panels[0].Title)
		}
		grid.Charts = append(grid.Charts, panel.lay(plots[i], nil))
	}
	shareRanges(plots, func(p *plot.Plot) *plot.Axis { return &p.X })
	shareRanges(plots, func(p *plot.Plot) *plot.Axis { return &p.Y })
	f := grid.figure()
	f.keys = keys
	return f
}

// shareRanges gives axes with the same label and scale the union of their ranges.
func shareRanges(plots []*plot.Plot, axis func(*plot.Plot) *plot.Axis) {
	type kind struct {
		label string
		log   bool
	}
	groups := map[kind][]*plot.Axis{}
	for _, p := range plots {
		a := axis(p)
		_, log := a.Scale.(plot.LogScale)
		k := kind{a.Label.Text, log}
		groups[k] = append(groups[k], a)
	}
	for _, axes := range groups {
		lo, hi := axes[0].Min, axes[0].Max
		for _, a := range axes {
			lo, hi = min(lo, a.Min), max(hi, a.Max)
		}
		for _, a := range axes {
			a.Min, a.Max = lo, hi
		}
	}
}
