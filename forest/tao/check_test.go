package tao

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

func TestDefaults(t *testing.T) {
	ninety := forest.Sampling{Fraction: 0.9, WithoutReplacement: true}
	for _, test := range []struct {
		n       int
		l, want Learner
	}{
		{1024, Learner{}, Learner{Trees: 30, Depth: 8, SplitProbability: 1, Passes: 40, Lambda: 0.01, LeafLambda: 0.5,
			Sampling: ninety}},
		{1024, Learner{LinearLeaves: true}, Learner{Trees: 30, Depth: 5, LinearLeaves: true, SplitProbability: 1, Passes: 40,
			Lambda: 0.01, LeafLambda: 0.5, Sampling: ninety}},
		{1, Learner{Lambda: none, LeafLambda: none}, Learner{Trees: 30, Depth: 1, SplitProbability: 1, Passes: 40,
			Sampling: ninety}},
		{
			64, Learner{Trees: 2, Depth: 3, SplitProbability: 0.5, Passes: 1, Lambda: 3, LeafLambda: 4,
				Sampling: forest.AllRows},
			Learner{Trees: 2, Depth: 3, SplitProbability: 0.5, Passes: 1, Lambda: 3, LeafLambda: 4, Sampling: forest.AllRows},
		},
	} {
		d := normals(test.n, 1)
		if test.n == 1 {
			d = valued(table([]float32{1}), func(int) float64 { return 1 })
		}
		trainer := must.Value(test.l.trainer(d))
		if !reflect.DeepEqual(trainer.Learner, test.want) {
			t.Errorf("%d rows: %+v means %+v; want %+v", test.n, test.l, trainer.Learner, test.want)
		}
	}
	// By default a leaf of a complete tree has four rows or more; ⌈log2 n⌉ is never exceeded.
	for _, test := range []struct{ n, depth, want int }{
		{1023, 0, 7}, {64, 0, 4}, {63, 0, 3}, {8, 0, 1}, {3, 0, 1},
		{10, 60, 4}, {16, 60, 4}, {17, 60, 5}, {2, 60, 1}, {10, 2, 2},
	} {
		trainer := must.Value(Learner{Depth: test.depth}.trainer(normals(test.n, 1)))
		if trainer.Depth != test.want {
			t.Errorf("%d rows: Depth %d means %d; want %d", test.n, test.depth, trainer.Depth, test.want)
		}
	}
}

// Scores of all rows and classes would be 2²⁷ + 2¹⁴ numbers of 8 bytes.
func TestTooManyScores(t *testing.T) {
	const classes = 1 << 14
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}}, Columns: [][]float32{nil}}
	for i := range 1<<13 + 1 {
		d.Columns[0] = append(d.Columns[0], float32(i))
		d.Labels = append(d.Labels, int32(i%16))
	}
	for c := range classes {
		d.Classes = append(d.Classes, fmt.Sprint(c))
	}
	_, err := Learner{LinearLeaves: true}.Fit(t.Context(), d)
	readtest.WantError(t, err, "8193 rows of 16384 classes")
}
