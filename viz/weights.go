package viz

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/forest"
)

// WeightImages draws one tree of a forest whose features are the pixels of an image, the root on top. Each split is a
// picture of its weights: bright pixels of an image send it to the right child where the split is vermillion, to the
// left one where it is blue, and don't matter where it is white. Below is the number of weights that aren't 0. A leaf
// shows its largest class and a bar for the share of each class, and below the training weight of the largest one and,
// if there are others, of all. In a regression tree it shows its value and weight; a linear leaf shows its weight.
//
// The colours of each split have their own scale, since a split stays the same if its weights and its threshold are
// multiplied by a number. The darkest colours are for the 2 % of the nonzero weights that are largest in magnitude, so
// that a few of them can't make the others pale.
//
// Saved as .svg, large trees can be magnified.
//
// [Draw] panics if the model has no such tree, if its features aren't rows of Columns pixels or, where Columns is 0, a
// square, if Depth is negative, and if the tree has quadratic splits.
type WeightImages struct {
	Title string
	Model *forest.Forest
	Tree  int // which of Model.Trees

	// Columns is the number of pixels in a row of the image, whose features go row by
	// row from the top left. 0 means a square image.
	Columns int

	// Depth is the most splits drawn on a path; one box sums up the nodes below.
	// 0 means 4.
	Depth int
}

func (w WeightImages) figure() *Figure {
	d := w.drawing()
	width, height := d.size()
	f := &Figure{Title: w.Title, Alt: d.alt(), Width: max(defaultWidth/2, width+24), Height: 1, keys: d.keys(),
		body: d.drawTree}
	f.grow(height)
	return f
}

// drawing returns the tree with the positions and sizes of its tiles.
func (w WeightImages) drawing() *weightDrawing {
	w.check()
	columns := cmp.Or(w.Columns, squareSide(w.Model.P()))
	d := &weightDrawing{
		treeLayout: newTreeLayout(w.Model, w.Tree, w.Depth),
		width:      columns,
		height:     w.Model.P() / columns,
	}
	d.setSizes()
	return d
}

func (w WeightImages) check() {
	p := w.Model.P()
	switch {
	case p == 0 || w.Columns < 0 || w.Columns > 0 && p%w.Columns != 0:
		misuse("%d features aren't the pixels of rows of %d", p, w.Columns)
	case w.Columns == 0 && squareSide(p)*squareSide(p) != p:
		misuse("%d features aren't the pixels of a square image; set Columns", p)
	}
	for _, fn := range treeOf(w.Model, w.Tree).Splits.All() {
		if !fn.Kind.Linear() {
			misuse("images of a tree with quadratic splits, which have more than a weight for each feature")
		}
	}
}

// squareSide returns √p, rounded.
func squareSide(p int) int { return int(math.Round(math.Sqrt(float64(p)))) }

// In CSS pixels.
const (
	leastTile     = 60.0  // side of a tile, unless a row of pixels is longer
	largestTile   = 112.0 // of an image enlarged as far as it fits
	usualWidth    = 960.0 // of a figure that has room for larger tiles
	tileGap       = 12.0
	edgeHeight    = 34.0
	captionHeight = 17.0 // of a line
)

// A weightDrawing is a tree whose levels are rows of tiles.
type weightDrawing struct {
	treeLayout
	width, height int // of the image, in pixels

	zoom                   int     // size of a pixel of the image, in half CSS pixels, so that it is whole in a PNG
	tileWidth, tileHeight  float64 // in CSS pixels
	slotWidth, levelHeight float64
}

// setSizes chooses the sizes of pixels and tiles.
func (d *weightDrawing) setSizes() {
	side := min(largestTile, max(leastTile, usualWidth/d.slots-tileGap))
	d.zoom = max(1, int(2*side)/max(d.width, d.height))
	d.tileWidth = max(leastTile, float64(d.width*d.zoom)/2)
	d.tileHeight = max(leastTile, float64(d.height*d.zoom)/2)
	d.slotWidth = d.tileWidth + tileGap
	d.levelHeight = d.tileHeight + captionHeight + edgeHeight
}

// size returns the width and height of the tree in CSS pixels, with two lines below the
// lowest tiles.
func (d *weightDrawing) size() (width, height float64) {
	return d.slots * d.slotWidth, float64(d.levels)*d.levelHeight - edgeHeight + captionHeight
}

func (d *weightDrawing) alt() string {
	root := "a leaf"
	if n := d.tree.Nodes[0]; !n.IsLeaf() {
		root = d.caption(0)
	}
	return fmt.Sprintf("Decision tree of depth %d with %d leaves, its splits as images of %d × %d "+
		"pixels; at the root: %s.",
		d.tree.Depth(), d.tree.Leaves(), d.width, d.height, root)
}

func (d *weightDrawing) keys() []key {
	keys := []key{{name: "bright pixels send to the left (blue) or to the right (vermillion)",
		ramp: func(t float64) color.NRGBA { return diverging(2*t - 1) }}}
	if _, fit := d.barNames(d.barStep()); fit || d.values() {
		return keys
	}
	return append(keys, regionKeys(d.model.Classes, nil)...)
}

// diverging is [blueToVermillion] in steps: a PNG has 256 colours for everything.
func diverging(t float64) color.NRGBA {
	const steps = 40
	return blueToVermillion(math.Round(t*steps) / steps)
}

// caption returns the text below the image of a split.
func (d *weightDrawing) caption(node int) string {
	used := 0
	for _, w := range d.weights(node) {
		if w != 0 {
			used++
		}
	}
	if used == 1 {
		return "1 weight"
	}
	return formatNumber(float64(used)) + " weights"
}

// weights returns the weights of a split by pixel.
func (d *weightDrawing) weights(node int) []float64 {
	fn := d.tree.Splits.At(d.tree.Nodes[node].Split)
	weights := make([]float64, d.width*d.height)
	for k, j := range fn.Features {
		weights[j] = float64(fn.Weights[k])
	}
	return weights
}

// saturated is the share of the nonzero weights of a split that have its darkest colours.
const saturated = 0.02

// limit returns the least magnitude with the darkest colour.
func limit(weights []float64) float64 {
	var magnitudes []float64
	for _, w := range finite(weights) {
		if w != 0 {
			magnitudes = append(magnitudes, math.Abs(w))
		}
	}
	if magnitudes == nil {
		return 1
	}
	slices.Sort(magnitudes)
	return magnitudes[len(magnitudes)-1-int(saturated*float64(len(magnitudes)))]
}

// image returns the weights of a split as an image whose pixels are enlarged, so that no
// viewer blurs them.
func (d *weightDrawing) image(node int) image.Image {
	weights := d.weights(node)
	most := limit(weights)
	img := image.NewNRGBA(image.Rect(0, 0, d.width*d.zoom, d.height*d.zoom))
	for y := range d.height * d.zoom {
		for x := range d.width * d.zoom {
			c := white
			if w := weights[y/d.zoom*d.width+x/d.zoom]; w-w == 0 {
				c = diverging(w / most)
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// at returns the middle of the upper edge of a tile, on whole CSS pixels.
func (d *weightDrawing) at(c draw.Canvas, t *box) vg.Point {
	left := (float64((c.Max.X-c.Min.X)/px) - d.slots*d.slotWidth) / 2
	return pt(c.Min.X+css(math.Round(left+t.slot*d.slotWidth)), c.Max.Y-css(math.Round(float64(t.level)*d.levelHeight)))
}

// drawTree draws the tree. It makes it smaller if it doesn't fit, such as in a [Grid].
func (d *weightDrawing) drawTree(c draw.Canvas) {
	width, height := d.size()
	room := c.Size()
	scale := min(float64(room.X/px)/width, float64(room.Y/px)/height)
	if scale < 1 {
		c.Push()
		defer c.Pop()
		c.Translate(c.Min)
		c.Scale(scale, scale)
		c = draw.NewCanvas(c.Canvas, room.X/vg.Length(scale), room.Y/vg.Length(scale))
	}
	d.root.each(func(b *box) { d.drawTile(c, b) })
}

// drawTile draws a tile, with the edges to those below.
func (d *weightDrawing) drawTile(c draw.Canvas, t *box) {
	at := d.at(c, t)
	if t.left == nil {
		lines := []string{d.weight(t)}
		if t.cut {
			lines = append(lines, fmt.Sprintf("%d leaves", d.leavesBelow(t.node)))
		}
		d.drawLeaf(c, t, at)
		d.drawCaption(c, pt(at.X, at.Y-css(d.tileHeight)), lines...)
		return
	}
	below := d.drawCaption(c, d.drawImage(c, t, at), d.caption(t.node))
	for _, child := range []*box{t.left, t.right} {
		to := d.at(c, child)
		bend := to.Y + edgeHeight/2*px
		c.StrokeLines(stroke(grey, 1.2), []vg.Point{below, {X: below.X, Y: bend}, {X: to.X, Y: bend}, to})
	}
}

// drawCaption draws centred lines below a point, and returns the point below them.
func (d *weightDrawing) drawCaption(c draw.Canvas, at vg.Point, lines ...string) vg.Point {
	style := d.style
	style.XAlign = draw.XCenter
	for _, line := range lines {
		c.FillText(style, pt(at.X, at.Y-captionHeight/2*px), shorten(line, style, css(d.slotWidth-2)))
		at.Y -= captionHeight * px
	}
	return at
}

// drawImage draws a split on whole pixels of a PNG, framed by a line outside of the
// image, and returns the middle of the lower edge.
func (d *weightDrawing) drawImage(c draw.Canvas, t *box, at vg.Point) vg.Point {
	w, h := vg.Length(d.width*d.zoom)/2*px, vg.Length(d.height*d.zoom)/2*px
	left := at.X - vg.Length(d.width*d.zoom/2)/2*px
	r := rect(left, at.Y-h, left+w, at.Y)
	c.DrawImage(r, d.image(t.node))
	strokeRectangle(c, stroke(grey, 1), rect(r.Min.X-px/2, r.Min.Y-px/2, r.Max.X+px/2, r.Max.Y+px/2))
	return pt(at.X, r.Min.Y)
}

// name returns the text in a leaf: its largest class or value.
func (d *weightDrawing) name(t *box) string {
	switch {
	case !d.values():
		k, _ := d.majority(t.node)
		return d.model.Classes[k]
	case t.cut:
		return "…"
	}
	leaf := d.tree.Leaf(t.node)
	if leaf.Kind == forest.LeafLinear {
		return "linear"
	}
	return leafValue(d.model, leaf)
}

// weight returns the text below a leaf: the weight of its largest class and of all.
func (d *weightDrawing) weight(t *box) string {
	k, all := d.majority(t.node)
	if d.values() {
		return formatNumber(all)
	}
	return share(d.sum[t.node][k], all)
}

// drawLeaf draws the frame of a leaf, its name, and a bar for the share of each class.
func (d *weightDrawing) drawLeaf(c draw.Canvas, t *box, at vg.Point) {
	w, h := css(d.tileWidth), css(d.tileHeight)
	r := rect(at.X-w/2, at.Y-h, at.X+w/2, at.Y)
	fillRectangle(c, boxFill, r)
	name := textStyle(labelSize, !t.cut)
	if t.cut {
		name = d.style
	}
	name.XAlign = draw.XCenter
	c.FillText(name, pt(at.X, at.Y-11*px), shorten(d.name(t), name, w-4*px))
	if !d.values() {
		d.drawShares(c, t.node, rect(r.Min.X+barMargin, r.Min.Y+px, r.Max.X-barMargin, at.Y-21*px))
	}
	strokeRectangle(c, t.edge(), r)
}

// drawShares draws a bar for each class, as high as its share of a node's weight.
func (d *weightDrawing) drawShares(c draw.Canvas, node int, r vg.Rectangle) {
	_, all := d.majority(node)
	if !(all > 0) {
		return
	}
	step := d.barStep()
	if names, fit := d.barNames(step); fit {
		for k, name := range d.model.Classes {
			c.FillText(names, pt(r.Min.X+(vg.Length(k)+0.42)*step, r.Min.Y+names.Font.Size/2), name)
		}
		r.Min.Y += names.Font.Size + px
	}
	for k, w := range d.sum[node] {
		left, top := r.Min.X+vg.Length(k)*step, r.Min.Y+vg.Length(w/all)*(r.Max.Y-r.Min.Y)
		right := left + step*0.85
		fillRectangle(c, classColor(k), rect(left, r.Min.Y, right, top))
	}
}

const barMargin = 3 * px

// barStep returns the width of a bar and of the gap behind it.
func (d *weightDrawing) barStep() vg.Length {
	return (css(d.tileWidth) - 2*barMargin) / vg.Length(len(d.model.Classes))
}

// barNames returns a style in which the names of all classes fit below bars that are step
// apart, if there is one large enough to read.
func (d *weightDrawing) barNames(step vg.Length) (style draw.TextStyle, fit bool) {
	style = textStyle(tickSize, false)
	style.XAlign = draw.XCenter
	style.Font.Size = min(10*px, 0.88*tickSize*step/widest(d.model.Classes, style))
	return style, style.Font.Size >= 7*px
}
