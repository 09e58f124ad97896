package viz

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

// pixels returns a forest of one stump on the pixels of images of the given number.
func pixels(p int, fn forest.Function) *forest.Forest {
	tree := forest.Tree{Classes: 3}
	tree.Nodes = []forest.Node{
		{Split: tree.Splits.Add(fn), Next: 2, Value: 0.5},
		tree.DistLeaf([]float32{3, 1, 0}, 4),
		forest.ClassLeaf(2, 2),
	}
	return &forest.Forest{Features: make([]string, p), Classes: []string{"a", "b", "c <&>"}, Trees: []forest.Tree{tree}}
}

// TestImageOfWeights has images that follow from the order of pixels: row by row from
// the top left. B is the darkest blue, V the darkest vermillion, . white, and b and v are
// half as dark.
func TestImageOfWeights(t *testing.T) {
	letters := map[color.NRGBA]string{white: ".", darkBlue: "B", darkVermillion: "V",
		mix(white, darkBlue, 0.5): "b", mix(white, darkVermillion, 0.5): "v"}
	inf := float32(math.Inf(1))
	for i, test := range []struct {
		fn      forest.Function
		columns int
		want    string
	}{
		{forest.Linear([]int32{4}, []float32{1}), 3, "... .V."},
		{forest.Linear([]int32{4}, []float32{1}), 2, ".. .. V."},
		{forest.Linear([]int32{0, 1, 5}, []float32{-7, 3.5, 7}), 3, "Bv. ..V"},
		{forest.Function{Kind: forest.Dense, Weights: []float32{1, -2, -1, 2}}, 3, "vBb V.."},
		{forest.Function{Kind: forest.Dense, Weights: []float32{-3, 0, 0, 0, 0, 0}}, 6, "B....."},
		{along(0, 0), 3, "... ..."},
		{along(1, -1, inf), 3, "VB. ..."},
	} {
		w := WeightImages{Model: pixels(6, test.fn), Columns: test.columns}
		d := w.drawing()
		img := d.image(0)
		if b := img.Bounds(); b.Dx() != d.zoom*test.columns || b.Dy() != d.zoom*6/test.columns {
			t.Fatalf("%d: the image has %v pixels", i, b)
		}
		var rows []string
		for y := range 6 / test.columns {
			row := ""
			for x := range test.columns {
				corner, middle := img.At(x*d.zoom, y*d.zoom), img.At(x*d.zoom+d.zoom/2, y*d.zoom+d.zoom/2)
				if corner != middle {
					t.Fatalf("%d: pixel (%d, %d) has several colours", i, x, y)
				}
				row += letters[middle.(color.NRGBA)]
			}
			rows = append(rows, row)
		}
		if got := strings.Join(rows, " "); got != test.want {
			t.Errorf("%d: %q; want %q", i, got, test.want)
		}
	}
}

func TestLimitOfWeights(t *testing.T) {
	weights := []float64{0, 0, 0, math.NaN()}
	for i := range 100 {
		weights = append(weights, float64(i+1)*math.Pow(-1, float64(i)))
	}
	if got := limit(weights); got != 98 { // 98, 99 and 100 are at least that
		t.Errorf("of 1 to 100: %v; want 98", got)
	}
	if got := limit([]float64{-3}); got != 3 {
		t.Errorf("of −3: %v", got)
	}
}

// TestTilesDontOverlap: in any tree, tiles of a level are a column apart at least, and
// parents are between their children.
func TestTilesDontOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := fit(t, rf.CART{}, flat(t))
		d := newTreeLayout(model, 0, rapid.IntRange(1, 6).Draw(t, "depth"))
		last := map[int]float64{}
		var check func(at *box)
		check = func(at *box) {
			if at.slot < 0.5 || at.slot > d.slots-0.5 || at.level > d.depth {
				t.Fatalf("a tile in column %v of %v, level %d of %d", at.slot, d.slots, at.level, d.depth)
			}
			if before, ok := last[at.level]; ok && at.slot < before+1 {
				t.Fatalf("tiles of level %d in columns %v and %v", at.level, before, at.slot)
			}
			last[at.level] = at.slot
			if at.left != nil {
				if at.left.slot > at.slot || at.slot > at.right.slot {
					t.Fatalf("a parent in column %v, children in %v and %v", at.slot, at.left.slot, at.right.slot)
				}
				check(at.left)
				check(at.right)
			}
		}
		check(d.root)
	})
}

// TestOddWeightImages draws forests at the limits. What is drawn beyond an edge shows up
// at the edge.
func TestOddWeightImages(t *testing.T) {
	if testing.Short() {
		t.Skip("it only draws, in one goroutine")
	}
	one := pixels(4, along(1))
	one.Trees[0].Nodes = one.Trees[0].Nodes[1:2]
	without := pixels(4, along(1))
	without.Trees[0].Nodes[2].Weight = 0
	linear := pixels(4, forest.Linear([]int32{0, 3}, []float32{1, -1}))
	tree := &linear.Trees[0]
	tree.Nodes[2] = tree.LinearLeaf([]forest.Score{{Class: 1, Bias: 1},
		{Class: 2, Features: []int32{1}, Weights: []float32{1}}}, 5)
	for name, w := range map[string]WeightImages{
		"one node":       {Model: one},
		"one pixel":      {Model: pixels(1, along(1))},
		"no rows":        {Model: without},
		"values":         {Model: value(), Columns: 1},
		"linear leaves":  {Model: linear},
		"a row":          {Model: pixels(400, forest.Linear([]int32{0, 399}, []float32{1, -1})), Columns: 400},
		"a column":       {Model: pixels(300, forest.Linear([]int32{0, 299}, []float32{1, -1})), Columns: 1},
		"deeper than it": {Model: one, Depth: 100},
	} {
		if cutOff(picture(w.figure())) {
			t.Errorf("%s: something is at the edge", name)
		}
	}
}

// TestWeightImagesShrink: in a panel that is too narrow or too low, all tiles are drawn.
func TestWeightImagesShrink(t *testing.T) {
	chart := WeightImages{Model: pixels(6, along(1)), Columns: 3}
	whole := count(picture(chart.figure()), darkVermillion)
	for _, size := range [][2]float64{{140, 400}, {400, 200}} {
		f := chart.figure()
		f.Width, f.Height = size[0], size[1]
		img := picture(f)
		if n := count(img, darkVermillion); n == 0 || n > whole/2 {
			t.Errorf("%v: %d pixels of the split's colour, %d in full size", size, n, whole)
		}
		for _, bar := range Palette[:3] {
			if count(img, bar) == 0 {
				t.Errorf("%v: a bar of %v is missing", size, bar)
			}
		}
	}
}

func TestMisuseOfWeightImages(t *testing.T) {
	model := pixels(6, along(1))
	quadratic := pixels(4, quadric([3]float32{1}, [2]float32{1}, 0).Function)
	misused(t, []WeightImages{
		{Model: model}, {Model: model, Columns: 4}, {Model: model, Columns: -1}, {Model: model, Columns: 12},
		{Model: model, Columns: 3, Tree: 1}, {Model: model, Columns: 3, Tree: -1}, {Model: model, Columns: 3, Depth: -1},
		{Model: pixels(0, along(1))}, {Model: &forest.Forest{Features: make([]string, 4)}},
		{Model: quadratic},
	}...)
}
