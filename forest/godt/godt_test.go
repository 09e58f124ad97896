package godt_test

import (
	"context"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// corners returns n rows of each of two clouds of points around (0, 0) and (10, 10), with the
// cloud as the class.
func corners(n int) *datasets.Dataset {
	rng := forest.NewRand(1)
	d := &datasets.Dataset{Columns: make([][]float32, 2), Features: make([]datasets.Feature, 2),
		Classes: []string{"low", "high"}}
	for i := range 2 * n {
		for j := range d.Columns {
			d.Columns[j] = append(d.Columns[j], float32(rng.Normal())+float32(10*(i%2)))
		}
		d.Labels = append(d.Labels, int32(i%2))
	}
	return d
}

// Two clouds far apart are divided by the first split of every divider, half-way between them.
func TestOneSplitDividesTwoClouds(t *testing.T) {
	d := corners(100)
	for _, divider := range []godt.Divider{godt.SharedDiagonal, godt.SharedFull, godt.SeparateFull, godt.SeparateDiagonal,
		godt.KMeans, godt.FirstAxis} {
		f := must.Value(godt.Tree{Splitting: godt.Splitting{Divider: divider}}.Fit(context.Background(), d))
		if size := f.Size(); size.Nodes != 3 {
			t.Errorf("divider %d: %d nodes, want a root and two leaves", divider, size.Nodes)
		}
	}
}

func TestErrors(t *testing.T) {
	d := corners(10)
	values := *d
	values.Labels, values.Classes, values.Values = nil, nil, make([]float64, d.N())
	for want, l := range map[string]forest.Learner{
		"godt: Purity 2":                  godt.Tree{Splitting: godt.Splitting{Purity: 2}},
		"godt: Beta 1 and RelativeBeta 1": godt.Tree{Splitting: godt.Splitting{Beta: 1, RelativeBeta: 1}},
		"gorf: -1 trees":                  godt.Learner{Trees: -1},
	} {
		_, err := l.Fit(t.Context(), d)
		readtest.WantError(t, err, want)
	}
	quadratic := godt.Tree{Splitting: godt.Splitting{Divider: godt.SeparateFull}}
	_, err := quadratic.Fit(t.Context(), &values)
	readtest.WantError(t, err, "gqdt: the data have values")
}
