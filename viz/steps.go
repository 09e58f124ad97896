package viz

import (
	"fmt"
	"html"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/viz/internal/steps"
)

// Steps shows how a tree over two features divides the plane, step by step. In a forest of package graf a step is a
// hyperplane, drawn for the most impure region and extended to every impure region it cuts (Gupta et al., figure 2).
// Its line is thick where it divides regions, and dashed where it passes through pure ones or separates no rows. In
// other forests each step divides one region.
//
//	model, err := graf.Learner{Trees: 1, TreeFeatures: graf.All}.Fit(ctx, train)
//	…
//	viz.Show(viz.Steps{Title: "A tree of GRAF", Model: model, Data: train})
//
// A region has its class's colour if its training rows are all of one class, and is white otherwise. The picture shows
// at most six steps. Trees of up to 500 nodes have a live chart, which shows every step.
//
// [Draw] panics if the model has no such tree, predicts values, doesn't have two features, or has other classes than
// the data, and if the tree has quadratic splits, or leaves with values or linear models.
type Steps struct {
	Title string
	Model *forest.Forest    // a classifier over two features
	Tree  int               // which of Model.Trees
	Data  *datasets.Dataset // the rows to draw, which also set the range of the axes
	Equal bool              // units have the same length on both axes
}

// stepNodes is the most nodes of a tree that has a live chart of its steps.
const stepNodes = 500

func (s Steps) figure() *Figure {
	s.check()
	points := newPoints(s.Data, 0, 1, nil)
	d := divide(&s.Model.Trees[s.Tree], points)
	grid := Grid{Title: s.Title}
	for _, step := range shownSteps(d.steps) {
		p := points.plot()
		p.Add(stage{d, step}, points)
		panel := plotFigure(d.caption(step), "", p)
		if s.Equal {
			panel.equalUnits(p)
		}
		grid.Charts = append(grid.Charts, panel)
	}
	f := grid.figure()
	f.Alt = points.alt() + "\n" + f.Alt
	f.keys = append(points.keys(),
		key{name: "plane of the step, where it divides", line: chordStyle},
		key{name: "where it doesn't", line: beyondStyle})
	if len(d.regions) <= stepNodes {
		f.live = func() any {
			frame := &frame{points, points.area()}
			if s.Equal {
				frame.equalUnits()
			}
			var captions []string
			for step := range d.steps + 1 {
				captions = append(captions, d.caption(step))
			}
			return frame.steps(s.Title, f.keys, captions, min(1, d.steps), func(b *strings.Builder) {
				d.writeRegions(b, frame)
				frame.writePoints(b, points)
			})
		}
	}
	return f
}

func (s Steps) check() {
	m := s.Model
	switch tree := treeOf(m, s.Tree); {
	case m.Regression():
		misuse("steps of a forest that predicts values; want classes")
	case tree.Classes == 0 || tree.HasLinearLeaves():
		misuse("steps of a tree whose leaves hold values or linear models; want classes or class weights")
	case len(m.Features) != 2 || s.Data.P() != 2:
		misuse("steps of a model of %d features with data of %d; want 2", len(m.Features), s.Data.P())
	case !slices.Equal(m.Classes, s.Data.Classes):
		misuse("the data have classes %q, the model %q", s.Data.Classes, m.Classes)
	}
}

// A division is the plane divided into convex polygons, step by step.
type division struct {
	tree    *forest.Tree
	steps   int
	regions []region      // by node, in preorder
	lines   []plotter.XYs // of each step from 1, across the whole picture
}

// A region is a node's polygon. It exists from step from on, until step to divides it
// along its chord.
type region struct {
	from, to int
	class    int // of its training rows; −1 if they have several classes
	corners  plotter.XYs
	chord    plotter.XYs
}

func divide(tree *forest.Tree, p points) *division {
	weights := tree.ClassWeights()
	splitAt, last := steps.Number(tree)
	d := &division{tree: tree, steps: last, lines: make([]plotter.XYs, last)}
	r := p.area()
	whole := plotter.XYs{{X: r.x1, Y: r.y1}, {X: r.x2, Y: r.y1}, {X: r.x2, Y: r.y2}, {X: r.x1, Y: r.y2}}
	d.regions = make([]region, len(tree.Nodes))
	d.regions[0].corners = whole
	for i, n := range tree.Nodes {
		r := &d.regions[i]
		r.class, r.to = onlyClass(weights[i]), d.steps+1
		if n.IsLeaf() {
			continue
		}
		left, right := &d.regions[i+1], &d.regions[n.Next]
		line := splitLine(tree, n)
		left.corners, right.corners, r.chord = cutPolygon(r.corners, line)
		r.to = splitAt[i]
		left.from, right.from = r.to, r.to
		_, _, d.lines[r.to-1] = cutPolygon(whole, line)
	}
	return d
}

// onlyClass returns the only class that has weight, or −1 if there isn't just one.
func onlyClass(weights []float64) int {
	class := -1
	for k, w := range weights {
		if w > 0 && class >= 0 {
			return -1
		}
		if w > 0 {
			class = k
		}
	}
	return class
}

// splitLine returns a linear function that is at most 0 on the left of a split.
func splitLine(tree *forest.Tree, n forest.Node) func(plotter.XY) float64 {
	fn := tree.Splits.At(n.Split)
	if !fn.Kind.Linear() {
		misuse("steps of a tree with quadratic splits, which don't divide the plane by lines")
	}
	var a [2]float64
	for k, j := range fn.Features {
		a[j] = float64(fn.Weights[k])
	}
	return func(p plotter.XY) float64 { return a[0]*p.X + a[1]*p.Y - float64(n.Value) }
}

// cutPolygon divides a convex polygon where the linear function f changes sign. The
// chord is the edge between the parts.
func cutPolygon(corners plotter.XYs, f func(plotter.XY) float64) (left, right, chord plotter.XYs) {
	for i, p := range corners {
		q := corners[(i+1)%len(corners)]
		a, b := f(p), f(q)
		if a <= 0 {
			left = append(left, p)
		}
		if a >= 0 {
			right = append(right, p)
		}
		if a == 0 {
			chord = append(chord, p)
		}
		if a < 0 && b > 0 || a > 0 && b < 0 {
			at := crossing(p, q, a, b)
			left, right, chord = append(left, at), append(right, at), append(chord, at)
		}
	}
	return left, right, chord
}

// at reports whether the region exists after a step.
func (r region) at(step int) bool { return r.from <= step && step < r.to }

// caption returns the caption of a step: how many regions it divides, and how many
// there are then.
func (d *division) caption(step int) string {
	regions, impure, divided := 0, 0, 0
	for _, r := range d.regions {
		if r.at(step) {
			regions++
			if r.class < 0 {
				impure++
			}
		}
		if r.to == step {
			divided++
		}
	}
	if step == 0 {
		return fmt.Sprintf("Step 0: 1 region, %d impure", impure)
	}
	return fmt.Sprintf("Step %d divides %d: %d regions, %d impure", step, divided, regions, impure)
}

// shownSteps returns the steps of the picture, for steps from 0 to last: all if there are
// few; otherwise the first ones, the last, and one between them on a logarithmic scale.
func shownSteps(last int) []int {
	steps := []int{0, 1, 2, 3, int(math.Round(math.Sqrt(3 * float64(last)))), last}
	if last < len(steps) {
		steps = []int{0, 1, 2, 3, 4, 5}[:last+1]
	}
	return steps
}

var edgeStyle = stroke(grey, 0.8)
var beyondStyle = stroke(ink, 1.2, 5*px, 4*px)
var chordStyle = stroke(ink, 2.6)

// ground returns the colour of a region.
func (r region) ground() color.NRGBA {
	if r.class < 0 {
		return white
	}
	return paleColor(r.class)
}

// paleColor returns the colour of a class, pale enough for points of the same hue.
func paleColor(class int) color.NRGBA { return mix(white, classColor(class), 0.3) }

// A stage is a division after a step, to be drawn.
type stage struct {
	*division
	step int
}

// Plot draws the regions, and the line of the step.
func (s stage) Plot(c draw.Canvas, p *plot.Plot) {
	path := toCanvas(c, p)
	for _, r := range s.regions {
		if corners := path(r.corners); r.at(s.step) && len(corners) > 2 {
			c.FillPolygon(r.ground(), corners)
			c.StrokeLines(edgeStyle, append(corners, corners[0]))
		}
	}
	if s.step == 0 {
		return
	}
	c.StrokeLines(beyondStyle, path(s.lines[s.step-1]))
	for _, r := range s.regions {
		if r.to == s.step {
			c.StrokeLines(chordStyle, path(r.chord))
		}
	}
}

// toCanvas returns a function that turns points of a plot into points of its canvas.
func toCanvas(c draw.Canvas, p *plot.Plot) func(plotter.XYs) []vg.Point {
	toX, toY := p.Transforms(&c)
	return func(points plotter.XYs) (path []vg.Point) {
		for _, p := range points {
			path = append(path, pt(toX(p.X), toY(p.Y)))
		}
		return path
	}
}

// A stepper is what the page's script needs to go through the steps: their captions,
// and HTML whose elements are shown from step data-from until before data-to.
type stepper struct {
	Steps []string `json:"steps"`
	HTML  string   `json:"html"`
}

// A frame is the plotting area of the live chart. Its coordinates are whole numbers,
// in tenths of a CSS pixel.
type frame struct {
	points    // for the names of the axes
	rectangle // the ranges of the axes
}

const (
	frameLeft, frameRight = 560, 6280
	frameTop, frameBottom = 60, 3560
)

// equalUnits widens one of the ranges, so that units have the same length on both axes.
func (f *frame) equalUnits() {
	const wide, high = frameRight - frameLeft, frameBottom - frameTop
	unit := max((f.x2-f.x1)/wide, (f.y2-f.y1)/high)
	dx, dy := (unit*wide-(f.x2-f.x1))/2, (unit*high-(f.y2-f.y1))/2
	f.rectangle = rectangle{f.x1 - dx, f.x2 + dx, f.y1 - dy, f.y2 + dy}
}

func (f *frame) toX(x float64) int {
	return frameLeft + int(math.Round((x-f.x1)/(f.x2-f.x1)*(frameRight-frameLeft)))
}

func (f *frame) toY(y float64) int {
	return frameBottom - int(math.Round((y-f.y1)/(f.y2-f.y1)*(frameBottom-frameTop)))
}

func (f *frame) path(points plotter.XYs) string {
	var b strings.Builder
	for i, p := range points {
		fmt.Fprintf(&b, "%c%d %d", "ML"[min(i, 1)], f.toX(p.X), f.toY(p.Y))
	}
	return b.String()
}

// writeRegions writes the regions, and the line of each step.
func (d *division) writeRegions(b *strings.Builder, f *frame) {
	b.WriteString(`<g stroke-linejoin="round" ` + svgStroke(edgeStyle) + ">")
	for _, r := range d.regions {
		if len(r.corners) > 2 {
			fmt.Fprintf(b, `<path data-from="%d" data-to="%d" fill="%s" d="%sZ"/>`, r.from, r.to, hex(r.ground()),
				f.path(r.corners))
		}
	}
	fmt.Fprintf(b, "</g><g %s>", svgStroke(beyondStyle))
	for i, line := range d.lines {
		fmt.Fprintf(b, `<path data-from="%d" data-to="%d" d="%s"/>`, i+1, i+2, f.path(line))
	}
	fmt.Fprintf(b, "</g><g %s>", svgStroke(chordStyle))
	for _, r := range d.regions {
		if len(r.chord) > 1 {
			fmt.Fprintf(b, `<path data-from="%d" data-to="%d" d="%s"/>`, r.to, r.to+1, f.path(r.chord))
		}
	}
	b.WriteString("</g>")
}

// steps returns a live chart that goes through steps, of which the given one is shown first. write writes all but the
// axes.
func (f *frame) steps(title string, keys []key, captions []string, first int, write func(b *strings.Builder)) stepper {
	var b strings.Builder
	fmt.Fprintf(&b, `<div style="max-width:640px;padding:6px;background:%s;color:%s;font:13px sans-serif">`+
		`<b style="font-size:16px">%s</b><div>`, hex(white), hex(ink), html.EscapeString(title))
	writeKeys(&b, keys)
	b.WriteString(`</div><svg viewBox="0 0 6400 4000" style="width:100%" font-size="120">`)
	write(&b)
	f.writeAxes(&b)
	// Otherwise JupyterLab would handle the arrow keys.
	fmt.Fprintf(&b, `</svg><div data-lm-suppress-shortcuts="true"><button aria-label="step back">←</button> `+
		`<input type="range" max="%d" value="%d" aria-label="step" style="width:45%%;vertical-align:middle"/> `+
		`<button aria-label="step on">→</button> <output></output></div></div>`, len(captions)-1, first)
	return stepper{captions, b.String()}
}

// writePoints draws the points of each class as one path.
func (f *frame) writePoints(b *strings.Builder, p points) {
	marks := make([]strings.Builder, len(p.data.Classes))
	p.each(func(row int, x, y float64) {
		k := p.class(row)
		fmt.Fprintf(&marks[k], "M%d %d%s", f.toX(x), f.toY(y), classShape(k).(shape).path())
	})
	for k := range marks {
		fmt.Fprintf(b, `<path fill="%s" stroke="%s" stroke-width="8" paint-order="stroke" d="%s"/>`, hex(classColor(k)),
			hex(white), marks[k].String())
	}
}

// writeAxes writes the ticks and names of the axes.
func (f *frame) writeAxes(b *strings.Builder) {
	fmt.Fprintf(b, `<g fill="%s" text-anchor="middle">`, hex(ink))
	all := func([]plot.Tick) bool { return true }
	for _, t := range linearTicks(f.x1, f.x2, all) {
		fmt.Fprintf(b, `<text x="%d" y="%d">%s</text>`, f.toX(t.Value), frameBottom+160, t.Label)
	}
	for _, t := range linearTicks(f.y1, f.y2, all) {
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%s</text>`, frameLeft-50, f.toY(t.Value)+40, t.Label)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d">%s</text>`, (frameLeft+frameRight)/2, frameBottom+340,
		html.EscapeString(f.name(0)))
	fmt.Fprintf(b, `<text transform="translate(140 %d)rotate(-90)">%s</text>`, (frameTop+frameBottom)/2,
		html.EscapeString(f.name(1)))
	b.WriteString("</g>")
}

// writeKeys writes a legend.
func writeKeys(b *strings.Builder, keys []key) {
	for _, k := range keys {
		b.WriteString(`<span style="white-space:nowrap">`)
		if k.glyph.Shape != nil {
			fmt.Fprintf(b, `<svg width="14" height="14" style="vertical-align:middle" viewBox="-70 -70 140 140">`+
				`<path fill="%s" d="M0 0%s"/></svg>`, hex(k.glyph.Color), k.glyph.Shape.(shape).path())
		} else {
			fmt.Fprintf(b, `<svg width="26" height="10" style="vertical-align:middle" viewBox="0 -50 260 100">`+
				`<path %s d="M0 0H260"/></svg>`, svgStroke(k.line))
		}
		fmt.Fprintf(b, " %s</span> ", html.EscapeString(k.name))
	}
}

// svgStroke writes a line style as attributes.
func svgStroke(s draw.LineStyle) string {
	var dashes []string
	for _, d := range s.Dashes {
		dashes = append(dashes, fmt.Sprintf("%.0f", 10*d/px))
	}
	return fmt.Sprintf(`fill="none" stroke="%s" stroke-width="%.0f" stroke-dasharray="%s"`,
		hex(s.Color), 10*s.Width/px, strings.Join(dashes, " "))
}
