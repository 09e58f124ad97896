package viz

import (
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
)

func shapData() *datasets.Dataset {
	return &datasets.Dataset{Features: []datasets.Feature{{Name: "age"}, {Name: "height"}, {}},
		Columns: [][]float32{{20, 40, 60, 80}, {1, 2, 1, 2}, {5, 5, 5, 5}}}
}

func shapValues() [][]float64 {
	return [][]float64{{0.1, -0.4, 0}, {0.2, 0.4, 0}, {-0.1, -0.2, 0}, {0, 0.6, 0}}
}

func shapChart() SHAP {
	return SHAP{Title: "SHAP", X: "effect on p", Data: shapData(), Values: shapValues()}
}

func TestMostFeatures(t *testing.T) {
	chart := shapChart()
	chart.Most = 1
	contains(t, chart.figure().Alt, "Mean magnitudes: height 0.4. 2 features with smaller ones aren't drawn.")
}

// TestScale: cells beyond the quantiles of 5 and 95 % have the colours of these, and a constant feature the middle one.
func TestScale(t *testing.T) {
	column := make([]float32, 101)
	for i := range column {
		column[i] = float32(i)
	}
	column[100] = 1e6
	d := table(column, make([]float32, 101), make([]float32, 101))
	d.Columns[2][7] = 3
	s := newScale(d, 0)
	for cell, want := range map[float64]float64{-5: 0, 5: 0, 50: 0.5, 95: 1, 1e6: 1} {
		if got := s.at(cell); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v is at %v; want %v", cell, got, want)
		}
	}
	if got := newScale(d, 1).at(0); got != 0.5 {
		t.Errorf("a constant is at %v", got)
	}
	d.Features[0].Categories = []string{"any"}
	if got := newScale(d, 0).at(95); got != 0.5 {
		t.Errorf("a category is at %v", got)
	}
	if rare := newScale(d, 2); rare.at(0) != 0 || rare.at(3) != 1 { // both quantiles are 0
		t.Errorf("a rare value: %+v", rare)
	}
}

// TestPiles: no point leaves the room, the first in a bin is in the middle, and points of one bin differ in height.
func TestPiles(t *testing.T) {
	x := make([]float64, 300)
	for i := range x {
		x[i] = float64(i%3) * 50
	}
	above, radius := piles(x, 16)
	seen := map[[2]float64]bool{}
	for i, a := range above {
		if math.Abs(a)+radius > 16+1e-9 {
			t.Errorf("point %d is %v from the middle, with radius %v", i, a, radius)
		}
		if at := [2]float64{x[i], a}; seen[at] {
			t.Errorf("two points at %v", at)
		} else {
			seen[at] = true
		}
	}
	if above[0] != 0 || above[1] != 0 {
		t.Errorf("the first points are at %v and %v", above[0], above[1])
	}
}

// TestMissingCellsAreSeen: the point of a missing cell is black, as the legend says.
func TestMissingCellsAreSeen(t *testing.T) {
	chart := shapChart()
	black := func() int { return count(picture(chart.figure()), opaque(0)) }
	if black() != 0 || len(chart.figure().keys) != 2 {
		t.Error("something is missing in whole data")
	}
	chart.Data.Columns[1][3] = float32(math.NaN())
	keys := chart.figure().keys
	if len(keys) != 3 || keys[2].name != "missing" {
		t.Fatalf("keys %v", keys)
	}
	one := black()
	if chart.Data.Columns[1][0] = float32(math.NaN()); one == 0 || black() <= one {
		t.Errorf("%d black pixels for one missing cell, %d for two", one, black())
	}
}
