package viz

import (
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/eval"
)

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
}

// Of 250 rows 100 have a curve.
func TestManyRowCurves(t *testing.T) {
	chart := PartialDependence{Values: []float64{1}, Mean: []float64{1}, Rows: slices.Repeat([][]float64{{0}}, 250)}
	contains(t, chart.figure().Alt, "curves of 100 single rows")
}

func TestMisuseOfCalibration(t *testing.T) {
	for _, bin := range []eval.CalibrationBin{{Predicted: math.NaN()}, {Observed: 2}, {Low: -1}, {High: 2}, {Rows: -1}} {
		of := eval.CalibrationCurve{Bins: []eval.CalibrationBin{bin}}
		misused(t, CalibrationCurve{Series: []CalibrationSeries{{Of: of}}})
	}
}
