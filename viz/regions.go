package viz

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

// DecisionRegions draws what a classification forest predicts over two features, with the rows of a data set on top.
// The hue is the predicted class. The colour is stronger where the margin is larger: the probability of the predicted
// class minus that of the next most probable one. Thin lines separate the classes.
//
// If the model has more features, the regions are those of a plane through their space, on which the others stay at
// medians of the data, which the legend names.
//
// [Draw] panics if the model predicts values, if X or Y isn't a feature, if the data don't fit the model: by their
// classes, or by [forest.Forest.Check], or if By predicts another number of rows or classes. If By returns an error,
// the figure shows its words in place of the regions, and can't be saved: [Figure.Save] returns the error.
type DecisionRegions struct {
	Title string
	Model *forest.Forest
	Data  *datasets.Dataset // also sets the range of the axes
	X, Y  int               // the features; both 0 means features 0 and 1

	// Resolution is the number of points along the x axis at which the model predicts. 0 means 300.
	Resolution int

	// By predicts in place of Model, and must return the same, so that the picture is the same: a gpu.Predictor of Model,
	// for example. Nil means Model.
	By Predictor

	HidePoints bool // draw only the regions
	Equal      bool // units have the same length on both axes
}

// A Predictor predicts the classes of a forest's rows and their probabilities, as
// [forest.Forest.Predict] and [forest.Forest.Proba] do, but may fail.
type Predictor interface {
	Predict(*datasets.Dataset) ([]int32, error)
	Proba(*datasets.Dataset) ([][]float64, error)
}

func (r DecisionRegions) figure() *Figure {
	if r.Data.Labels != nil && !slices.Equal(r.Data.Classes, r.Model.Classes) {
		misuse("the data have classes %q, the model %q", r.Data.Classes, r.Model.Classes)
	}
	if r.Resolution < 0 {
		misuse("regions of %d points along the x axis", r.Resolution)
	}
	all := newPoints(r.Data, r.X, r.Y, nil)
	p := all.plot()
	keys, fixed := regionKeys(r.Model.Classes, all.keys()), r.fixedText(all)
	if fixed != "" {
		keys = append(keys, key{name: "fixed: " + fixed})
	}
	f := plotFigure(r.Title, "", p, keys...)
	grid, err := r.grid(all)
	if err != nil {
		f.fail(fmt.Errorf("the regions can't be drawn: %w", err))
		return f
	}
	p.Add(grid)
	f.Alt = grid.alt() + " " + all.alt()
	if !r.HidePoints {
		p.Add(all)
	}
	if fixed != "" {
		f.Alt += " Fixed: " + fixed + "."
	}
	if r.Equal {
		f.equalUnits(p)
	}
	return f
}

// regionKeys returns keys or, if there are none, a legend of the classes.
func regionKeys(classes []string, keys []key) []key {
	if keys != nil {
		return keys
	}
	for k, name := range classes {
		keys = append(keys, key{name: name, glyph: marker(classColor(k), 5, shapes[1])})
	}
	return keys
}

// A regionGrid holds the model's predictions at the centres of nx × ny cells, row by
// row from the lowest y.
type regionGrid struct {
	rectangle
	model  *forest.Forest
	nx, ny int
	class  []int32
	margin []float64
}

// grid predicts at the centres of the cells. Its error is that of By.
func (r DecisionRegions) grid(p points) (*regionGrid, error) {
	g := &regionGrid{rectangle: p.area(), model: r.Model, nx: cmp.Or(r.Resolution, 300)}
	g.ny = max(1, g.nx*5/8)
	d := &datasets.Dataset{Features: r.Data.Features, Columns: make([][]float32, r.Data.P())}
	for j := range d.Columns {
		d.Columns[j] = slices.Repeat([]float32{r.fixed(j)}, g.nx*g.ny)
	}
	for i := range g.nx * g.ny {
		x, y := g.center(i)
		d.Columns[p.x][i], d.Columns[p.y][i] = cellAt(x, d.Features[p.x]), cellAt(y, d.Features[p.y])
	}
	class, proba, err := r.predict(d)
	if err != nil {
		return nil, err
	}
	g.class, g.margin = class, make([]float64, len(class))
	for i, p := range proba {
		g.margin[i] = margin(p, int(class[i]))
	}
	return g, nil
}

// cellAt returns the cell of a feature at a place on its axis: of categories, the nearest one.
func cellAt(v float64, f datasets.Feature) float32 {
	if n := len(f.Categories); n > 0 {
		v = max(0, min(math.Round(v), float64(n-1)))
	}
	return float32(v)
}

// predict returns the predicted classes of d's rows and the probabilities of all classes.
func (r DecisionRegions) predict(d *datasets.Dataset) (class []int32, proba [][]float64, err error) {
	if r.By == nil {
		if class, proba, err = r.Model.Classify(context.Background(), d); err != nil {
			panic(err.Error())
		}
		return class, proba, nil
	}
	if class, err = r.By.Predict(d); err != nil {
		return nil, nil, err
	}
	if proba, err = r.By.Proba(d); err != nil {
		return nil, nil, err
	}
	if len(class) != d.N() || len(proba) != d.N() {
		misuse("By predicts %d classes and %d rows of probabilities for %d rows", len(class), len(proba), d.N())
	}
	for i, k := range class {
		if n := len(r.Model.Classes); len(proba[i]) != n || k < 0 || int(k) >= n {
			misuse("By predicts class %d and %d probabilities for row %d; the model has %d classes", k, len(proba[i]), i, n)
		}
	}
	return class, proba, nil
}

// center returns the centre of cell i.
func (g *regionGrid) center(i int) (x, y float64) {
	return g.x1 + (g.x2-g.x1)*(float64(i%g.nx)+0.5)/float64(g.nx),
		g.y1 + (g.y2-g.y1)*(float64(i/g.nx)+0.5)/float64(g.ny)
}

// fixed returns the value at which feature j is fixed: its median.
func (r DecisionRegions) fixed(j int) float32 {
	values := sorted(r.Data.Column(nil, j))
	if len(values) == 0 {
		return 0
	}
	return float32(values[len(values)/2])
}

// fixedNamed is the most features that a legend names with the values at which they are fixed.
const fixedNamed = 4

// fixedText returns the values at which the first of the other features are fixed, "" if there are no others.
func (r DecisionRegions) fixedText(p points) string {
	row := datasets.Dataset{Features: r.Data.Features, Columns: make([][]float32, r.Data.P())}
	var texts []string
	for j, f := range row.Features {
		if j == p.x || j == p.y {
			continue
		}
		if len(texts) == fixedNamed {
			return strings.Join(append(texts, fmt.Sprintf("%d more", r.Data.P()-2-fixedNamed)), ", ")
		}
		row.Columns[j] = []float32{r.fixed(j)}
		texts = append(texts, plain.Short(cmp.Or(f.Name, fmt.Sprintf("x%d", j)), 18)+" "+row.Text(0, j))
	}
	return strings.Join(texts, ", ")
}

// margin returns the probability of class k minus the largest of the others, or 0 if
// that is negative, as it can be under plurality voting.
func margin(proba []float64, k int) float64 {
	other := 0.0
	for c, p := range proba {
		if c != k {
			other = max(other, p)
		}
	}
	return max(0, proba[k]-other)
}

func (g *regionGrid) alt() string {
	share := make([]int, len(g.model.Classes))
	for _, k := range g.class {
		share[k]++
	}
	s := "Predicted class as share of the area:"
	for k, n := range share {
		s += fmt.Sprintf(" %s %.0f %%;", g.model.Classes[k], 100*float64(n)/float64(len(g.class)))
	}
	return s[:len(s)-1] + "."
}

// Plot draws the cells.
func (g *regionGrid) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	c.DrawImage(rect(toX(g.x1), toY(g.y1), toX(g.x2), toY(g.y2)), g.image())
}

// cellWidth is the width of a cell in image pixels, one of which may be a line.
const cellWidth = 4

// image draws each cell as a square, with a line where its left or lower neighbour
// has another class.
func (g *regionGrid) image() image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, cellWidth*g.nx, cellWidth*g.ny))
	for i, k := range g.class {
		fill := shade(int(k), g.margin[i])
		x, y := i%g.nx, i/g.nx
		left := x > 0 && g.class[i-1] != k
		below := y > 0 && g.class[i-g.nx] != k
		for a := range cellWidth {
			for b := range cellWidth {
				c := fill
				if left && a == 0 || below && b == 0 {
					c = ink
				}
				img.SetNRGBA(cellWidth*x+a, cellWidth*(g.ny-y)-1-b, c)
			}
		}
	}
	return img
}

// shade returns the background colour of class k at the given margin, in eight steps.
// All are pale enough for points of the same hue to be seen.
func shade(k int, margin float64) color.NRGBA {
	step := float64(int(margin*7.999)) / 7
	return mix(white, classColor(k), 0.10+0.45*step)
}
