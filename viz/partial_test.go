package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
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
	f := PartialDependence{Title: "T", X: "age", Y: "risk", Values: []float64{20, 40, 80},
		Mean: []float64{0.3, 0.125, 0.5}, Rows: make3(250)}.figure()
	if want := "Mean prediction of risk against age from 20 to 80: lowest 0.125 at 40, highest 0.5 at " +
		"80. Behind it the curves of 100 single rows."; f.Alt != want {
		t.Errorf("%q; want %q", f.Alt, want)
	}
	panics(t, "no values", func() { PartialDependence{}.figure() })
	panics(t, "order", func() { PartialDependence{Values: []float64{2, 1}, Mean: []float64{1, 2}}.figure() })
	panics(t, "short row", func() {
		PartialDependence{Values: []float64{1, 2}, Mean: []float64{1, 2}, Rows: [][]float64{{1}}}.figure()
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

// TestSliceNearest: by hand. With x and y free, the row with the fixed z and category is
// nearest, then the one that differs in the category, then the one 2 deviations off in z.
func TestSliceNearest(t *testing.T) {
	d := &datasets.Dataset{
		Features: []datasets.Feature{{Name: "x"}, {Name: "y"}, {Name: "z"}, {Name: "c", Categories: []string{"a", "b"}}},
		Columns:  [][]float32{{0, 9, 0, 9}, {0, 0, 9, 9}, {6, 2, 2, 2}, {0, 1, 0, 0}}, // z has deviation √3
		Labels:   []int32{0, 1, 0, 1}, Classes: []string{"k", "l"},
	}
	r := DecisionRegions{Data: d, At: []float32{0, 0, 2, 0}, Nearest: 3}
	n := r.nearest(newPoints(d, 0, 1, nil))
	if !slices.Equal(n.of, []int32{2, 3, 1}) || !slices.Equal(n.rows, []int{1, 3, 2}) ||
		!slices.Equal(n.distance[1:], []float64{1, 0, 0}) {
		t.Errorf("rows %v, drawn as %v, at %v", n.of, n.rows, n.distance)
	}
	if d := n.distance[0]; d < 2.309 || d > 2.310 { // 4/√3
		t.Errorf("distance %v", d)
	}
	panics(t, "negative", func() {
		DecisionRegions{Model: &forest.Forest{Classes: d.Classes}, Data: d,
			Nearest: -1}.figure()
	})
}

func TestCalibrationCurveAlt(t *testing.T) {
	want := "Observed share of sick <&> against its predicted probability. one: 3 points, from 0.2 " +
		"observed at 0.1 predicted to 0.6 at 0.9; furthest from the diagonal: 0.6 at 0.9." +
		" two: 2 points, from 0 observed at 0.2 predicted to 1 at 0.8; furthest from the diagonal: 0 at 0.2."
	if alt := calibration().figure().Alt; alt != want {
		t.Errorf("%q; want %q", alt, want)
	}
	panics(t, "no series", func() { CalibrationCurve{}.figure() })
	for _, bin := range []eval.CalibrationBin{{Predicted: math.NaN()}, {Observed: 2}, {Low: -1}, {High: 2}, {Rows: -1}} {
		panics(t, "range", func() {
			CalibrationCurve{Series: []CalibrationSeries{{Of: eval.CalibrationCurve{Bins: []eval.CalibrationBin{bin}}}}}.figure()
		})
	}
}
