package viz

import (
	"encoding/json"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// TestLiveScale: the scale of a live heat map has the limit of the colours in three significant digits, and zeros are
// at its white end.
func TestLiveScale(t *testing.T) {
	for _, test := range []struct {
		h         HeatMap
		min, max  float64
		precision int
	}{
		{HeatMap{Values: [][]float64{{0, 0}}}, 0, 1, 2},
		{HeatMap{Values: [][]float64{{0.035, 0}}}, 0, 0.035, 4},
		{HeatMap{Values: [][]float64{{-1, 2}}, Limit: 1.5}, -1.5, 1.5, 2},
		{HeatMap{Values: [][]float64{{1234, 1}}}, 0, 1234, 0},
	} {
		test.h.Rows, test.h.Columns = []string{"a"}, []string{"b", "c"}
		var o struct {
			VisualMap []struct {
				Min, Max  float64
				Precision int
			}
		}
		must.Do(json.Unmarshal(test.h.figure().option(), &o))
		if s := o.VisualMap[0]; s.Min != test.min || s.Max != test.max || s.Precision != test.precision {
			t.Errorf("%v: the scale is %+v; want %v to %v with %d digits", test.h.Values, s, test.min, test.max, test.precision)
		}
	}
}
