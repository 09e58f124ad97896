package graf

import (
	"fmt"
	"maps"
	"slices"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
)

// boostedFeatures are the largest numbers of features of hypercubes on which boosting is measured, from 3 on.
var boostedFeatures = map[string]int{"GB": 7, "ADA": 10, "XGB": 10}

// boostedRecords returns κ of boosting on hypercubes by repeat, as records of [Cubes].
func boostedRecords(r *paper.Results) (records []paper.Record) {
	sets := map[string]paper.Cell{}
	for _, problem := range slices.Concat(plain, projected) {
		for x := 3; x <= slices.Max(slices.Collect(maps.Values(boostedFeatures))); x++ {
			sets[fmt.Sprintf("cube/%s/%d", problem, x)] = paper.Cell{Problem: problem, X: x}
		}
	}
	for _, p := range r.Predictions() {
		if of, ok := sets[p.Set]; ok && of.X <= boostedFeatures[p.Method] {
			records = append(records, paper.Record{
				Run:    paper.Run{Problem: of.Problem, Method: p.Method, X: of.X, Repeat: p.Repeat},
				Result: paper.Result{Score: eval.Kappa(p.Labels, p.Truth)}})
		}
	}
	return records
}

// boostedCubes are the means of boostedRecords over repeats.
func boostedCubes(r *paper.Results) paper.Means { return paper.MeansOf(boostedRecords(r)) }

// lessBoosted finds GRAF's κ less that of a boosting method on the same hypercubes, the mean over numbers of features
// and repeats.
func lessBoosted(problem, method string) func(r *paper.Results) paper.Finding {
	return func(r *paper.Results) paper.Finding {
		ours := map[[2]int]float64{}
		for _, record := range r.Records(Cubes.On(problem).By("GRAF")) {
			ours[[2]int{record.X, record.Repeat}] = record.Score
		}
		var differences []float64
		for _, record := range boostedRecords(r) {
			graf, ok := ours[[2]int{record.X, record.Repeat}]
			if ok && record.Problem == problem && record.Method == method {
				differences = append(differences, graf-record.Score)
			}
		}
		return paper.Found(paper.NumberOf(differences))
	}
}
