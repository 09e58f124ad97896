package yourdata

import (
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/sim"
)

// mixed returns 300 rows with numbers, a category and missing cells. The column leak is the class
// again; the value, where values are wanted, is twice the first number.
func mixed(t *testing.T, values bool) *datasets.Dataset {
	t.Helper()
	rng := forest.NewRand(5)
	d := &datasets.Dataset{
		Target:   "y",
		Features: []datasets.Feature{{Name: "a"}, {Name: "b"}, {Name: "leak", Categories: []string{"left", "right"}}},
		Columns:  make([][]float32, 3),
	}
	for range 300 {
		a, b, y := rng.Normal(), rng.Normal(), int32(0)
		if a > b {
			y = 1
		}
		for j, v := range []float32{float32(a), float32(b), float32(y)} {
			d.Columns[j] = append(d.Columns[j], v)
		}
		d.Labels, d.Values = append(d.Labels, y), append(d.Values, 2*a)
	}
	d.Columns[1][17], d.Columns[2][20] = float32(math.NaN()), float32(math.NaN())
	d.Classes = []string{"no", "yes"}
	if values {
		d.Labels, d.Classes = nil, nil
	} else {
		d.Values = nil
	}
	return d
}

func TestSample(t *testing.T) {
	d := sim.Trunk{Features: 10}.Sample(3000, 1)
	for _, test := range []struct{ cells, want int }{{30_000, 3000}, {20_000, 2000}, {5000, 1000}, {1 << 40, 3000}} {
		got := Sample(d, test.cells)
		if got.N() != test.want || len(slices.Compact(slices.Sorted(slices.Values(got.Rows)))) != len(got.Rows) {
			t.Errorf("%d cells: %d rows", test.cells, got.N())
		}
	}
}
