package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/forest"
)

// TreeDiagram draws one tree of a forest, the root on the left. Where the inequality of a split holds, the upper branch
// is taken. A leaf shows its class, the training weight of that class and, if it is mixed, of the whole leaf. In a
// regression tree it shows its value and weight; a linear leaf shows its weight. Trees of up to 1,000 nodes have a live
// chart of the whole tree, in which branches can be folded.
//
// [Draw] panics if the model has no such tree.
type TreeDiagram struct {
	Title string
	Model *forest.Forest
	Tree  int // which of Model.Trees

	// Depth is the most splits drawn on a path; one box sums up the nodes below.
	// 0 means 4.
	Depth int
}

// liveNodes is the most nodes of a tree that has a live chart.
const liveNodes = 1000

func (t TreeDiagram) figure() *Figure {
	d := &treeDrawing{treeLayout: newTreeLayout(t.Model, t.Tree, t.Depth), title: t.Title}
	d.columns = make([]vg.Length, d.levels)
	d.root.each(d.setText)
	width := 24*px + 40*px
	for _, column := range d.columns {
		width += column
	}
	f := &Figure{
		Title:  t.Title,
		Alt:    d.alt(),
		Width:  math.Ceil(max(defaultWidth/2, float64(width/px)+float64(d.levels-1)*columnGap)),
		Height: math.Ceil(60 + d.slots*max(26, (lineHeight*float64(d.lines)+14)/2)),
		keys:   d.keys(),
		body:   d.draw,
	}
	f.grow(0.85 * (f.Height - 60)) // for a legend of several rows
	if len(d.tree.Nodes) <= liveNodes {
		f.live, f.tall = d.live, 1.5 // ECharts puts siblings closer together than cousins
	}
	return f
}

// alt says what the tree asks at its root and what its branches lead to.
func (d *treeDrawing) alt() string {
	s := fmt.Sprintf("Decision tree of depth %d with %d leaves; at the root: %s.", d.tree.Depth(), d.tree.Leaves(),
		d.text(0))
	if d.root.left != nil {
		s += fmt.Sprintf(" If so: %s; otherwise: %s.", strings.Join(d.root.left.lines, " "),
			strings.Join(d.root.right.lines, " "))
	}
	return s
}

// In CSS pixels.
const (
	lineHeight    = 15.0
	textWidth     = 170.0 // of a box, unless a word is longer
	liveTextWidth = 125
	mostLines     = 12   // of a box
	columnGap     = 28.0 // between the columns of boxes
)

// A treeLayout is a tree with the places of its boxes: each leaf has a slot of its own, and a split is in the middle
// between its children.
type treeLayout struct {
	model  *forest.Forest
	tree   *forest.Tree
	depth  int         // the most splits drawn on a path
	sum    [][]float64 // training weight of each class below a node; of all rows in a regression tree
	style  draw.TextStyle
	root   *box
	slots  float64
	levels int
}

// A box is a split or a leaf, or stands for a whole subtree.
type box struct {
	node, level int
	slot        float64 // middle, in slots from the first
	cut         bool    // stands for a subtree
	left, right *box
	lines       []string // of a [TreeDiagram]
	width       vg.Length
}

// newTreeLayout places the boxes of a tree. Depth 0 means 4.
func newTreeLayout(model *forest.Forest, tree, depth int) treeLayout {
	if depth < 0 {
		misuse("a tree drawn to depth %d", depth)
	}
	t := treeOf(model, tree)
	d := treeLayout{model: model, tree: t, depth: cmp.Or(depth, 4), sum: t.ClassWeights(),
		style: textStyle(tickSize, false)}
	d.root = d.place(0, 0)
	return d
}

// treeOf returns a tree of a model. It panics if there is no such tree.
func treeOf(model *forest.Forest, tree int) *forest.Tree {
	if tree < 0 || tree >= len(model.Trees) {
		misuse("tree %d of a forest of %d", tree, len(model.Trees))
	}
	return &model.Trees[tree]
}

// place returns the box of a node, with the boxes of all nodes below it.
func (d *treeLayout) place(node, level int) *box {
	n := d.tree.Nodes[node]
	b := &box{node: node, level: level, cut: !n.IsLeaf() && level == d.depth}
	d.levels = max(d.levels, level+1)
	if n.IsLeaf() || b.cut {
		b.slot = d.slots + 0.5
		d.slots++
		return b
	}
	b.left, b.right = d.place(node+1, level+1), d.place(int(n.Next), level+1)
	b.slot = (b.left.slot + b.right.slot) / 2
	return b
}

// each visits a box, and then those below it from the first slot to the last.
func (b *box) each(visit func(*box)) {
	visit(b)
	if b.left != nil {
		b.left.each(visit)
		b.right.each(visit)
	}
}

// A treeDrawing is a tree whose levels are columns.
type treeDrawing struct {
	treeLayout
	title   string
	columns []vg.Length // width of each level's boxes
	lines   int         // of the box with the most lines
}

// setText sets the text of a box, and so its width.
func (d *treeDrawing) setText(b *box) {
	text := d.text(b.node)
	if b.cut {
		text = d.hidden(b.node)
	}
	if b.lines = wrap(text, d.style, textWidth*px); len(b.lines) > mostLines {
		b.lines = append(b.lines[:mostLines-1:mostLines-1], "…")
	}
	for i, line := range b.lines {
		b.lines[i] = shorten(line, d.style, 3*textWidth*px)
	}
	for _, line := range b.lines {
		b.width = max(b.width, d.style.Width(line)+12*px)
	}
	d.lines = max(d.lines, len(b.lines))
	d.columns[b.level] = max(d.columns[b.level], b.width)
}

// noBreak joins the words of a name or a term by no-break spaces, so that boxes
// break between terms.
func noBreak(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") }

// text returns the text of a node's box.
func (d *treeDrawing) text(node int) string {
	n := d.tree.Nodes[node]
	if !n.IsLeaf() {
		return splitText(d.model.Question(d.tree, node))
	}
	leaf := d.tree.Leaf(node)
	count := " (" + formatNumber(float64(leaf.Weight)) + ")"
	switch leaf.Kind {
	case forest.LeafLinear:
		return noBreak("linear model" + count)
	case forest.LeafValue, forest.LeafValues:
		return noBreak(leafValue(d.model, leaf) + count)
	}
	return d.counts(node)
}

// leafValue formats the value that a leaf predicts or, of a value for each class, the class of the largest and that.
func leafValue(model *forest.Forest, leaf forest.Leaf) string {
	if leaf.Kind == forest.LeafValues {
		k := slices.Index(leaf.Dist, slices.Max(leaf.Dist))
		return model.Classes[k] + ": " + formatShort(float64(leaf.Dist[k]), 4)
	}
	if model.Offset() != 0 {
		return model.ValueString(leaf)
	}
	return formatShort(float64(leaf.Value), 4)
}

// values reports whether boxes show the weight of rows instead of classes: in regression trees, and in trees with
// linear leaves, which don't store class weights.
func (d *treeLayout) values() bool { return d.tree.Classes == 0 || d.tree.HasLinearLeaves() }

// knowsClass reports whether the largest class of a box without children is known.
func (d *treeDrawing) knowsClass(b *box) bool {
	if b.cut || d.tree.Classes == 0 {
		return !d.values()
	}
	return d.tree.Leaf(b.node).Kind != forest.LeafLinear
}

// counts returns a text with the largest class at a node and its weight.
func (d *treeDrawing) counts(node int) string {
	k, all := d.majority(node)
	return noBreak(d.model.Classes[k] + " " + share(d.sum[node][k], all))
}

// share returns a text such as "24 of 30", or the number alone if the part is all.
func share(part, all float64) string {
	if part < all {
		return formatNumber(part) + " of " + formatNumber(all)
	}
	return formatNumber(all)
}

// hidden returns the text of a box that stands for a subtree.
func (d *treeDrawing) hidden(node int) string {
	s := noBreak(fmt.Sprintf("… %d leaves, ", d.leavesBelow(node)))
	if d.values() {
		_, all := d.majority(node)
		return s + formatNumber(all)
	}
	return s + d.counts(node)
}

func (d *treeLayout) leavesBelow(node int) int {
	n := d.tree.Nodes[node]
	if n.IsLeaf() {
		return 1
	}
	return d.leavesBelow(node+1) + d.leavesBelow(int(n.Next))
}

// majority returns the class with the largest weight at a node, and the weight of
// all classes.
func (d *treeLayout) majority(node int) (class int, all float64) {
	for k, w := range d.sum[node] {
		all += w
		if w > d.sum[node][class] {
			class = k
		}
	}
	return class, all
}

// splitTerms is the most terms of a split function that are written out.
const splitTerms = 4

// splitText returns what a split asks as text: of a feature or of a sum, such as "x1 − 0.5·x3 ≤ 2.5".
func splitText(q forest.Question) string {
	var terms []string
	for _, term := range q.Terms(2) {
		terms = append(terms, noBreak(term))
	}
	switch k := len(terms); {
	case k == 0:
		terms = []string{"0"}
	case k > splitTerms+1:
		terms = append(terms[:splitTerms], noBreak(fmt.Sprintf("+ … (%d terms)", k)))
	}
	condition := q.Condition(thresholdText)
	if q.Asks != forest.In { // lists may break
		condition = noBreak(condition)
	}
	return strings.Join(terms, " ") + " " + condition
}

// thresholdText formats a threshold with three significant digits, but in full if it is halfway between whole numbers
// or has at most six digits. Data have such numbers, and a threshold between two of them, rounded, may be one of them.
func thresholdText(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 32)
	digits := strings.TrimLeft(strings.Replace(text, ".", "", 1), "-0")
	if size := math.Abs(v); size < 1e-4 || size >= 1e12 || len(digits) > 6 && 2*v != math.Trunc(2*v) {
		return formatShort(v, 3)
	}
	if math.Abs(v) < 1000 {
		return minusSigns(text)
	}
	if _, part, ok := strings.Cut(text, "."); ok {
		return formatNumber(math.Trunc(float64(float32(v)))) + "." + part
	}
	return formatNumber(v)
}

func (d *treeDrawing) keys() (keys []key) {
	if d.tree.Classes == 0 {
		return nil // of values, which may be summed to the scores of classes
	}
	for k, name := range d.model.Classes {
		keys = append(keys, key{name: name, glyph: marker(leafFill(k), 6, shapes[1])})
	}
	return keys
}

// leafFill returns the background of a leaf of class k, close enough to the ground for text.
func leafFill(k int) color.NRGBA { return mix(white, classColor(k), 0.45) }

func (d *treeDrawing) draw(c draw.Canvas) {
	x := make([]vg.Length, len(d.columns)) // left ends of the columns
	for level := range x {
		x[level] = c.Min.X
		if level > 0 {
			x[level] = x[level-1] + d.columns[level-1] + columnGap*px
		}
	}
	row := (c.Max.Y - c.Min.Y) / vg.Length(d.slots)
	middle := func(b *box) vg.Point { return pt(x[b.level], c.Max.Y-vg.Length(b.slot)*row) }
	d.root.each(func(b *box) { d.drawEdges(c, b, middle) })
	d.root.each(func(b *box) { d.drawBox(c, b, middle(b)) })
}

func (d *treeDrawing) drawEdges(c draw.Canvas, b *box, middle func(*box) vg.Point) {
	if b.left == nil {
		return
	}
	from := middle(b)
	from.X += b.width
	for _, child := range []*box{b.left, b.right} {
		to := middle(child)
		bend := to.X - columnGap/2*px
		c.StrokeLines(stroke(grey, 1.2), []vg.Point{from, {X: bend, Y: from.Y}, {X: bend, Y: to.Y}, to})
	}
}

func (d *treeDrawing) drawBox(c draw.Canvas, b *box, at vg.Point) {
	half := (lineHeight*vg.Length(len(b.lines)) + 5) / 2 * px
	fill := boxFill
	if b.left == nil && d.knowsClass(b) {
		k, _ := d.majority(b.node)
		fill = leafFill(k)
		if b.cut {
			fill = mix(white, fill, 0.4)
		}
	}
	r := rect(at.X, at.Y-half, at.X+b.width, at.Y+half)
	fillRectangle(c, fill, r)
	strokeRectangle(c, b.edge(), r)
	for i, line := range b.lines {
		down := lineHeight * px * (vg.Length(i) - vg.Length(len(b.lines)-1)/2)
		c.FillText(d.style, pt(at.X+6*px, at.Y-down+px), line)
	}
}

// edge returns the frame of a box.
func (b *box) edge() draw.LineStyle {
	if b.cut {
		return stroke(grey, 1, 2, 2)
	}
	return stroke(grey, 1)
}

// live returns the ECharts chart of the whole tree, folded below Depth as the picture is.
func (d *treeDrawing) live() any {
	chart := charts.NewTree()
	liveText(&chart.BaseConfiguration, d.title)
	chart.Tooltip.Formatter = "{b}"
	chart.Legend.Show = no
	label := opts.Label{Show: yes, FontSize: 12, LineHeight: lineHeight, VerticalAlign: "middle",
		BackgroundColor: hex(white), BorderColor: hex(pale), BorderWidth: 1}
	inner, leaf := label, label
	inner.Position, inner.Align = "left", "right"
	leaf.Position, leaf.Align = "right", "left"
	chart.AddSeries("", []opts.TreeData{*d.liveNode(0)}, charts.WithTreeOpts(opts.TreeChart{
		Layout: "orthogonal", Orient: "LR", InitialTreeDepth: d.depth, Roam: yes, ExpandAndCollapse: yes,
		Label: &inner, Leaves: &opts.TreeLeaves{Label: &leaf},
		Left: fmt.Sprint(liveTextWidth + 20), Right: fmt.Sprint(liveTextWidth + 30), Top: "60", Bottom: "20",
	}))
	return chart.JSON()
}

func (d *treeDrawing) liveNode(node int) *opts.TreeData {
	n := d.tree.Nodes[node]
	name := strings.Join(wrap(d.text(node), d.style, liveTextWidth*px), "\n")
	data := &opts.TreeData{Name: name, SymbolSize: 9, ItemStyle: &opts.ItemStyle{Color: hex(grey)}}
	if !d.values() {
		k, _ := d.majority(node)
		data.ItemStyle = &opts.ItemStyle{Color: hex(classColor(k)), BorderColor: hex(classColor(k))}
	}
	if !n.IsLeaf() {
		data.Children = []*opts.TreeData{d.liveNode(node + 1), d.liveNode(int(n.Next))}
	}
	return data
}
