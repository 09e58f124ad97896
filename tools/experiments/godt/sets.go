package godt

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/papers/godt"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// Steps treat missing cells and categories, of which the thesis says only that one-hot coding is a standard approach.
// They are to be fitted to training rows.
var Steps = datasets.Steps{datasets.Impute{}, datasets.OneHot{}}

// CodeSteps are Steps with categories as integer codes, since table 3.1 counts a categorical column as one feature.
var CodeSteps = datasets.Steps{datasets.Impute{}, datasets.Ordinal{}}

// scaledSteps are CodeSteps with features scaled to [−1, 1].
var scaledSteps = append(CodeSteps[:len(CodeSteps):len(CodeSteps)], scaled{})

// readings change sets as they are registered.
var readings = map[string]func(d *datasets.Dataset) *datasets.Dataset{
	"Abalone":       func(d *datasets.Dataset) *datasets.Dataset { return as(d, "sex") },
	"Breast Cancer": trial.Complete,
	"Heart Failure": func(d *datasets.Dataset) *datasets.Dataset { return without(d, "time") },
	"air quality":   func(d *datasets.Dataset) *datasets.Dataset { return as(filled(d, -200), "AH") },
	"parkinsons":    func(d *datasets.Dataset) *datasets.Dataset { return as(d, "PPE") },
	"Istanbul stock exchange": func(d *datasets.Dataset) *datasets.Dataset {
		return without(as(d, "em"), "day", "month", "year")
	},
	"auto mpg": func(d *datasets.Dataset) *datasets.Dataset { return trial.Complete(without(d, "model", "origin")) },
}

// Load loads a set in its reading, with categories and missing cells; see [Steps].
func Load(ctx context.Context, s godt.Set) (*datasets.Dataset, error) {
	d, err := public.Load(ctx, s.Source)
	if err != nil {
		return nil, fmt.Errorf("%s of the thesis: %w", s.Name, err)
	}
	if read := readings[s.Name]; read != nil {
		d = read(d)
	}
	return d, nil
}

// stream keeps the divisions apart from other random numbers of the same seed.
const stream = 0x6f64745f73706c69

// Split divides n rows of a set at random into training, validation and test rows, each in ascending order. The test
// part has s.Test rows, of Madelon always the last ones, and the validation part a fifth of the others, rounded. The
// same n and repeat give the same rows.
func Split(s godt.Set, n int, repeat uint64) (train, validation, test []int32) {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	others := n - s.Test
	shuffle := n
	if s.Name == "Madelon" {
		shuffle = others
	}
	rand.New(rand.NewPCG(repeat, stream)).Shuffle(shuffle, func(i, j int) { order[i], order[j] = order[j], order[i] })
	cut := others - int(math.Round(float64(others)/5))
	train, validation, test = order[:cut:cut], order[cut:others:others], order[others:]
	slices.Sort(train)
	slices.Sort(validation)
	slices.Sort(test)
	return train, validation, test
}

// A division is a division of a set.
type division struct{ train, validation, both, test *datasets.Dataset }

// divide loads the set of a run and divides it.
func divide(ctx context.Context, run paper.Run) (division, error) {
	sets := slices.Concat(godt.Sets, godt.ValueSets)
	s := sets[slices.IndexFunc(sets, func(s godt.Set) bool { return s.Name == run.Problem })]
	d, err := Load(ctx, s)
	if err != nil {
		return division{}, err
	}
	train, validation, test := Split(s, d.N(), run.Seed)
	both := d.Subset(slices.Concat(train, validation))
	return division{d.Subset(train), d.Subset(validation), both, d.Subset(test)}, nil
}

// without returns the data without the named columns, which it must have.
func without(d *datasets.Dataset, names ...string) *datasets.Dataset {
	var keep []int
	for j, f := range d.Features {
		if !slices.Contains(names, f.Name) {
			keep = append(keep, j)
		}
	}
	if len(keep)+len(names) != d.P() {
		panic(fmt.Sprintf("runs: %s lacks one of the columns %q", d.Name, names))
	}
	return d.Select(keep...)
}

// as returns the data with a column as the target: a class or, for data of values, a value. The former target becomes
// the last feature if it is a value, and is left out if it is a class.
func as(d *datasets.Dataset, target string) *datasets.Dataset {
	c := *d
	if d.Values != nil {
		former := make([]float32, d.N())
		for i, v := range d.Values {
			former[i] = float32(v)
		}
		c.Features = append(slices.Clone(d.Features), datasets.Feature{Name: d.Target})
		c.Columns, c.Rows = append(columns(d), former), nil
	}
	return must.Value(c.WithTarget(target, d.Values != nil))
}

// columns returns copies of the columns of d, with its rows only.
func columns(d *datasets.Dataset) (columns [][]float32) {
	for j := range d.P() {
		columns = append(columns, slices.Clone(d.Column(nil, j)))
	}
	return columns
}

// filled returns the data with a number for missing cells.
func filled(d *datasets.Dataset, with float32) *datasets.Dataset {
	c := *d
	c.Rows, c.Columns = nil, columns(d)
	for _, column := range c.Columns {
		for i, v := range column {
			if v != v {
				column[i] = with
			}
		}
	}
	return &c
}
