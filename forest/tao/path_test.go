package tao

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// problems returns a data set of three classes and one of values, of 300 rows each, that
// three or four oblique splits describe but for some noise.
func problems() map[string]*datasets.Dataset {
	rng := forest.NewRand(11)
	columns := make([][]float32, 4)
	for j := range columns {
		columns[j] = column(300, func(int) float32 { return float32(rng.Normal()) })
	}
	x := table(columns...)
	at := func(i, j int) float64 { return float64(columns[j][i]) }
	return map[string]*datasets.Dataset{
		"classes": labelled(x, 3, func(i int) int {
			switch e := 0.3 * rng.Normal(); {
			case at(i, 0)+at(i, 1)+e < 0:
				return 0
			case at(i, 2)-at(i, 3)+e < 0:
				return 1
			}
			return 2
		}),
		"values": valued(x, func(i int) float64 { return 50 + 10*math.Abs(at(i, 0)-at(i, 1)) + rng.Normal() }),
	}
}

func encoded(f *forest.Forest) []byte {
	return must.Value(f.MarshalBinary())
}

func TestPathBeginsAsFitAndEndsInOneLeaf(t *testing.T) {
	for name, d := range problems() {
		for _, linear := range []bool{false, true} {
			l := Learner{Trees: 3, Depth: 3, LinearLeaves: linear, Passes: 6, Seed: 5}
			lambdas := []float64{0, 0.1, 10, 1e9}
			var h History
			path := must.Value(h.Path(context.Background(), l, d, lambdas...))
			for i, lambda := range []float64{none, 0.1} {
				l.Lambda = lambda
				f := must.Value(l.Fit(context.Background(), d))
				one := must.Value(l.Path(context.Background(), d, lambdas[i]))
				if !bytes.Equal(encoded(f), encoded(one[0])) {
					t.Errorf("%s, linear leaves %v: a path of λ %v alone differs from Fit", name, linear, lambdas[i])
				}
				if first := bytes.Equal(encoded(f), encoded(path[i])); first != (i == 0) {
					t.Errorf("%s, linear leaves %v: forest %d of the path equals that of Fit: %v; want %v", name, linear, i, first,
						i == 0)
				}
			}
			checkPath(t, d, path, h.Passes(), lambdas, l.Passes)
		}
	}
}

// checkPath checks the numbers of a path's passes, that weights shrink and that the last trees,
// with λ = 1e9, are leaves.
func checkPath(t *testing.T, d *datasets.Dataset, path []*forest.Forest, passes []Pass, lambdas []float64, each int) {
	t.Helper()
	if want := len(path[0].Trees) * len(lambdas) * each; len(passes) != want {
		t.Fatalf("%d passes; want %d", len(passes), want)
	}
	for k, p := range passes {
		if p.Tree != k/(each*len(lambdas)) || p.Lambda != lambdas[k/each%len(lambdas)] || p.Number != k%each+1 {
			t.Fatalf("pass %d is number %d of tree %d with λ %v", k, p.Number, p.Tree, p.Lambda)
		}
	}
	for i, f := range path {
		fittest.Sound(t, f, d)
		if i > 0 && f.Size().Parameters > path[i-1].Size().Parameters {
			t.Errorf("%d parameters with λ %v; %d with λ %v", f.Size().Parameters, lambdas[i], path[i-1].Size().Parameters,
				lambdas[i-1])
		}
	}
	for i, tree := range path[len(path)-1].Trees {
		if len(tree.Nodes) != 1 {
			t.Errorf("tree %d has %d nodes with λ %v; want one leaf", i, len(tree.Nodes), lambdas[len(lambdas)-1])
		}
	}
}

// With linear leaves, a large penalty on all weights leaves the class proportions of the
// sample, or its mean.
func TestLargePenaltiesLeaveTheProportions(t *testing.T) {
	for name, d := range problems() {
		f := must.Value(Learner{Trees: 1, LinearLeaves: true, Lambda: 1e9, LeafLambda: 1e9,
			Sampling: forest.AllRows}.Fit(context.Background(), d))
		if d.Values != nil {
			mean, _ := meanAndSD(onesLike(d), func(i int) float64 { return d.Values[i] })
			if got := must.Value(f.PredictValues(t.Context(), d))[0]; !(math.Abs(got-mean) <= 1e-5*mean) {
				t.Errorf("%s: predicted %v; want the mean %v", name, got, mean)
			}
			continue
		}
		want := make([]float64, len(d.Classes))
		for _, y := range d.Labels {
			want[y] += 1 / float64(d.N())
		}
		for k, q := range must.Value(f.Proba(t.Context(), d))[0] {
			if !(math.Abs(q-want[k]) <= 1e-3) {
				t.Errorf("%s: probability %v of class %d; want %v", name, q, k, want[k])
			}
		}
	}
}

func onesLike(d *datasets.Dataset) []float64 {
	ones := make([]float64, d.N())
	for i := range ones {
		ones[i] = 1
	}
	return ones
}
