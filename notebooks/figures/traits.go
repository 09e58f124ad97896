package figures

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
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
func SPORFTraits(bool) Experiment {
	e := Experiment{Name: "sporf-traits-paper"}
	for _, set := range sporfSets {
		e.Runs = append(e.Runs, Run{Problem: set.name, Method: "traits", Repeat: 1, Seed: 1, Do: func(ctx context.Context) (Result, error) {
			start := time.Now()
			more, linear, err := traits(ctx, set)
			return Result{Score: linear, More: more, Seconds: time.Since(start).Seconds()}, err
		}})
	}
	return e
}

func traits(ctx context.Context, set sporfSet) (more map[string]float64, linear float64, err error) {
	categories, err := categoricalColumns(set.name)
	if err != nil {
		return nil, 0, err
	}
	var neighbour, chance float64
	for fold := range 5 {
		train, test, err := sporfFold(ctx, set.name, fold)
		if err != nil {
			return nil, 0, err
		}
		x, y := standardised(train, test)
		linear += eval.Error(ridgeLabels(x, train.Labels, len(train.Classes), y), test.Labels) / 5
		neighbour += neighbourError(x, train.Labels, y, test.Labels) / 5
		chance = chanceError(0, train.Labels, test.Labels)
	}
	d, err := public.Load(ctx, "sporf/"+set.name)
	if err != nil {
		return nil, 0, err
	}
	x, _ := standardised(d, d)
	correlation, dimensions := featureTraits(x)
	return map[string]float64{
		"n":           float64(d.N()),
		"p":           float64(d.P()),
		"classes":     float64(len(d.Classes)),
		"categories":  float64(categories) / float64(d.P()),
		"majority":    1 - chance,
		"correlation": correlation,
		"dimensions":  dimensions,
		"linear":      1 - linear/chance,
		"neighbour":   1 - neighbour/chance,
	}, linear, nil
}

// categoricalColumns returns how many columns of a set code categories. The authors' file has a
// line for each category, with the numbers of its columns; a set without a file has none.
func categoricalColumns(name string) (int, error) {
	for _, dir := range filepath.SplitList(os.Getenv("OBLIQUA_DATA")) {
		f, err := os.Open(filepath.Join(dir, "sporf", "categorical_map", name+"_catmap.txt"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		defer f.Close()
		columns := 0
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if line := strings.TrimSpace(lines.Text()); line != "" {
				columns += 1 + strings.Count(line, ",")
			}
		}
		return columns, lines.Err()
	}
	return 0, nil
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
	n, p := x.Dims()
	shares := make([]float64, classes)
	for _, c := range labels {
		shares[c] += 1 / float64(n)
	}
	target := mat.NewDense(n, classes, nil)
	for i, c := range labels {
		for k := range classes {
			target.Set(i, k, -shares[k])
		}
		target.Set(i, int(c), 1-shares[c])
	}
	var gram, cross, w, values mat.Dense
	gram.Mul(x.T(), x)
	for j := range p {
		gram.Set(j, j, gram.At(j, j)+1)
	}
	cross.Mul(x.T(), target)
	if err := w.Solve(&gram, &cross); err != nil {
		panic(fmt.Sprintf("figures: ridge regression: %v", err)) // the penalty makes the matrix regular
	}
	values.Mul(y, &w)
	rows, _ := y.Dims()
	predicted := make([]int32, rows)
	for i := range predicted {
		best := math.Inf(-1)
		for k := range classes {
			if v := values.At(i, k) + shares[k]; v > best {
				best, predicted[i] = v, int32(k)
			}
		}
	}
	return predicted
}

// neighbourError returns the error of the nearest neighbour, of at most 2000 evenly spaced
// training and test rows.
func neighbourError(x *mat.Dense, labels []int32, y *mat.Dense, truth []int32) float64 {
	from, at := spaced(len(labels), 2000), spaced(len(truth), 2000)
	wrong := make([]float64, len(at))
	parallel.For(len(at), func(i int) {
		row := y.RawRowView(at[i])
		nearest, best := 0, math.Inf(1)
		for _, r := range from {
			d := 0.0
			for j, v := range x.RawRowView(r) {
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
func spaced(n, most int) []int {
	k := min(n, most)
	s := make([]int, k)
	for i := range s {
		s[i] = i * n / k
	}
	return s
}

// featureTraits returns the mean absolute correlation of the columns of x, which are standardised,
// and the share of principal components that have 90 % of their variance. Constant columns don't count.
func featureTraits(x *mat.Dense) (correlation, dimensions float64) {
	n, p := x.Dims()
	var gram mat.SymDense
	gram.SymOuterK(1/float64(n-1), x.T())
	var varying []int
	for j := range p {
		if gram.At(j, j) > 0 {
			varying = append(varying, j)
		}
	}
	m := len(varying)
	r := mat.NewSymDense(m, nil)
	pairs := 0.0
	for a, i := range varying {
		for b, j := range varying[:a+1] {
			r.SetSym(a, b, gram.At(i, j))
			if a != b {
				correlation += math.Abs(gram.At(i, j))
				pairs++
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(r, false) {
		panic("figures: no eigenvalues of a correlation matrix")
	}
	values := eigen.Values(nil) // ascending
	sum, k := 0.0, 0
	for sum < 0.9*float64(m) && k < m {
		sum += values[m-1-k]
		k++
	}
	return correlation / math.Max(1, pairs), float64(k) / float64(p)
}
