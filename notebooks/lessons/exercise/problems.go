package exercise

import (
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz"
)

// Corner is a problem whose best boundary is nearly two splits, x1 ≤ 1 and x2 ≤ 1: a cloud of class 0 around (0, 0), and
// three of class 1 around (2, 0), (0, 2) and (2, 2).
func Corner() sim.GaussianClasses {
	return clouds(0.8, [][]float64{{0, 0, 0, 3}, {1, 2, 0, 1}, {1, 0, 2, 1}, {1, 2, 2, 1}})
}

// Quadrants is a problem whose class is the sign of x1·x2, but for the overlap.
func Quadrants() sim.GaussianClasses {
	return clouds(0.4, [][]float64{{0, -1, -1, 1}, {0, 1, 1, 1}, {1, -1, 1, 1}, {1, 1, -1, 1}})
}

// clouds returns a problem of round clouds, each given by its class, its mean and its weight.
func clouds(variance float64, of [][]float64) (p sim.GaussianClasses) {
	for _, c := range of {
		p.Components = append(p.Components, sim.Gaussian{Class: int(c[0]), Mean: c[1:3], Weight: c[3],
			Covariance: [][]float64{{variance, 0}, {0, variance}}})
	}
	return p
}

// Diagonal returns n rows, uniform on the unit square, with the class "above" where x2 > x1 and "below" elsewhere.
func Diagonal(n int, seed uint64) *datasets.Dataset {
	rng := forest.NewRand(seed)
	rows, class := make([][]float64, n), make([]string, n)
	for i := range rows {
		rows[i] = []float64{rng.Float64(), rng.Float64()}
		class[i] = "below"
		if rows[i][1] > rows[i][0] {
			class[i] = "above"
		}
	}
	return must.Value(datasets.FromRows(rows, class))
}

// Wave returns n rows with x uniform from 0 to 4 and the value sin 3x plus normal noise with a standard deviation of 0.3.
func Wave(n int, seed uint64) *datasets.Dataset {
	rng := forest.NewRand(seed)
	rows, values := make([][]float64, n), make([]float64, n)
	for i := range rows {
		x := 4 * rng.Float64()
		rows[i], values[i] = []float64{x}, math.Sin(3*x)+0.3*rng.Normal()
	}
	return must.Value(datasets.FromRows(rows, values))
}

// Crest returns 401 rows at x = 0, 0.01, …, 4, with the value sin 3x.
func Crest() *datasets.Dataset {
	var rows [][]float64
	var values []float64
	for i := range 401 {
		x := float64(i) / 100
		rows, values = append(rows, []float64{x}), append(values, math.Sin(3*x))
	}
	return must.Value(datasets.FromRows(rows, values))
}

// Changed returns d with each cell of a column replaced by what f makes of it.
func Changed(d *datasets.Dataset, column int, f func(float32) float32) *datasets.Dataset {
	other := *d
	other.Columns = slices.Clone(d.Columns)
	other.Columns[column] = nil
	for _, v := range d.Columns[column] {
		other.Columns[column] = append(other.Columns[column], f(v))
	}
	return &other
}

// First returns the model of the first trees.
func First(model *forest.Forest, trees int) *forest.Forest {
	first := *model
	first.Trees = model.Trees[:trees]
	return &first
}

// Errors are the errors of a learner's models by sample: on the rows that each was trained on, out of bag, and on others.
type Errors struct{ Training, OutOfBag, Others []float64 }

// Repeat trains the learner on samples of n rows of a problem, by the seeds 0, 1, 2, …, and tests each model on others.
// OutOfBag is empty if the learner trains each tree on all rows. Repeat ends the cell if the learner fails.
func Repeat(learner forest.Learner, sample func(n int, seed uint64) *datasets.Dataset, n, samples int,
	others *datasets.Dataset) (e Errors) {
	for seed := range uint64(samples) {
		train := sample(n, seed)
		model := nb.Value(learner.Fit(nb.Context(), train))
		e.Training = append(e.Training, loss(model, train))
		e.Others = append(e.Others, loss(model, others))
		if oob, err := model.OutOfBag(nb.Context(), train); err == nil {
			e.OutOfBag = append(e.OutOfBag, oob.Error())
		}
	}
	return e
}

// Lines returns a line for each name, through the means of what y returns for each x: the numbers of each line. It prints
// the means, with standard errors where there are several numbers.
func Lines(of string, x []float64, names []string, y func(x float64) [][]float64) []viz.Series {
	lines := make([]viz.Series, len(names))
	for _, at := range x {
		fmt.Printf("%s %g:", of, at)
		for k, numbers := range y(at) {
			mean, stderr := eval.MeanStdErr(numbers)
			line := &lines[k]
			line.Name, line.X, line.Y = names[k], append(line.X, at), append(line.Y, mean)
			fmt.Printf("  %s %.3f", names[k], mean)
			if len(numbers) > 1 {
				fmt.Printf(" ± %.3f", stderr)
			}
		}
		fmt.Println()
	}
	return lines
}
