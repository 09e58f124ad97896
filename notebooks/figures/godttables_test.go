package figures

import (
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/godt"
)

// Stops are shares of the variance of values, which is 5 of 1, 3, 5 and 7; classes have none.
func TestTargetVariance(t *testing.T) {
	if v := targetVariance(&datasets.Dataset{Values: []float64{1, 3, 5, 7}}); v != 5 {
		t.Errorf("variance %v; want 5", v)
	}
	for _, l := range (godt.Tree{}).Grid(targetVariance(&datasets.Dataset{Labels: []int32{0, 1}})) {
		if l.MaxMSE != 0 {
			t.Errorf("%+v stops by the error of values", l)
		}
	}
}
