package old

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// SPORFTraits measures what may explain where oblique splits pay, for each set of table 1.
// The score is the error rate of a linear model, and More has
//
//	n, p, classes  sizes of the set
//	categories     share of the features that are columns of one-hot encoded categories
//	majority       share of the largest class
//	correlation    mean absolute correlation of two features
//	dimensions     share of p that the principal components with 90 % of the variance of standardised features are
//	linear         κ of the linear model, 1 − error/(1 − majority)
//	neighbour      κ of the nearest neighbour
//
// Errors are those of the authors' five folds. The linear model is ridge regression on the coded
// classes, features standardised on the training rows; the nearest neighbour uses the same features.
// At most 2000 training and 2000 test rows of a fold serve for neighbours.
func sporfTraits(size) []Run {
	return study{problems: problems(sporfNames(), nil), methods: []method{{name: "traits"}}, do: traits}.runs()
}

func traits(ctx context.Context, t *trial) error {
	categories, err := categoricalColumns(t.Problem)
	if err != nil {
		return err
	}
	var neighbour, chance float64
	for fold := 1; fold <= 5; fold++ {
		of := &trial{Run: Run{Problem: t.Problem, Repeat: fold}}
		if err := sporfFold(ctx, of); err != nil {
			return err
		}
		x, y := standardised(of.train, of.test)
		t.Score += eval.Error(ridgeLabels(x, of.train.Labels, len(of.train.Classes), y), of.test.Labels) / 5
		neighbour += neighbourError(x, of.train.Labels, y, of.test.Labels) / 5
		chance = chanceError(0, of.train.Labels, of.test.Labels)
	}
	d, err := public.Load(ctx, "sporf/"+t.Problem)
	if err != nil {
		return err
	}
	x, _ := standardised(d, d)
	t.More["n"], t.More["p"], t.More["classes"] = float64(d.N()), float64(d.P()), float64(len(d.Classes))
	t.More["categories"], t.More["majority"] = float64(categories)/float64(d.P()), 1-chance
	t.More["correlation"], t.More["dimensions"] = featureTraits(x)
	t.More["linear"], t.More["neighbour"] = 1-t.Score/chance, 1-neighbour/chance
	return nil
}

// categoricalColumns returns how many columns of a set code categories. The authors' file has a
// line for each category, with the numbers of its columns; a set without a file has none.
func categoricalColumns(name string) (int, error) {
	text, err := fromData(filepath.Join("sporf", "categorical_map", name+"_catmap.txt"), os.ReadFile)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	columns := 0
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			columns += 1 + strings.Count(line, ",")
		}
	}
	return columns, err
}

// standardised returns the cells of two data sets as n×p matrices, in standard deviations from
// the mean of the first. Features that are constant there are 0.
func standardised(train, test *datasets.Dataset) (x, y *mat.Dense) {
	x, y = mat.NewDense(train.N(), train.P(), nil), mat.NewDense(test.N(), test.P(), nil)
	column := make([]float64, train.N())
	for j := range train.P() {
		for i, v := range train.Column(nil, j) {
			column[i] = float64(v)
		}
		mean, sd := stat.MeanStdDev(column, nil)
		if !(sd > 0) {
			continue
		}
		for i, v := range column {
			x.Set(i, j, (v-mean)/sd)
		}
		for i, v := range test.Column(nil, j) {
			y.Set(i, j, (float64(v)-mean)/sd)
		}
	}
	return x, y
}

// ridgeLabels fits ridge regression, with a penalty of 1, to the classes coded 1-of-K, and
// returns the class with the highest value for each row of y.
func ridgeLabels(x *mat.Dense, labels []int32, classes int, y *mat.Dense) []int32 {
	n, _ := x.Dims()
	shares := make([]float64, classes)
	for _, c := range labels {
		shares[c] += 1 / float64(n)
	}
	target := mat.NewDense(n, classes, nil)
	for i, c := range labels {
		row := target.RawRowView(i)
		floats.Sub(row, shares)
		row[c]++
	}
	var values mat.Dense
	values.Mul(y, ridge(x, target, 1))
	rows, _ := y.Dims()
	predicted := make([]int32, rows)
	for i := range predicted {
		row := values.RawRowView(i)
		floats.Add(row, shares)
		predicted[i] = int32(floats.MaxIdx(row))
	}
	return predicted
}

// ridge returns the weights of ridge regression of each column of target.
func ridge(x, target *mat.Dense, penalty float64) *mat.Dense {
	var gram, cross, w mat.Dense
	gram.Mul(x.T(), x)
	_, p := x.Dims()
	for j := range p {
		gram.Set(j, j, gram.At(j, j)+penalty)
	}
	cross.Mul(x.T(), target)
	if err := w.Solve(&gram, &cross); err != nil {
		panic(fmt.Sprintf("figures: ridge regression: %v", err)) // the penalty makes the matrix regular
	}
	return &w
}

// neighbourError returns the error of the nearest neighbour, of at most 2000 evenly spaced
// training and test rows.
func neighbourError(x *mat.Dense, labels []int32, y *mat.Dense, truth []int32) float64 {
	from, at := spaced(len(labels), 2000), spaced(len(truth), 2000)
	wrong := make([]float64, len(at))
	parallel.For(len(at), func(i int) {
		row := y.RawRowView(int(at[i]))
		nearest, best := int32(0), math.Inf(1)
		for _, r := range from {
			d := 0.0
			for j, v := range x.RawRowView(int(r)) {
				d += (v - row[j]) * (v - row[j])
			}
			if d < best {
				nearest, best = r, d
			}
		}
		if labels[nearest] != truth[at[i]] {
			wrong[i] = 1
		}
	})
	return stat.Mean(wrong, nil)
}

// spaced returns at most the given number of evenly spaced numbers from 0 to n−1.
func spaced(n, most int) []int32 {
	s := make([]int32, min(n, most))
	for i := range s {
		s[i] = int32(i * n / len(s))
	}
	return s
}

// featureTraits returns the mean absolute correlation of the columns of x, which are standardised,
// and the share of principal components that have 90 % of their variance. Constant columns don't count.
func featureTraits(x *mat.Dense) (correlation, dimensions float64) {
	_, p := x.Dims()
	var r mat.SymDense
	stat.CorrelationMatrix(&r, x, nil)
	pairs := 0.0
	for i := range p {
		for j := range i {
			if v := math.Abs(r.At(i, j)); v == v {
				correlation += v
				pairs++
			}
		}
	}
	return correlation / math.Max(1, pairs), float64(reaching(explained(x), 0.9)) / float64(p)
}

// A Gain is what a method gains over another one on each of some data sets, with what was
// measured on the sets.
type Gain struct {
	Sets   []string
	Points []float64 // difference of κ, in percent, mean over folds
	StdErr []float64 // of Points, over folds
	Names  []string  // of traits
	Traits [][]float64
}

// Gains returns what a method gains over the base method, in κ, on the sets of table 1 on which
// both have all five folds. The records are those of [sporfTable1] and [sporfTraits]. Traits are n,
// p, n/p and classes, all as log₂, and those of sporfTraits, with the base method's κ and by how much the linear
// model's exceeds it.
func Gains(table, traits []Record, method, base string) Gain {
	kappas := map[identity]float64{}
	for _, r := range table {
		kappas[identity{problem: r.Problem, method: r.Method, repeat: r.Repeat}] = r.More["kappa"]
	}
	g := Gain{Names: []string{"log n", "log p", "log n/p", "log classes", "categories", "majority", "correlation",
		"dimensions",
		"κ linear", "κ neighbour", "κ " + base, "linear − " + base}}
	for _, t := range traits {
		var points, reference []float64
		for fold := 1; fold <= 5; fold++ {
			ours, has := kappas[identity{problem: t.Problem, method: method, repeat: fold}]
			theirs, both := kappas[identity{problem: t.Problem, method: base, repeat: fold}]
			if has && both {
				points, reference = append(points, 100*(ours-theirs)), append(reference, theirs)
			}
		}
		if len(points) < 5 {
			continue
		}
		mean, stderr := eval.MeanStdErr(points)
		m, kappa := t.More, stat.Mean(reference, nil)
		g.Sets, g.Points, g.StdErr = append(g.Sets, t.Problem), append(g.Points, mean), append(g.StdErr, stderr)
		g.Traits = append(g.Traits, []float64{
			math.Log2(m["n"]), math.Log2(m["p"]), math.Log2(m["n"] / m["p"]), math.Log2(m["classes"]), m["categories"],
			m["majority"],
			m["correlation"], m["dimensions"], m["linear"], m["neighbour"], kappa, m["linear"] - kappa,
		})
	}
	return g
}

// dataset returns the gains as values to be predicted from the traits.
func (g Gain) dataset() *datasets.Dataset {
	d := &datasets.Dataset{Name: "gains", Target: "gain", Values: slices.Clone(g.Points)}
	for j, name := range g.Names {
		column := make([]float32, len(g.Sets))
		for i := range column {
			column[i] = float32(g.Traits[i][j])
		}
		d.Columns = append(d.Columns, column)
		d.Features = append(d.Features, datasets.Feature{Name: name})
	}
	return d
}

// LeftOut predicts the gain on each set by a learner trained on all other sets.
func (g Gain) LeftOut(ctx context.Context, learner forest.Learner) ([]float64, error) {
	d := g.dataset()
	predicted := make([]float64, d.N())
	for i := range predicted {
		train, test := leaveOut(d, i)
		model, err := learner.Fit(ctx, train)
		if err != nil {
			return nil, fmt.Errorf("without %s: %w", g.Sets[i], err)
		}
		one, err := model.PredictValues(ctx, test)
		if err != nil {
			return nil, err
		}
		predicted[i] = one[0]
	}
	return predicted, nil
}

// LinearLeftOut is [Gain.LeftOut] for ridge regression on standardised traits, with the given
// penalty.
func (g Gain) LinearLeftOut(penalty float64) []float64 {
	d := g.dataset()
	predicted := make([]float64, d.N())
	for i := range predicted {
		train, test := leaveOut(d, i)
		x, y := standardised(train, test)
		mean := stat.Mean(train.Values, nil)
		target := mat.NewDense(train.N(), 1, slices.Clone(train.Values))
		target.Apply(func(_, _ int, v float64) float64 { return v - mean }, target)
		predicted[i] = mean + mat.Dot(y.RowView(0), ridge(x, target, penalty).ColView(0))
	}
	return predicted
}

// Noise returns the share of the variance of the gains between sets that is due to the few
// folds on which they were measured: the mean squared standard error over that variance. What is
// left is the most that traits could explain.
func (g Gain) Noise() float64 {
	return floats.Dot(g.StdErr, g.StdErr) / float64(len(g.StdErr)) / stat.Variance(g.Points, nil)
}

// leaveOut returns all rows but one, and that row.
func leaveOut(d *datasets.Dataset, row int) (others, one *datasets.Dataset) {
	r, n := int32(row), int32(d.N())
	return datasets.Fold{Train: append(from(0, r), from(r+1, n)...), Test: from(r, r+1)}.Split(d)
}
