package godt_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// logOdds returns log(φ1N1/φ2N2) of a row of two features, from the definition of the normal
// density.
func logOdds(m *godt.Mixture, x []float32) float64 {
	density := func(c int) float64 {
		s := m.Covariance[c]
		det := s[0][0]*s[1][1] - s[0][1]*s[1][0]
		a, b := float64(x[0])-m.Mean[c][0], float64(x[1])-m.Mean[c][1]
		distance := (s[1][1]*a*a - 2*s[0][1]*a*b + s[0][0]*b*b) / det
		return math.Log(m.Share[c]) - math.Log(det)/2 - distance/2
	}
	return density(0) - density(1)
}

// The components describe the split: a row goes left if the first is more likely, unless it
// is so near the boundary that the M-step by which the components are computed matters.
func TestMixtureDescribesItsSplit(t *testing.T) {
	rng := forest.NewRand(5)
	d := &datasets.Dataset{Columns: make([][]float32, 2), Features: make([]datasets.Feature, 2),
		Classes: []string{"a", "b"}}
	for i := range 400 {
		x, y := rng.Normal(), rng.Normal()
		if i%4 == 0 { // a second, tilted cloud
			x, y = 5+0.5*x, 4+0.5*x+0.3*y
		}
		d.Columns[0], d.Columns[1] = append(d.Columns[0], float32(x)), append(d.Columns[1], float32(y))
		d.Labels = append(d.Labels, int32(i%2))
	}
	for _, s := range []godt.Splitting{{}, {Divider: godt.SharedFull}, {Divider: godt.SeparateFull},
		{Divider: godt.SeparateDiagonal},
		{RelativeBeta: 0.01}, {Divider: godt.SeparateFull, RelativeBeta: 0.1}} {
		m := must.Value(s.Mixture(d, nil, 1))
		small := min(m.Share[0], m.Share[1])
		if math.Abs(small-0.25) > 0.05 || math.Abs(m.Share[0]+m.Share[1]-1) > 1e-9 {
			t.Errorf("%+v: shares %v; want about 1/4 and 3/4", s, m.Share)
		}
		near := 0
		for i := range d.N() {
			x := d.Row(nil, i)
			odds := logOdds(m, x)
			if math.Abs(odds) < 0.05 {
				near++
			} else if left := m.Split.Value(x) <= m.Threshold; left != (odds > 0) {
				t.Errorf("%+v: row %d has log odds %v, but goes left: %v", s, i, odds, left)
			}
		}
		if near > 4 {
			t.Errorf("%+v: %d rows near the boundary; want few", s, near)
		}
		f := must.Value(godt.Tree{Splitting: s, Growth: forest.Growth{MaxDepth: 1}}.Fit(context.Background(), d))
		tree := &f.Trees[0]
		root := tree.Splits.At(tree.Nodes[0].Split)
		for i := range d.N() {
			x := d.Row(nil, i)
			if (root.Value(x) <= tree.Nodes[0].Value) != (m.Split.Value(x) <= m.Threshold) {
				t.Errorf("%+v: row %d goes another way at the root of a tree", s, i)
				break
			}
		}
	}
}

func TestMixtureErrors(t *testing.T) {
	d := corners(10)
	for name, err := range map[string]error{
		"no components": errorOf(godt.Splitting{Divider: godt.FirstAxis}.Mixture(d, nil, 1)),
		"equal rows":    errorOf(godt.Splitting{}.Mixture(d, []int32{3, 3}, 1)),
		"no rows":       errorOf(godt.Splitting{}.Mixture(d, []int32{}, 1)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// errorOf returns the error of a call with two results.
func errorOf(_ any, err error) error { return err }

// A row without weight changes nothing.
func TestMixtureLeavesOutRowsWithoutWeight(t *testing.T) {
	d := corners(30)
	d.Weights = make([]float32, d.N())
	for i := range d.Weights {
		d.Weights[i] = 1
	}
	want := must.Value(godt.Splitting{}.Mixture(d, nil, 1))
	for j := range d.Columns {
		d.Columns[j] = append([]float32{1000}, d.Columns[j]...)
	}
	d.Labels, d.Weights = append([]int32{0}, d.Labels...), append([]float32{0}, d.Weights...)
	got := must.Value(godt.Splitting{}.Mixture(d, nil, 1))
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("with a row of weight 0: %v; without: %v", got, want)
	}
}
