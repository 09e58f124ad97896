package exercise

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/ordered"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz"
)

// Corner is a problem whose best boundary is nearly two splits, x1 ≤ 1 and x2 ≤ 1: a cloud of class 0 around (0, 0),
// and three of class 1 around (2, 0), (0, 2) and (2, 2).
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

// Wave returns n rows with x uniform from 0 to 4 and the value sin 3x plus normal noise of standard deviation 0.3.
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

// Board returns 25 points in each field of a board of three by five fields, whose colours 0 and 1 alternate.
func Board() *datasets.Dataset {
	var rows [][]float64
	var class []int
	for i := range 5 * 3 * 25 {
		column, row := i/75, i/25%3
		rows = append(rows, []float64{float64(column) + 0.1 + 0.2*float64(i%5), float64(row) + 0.1 + 0.2*float64(i/5%5)})
		class = append(class, (row+column)%2)
	}
	return must.Value(datasets.FromRows(rows, class))
}

// Twelve returns eight public data sets and four simulated ones of 400 rows. It ends the cell if one can't be loaded.
func Twelve() []*datasets.Dataset {
	all := []*datasets.Dataset{sim.Waveform{}.Sample(400, 1), sim.LED{}.Sample(400, 1), sim.Ringnorm{}.Sample(400, 1),
		sim.SparseParity{Features: 10}.Sample(400, 1)}
	for _, name := range []string{"balance-scale", "banknote", "breast-cancer-wisc", "credit-approval", "glass", "iris",
		"statlog-vehicle", "wine"} {
		all = append(all, nb.Load(name))
	}
	return all
}

// A Sampler draws n rows of a problem by a seed.
type Sampler func(n int, seed uint64) *datasets.Dataset

// Ungrouped returns a sampler of the same rows without their groups.
func Ungrouped(sample Sampler) Sampler {
	return func(n int, seed uint64) *datasets.Dataset {
		d := sample(n, seed)
		d.Groups = nil
		return d
	}
}

// Mistaken returns d, of two classes, with the other label in the given rows.
func Mistaken(d *datasets.Dataset, rows ...int32) *datasets.Dataset {
	other := *d
	other.Labels = slices.Clone(d.Labels)
	for _, row := range rows {
		other.Labels[row] = 1 - d.Labels[row]
	}
	return &other
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

// First returns the model of the first trees, or of all if there are no more.
func First(model *forest.Forest, trees int) *forest.Forest {
	first := *model
	first.Trees = model.Trees[:min(trees, len(model.Trees))]
	return &first
}

// Drawn returns how many of n training rows are in a tree's sample.
func Drawn(model *forest.Forest, tree, n int) int {
	missing := func(count uint16) bool { return count == 0 }
	return len(slices.DeleteFunc(model.Sampling.Counts(nil, n, model.Seed, tree), missing))
}

// ErrorsOn returns the errors of predictions on the first n rows, the next n, and so on.
func ErrorsOn(n int, predicted, truth []int32) (errors []float64) {
	for i := 0; i+n <= len(truth); i += n {
		errors = append(errors, eval.Error(predicted[i:i+n], truth[i:i+n]))
	}
	return errors
}

// Folds returns the error of a learner on each fold. Steps are fitted to training rows. It ends the cell where
// [eval.CrossValidate] returns an error.
func Folds(l forest.Learner, d *datasets.Dataset, by eval.Splitter, steps ...datasets.Step) (errors []float64) {
	for _, f := range nb.Value(eval.CrossValidate(nb.Context(), l, d, by, steps...)).Folds {
		errors = append(errors, f.Error)
	}
	return errors
}

// Against returns the share of a forest's out-of-bag votes against each row's label, of two classes; NaN without votes.
func Against(model *forest.Forest, train *datasets.Dataset) (shares []float64) {
	for i, votes := range nb.Value(model.OutOfBag(nb.Context(), train)).Votes {
		shares = append(shares, float64(votes[1-train.Labels[i]])/float64(votes[0]+votes[1]))
	}
	return shares
}

// Ranking returns the rows by descending score, equal ones in their order.
func Ranking(scores []float64) []int32 {
	rows := make([]int32, len(scores))
	for k, row := range ordered.Largest(scores) {
		rows[k] = int32(row)
	}
	return rows
}

// Errors are the errors of a learner's models by sample: on the rows that each was trained on, out of bag, and on
// others.
type Errors struct {
	Training, OutOfBag, Others []float64
	Predicted                  [][]int32 // classes of the others
}

// Repeat trains the learner on samples of n rows of a problem, by the seeds 0, 1, 2, …, and tests each model on others.
// OutOfBag is empty if the learner trains each tree on all rows. Repeat ends the cell if the learner fails.
func Repeat(learner forest.Learner, sample Sampler, n, samples int, others *datasets.Dataset) (e Errors) {
	for seed := range uint64(samples) {
		train := sample(n, seed)
		model := nb.Value(learner.Fit(nb.Context(), train))
		e.Training = append(e.Training, loss(model, train))
		predicted := nb.Value(model.Predict(nb.Context(), others))
		e.Others, e.Predicted = append(e.Others, eval.Error(predicted, others.Labels)), append(e.Predicted, predicted)
		if oob, err := model.OutOfBag(nb.Context(), train); err == nil {
			e.OutOfBag = append(e.OutOfBag, oob.Error())
		}
	}
	return e
}

// Lines returns a line for each name, through the means of what y returns for each x: the numbers of each line. It
// prints the means, with standard errors where there are several numbers.
func Lines(of string, x []float64, names []string, y func(x float64) [][]float64) []viz.Series {
	lines := make([]viz.Series, len(names))
	for _, at := range x {
		said := fmt.Sprintf("%s %g:", of, at)
		for k, numbers := range y(at) {
			mean, stderr := eval.MeanStdErr(numbers)
			line := &lines[k]
			line.Name, line.X, line.Y = names[k], append(line.X, at), append(line.Y, mean)
			said += fmt.Sprintf("  %s %.3f", names[k], mean)
			if len(numbers) > 1 {
				said += fmt.Sprintf(" ± %.3f", stderr)
			}
		}
		fmt.Println(said)
	}
	return lines
}

// Bars compares learners by the errors that models of five samples of n rows have on others. It prints the means, with
// standard errors.
func Bars(title string, sample Sampler, n int, others *datasets.Dataset, names []string,
	learners ...forest.Learner) viz.Bars {
	bars := viz.Bars{Title: title, X: "test error, mean ± standard error of five samples", Names: names}
	for i, l := range learners {
		mean, stderr := eval.MeanStdErr(Repeat(l, sample, n, 5, others).Others)
		bars.Values, bars.Err = append(bars.Values, mean), append(bars.Err, stderr)
		fmt.Printf("%s: %.4f ± %.4f\n", names[i], mean, stderr)
	}
	return bars
}

// AlongX draws the values of d, which has one feature, and lines of values at the rows of [Crest].
func AlongX(title string, d *datasets.Dataset, lines map[string][]float64) viz.Curves {
	x := func(d *datasets.Dataset) (x []float64) {
		for _, v := range d.Columns[0] {
			x = append(x, float64(v))
		}
		return x
	}
	c := viz.Curves{Title: title, X: "x", Y: "y",
		Series: []viz.Series{{Name: "rows", X: x(d), Y: d.Values, Points: true}}}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		c.Series = append(c.Series, viz.Series{Name: name, X: x(Crest()), Y: lines[name]})
	}
	return c
}
