package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

func manyNames(n int, format string) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf(format, i))
	}
	return names
}

// ofClasses returns the forest of oblique with classes of these names.
func ofClasses(names []string) *forest.Forest {
	tree := forest.Tree{Classes: len(names)}
	tree.Nodes = []forest.Node{
		{Split: tree.Splits.Add(along(1, -1)), Next: 2, Value: 0.5},
		forest.ClassLeaf(0, 3), forest.ClassLeaf(1, 2),
	}
	return &forest.Forest{Features: []string{"x", "y"}, Classes: names, Trees: []forest.Tree{tree}}
}

// crowded returns charts with these names wherever a chart has some. All charts have the same legend.
func crowded(names []string) map[string]Chart {
	var series []Series
	for i, name := range names {
		x := []float64{1, 2, 3}
		series = append(series, Series{Name: name, X: x, Y: []float64{float64(i), 1, 2}})
	}
	first, data, model := names[0], corners(), ofClasses(names)
	data.Classes = names
	data.Features = []datasets.Feature{{Name: first}, {Name: first}}
	model.Features = data.FeatureNames()
	one := []*forest.Forest{model}
	return map[string]Chart{
		"curves":    Curves{Title: first, X: first, Y: first, Series: series},
		"multiples": SmallMultiples{Panels: []Curves{{Series: series}, {Series: series}}},
		"groups": Boxes{X: first, Y: first, Groups: names,
			Series: []Sample{{"", slices.Repeat([][]float64{{1, 2, 3}}, len(names))}}},
		"scatter":   Scatter{Data: data},
		"equal":     Scatter{Data: data, Equal: true},
		"regions":   DecisionRegions{Data: data, Model: model, Resolution: 10},
		"tree":      TreeDiagram{Model: model},
		"weights":   WeightImages{Model: model, Columns: 2},
		"steps":     Steps{Model: model, Data: data},
		"snapshots": Snapshots{Models: one, Data: data},
		"heat map": HeatMap{X: first, Y: first, Rows: []string{first}, Columns: names,
			Values: [][]float64{make([]float64, len(names))}},
		"grid": Grid{Title: first, Charts: []Chart{Curves{Series: series}, Scatter{Data: data}}},
		"bars": Bars{X: first, Names: names[:1], Values: []float64{1}},
	}
}

// TestCrowdedKeys: however many names there are, and however long, the picture has room for the chart.
func TestCrowdedKeys(t *testing.T) {
	if testing.Short() {
		t.Skip("it only draws, in one goroutine")
	}
	for kind, names := range map[string][]string{
		"60 long names":        manyNames(60, "learning rate 0.01, depth %d"),
		"200 short names":      manyNames(200, "c%d"),
		"names without spaces": manyNames(3, strings.Repeat("m", 12800)+"%d"),
		"names of words":       manyNames(3, strings.Repeat("name ", 2560)+"%d"),
	} {
		for name, chart := range crowded(names) {
			f := Draw(chart)
			if f.Width > 3000 || f.Height > 3000 {
				t.Errorf("%s, %s: a picture of %v × %v", name, kind, f.Width, f.Height)
			}
			body := f.drawHeader(draw.New(vgsvg.New(f.size())))
			if room := float64(body.Size().Y/px) / f.Height; room < 0.33 {
				t.Errorf("%s, %s: %.2f of the height is left for the chart", name, kind, room)
			}
			if cutOff(f.image()) {
				t.Errorf("%s, %s: something is cut off at the edge", name, kind)
			}
		}
	}
}

// TestHugePicture: a PNG that would have billions of pixels is coarser.
func TestHugePicture(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	f := Draw(Bars{Names: []string{"a"}, Values: []float64{1}})
	f.Width, f.Height = 200, 1_000_000
	b := f.image().Bounds()
	if n := b.Dx() * b.Dy(); n > mostPixels || n < mostPixels/2 ||
		math.Abs(float64(b.Dy())/float64(b.Dx())/5000-1) > 0.01 {
		t.Errorf("%v × %v pixels", b.Dx(), b.Dy())
	}
}
