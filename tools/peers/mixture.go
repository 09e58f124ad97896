package main

import (
	"math/rand/v2"
	"strconv"

	"github.com/obliqua-ml/obliqua/datasets"
)

// A mixture is a problem of two equally likely classes that overlap, as signal
// and background of the Higgs data do: each class is an equal mixture of
// Gaussians N(μ, I + LLᵀ), whose loadings L on a few common factors correlate
// the features. Entries of μ and L are normal with the standard deviations
// below, which put the Bayes error between a fifth and a quarter, so that trees
// grow deep.
type mixture struct {
	features   int
	components []component // the first half is of class 0
}

type component struct {
	mean    []float64
	factors [][]float64 // L by columns
}

const (
	mixtureFactors = 6
	mixtureMean    = 0.12
	mixtureLoading = 0.24
)

// newMixture draws a mixture of a number of components a class.
func newMixture(features, components int, seed uint64) mixture {
	rng := rand.New(rand.NewPCG(seed, ^seed))
	normals := func(sd float64) []float64 {
		v := make([]float64, features)
		for j := range v {
			v[j] = sd * rng.NormFloat64()
		}
		return v
	}
	m := mixture{features: features}
	for range 2 * components {
		c := component{mean: normals(mixtureMean)}
		for range mixtureFactors {
			c.factors = append(c.factors, normals(mixtureLoading))
		}
		m.components = append(m.components, c)
	}
	return m
}

// sample draws n rows.
func (m mixture) sample(n int, seed uint64) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(seed, ^seed))
	d := newDataset("higgs-like", n, m.features, 2)
	row := make([]float64, m.features)
	for i := range n {
		k := rng.IntN(len(m.components))
		d.Labels[i] = int32(2 * k / len(m.components))
		m.components[k].draw(row, rng)
		for j, v := range row {
			d.Columns[j][i] = float32(v)
		}
	}
	return d
}

func (c component) draw(row []float64, rng *rand.Rand) {
	for j, mean := range c.mean {
		row[j] = mean + rng.NormFloat64()
	}
	for _, loadings := range c.factors {
		z := rng.NormFloat64()
		for j, l := range loadings {
			row[j] += z * l
		}
	}
}

// newDataset returns a data set of zeros with classes "0", "1", ….
func newDataset(name string, n, p, classes int) *datasets.Dataset {
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
		d.Classes[c] = strconv.Itoa(c)
	}
	return d
}
