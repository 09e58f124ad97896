package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// panics reports an error unless f panics with a message of this package.
func panics(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if s := fmt.Sprint(recover()); !strings.HasPrefix(s, "viz: ") {
			t.Errorf("%s: panic %q", what, s)
		}
	}()
	f()
}

func TestPartialDependenceAlt(t *testing.T) {
	f := PartialDependence{Title: "T", X: "age", Y: "risk", Values: []float64{20, 40, 80}, Mean: []float64{0.3, 0.125, 0.5}, Rows: make3(250)}.Figure()
	if want := "Mean prediction of risk against age from 20 to 80: lowest 0.125 at 40, highest 0.5 at 80. Behind it the curves of 100 single rows."; f.Alt != want {
		t.Errorf("%q; want %q", f.Alt, want)
	}
	pair := partialPair().Figure()
	if want := "Mean prediction of p over x from 0 to 3 and y from 5 to 6: lowest 0.1 at (0, 6), highest 0.8 at (1, 6)."; pair.Alt != want {
		t.Errorf("%q; want %q", pair.Alt, want)
	}
	panics(t, "no values", func() { PartialDependence{}.Figure() })
	panics(t, "order", func() { PartialDependence{Values: []float64{2, 1}, Mean: []float64{1, 2}}.Figure() })
	panics(t, "short row", func() {
		PartialDependence{Values: []float64{1, 2}, Mean: []float64{1, 2}, Rows: [][]float64{{1}}}.Figure()
	})
	panics(t, "short pair", func() {
		PartialDependencePair{XValues: []float64{1, 2}, YValues: []float64{1}, Mean: [][]float64{{1}}}.Figure()
	})
}

func make3(n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = []float64{0, 0.1, 0.9}
	}
	return rows
}

func TestDeciles(t *testing.T) {
	cells := []float32{10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, float32(math.NaN())}
	if got := deciles(cells); !slices.Equal(got, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("%v", got)
	}
}

// TestSurfaceColours: each rectangle has the colour of its mean: half of the area is the
// lowest, half the highest.
func TestSurfaceColours(t *testing.T) {
	f := PartialDependencePair{Title: "T", X: "x", Y: "y", Label: "p", XValues: []float64{0, 1}, YValues: []float64{0, 1}, Mean: [][]float64{{0, 1}, {1, 0}}}.Figure()
	f.keys = nil
	img := picture(t, f)
	low, high := count(img, sequential(0)), count(img, sequential(1))
	if low < 100000 || float64(low)/float64(high) > 1.03 || float64(high)/float64(low) > 1.03 {
		t.Errorf("%d pixels of the lowest colour, %d of the highest", low, high)
	}
}

// TestSliceNearest: by hand. With x and y free, the row with the fixed z and category is
// nearest, then the one that differs in the category, then the one 2 deviations off in z.
func TestSliceNearest(t *testing.T) {
	d := &datasets.Dataset{
		Features: []datasets.Feature{{Name: "x"}, {Name: "y"}, {Name: "z"}, {Name: "c", Categories: []string{"a", "b"}}},
		Columns:  [][]float32{{0, 9, 0, 9}, {0, 0, 9, 9}, {6, 2, 2, 2}, {0, 1, 0, 0}}, // z has deviation √3
		Labels:   []int32{0, 1, 0, 1}, Classes: []string{"k", "l"},
	}
	s := Slice{Data: d, At: []float32{0, 0, 2, 0}, Nearest: 3}
	rows, distance := s.nearest(DecisionRegions{Data: d, At: s.At}, 0, 1)
	if !slices.Equal(rows, []int32{2, 3, 1}) || !slices.Equal(distance, []float64{0, 0, 1}) {
		t.Errorf("rows %v at %v", rows, distance)
	}
	s.Nearest = 0
	_, distance = s.nearest(DecisionRegions{Data: d, At: s.At}, 0, 1)
	if len(distance) != 4 || distance[3] < 2.309 || distance[3] > 2.310 { // 4/√3
		t.Errorf("distances %v", distance)
	}
	panics(t, "negative", func() { Slice{Model: &forest.Forest{Classes: d.Classes}, Data: d, Nearest: -1}.Figure() })
}

func TestCalibrationCurveAlt(t *testing.T) {
	want := "Observed share of sick <&> against its predicted probability. one: 3 points, from 0.2 observed at 0.1 predicted to 0.6 at 0.9; furthest from the diagonal: 0.6 at 0.9." +
		" two: 2 points, from 0 observed at 0.2 predicted to 1 at 0.8; furthest from the diagonal: 0 at 0.2."
	if alt := calibration().Figure().Alt; alt != want {
		t.Errorf("%q; want %q", alt, want)
	}
	panics(t, "no series", func() { CalibrationCurve{}.Figure() })
	panics(t, "lengths", func() { CalibrationCurve{Series: []CalibrationSeries{{Predicted: []float64{1}}}}.Figure() })
	panics(t, "range", func() {
		CalibrationCurve{Series: []CalibrationSeries{{Predicted: []float64{1}, Observed: []float64{2}}}}.Figure()
	})
}
