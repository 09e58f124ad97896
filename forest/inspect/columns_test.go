package inspect

import (
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// The category decides the class, so its column matters most, though it became several features.
func TestMainColumns(t *testing.T) {
	d := &datasets.Dataset{Classes: []string{"no", "yes"}, Features: []datasets.Feature{{Name: "noise"},
		{Name: "colour", Categories: []string{"blue", "green", "red"}}, {Name: "constant"}}, Columns: make([][]float32, 3)}
	for i := range 90 {
		d.Columns[0] = append(d.Columns[0], float32(i*37%90))
		d.Columns[1] = append(d.Columns[1], float32(i%3))
		d.Columns[2] = append(d.Columns[2], 1)
		d.Labels = append(d.Labels, int32(i%3/2))
	}
	model := must.Value(forest.Pipeline(rf.Learner{Trees: 20, Seed: 1}, datasets.OneHot{}).Fit(t.Context(), d))
	if got := MainColumns(model, d, 2); !slices.Equal(got, []int{1, 0}) {
		t.Errorf("%v, importance %v of %v", got, model.Importance(), model.Features)
	}
}

// Misuse panics with the package's name.
func TestMisuse(t *testing.T) {
	readtest.WantPanic(t, "inspect: the -1 main columns", func() { MainColumns(nil, nil, -1) })
	readtest.WantPanic(t, "inspect: a table with rows of 2 and 1", func() { ChiSquare([]float64{1, 2}, []float64{1}) })
	readtest.WantPanic(t, "inspect: Approximate of scores", func() { (&RowScores{}).Approximate(0.5, ByRank, 0) })
}

// Columns by hand, with names that have the separators themselves.
func TestColumnOf(t *testing.T) {
	place := map[string]int{"a": 0, "a=b": 1, "c": 2, "c is missing": 3}
	for feature, want := range map[string]int{"a": 0, "a=x": 0, "a=b": 1, "a=b=x": 1, "a|y": 0, "a is missing": 0,
		"a=b is missing": 1, "c is missing": 3, "c=u=v": 2, "d": -1, "=": -1} {
		j, ok := columnOf(feature, place)
		if !ok {
			j = -1
		}
		if j != want {
			t.Errorf("%s is made of %d, want %d", feature, j, want)
		}
	}
}
