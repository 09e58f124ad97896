package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/types"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/forest/eval"
)

// A Beeswarm draws every number of several groups as a point, beside each other where they would overlap, with the
// median of each group and a line at 0. It shows differences between methods over data sets (Tomita et al., SPORF,
// figure 5A). A NaN or an infinity has no point. The points are smaller if a group would need too much height.
//
// [Draw] panics if there are no groups, if Names and Values differ in length, or if a group has more values than there
// are Points, unless that is nil.
type Beeswarm struct {
	Title  string
	X      string      // label of the value axis, with units
	Names  []string    // of the groups; the first is on top
	Values [][]float64 // of each group
	Points []string    // what the points are, such as data sets, in the order of each group; nil numbers them from 1

	// Limit, if above 0, is the magnitude beyond which points are drawn at the edge, as
	// triangles. Medians are those of the values as they are.
	Limit float64
}

const (
	beeRadius  = 3.2 // of a point, in CSS pixels, where there is room
	beyondRows = 5   // points beyond the limit that are in one column
)

func (b Beeswarm) figure() *Figure {
	if len(b.Names) == 0 || len(b.Values) != len(b.Names) {
		misuse("beeswarm with %d names and %d groups of values", len(b.Names), len(b.Values))
	}
	for k, values := range b.Values {
		if b.Points != nil && len(values) > len(b.Points) {
			misuse("group %q has %d values for %d points", b.Names[k], len(values), len(b.Points))
		}
	}
	rows := newRows(b.Names, 160*px)
	a := rows.axes(b.X, 0.5)
	drawing := &beePlot{Beeswarm: b, rows: rows}
	a.mark(zeroLine(stroke(grey, 1.4)), drawing, b.medians(rows))
	a.X.Min, a.X.Max = b.valueRange()
	swarms, need := b.layout(a.Plot, 440, math.Inf(1))
	a.keys = []key{{name: "median", line: medianStyle}}
	if slices.ContainsFunc(slices.Concat(swarms...), func(p bee) bool { return p.beyond != 0 }) {
		a.keys = append(a.keys, key{name: "beyond ±" + formatNumber(b.Limit), glyph: marker(classColor(0), 4, beyondRight)})
	}
	f := a.figure(b.Title, b.alt())
	groups := float64(len(b.Names))
	f.Height = 110 + groups*min(max(2*need+6, 34), max(54, 380/groups))
	drawing.height = f.Height
	return f
}

// medians returns a line across each group at its median.
func (b Beeswarm) medians(rows rows) spans {
	s := spans{name: "median", style: medianStyle}
	for k, name := range b.Names {
		if m, drawn := b.median(k); drawn {
			s.of = append(s.of, span{m, rows.at(k) - 0.38, m, rows.at(k) + 0.38, fmt.Sprintf("%s: %s", name, formatNumber(m))})
		}
	}
	return s
}

// shown returns where a value is drawn, and −1 or 1 if it is beyond the limit on that side.
func (b Beeswarm) shown(v float64) (at float64, beyond int) {
	if !(b.Limit > 0) {
		return v, 0
	}
	at = max(-b.Limit, min(b.Limit, v))
	return at, cmp.Compare(v, at)
}

// A bee is a point of a group.
type bee struct {
	i        int     // which of the group's values
	at       float64 // where it is drawn on the axis
	beyond   int     // −1 or 1 if it is beyond the limit on that side
	column   int     // of the points beyond the limit on that side, outwards from 0
	x, above float64 // where it is drawn from the group's left end and middle, in pixels
}

// bees returns the finite values of a group as points without a place in the picture.
func (b Beeswarm) bees(values []float64) (bees []bee) {
	beyond := map[int]int{} // points on each side
	for i, v := range values {
		if v-v == 0 {
			at, side := b.shown(v)
			bees = append(bees, bee{i: i, at: at, beyond: side, column: beyond[side] / beyondRows})
			beyond[side]++
		}
	}
	return bees
}

// valueRange returns the range of the axis, which includes 0, with space for the columns of points beyond the limit.
func (b Beeswarm) valueRange() (lo, hi float64) {
	columns := 0 // the most on one side of a group
	var all []float64
	for _, values := range b.Values {
		for _, bee := range b.bees(values) {
			all = append(all, bee.at)
			if bee.beyond != 0 {
				columns = max(columns, bee.column+1)
			}
		}
	}
	return zeroRange(all, max(0.04, 0.01+2*beeRadius*float64(columns)/440))
}

// median returns the median of the finite values of group k, or NaN if there are none, and whether it is drawn.
func (b Beeswarm) median(k int) (median float64, drawn bool) {
	median = eval.Median(finite(b.Values[k]))
	_, beyond := b.shown(median)
	return median, beyond == 0 && median-median == 0
}

func (b Beeswarm) alt() string {
	s := fmt.Sprintf("%s of %d groups, with medians:", cmp.Or(b.X, "Values"), len(b.Names))
	for k, name := range b.Names {
		median, _ := b.median(k)
		s += fmt.Sprintf(" %s %s of %d;", name, formatShort(median, 3), len(finite(b.Values[k])))
	}
	return s[:len(s)-1] + "."
}

var medianStyle = stroke(classColor(5), 2.4)

// Triangles point at what is beyond an edge.
var (
	beyondRight = regular(3, 1.35, 0)
	beyondLeft  = regular(3, 1.35, math.Pi)
)

// layout returns the points of each group, by position, on an axis of the given width, and their
// radius. They stay within a distance, room, from the middle of their group. If that needs a radius
// below 1.2, they overlap. For infinite room it returns the room needed instead of the radius.
func (b Beeswarm) layout(p *plot.Plot, width, room float64) (groups [][]bee, radius float64) {
	for _, values := range b.Values {
		bees := b.bees(values)
		for i := range bees {
			bee := &bees[i]
			bee.x = p.X.Norm(bee.at) * width
			if bee.beyond != 0 {
				bee.x += float64(bee.beyond) * 2 * beeRadius * float64(bee.column)
			}
		}
		slices.SortStableFunc(bees, func(a, b bee) int { return cmp.Compare(a.x, b.x) })
		groups = append(groups, bees)
	}
	for radius = beeRadius; ; radius *= 0.92 {
		need := 0.0
		for _, bees := range groups {
			need = max(need, swarm(bees, 2*radius)+radius)
		}
		switch {
		case math.IsInf(room, 1):
			return groups, need
		case need <= room:
			return groups, radius
		case radius < 1.2:
			for _, bees := range groups {
				for i := range bees {
					bees[i].above = min(max(bees[i].above, radius-room), room-radius)
				}
			}
			return groups, radius
		}
	}
}

// swarm sets how far each point is above or below the middle, as little as keeps the middles of
// all points a diameter apart. Points are in ascending order of x, and are placed in this order. It
// returns the largest distance from the middle.
func swarm(bees []bee, diameter float64) (most float64) {
	type interval struct{ lo, hi float64 }
	var taken []interval
	for i := range bees {
		taken = taken[:0]
		for j := i - 1; j >= 0 && bees[i].x-bees[j].x < diameter; j-- {
			dx := bees[i].x - bees[j].x
			half := math.Sqrt(diameter*diameter - dx*dx)
			taken = append(taken, interval{bees[j].above - half, bees[j].above + half})
		}
		up, down := 0.0, 0.0 // the nearest free places
		slices.SortFunc(taken, func(a, b interval) int { return cmp.Compare(a.lo, b.lo) })
		for _, t := range taken {
			if t.lo < up && up < t.hi {
				up = t.hi
			}
		}
		slices.SortFunc(taken, func(a, b interval) int { return cmp.Compare(b.hi, a.hi) })
		for _, t := range taken {
			if t.lo < down && down < t.hi {
				down = t.lo
			}
		}
		bees[i].above = up
		if -down < up || -down == up && i%2 == 1 {
			bees[i].above = down
		}
		most = max(most, math.Abs(bees[i].above))
	}
	return most
}

// A beePlot is the points of all groups, whose places depend on the size of the chart.
type beePlot struct {
	Beeswarm
	rows
	height float64 // of the figure
}

func (b *beePlot) Plot(c draw.Canvas, p *plot.Plot) {
	_, toY := p.Transforms(&c)
	half := float64((toY(0.5) - toY(0)) / px)
	groups, radius := b.layout(p, float64(c.Size().X/px), half-2)
	for k, bees := range groups {
		for _, bee := range bees {
			shape := [...]shape{beyondLeft, shapes[0], beyondRight}[bee.beyond+1]
			at := pt(c.Min.X+css(bee.x), toY(b.at(k))+css(bee.above))
			c.DrawGlyph(marker(classColor(0), vg.Length(radius), shape), at)
		}
	}
}

// point returns the name of point i of a group.
func (b Beeswarm) point(i int) string {
	if b.Points == nil {
		return fmt.Sprint(i + 1)
	}
	return b.Points[i]
}

// addTo adds the points with their names and values under the pointer.
func (b *beePlot) addTo(chart liveChart, p *plot.Plot) {
	const top, width = 44, defaultWidth - rowsLeft - rowsRight
	row := (b.height - top - rowsBottom) / float64(len(b.Names))
	groups, radius := b.layout(p, width, row/2-2)
	for k, bees := range groups {
		var points []livePoint
		for _, bee := range bees {
			v := b.Values[k][bee.i]
			point := tip(fmt.Sprintf("%s: %s", b.point(bee.i), formatNumber(v)),
				p.X.Min+bee.x/width*(p.X.Max-p.X.Min), b.at(k)+bee.above/row)
			if bee.beyond != 0 {
				point.Symbol, point.SymbolRotate = "triangle", -90*bee.beyond
			}
			points = append(points, point)
		}
		s := chart.add(types.ChartScatter, b.Names[k], classColor(0), points)
		s.YAxisIndex, s.SymbolSize = 1, math.Round(20*radius)/10
	}
}
