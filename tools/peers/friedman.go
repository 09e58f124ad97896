package main

import (
	"math"
	"math/rand/v2"

	"github.com/obliqua-ml/obliqua/datasets"
)

// friedman draws n rows of Friedman's first function (Annals of Statistics 19,
// 1991) with noise of variance 1, so that no mean squared error is below 1. The
// features are uniform in [0, 1), and all but five of them are irrelevant.
func friedman(n, features int, seed uint64) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(seed, ^seed))
	d := newDataset("friedman", n, features, 0)
	for _, column := range d.Columns {
		for i := range column {
			column[i] = rng.Float32()
		}
	}
	for i := range n {
		x := func(j int) float64 { return float64(d.Columns[j][i]) }
		d.Values[i] = 10*math.Sin(math.Pi*x(0)*x(1)) + 20*(x(2)-0.5)*(x(2)-0.5) + 10*x(3) + 5*x(4) + rng.NormFloat64()
	}
	return d
}
