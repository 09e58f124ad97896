package main

import (
	"math/rand/v2"
	"strconv"

	"github.com/obliqua-ml/obliqua/datasets"
)

// A mixture is a problem of equally likely classes, each an equal mixture of
// Gaussians N(μ, I + LLᵀ), whose loadings L on a few common factors correlate
// the features.
type mixture struct {
	name              string
	features, classes int
	components        []component // class by class, equally many for each
}

type component struct {
	mean    []float64
	factors [][]float64 // L by columns
}

// Standard deviations of the entries of μ and L, which are normal.
const (
	mixtureFactors = 6
	mixtureMean    = 0.12
	mixtureLoading = 0.24
	gaussiansMean  = 0.6
)

// newMixture draws a mixture of two classes with the given number of components
// each. Like signal and background in the Higgs data the classes overlap: the Bayes
// error is between 0.2 and 0.25, so trees grow deep.
func newMixture(features, components int, seed uint64) mixture {
	rng := rand.New(rand.NewPCG(seed, ^seed))
	m := mixture{name: "higgs-like", features: features, classes: 2}
	for range 2 * components {
		c := component{mean: normals(rng, features, mixtureMean)}
		for range mixtureFactors {
			c.factors = append(c.factors, normals(rng, features, mixtureLoading))
		}
		m.components = append(m.components, c)
	}
	return m
}

// newGaussians draws a mixture of one component N(μ, I) per class.
func newGaussians(features, classes int, seed uint64) mixture {
	rng := rand.New(rand.NewPCG(seed, ^seed))
	m := mixture{name: "gaussians", features: features, classes: classes}
	for range classes {
		m.components = append(m.components, component{mean: normals(rng, features, gaussiansMean)})
	}
	return m
}

func normals(rng *rand.Rand, n int, sd float64) []float64 {
	v := make([]float64, n)
	for j := range v {
		v[j] = sd * rng.NormFloat64()
	}
	return v
}

// sample draws n rows.
func (m mixture) sample(n int, seed uint64) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(seed, ^seed))
	d := newDataset(m.name, n, m.features, m.classes)
	row := make([]float64, m.features)
	for i := range n {
		k := rng.IntN(len(m.components))
		d.Labels[i] = int32(m.classes * k / len(m.components))
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

// newDataset returns a data set of zeros with classes "0", "1", …, or with target
// values if classes is 0.
func newDataset(name string, n, p, classes int) *datasets.Dataset {
	d := &datasets.Dataset{
		Name:     name,
		Target:   "y",
		Features: make([]datasets.Feature, p),
		Columns:  make([][]float32, p),
	}
	cells := make([]float32, n*p)
	for j := range p {
		d.Features[j].Name = "x" + strconv.Itoa(j+1)
		d.Columns[j] = cells[j*n : (j+1)*n : (j+1)*n]
	}
	if classes == 0 {
		d.Values = make([]float64, n)
		return d
	}
	d.Labels = make([]int32, n)
	for c := range classes {
		d.Classes = append(d.Classes, strconv.Itoa(c))
	}
	return d
}
