package viz

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A CriticalDifference shows which methods differ over data sets (Demšar 2006, figure 1): their mean ranks on an axis,
// and a bar over each group of methods between which no difference was found. The best method is on the left.
//
//	difference := eval.Nemenyi(len(methods), len(scores), 0.05)
//	ranks := eval.FriedmanTest(scores).Ranks
//	viz.Show(viz.CriticalDifference{Title: "Accuracy", Methods: methods, Ranks: ranks,
//		Difference: difference, Groups: eval.Cliques(ranks, difference)})
//
// [Draw] panics if there are fewer than two methods, if Methods and Ranks differ in length, if a rank isn't one of so
// many methods, if the difference is negative or NaN, and if a group is empty or has a method that doesn't exist.
type CriticalDifference struct {
	Title      string
	Methods    []string
	Ranks      []float64 // mean rank of each method, from 1 (best) to the number of methods
	Difference float64   // critical difference, shown as a bar above the axis; 0 shows none
	Groups     [][]int   // the methods of each group; see eval.Cliques
}

func (d CriticalDifference) figure() *Figure {
	d.check()
	l := d.layout()
	f := &Figure{Title: d.Title, Alt: d.alt(), Width: defaultWidth, Height: 50 + l.height}
	if d.Groups != nil {
		f.Height += 20
		f.keys = []key{{name: groupName, line: groupStyle}}
	}
	f.body = func(c draw.Canvas) { d.draw(c, l) }
	f.live = func() any { return d.live(l, f.Height) }
	return f
}

func (d CriticalDifference) check() {
	n := len(d.Methods)
	if n < 2 || len(d.Ranks) != n || !(d.Difference >= 0) {
		misuse("critical difference %v of %d methods with %d ranks", d.Difference, n, len(d.Ranks))
	}
	for j, r := range d.Ranks {
		if !(r >= 1 && r <= float64(n)) {
			misuse("method %q of %d has mean rank %v", d.Methods[j], n, r)
		}
	}
	for i, group := range d.Groups {
		if len(group) == 0 || slices.Min(group) < 0 || slices.Max(group) >= n {
			misuse("group %d of %d methods is %v", i, n, group)
		}
	}
}

var groupStyle = stroke(classColor(5), 4)
var stemStyle = stroke(ink, 1.2)

// A rankLayout says where the parts of a diagram are. Lengths are in CSS pixels, downwards from the axis.
type rankLayout struct {
	left, right []rankName // from the axis down
	margin      float64    // space for names on either side
	bars        []groupBar
	height      float64 // of everything, with the space above the axis
}

// A rankName is the label of a method, at the end of a line down from its rank and then aside.
type rankName struct {
	method int
	text   string
	y      float64
}

// A groupBar spans the ranks of a group.
type groupBar struct{ lo, hi, y float64 }

const (
	aboveAxis = 76. // for the axis' label, the critical difference and the numbers
	barStep   = 9.  // between bars
	nameStep  = 22. // between names
)

// layout places the better half of the methods on the left and the others on the right, so that no
// line to a name crosses another, and bars one below the other where they overlap.
func (d CriticalDifference) layout() rankLayout {
	var l rankLayout
	for _, group := range d.Groups {
		ranks := pick(d.Ranks, group)
		bar := groupBar{slices.Min(ranks), slices.Max(ranks), barStep}
		clear := 0.05 * float64(len(d.Methods)-1)
		for slices.ContainsFunc(l.bars, func(o groupBar) bool {
			return o.y == bar.y && bar.lo < o.hi+clear &&
				o.lo < bar.hi+clear
		}) {
			bar.y += barStep
		}
		l.bars = append(l.bars, bar)
	}
	first := 20.
	for _, bar := range l.bars {
		first = max(first, bar.y+18)
	}
	order := inOrder(d.Ranks)
	style := textStyle(tickSize, false)
	for place, j := range order {
		text := withRank(d.Methods[j], d.Ranks[j], 170*px)
		l.margin = max(l.margin, float64(style.Width(text)/px)+8)
		if place < (len(order)+1)/2 {
			l.left = append(l.left, rankName{j, text, first + float64(place)*nameStep})
		} else {
			l.right = append(l.right, rankName{j, text, first + float64(len(order)-1-place)*nameStep})
		}
	}
	l.height = aboveAxis + first + float64(len(l.left)-1)*nameStep + 14
	return l
}

func (d CriticalDifference) alt() string {
	s := fmt.Sprintf("Methods by mean rank: %s.", strings.Join(ranked(d.Methods, d.Ranks), ", "))
	if d.Difference > 0 {
		s += fmt.Sprintf(" Critical difference %s.", formatShort(d.Difference, 3))
	}
	for _, group := range d.Groups {
		s += fmt.Sprintf(" No difference between %s.", strings.Join(pick(d.Methods, group), ", "))
	}
	return s
}

const (
	axisName  = "mean rank (1 is best)"
	groupName = "no significant difference"
)

func (d CriticalDifference) draw(c draw.Canvas, l rankLayout) {
	n := float64(len(d.Methods))
	margin := css(l.margin)
	x := func(rank float64) vg.Length {
		return c.Min.X + margin + vg.Length((rank-1)/(n-1))*(c.Size().X-2*margin)
	}
	axis := c.Max.Y - aboveAxis*px
	d.drawAxis(c, x, axis)
	for i, name := range slices.Concat(l.left, l.right) {
		at, y := x(d.Ranks[name.method]), axis-css(name.y)
		style, end, to := textStyle(tickSize, false), x(n), x(n)+5*px
		if i < len(l.left) {
			style.XAlign, end, to = draw.XRight, x(1), x(1)-5*px
		}
		c.StrokeLines(stemStyle, []vg.Point{pt(at, axis), pt(at, y), pt(end, y)})
		c.DrawGlyph(marker(ink, 2.6, shapes[0]), pt(at, axis))
		c.FillText(style, pt(to, y+px), name.text)
	}
	for _, bar := range l.bars {
		y := axis - css(bar.y)
		c.StrokeLine2(groupStyle, x(bar.lo)-4*px, y, x(bar.hi)+4*px, y)
	}
}

// drawAxis draws the axis at y with its ticks, numbers and label, and the critical difference above.
func (d CriticalDifference) drawAxis(c draw.Canvas, x func(rank float64) vg.Length, y vg.Length) {
	n := len(d.Methods)
	line := stroke(grey, 1.2)
	c.StrokeLine2(line, x(1), y, x(float64(n)), y)
	tick := textStyle(tickSize, false)
	tick.XAlign = draw.XCenter
	for r := 1; r <= n; r++ {
		at := x(float64(r))
		c.StrokeLine2(line, at, y, at, y+5*px)
		c.FillText(tick, pt(at, y+13*px), fmt.Sprint(r))
	}
	label := textStyle(labelSize, false)
	label.XAlign = draw.XCenter
	c.FillText(label, pt((x(1)+x(float64(n)))/2, y+66*px), axisName)
	if d.Difference == 0 {
		return
	}
	end, top := d.differenceEnd(), y+30*px
	c.StrokeLine2(stemStyle, x(1), top, x(end), top)
	c.StrokeLine2(stemStyle, x(1), top-4*px, x(1), top+4*px)
	if end == 1+d.Difference {
		c.StrokeLine2(stemStyle, x(end), top-4*px, x(end), top+4*px)
	}
	c.FillText(textStyle(tickSize, false), pt(x(1), top+16*px), d.differenceText())
}

// differenceEnd returns where the bar of the critical difference ends, which starts at 1.
func (d CriticalDifference) differenceEnd() float64 {
	return min(1+d.Difference, float64(len(d.Methods)))
}

func (d CriticalDifference) differenceText() string {
	text := fmt.Sprintf("critical difference %s", formatShort(d.Difference, 3))
	if d.differenceEnd() < 1+d.Difference {
		text += ", more than the axis has"
	}
	return text
}

// live returns the chart. A hidden y axis counts pixels down from the axis of ranks.
func (d CriticalDifference) live(l rankLayout, height float64) any {
	const top, bottom = 120, 10
	n := len(d.Methods)
	chart := newLive(d.Title, opts.XAxis{Name: axisName, Type: "value", Position: "top", Min: 1, Max: n, MinInterval: 1,
		MaxInterval: 1},
		opts.YAxis{Type: "value", Inverse: yes, Show: no, Min: 0, Max: height - top - bottom})
	axis := &chart.XAxisList[0]
	axis.SplitLine = &opts.SplitLine{Show: no}
	axis.AxisLabel.ShowMinLabel, axis.AxisLabel.ShowMaxLabel = yes, yes
	chart.Legend.Show, chart.Legend.Data = opts.Bool(l.bars != nil), []string{groupName}
	margin := fmt.Sprintf("%.0f", l.margin+8)
	chart.setGrid(margin, margin, top, bottom)
	d.liveNames(chart, l.left, "left", 1)
	d.liveNames(chart, l.right, "right", float64(n))
	for _, bar := range l.bars {
		chart.addLine(groupName, groupStyle, plotter.XYs{{X: bar.lo, Y: bar.y}, {X: bar.hi, Y: bar.y}})
	}
	if d.Difference > 0 {
		const above = -52
		chart.addBars("", ink, []livePoint{tip(d.differenceText(), 1, d.differenceEnd(), above)}, "horizontal", 0)
		axis.Name += ";  " + d.differenceText()
	}
	return chart.JSON()
}

// liveNames adds the lines from ranks to names, the names, and points on the axis that say which methods share a group.
func (d CriticalDifference) liveNames(chart liveChart, names []rankName, side string, end float64) {
	var points, labels []livePoint
	for _, name := range names {
		rank := d.Ranks[name.method]
		text := name.text
		if like := d.groupedWith(name.method); like != nil {
			text += ", " + groupName + " from " + strings.Join(like, ", ")
		}
		points = append(points, tip(text, rank, 0))
		labels = append(labels, tip(name.text, end, name.y))
		chart.addLine("", stemStyle, plotter.XYs{{X: rank}, {X: rank, Y: name.y}, {X: end, Y: name.y}})
	}
	chart.add(types.ChartScatter, "mean rank", ink, points).SymbolSize = 7
	s := chart.add(types.ChartScatter, "mean rank", ink, labels)
	s.SymbolSize, s.Label = 1, &opts.Label{Show: yes, Position: side, Formatter: "{b}", Color: hex(ink)}
}

// groupedWith returns the other methods of a method's groups, in order of rank.
func (d CriticalDifference) groupedWith(method int) (names []string) {
	for _, j := range inOrder(d.Ranks) {
		together := func(group []int) bool { return slices.Contains(group, method) && slices.Contains(group, j) }
		if j != method && slices.ContainsFunc(d.Groups, together) {
			names = append(names, d.Methods[j])
		}
	}
	return names
}

// withRank returns a method's name, shortened if long, with its mean rank.
func withRank(name string, rank float64, width vg.Length) string {
	number, style := fmt.Sprintf(" (%.2f)", rank), textStyle(tickSize, false)
	return shorten(name, style, width-style.Width(number)) + number
}
