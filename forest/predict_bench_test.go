package forest_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// Trunk is docs/benchmarks.md's job; 26 overlapping Gaussians in 16 dimensions
// look like letter.
func BenchmarkPredict(b *testing.B) {
	const trees, rows = 100, 20000
	for _, problem := range []struct {
		name        string
		train, test *datasets.Dataset
		candidates  int
	}{
		{"trunk", sim.Trunk{Features: 50}.Sample(rows, 1), sim.Trunk{Features: 50}.Sample(rows, 2), 7},
		{"gaussians", gaussians(rows, 1), gaussians(rows, 2), 4},
	} {
		for _, l := range []forest.Learner{
			rf.Learner{Trees: trees, NodeFeatures: problem.candidates, Seed: 1},
			sporf.Learner{Trees: trees, Candidates: problem.candidates, Seed: 1},
		} {
			f := must.Value(l.Fit(b.Context(), problem.train))
			benchmarkForest(b, problem.name+"/"+f.Method, f, problem.test)
		}
	}
}

func benchmarkForest(b *testing.B, name string, f *forest.Forest, test *datasets.Dataset) {
	run := func(what string, rows int, predict func()) {
		b.Run(name+"/"+what, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				predict()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows*len(f.Trees)), "ns/row/tree")
		})
	}
	shuffled := rand.New(rand.NewPCG(1, 2)).Perm(test.N())
	view := make([]int32, len(shuffled))
	for i, r := range shuffled {
		view[i] = int32(r)
	}
	few := test.Subset(view[:100])
	view100 := datasets.Dataset{Features: few.Features}
	for j := range few.P() {
		view100.Columns = append(view100.Columns, few.Column(nil, j))
	}
	viewed := test.Subset(view)
	run("all", test.N(), func() { must.Value(f.Predict(b.Context(), test)) })
	run("proba", test.N(), func() { must.Value(f.Proba(b.Context(), test)) })
	run("view", test.N(), func() { must.Value(f.Predict(b.Context(), viewed)) })
	run("100", 100, func() { must.Value(f.Predict(b.Context(), &view100)) })
	run("pack", len(f.Trees[0].Nodes), func() { f.Predictor() })
	var rows [][]float32
	for i := range 2000 {
		rows = append(rows, test.Row(nil, i))
	}
	predictor, proba, i := f.Predictor(), make([]float64, len(f.Classes)), 0
	run("row", 1, func() { predictor.Label(rows[i%len(rows)]); i++ })
	run("rowproba", 1, func() { predictor.Proba(proba, rows[i%len(rows)]); i++ })
}

func gaussians(n int, seed uint64) *datasets.Dataset {
	const classes, p = 26, 16
	centres := rand.New(rand.NewPCG(5, 5))
	rng := rand.New(rand.NewPCG(seed, 0))
	d := &datasets.Dataset{Features: make([]datasets.Feature, p), Columns: make([][]float32, p), Labels: make([]int32, n)}
	for c := range classes {
		d.Classes = append(d.Classes, fmt.Sprint(c))
	}
	for i := range d.Labels {
		d.Labels[i] = int32(rng.IntN(classes))
	}
	for j := range d.Columns {
		var mean [classes]float64
		for c := range mean {
			mean[c] = 1.2 * centres.NormFloat64()
		}
		d.Columns[j] = make([]float32, n)
		for i, y := range d.Labels {
			d.Columns[j][i] = float32(mean[y] + rng.NormFloat64())
		}
	}
	return d
}
