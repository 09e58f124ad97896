package forest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// Trunk is docs/benchmarks.md's job; 26 classes in 16 dimensions look like letter.
func BenchmarkPredict(b *testing.B) {
	const trees, rows = 100, 20000
	letters := sim.RandomRBF{Features: 16, Classes: 26}
	for _, problem := range []struct {
		name        string
		train, test *datasets.Dataset
		candidates  int
	}{
		{"trunk", sim.Trunk{Features: 50}.Sample(rows, 1), sim.Trunk{Features: 50}.Sample(rows, 2), 7},
		{"classes", letters.Sample(rows, 1), letters.Sample(rows, 2), 4},
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
