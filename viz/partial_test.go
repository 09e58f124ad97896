package viz

import (
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/forest/eval"
)

func TestDeciles(t *testing.T) {
	cells := []float32{10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, float32(math.NaN())}
	if got := deciles(cells); !slices.Equal(got, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("%v", got)
	}
}

func TestMisuseOfCalibration(t *testing.T) {
	for _, bin := range []eval.CalibrationBin{{Predicted: math.NaN()}, {Observed: 2}, {Low: -1}, {High: 2}, {Rows: -1}} {
		of := eval.CalibrationCurve{Bins: []eval.CalibrationBin{bin}}
		misused(t, CalibrationCurve{Series: []CalibrationSeries{{Of: of}}})
	}
}
