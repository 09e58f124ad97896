package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/sim"
)

// errNoData is returned by jobs whose data need OBLIQUA_DATA.
var errNoData = errors.New("OBLIQUA_DATA is unset")

// load draws or reads the data for training and testing.
func (j job) load() (train, test *datasets.Dataset, err error) {
	what, rest, _ := strings.Cut(j.Data, " ")
	switch what {
	case "trunk": // rows, features, test rows
		var n, p, tests int
		fmt.Sscan(rest, &n, &p, &tests)
		trunk := sim.Trunk{Features: p}
		return trunk.Sample(n, 1), trunk.Sample(tests, 2), nil
	case "friedman":
		return friedman(20, 20000, 1), friedman(20, 10000, 2), nil
	case "higgs":
		m := newMixture(28, 4, 1)
		return m.sample(500000, 2), m.sample(100000, 3), nil
	}
	if _, ok := os.LookupEnv("OBLIQUA_DATA"); !ok {
		return nil, nil, errNoData
	}
	ctx := context.Background()
	if what == "mnist" {
		train, errTrain := public.Load(ctx, "mnist")
		test, errTest := public.Load(ctx, "mnist_test")
		return train, test, errors.Join(errTrain, errTest)
	}
	holdout := datasets.Holdout{Stratified: true, Seed: 1} // public: name, share of test rows
	var name string
	if _, err := fmt.Sscan(rest, &name, &holdout.Test); err != nil {
		return nil, nil, fmt.Errorf("no data %q: %w", j.Data, err)
	}
	d, err := public.Load(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	return holdout.Split(d)
}

// friedman samples n rows of Friedman's first function (Annals of Statistics 19, 1991) with noise of variance 1, so
// that no mean squared error is below 1. The features are uniform in [0, 1), and all but five of them are irrelevant.
func friedman(features, n int, seed uint64) *datasets.Dataset {
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

// A mixture is a problem of two equally likely classes, each an equal mixture of Gaussians N(μ, I + LLᵀ), whose
// loadings L on a few common factors correlate the features.
type mixture struct {
	features   int
	components []component // first those of class 0, then as many of class 1
}

type component struct {
	mean    []float64
	factors [][]float64 // L by columns
}

// newMixture draws a mixture with the given number of components of each class. The entries of μ and of the six columns
// of L are normal, with standard deviations 0.12 and 0.24. Like signal and background in the Higgs data the classes
// overlap: the Bayes error is between 0.2 and 0.25, so trees grow deep.
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
		c := component{mean: normals(0.12)}
		for range 6 {
			c.factors = append(c.factors, normals(0.24))
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
