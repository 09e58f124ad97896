package viz

import (
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// coloured returns rows whose class is "yes" where the colour is green.
func coloured() *datasets.Dataset {
	d := must.Value(datasets.FromRows([][]float64{{0, 1}, {1, 1}, {2, 1}, {0, 2}, {1, 2}, {2, 2}, {0, 3}, {1, 3}, {2, 3}},
		[]string{"no", "yes", "no", "no", "yes", "no", "no", "yes", "no"}))
	d.Features = []datasets.Feature{{Name: "colour", Categories: []string{"red", "green", "blue"}}, {Name: "size"}}
	return d
}

// TestCategoriesHaveNames: an axis of categories shows their names, in the picture and live.
func TestCategoriesHaveNames(t *testing.T) {
	f := Scatter{Data: coloured()}.figure()
	contains(t, svg(f), ">red<", ">green<", ">blue<")
	contains(t, string(f.option()), `"type":"category"`, `"data":["red","green","blue"]`,
		`"name":"green, 3","value":[1,3]`)
	contains(t, f.Alt, "size (1 to 3) against colour (3 categories)")
	f = Scatter{Data: coloured(), X: 1}.figure()
	contains(t, svg(f), ">red<", ">green<", ">blue<")
	contains(t, string(f.option()), `"type":"category"`, `"data":["red","green","blue"]`)
	few := nameTicks{strings.Split("abcdefgh", ""), atMost(3)}
	if got := strings.Join(labelsOf(few.Ticks(0, 7)), " "); got != "a d g" {
		t.Errorf("names %q where three fit; want a, d, g", got)
	}
}

// TestRegionsOfCategories: a category's region is a band around its place on the axis.
func TestRegionsOfCategories(t *testing.T) {
	d := coloured()
	r := DecisionRegions{Model: must.Value(rf.Learner{Trees: 25, NodeFeatures: 2, Seed: 1}.Fit(t.Context(), d)), Data: d,
		Resolution: 30}
	g, err := r.grid(newPoints(d, 0, 0, nil))
	if err != nil || g.x1 != -0.5 || g.x2 != 2.5 {
		t.Fatalf("from %v to %v, %v; want −0.5 to 2.5", g.x1, g.x2, err)
	}
	for i, class := range g.class {
		want := int32(0) // ten columns of red, ten of green, ten of blue
		if column := i % 30; column >= 10 && column < 20 {
			want = 1
		}
		if class != want {
			t.Fatalf("cell %d of a row is of class %d; want %d", i%30, class, want)
		}
	}
}

// TestPartialOfCategories: the values of a categorical feature have their names, in the picture, live and in words, and
// no line joins them.
func TestPartialOfCategories(t *testing.T) {
	d := PartialDependence{X: "colour", Y: "p", Values: []float64{0, 2}, Mean: []float64{0.25, 0.5}}
	d.Categories = []string{"red", "green", "blue"}
	f := d.figure()
	contains(t, svg(f), ">red<", ">green<", ">blue<")
	contains(t, string(f.option()), `"data":["red","green","blue"]`, `"name":"blue: 0.5","value":[2,0.5]`,
		"[2,null]")
	contains(t, f.Alt, "from red to blue: lowest 0.25 at red, highest 0.5 at blue.")
	for _, v := range []float64{0.5, 3, -1} {
		d.Values, d.Mean = []float64{v}, []float64{1}
		misused(t, d)
	}
}
