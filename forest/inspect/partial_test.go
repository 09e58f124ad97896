package inspect

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// TestPartialDependence compares with the definition, row by row: each row is copied, the
// cell replaced, and the copy predicted by itself. The data are a view with a row twice, and
// the model has steps.
func TestPartialDependence(t *testing.T) {
	d := sim.Circles{Rings: 3, Classes: 3}.Sample(200, 1)
	model := must.Value(forest.Pipeline(sporf.Learner{Trees: 5, Seed: 1}, datasets.Standardise{}).Fit(t.Context(), d))
	view := d.Subset([]int32{9, 3, 3, 150, 77, 12})
	one := func(i int, cells map[int]float64) float64 {
		row := view.Row(nil, i)
		for j, v := range cells {
			row[j] = float32(v)
		}
		single := &datasets.Dataset{Features: d.Features, Columns: [][]float32{{row[0]}, {row[1]}}}
		return must.Value(model.Proba(t.Context(), single))[0][1]
	}
	before := view.Column(nil, 1)
	got := must.Value(PartialDependence(t.Context(), model, view, 1, 1, 4))
	if len(got.Values) != 4 || len(got.Rows) != 6 {
		t.Fatalf("%d values, %d rows", len(got.Values), len(got.Rows))
	}
	for v, value := range got.Values {
		sum := 0.0
		for i := range view.N() {
			want := one(i, map[int]float64{1: value})
			if got.Rows[i][v] != want {
				t.Errorf("row %d at %v: %v; want %v", i, value, got.Rows[i][v], want)
			}
			sum += want
		}
		if math.Abs(got.Mean[v]-sum/6) > 1e-12 {
			t.Errorf("mean at %v: %v; want %v", value, got.Mean[v], sum/6)
		}
	}
	if !slices.Equal(before, view.Column(nil, 1)) {
		t.Error("the data have changed")
	}
}

// TestPartialDependenceStump: a stump that cuts x at 0.5 has its leaf's values left and
// right of it, in every row's curve.
func TestPartialDependenceStump(t *testing.T) {
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}, {Name: "y"}},
		Columns: [][]float32{{0, 1, 0, 1}, {5, 6, 7, 8}}, Values: []float64{-2, 3, -2, 3}}
	model := must.Value(rf.CART{}.Fit(t.Context(), d))
	x := must.Value(PartialDependence(t.Context(), model, d, 0, 0, 9))
	if !slices.Equal(x.Values, []float64{0, 1}) || !slices.Equal(x.Mean, []float64{-2, 3}) ||
		!slices.Equal(x.Rows[0], []float64{-2, 3}) {
		t.Errorf("%+v", x)
	}
	y := must.Value(PartialDependence(t.Context(), model, d, 0, 1, 2))
	if !slices.Equal(y.Values, []float64{5, 8}) || !slices.Equal(y.Mean, []float64{0.5, 0.5}) {
		t.Errorf("%+v", y)
	}
}

func TestPartialDependenceErrors(t *testing.T) {
	d := sim.Circles{}.Sample(50, 1)
	model := must.Value(rf.CART{}.Fit(t.Context(), d))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := PartialDependence(ctx, model, d, 0, 0, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := PartialDependence(t.Context(), model, d.Select(0), 0, 0, 5); !errors.Is(err, datasets.ErrSchema) {
		t.Errorf("other columns: %v", err)
	}
	for _, c := range [][3]int{{2, 0, 5}, {0, 2, 5}, {0, 0, 1}} {
		readtest.WantPanic(t, "inspect: partial dependence ", func() {
			PartialDependence(t.Context(), model, d, c[0], c[1], c[2])
		})
	}
}
