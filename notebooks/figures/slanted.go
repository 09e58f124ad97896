package figures

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/must"
)

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
// both have all five folds. The records are those of [SPORFTable1] and [SPORFTraits]. Traits are n,
// p, n/p and classes, all as log₂, and those of SPORFTraits, with the base method's κ and by how much the linear
// model's exceeds it.
func Gains(table, traits []Record, method, base string) Gain {
	kappas := map[[2]string]map[int]float64{}
	for _, r := range table {
		key := [2]string{r.Problem, r.Method}
		if kappas[key] == nil {
			kappas[key] = map[int]float64{}
		}
		kappas[key][r.Repeat] = r.More["kappa"]
	}
	g := Gain{Names: []string{"log n", "log p", "log n/p", "log classes", "categories", "majority", "correlation", "dimensions",
		"κ linear", "κ neighbour", "κ " + base, "linear − " + base}}
	for _, t := range traits {
		theirs, ours := kappas[[2]string{t.Problem, base}], kappas[[2]string{t.Problem, method}]
		if len(theirs) < 5 || len(ours) < 5 {
			continue
		}
		var points, reference []float64
		for fold := 1; fold <= 5; fold++ {
			points = append(points, 100*(ours[fold]-theirs[fold]))
			reference = append(reference, theirs[fold])
		}
		mean, stderr := eval.MeanStdErr(points)
		m, kappa := t.More, stat.Mean(reference, nil)
		g.Sets, g.Points, g.StdErr = append(g.Sets, t.Problem), append(g.Points, mean), append(g.StdErr, stderr)
		g.Traits = append(g.Traits, []float64{
			math.Log2(m["n"]), math.Log2(m["p"]), math.Log2(m["n"] / m["p"]), math.Log2(m["classes"]), m["categories"], m["majority"],
			m["correlation"], m["dimensions"], m["linear"], m["neighbour"], kappa, m["linear"] - kappa,
		})
	}
	return g
}

// Dataset returns the gains as values to be predicted from the traits.
func (g Gain) Dataset() *datasets.Dataset {
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
	d := g.Dataset()
	predicted := make([]float64, d.N())
	for i := range predicted {
		train, test := leaveOut(d, i)
		model, err := learner.Fit(ctx, train)
		if err != nil {
			return nil, fmt.Errorf("without %s: %w", g.Sets[i], err)
		}
		predicted[i] = must.Value(model.PredictValues(ctx, test))[0]
	}
	return predicted, nil
}

// LinearLeftOut is [Gain.LeftOut] for ridge regression on standardised traits, with the given
// penalty.
func (g Gain) LinearLeftOut(penalty float64) []float64 {
	d := g.Dataset()
	predicted := make([]float64, d.N())
	for i := range predicted {
		train, test := leaveOut(d, i)
		x, y := standardised(train, test)
		_, p := x.Dims()
		mean := stat.Mean(train.Values, nil)
		target := mat.NewVecDense(train.N(), nil)
		for r, v := range train.Values {
			target.SetVec(r, v-mean)
		}
		var gram mat.Dense
		var cross, w mat.VecDense
		gram.Mul(x.T(), x)
		for j := range p {
			gram.Set(j, j, gram.At(j, j)+penalty)
		}
		cross.MulVec(x.T(), target)
		if err := w.SolveVec(&gram, &cross); err != nil {
			panic(fmt.Sprintf("figures: ridge regression: %v", err)) // the penalty makes the matrix regular
		}
		predicted[i] = mean + mat.Dot(y.RowView(0), &w)
	}
	return predicted
}

// Noise returns the share of the variance of the gains between sets that is due to the few
// folds on which they were measured: the mean squared standard error over that variance. What is
// left is the most that traits could explain.
func (g Gain) Noise() float64 {
	squares := 0.0
	for _, e := range g.StdErr {
		squares += e * e / float64(len(g.StdErr))
	}
	return squares / stat.Variance(g.Points, nil)
}

// leaveOut returns all rows but one, and that row.
func leaveOut(d *datasets.Dataset, row int) (others, one *datasets.Dataset) {
	fold := datasets.Fold{Test: []int32{int32(row)}}
	for r := range int32(d.N()) {
		if int(r) != row {
			fold.Train = append(fold.Train, r)
		}
	}
	return fold.Split(d)
}
