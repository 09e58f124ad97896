package main

import (
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/obliqua-ml/obliqua/datasets"
)

// friedman samples Friedman's first function (Annals of Statistics 19, 1991) with noise of variance 1, so that no mean
// squared error is below 1. The features are uniform in [0, 1), and all but five of them are irrelevant.
func friedman(features int) func(n int, seed uint64) *datasets.Dataset {
	return func(n int, seed uint64) *datasets.Dataset {
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
}

// A mixture is a problem of equally likely classes, each an equal mixture of Gaussians N(μ, I + LLᵀ), whose loadings L
// on a few common factors correlate the features.
type mixture struct {
	name              string
	features, classes int
	components        []component // class by class, equally many for each
}

type component struct {
	mean    []float64
	factors [][]float64 // L by columns
}

// newMixture draws a mixture of two classes with the given number of components each. Like signal and background in the
// Higgs data the classes overlap: the Bayes error is between 0.2 and 0.25, so trees grow deep.
func newMixture(features, components int, seed uint64) mixture {
	return drawMixture(mixture{name: "higgs-like", features: features, classes: 2}, 2*components, 0.12, 6, seed)
}

// newGaussians draws a mixture of one component N(μ, I) per class.
func newGaussians(features, classes int, seed uint64) mixture {
	return drawMixture(mixture{name: "gaussians", features: features, classes: classes}, classes, 0.6, 0, seed)
}

// drawMixture adds components to m. The entries of μ and of the columns of L are normal, with standard deviations sd
// and 0.24.
func drawMixture(m mixture, components int, sd float64, factors int, seed uint64) mixture {
	rng := rand.New(rand.NewPCG(seed, ^seed))
	normals := func(sd float64) []float64 {
		v := make([]float64, m.features)
		for j := range v {
			v[j] = sd * rng.NormFloat64()
		}
		return v
	}
	for range components {
		c := component{mean: normals(sd)}
		for range factors {
			c.factors = append(c.factors, normals(0.24))
		}
		m.components = append(m.components, c)
	}
	return m
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

// newDataset returns a data set of zeros with classes "0", "1", …, or with target values if classes is 0.
func newDataset(name string, n, p, classes int) *datasets.Dataset {
	d := &datasets.Dataset{Name: name, Target: "y"}
	cells := make([]float32, n*p)
	for j := range p {
		d.Features = append(d.Features, datasets.Feature{Name: "x" + strconv.Itoa(j+1)})
		d.Columns = append(d.Columns, cells[j*n:(j+1)*n:(j+1)*n])
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
