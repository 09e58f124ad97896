package godt

import (
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// By hand: from 2 to 10 the middle is 6 and half of the width 4. Other rows may lie outside.
func TestScaled(t *testing.T) {
	of := func(columns ...[]float32) *datasets.Dataset {
		return &datasets.Dataset{Features: []datasets.Feature{{Name: "a"}, {Name: "b"}}, Columns: columns}
	}
	fitted, train, err := scaled{}.Fit(t.Context(), of([]float32{2, 4, 10}, []float32{3, 3, 3}))
	if err != nil {
		t.Fatal(err)
	}
	test := must.Value(fitted.Apply(t.Context(), of([]float32{12}, []float32{3.5})))
	for _, c := range []struct {
		d    *datasets.Dataset
		j    int
		want []float32
	}{{train, 0, []float32{-1, -0.5, 1}}, {train, 1, []float32{0, 0, 0}}, {test, 0, []float32{1.5}},
		{test, 1, []float32{0.5}}} {
		if got := c.d.Column(nil, c.j); !slices.Equal(got, c.want) {
			t.Errorf("column %d: %v, want %v", c.j, got, c.want)
		}
	}
}
