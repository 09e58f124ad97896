// Package sim draws samples of simulated classification problems from papers on
// decision forests. Each problem is a type.
//
// The fields of a type are the parameters of the problem; the zero value is the
// setting of a paper or program, or for [GaussianClasses] a simple one. Sample
// draws n rows. Where the best classifier is known, Bayes returns it: a [Rule] of the
// class at x, which must hold all features, of the probabilities and of the error.
//
// The same parameters, n and seed give the same sample, on every processor. The
// exceptions are [Trunk], [Hypercube] and [RandomRBF]: they take normal numbers
// from math/rand/v2, whose logarithms may differ in the last bit from one kind of
// processor to another.
//
// Features are named x1 … xp and the target y. Methods panic if a parameter is
// out of its range, and Sample if n is below 1 (in [Hypercube], below 0) or above
// 2³¹−1.
package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/obliqua-ml/obliqua/datasets"
)

// newPCG returns the generator of a sample. Both words of its state depend on
// the seed, since generators that differ only in the upper word stay correlated.
func newPCG(seed uint64) *rand.PCG { return rand.NewPCG(seed, ^seed) }

// newRand returns a rand.Rand of that generator.
func newRand(seed uint64) *rand.Rand { return rand.New(newPCG(seed)) }

// newDataset returns a classification data set of n rows, p columns and the
// classes first, first+1, …. All cells and labels are 0.
func newDataset(name string, n, p, classes, first int) *datasets.Dataset {
	if n < 1 || n > math.MaxInt32 {
		panic(fmt.Sprintf("sim: a sample of %d rows; want 1 to %d", n, math.MaxInt32))
	}
	d := &datasets.Dataset{
		Name:     name,
		Target:   "y",
		Features: make([]datasets.Feature, p),
		Columns:  make([][]float32, p),
		Labels:   make([]int32, n),
		Classes:  make([]string, classes),
	}
	cells := make([]float32, n*p)
	for j := range p {
		d.Features[j].Name = "x" + strconv.Itoa(j+1)
		d.Columns[j] = cells[j*n : (j+1)*n : (j+1)*n]
	}
	for c := range classes {
		d.Classes[c] = strconv.Itoa(first + c)
	}
	return d
}

// orDefault returns v, or def where v is 0, and panics unless the result is above 0 and at most most.
func orDefault[N int | float64](v, def, most N, name string) N {
	if v == 0 {
		v = def
	}
	if !(v > 0 && v <= most) {
		panic(fmt.Sprintf("sim: %s is %v; want a positive number up to %v", name, v, most))
	}
	return v
}

// maxFeatures keeps columns × rows within an int on every platform.
const maxFeatures = 1 << 20

// fillUniform fills x with numbers uniform on (−1, 1): odd multiples of 2⁻²³,
// which are exact, symmetric, and never 0, where labels change.
func fillUniform(x []float32, pcg *rand.PCG) {
	for i := range x {
		x[i] = float32(int32(pcg.Uint64()>>41)*2+1-1<<23) * 0x1p-23
	}
}

// sampleUniform returns n independent rows with p features uniform on (−1, 1). A rule says which of the classes first,
// first+1, … they have.
func sampleUniform(name string, n, p, classes, first int, seed uint64, rule Rule) *datasets.Dataset {
	d := newDataset(name, n, p, classes, first)
	pcg := newPCG(seed)
	for _, col := range d.Columns {
		fillUniform(col, pcg)
	}
	x := make([]float32, p)
	for i := range d.Labels {
		d.Labels[i] = rule.Class(d.Row(x, i))
	}
	return d
}

// phi is the standard normal distribution function.
func phi(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
