package viz

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// MixtureSteps goes through the nodes of a tree whose splits are boundaries between the components of Gaussian
// mixtures. Each step is one node: its rows in colour, its components, its boundary, and the splits above it.
//
//	steps := viz.NodeMixtures(&model.Trees[0], train)
//	for i := range steps {
//		steps[i].Components = … // fitted to the rows steps[i].Rows of train
//	}
//	viz.Show(viz.MixtureSteps{Title: "A tree of mixtures", Steps: steps})
//
// The picture shows at most six steps. If the steps have up to 6,000 rows together, there is a live chart, which shows
// all of them.
//
// [Draw] panics if there are no steps, if they differ in Data or Equal, if the data have no labels, and where it does
// for [Mixture].
type MixtureSteps struct {
	Title string
	Steps []Mixture // of the same Data, with labels; their titles are the captions
}

// mixtureMarks is the most coloured rows of all steps that a live chart has.
const mixtureMarks = 6000

// NodeMixtures returns a mixture without components for each split of a tree over two features, in the order of the
// tree's nodes. Rows are the rows of data that reach the node, Within has the splits above it, and Boundaries its own.
// The title says the node's number, how many rows it has and their purity: the share of their most frequent class, in
// which every row counts the same. It panics if data don't have two features, or no labels.
func NodeMixtures(tree *forest.Tree, data *datasets.Dataset) []Mixture {
	if data.P() != 2 || data.Labels == nil {
		misuse("mixtures at the nodes of a tree, for data of %d features and %d labels; want 2 features, and labels",
			data.P(), len(data.Labels))
	}
	var steps []Mixture
	mutable := forest.NewMutable(tree)
	var visit func(node int32, rows []int32, above []Side)
	visit = func(node int32, rows []int32, above []Side) {
		if mutable.IsLeaf(node) {
			return
		}
		fn, threshold := mutable.Split(node)
		b := Boundary{Name: "split of the node", Function: fn, Threshold: threshold}
		steps = append(steps, Mixture{Title: nodeCaption(node, data, rows), Data: data, Rows: slices.Clone(rows),
			Boundaries: []Boundary{b}, Within: above})
		left, right := mutable.Children(node)
		leftRows, rightRows := mutable.Divide(data, node, rows)
		visit(left, leftRows, append(slices.Clip(above), Side{Boundary: b}))
		visit(right, rightRows, append(slices.Clip(above), Side{Boundary: b, Right: true}))
	}
	visit(0, allRows(data), nil)
	return steps
}

// allRows returns the rows of a data set.
func allRows(d *datasets.Dataset) []int32 {
	rows := make([]int32, d.N())
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

func nodeCaption(node int32, data *datasets.Dataset, rows []int32) string {
	counts, most := make([]int, len(data.Classes)), 0
	for _, i := range rows {
		counts[data.Labels[i]]++
		most = max(most, counts[data.Labels[i]])
	}
	s := fmt.Sprintf("Node %d: %s rows", node, formatNumber(float64(len(rows))))
	if len(rows) > 0 {
		s += fmt.Sprintf(", purity %.2f", float64(most)/float64(len(rows)))
	}
	return s
}

func (s MixtureSteps) figure() *Figure {
	area := s.check()
	live := &frame{newPoints(s.Steps[0].Data, 0, 1, nil), area}
	if s.Steps[0].Equal {
		live.equalUnits()
	}
	drawings := make([]*mixtureDrawing, len(s.Steps))
	marks := 0
	for i, step := range s.Steps {
		drawings[i] = step.drawing(live.rectangle)
		marks += len(drawings[i].rows.rows)
	}
	grid := Grid{Title: s.Title}
	for _, i := range shownSteps(len(s.Steps) - 1) {
		p := drawings[i].plot(area)
		panel := plotFigure(s.Steps[i].Title, s.Steps[i].alt(), p)
		if s.Steps[i].Equal {
			panel.equalUnits(p)
		}
		grid.Charts = append(grid.Charts, panel)
	}
	f := grid.figure()
	for _, d := range drawings { // a step may lack some of them
		for _, k := range d.keys() {
			if !slices.ContainsFunc(f.keys, func(other key) bool { return other.name == k.name }) {
				f.keys = append(f.keys, k)
			}
		}
	}
	if marks <= mixtureMarks {
		f.live = func() any { return s.live(live, drawings, f.keys) }
	}
	return f
}

// check returns the range of the axes.
func (s MixtureSteps) check() (area rectangle) {
	if len(s.Steps) == 0 {
		misuse("steps of no mixtures")
	}
	first := s.Steps[0]
	for i, step := range s.Steps {
		step.check()
		if step.Data != first.Data || step.Equal != first.Equal || step.Data.Labels == nil {
			misuse("mixture %d of the steps has other data or other axes than the first, or no labels", i)
		}
		if i == 0 {
			area = step.area()
		}
		area = area.union(step.area())
	}
	return area
}

// live draws all steps into one SVG element.
func (s MixtureSteps) live(f *frame, drawings []*mixtureDrawing, keys []key) stepper {
	var captions []string
	for _, step := range s.Steps {
		captions = append(captions, step.Title)
	}
	return f.steps(s.Title, keys, captions, 0, func(b *strings.Builder) {
		// A nested element hides what is outside of it.
		fmt.Fprintf(b, `<svg x="%[1]d" y="%[2]d" width="%[3]d" height="%[4]d" viewBox="%[1]d %[2]d %[3]d %[4]d">`,
			frameLeft, frameTop, frameRight-frameLeft, frameBottom-frameTop)
		f.writeGrey(b)
		for i, d := range drawings {
			fmt.Fprintf(b, `<g data-from="%d" data-to="%d">`, i, i+1)
			f.writePoints(b, d.rows)
			d.write(b, f)
			b.WriteString("</g>")
		}
		fmt.Fprintf(b, `</svg><path fill="none" stroke="%s" stroke-width="10" d="M%d %dV%dH%d"/>`,
			hex(grey), frameLeft, frameTop, frameBottom, frameRight)
	})
}

// writeGrey draws all rows as grey dots.
func (f *frame) writeGrey(b *strings.Builder) {
	fmt.Fprintf(b, `<path stroke="%s" stroke-width="%.0f" stroke-linecap="round" d="`, hex(greyStyle.Color),
		20*greyStyle.Radius/px)
	f.each(func(_ int, x, y float64) { fmt.Fprintf(b, "M%d %dh0", f.toX(x), f.toY(y)) })
	b.WriteString(`"/>`)
}

// write writes the lines and means.
func (d *mixtureDrawing) write(b *strings.Builder, f *frame) {
	for _, curve := range d.curves() {
		fmt.Fprintf(b, `<path %s d="`, svgStroke(curve.style))
		for _, line := range curve.lines {
			b.WriteString(f.path(line))
		}
		b.WriteString(`"/>`)
	}
	for _, g := range d.Components {
		x, y := f.toX(g.Mean[0]), f.toY(g.Mean[1])
		fmt.Fprintf(b,
			`<g fill="%s" stroke="%s" paint-order="stroke"><path stroke-width="16" d="M%d %d%s"/><text `+
				`x="%d" y="%d" stroke-width="40" font-weight="bold">%s</text></g>`,
			hex(ink), hex(white), x, y, meanStyle.Shape.(shape).path(), x+90, y+40, html.EscapeString(weightLabel(g)))
	}
}
