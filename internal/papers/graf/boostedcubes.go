package graf

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// boostedFeatures are the largest numbers of features of hypercubes on which boosting is measured, from 3 on.
var boostedFeatures = map[string]int{"GB": 7, "ADA": 10, "XGB": 10}

// BoostedCubes are methods of other libraries on the hypercubes of [Cubes].
var BoostedCubes = paper.Experiment{Name: "boosted cubes", File: paper.ClassifiersFile, Read: boostedCubes,
	Grids: []paper.Grid{{Problems: slices.Concat(plain, projected), Methods: slices.Sorted(maps.Keys(boostedFeatures)),
		X: paper.Ints(3, 10), Repeats: 10}}}

// boostedCubes reads κ of boosting on hypercubes, whose names in the file end in a slash and the number of features.
func boostedCubes(r *paper.Results) (records []paper.Record) {
	for _, record := range paper.Classified("cube/", paper.Pairs("GB GB ADA ADA XGB XGB"))(r) {
		problem, features, _ := strings.Cut(record.Problem, "/")
		record.Problem = problem
		record.X, _ = strconv.Atoi(features)
		if record.X <= boostedFeatures[record.Method] {
			records = append(records, record)
		}
	}
	return records
}
