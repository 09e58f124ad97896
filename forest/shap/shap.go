// Package shap says how much each feature moved each prediction of a forest, by Shapley
// values (Lundberg and Lee, 2017). A row's values and the base value add up to its
// prediction.
//
// # The game
//
// The values are path-dependent (Lundberg et al., From local explanations to global understanding with explainable AI
// for trees, 2020, algorithm 1): a split that isn't known sends a row down both sides, each weighed by the training
// weight that went there when the tree was grown. They need no background sample, and describe what the trees do, not
// what a cause does: a feature that no split uses gets 0. Of features with the same information, the one in the splits
// gets the credit.
//
// For trees whose splits each read one feature, the players are the features, and the values
// are exact. They are computed as an integral of the game's multilinear extension along its
// diagonal (Owen, Multilinear extensions of games, 1972) by Gauss–Legendre quadrature. Its
// factors are all positive, so no digits cancel at any depth, and with half as many points as
// there are players on a path it has no error but rounding. Wettenstein, Mitchell and Yu
// (Quadrature-TreeSHAP, 2026) compute TreeSHAP by the same quadrature.
//
// # Splits by several features
//
// Where splits read several features, a game of features needs a rule for a split of which
// only some are known. If such a split were unknown, exact values would be hard to compute: they
// count the independent sets of a graph, whose edges are the splits of a path. And a split with
// a weight for every feature would be shared equally, however small some weights are. So the
// players are the distinct split functions of a tree, and their values are exact, in polynomial
// time; features that are split by alone are players, too. The value of a function is then
// shared among its features. Let c be how much each feature's term moves the function from the
// mean of the reference rows to the row, C the sum of c, and v what each term adds to the
// variance of the function over reference rows, as if features were independent. Then feature j
// gets the share
//
//	(c[j]·C + v[j]) / (C² + Σ v).
//
// For a linear function that is E(d[j]·D) / E(D²), where D is its difference between the row and
// a random reference row, and d[j] is the part of feature j in it: the mean share of the
// feature in such differences, each weighed by its square. Shares sum to 1. A feature that
// moved the function against the others gets a negative share. For a quadratic function,
// c[j] is the gradient halfway between mean and row times the difference of the feature,
// which sums to the difference of the function, and v is that of normal features.
//
// The model of a linear leaf is one more player: where it isn't known, the leaf has its output for
// the means of the reference. What it gets is the sum of its terms' changes or, for classes, is
// shared in the same way.
//
// The rule's weakness is that a split is shared as if it were a linear function and not a
// step: near the threshold a small feature may decide the side, and gets little. And two splits
// whose functions differ, but have features in common, are separate players. Alternatives
// that avoid both sample coalitions of features (for instance Štrumbelj and Kononenko, 2014),
// which takes hundreds of predictions for each row and leaves errors of sampling.
package shap

import (
	"context"
	"iter"
	"runtime"
	"sync"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// An Explainer computes the Shapley values of a forest's predictions. It is safe for
// concurrent use. It refers to the forest, which must not change.
type Explainer struct {
	forest  *forest.Forest
	model   *forest.Forest // the forest without its steps
	outputs []string
	base    []float64 // by output
	trees   []tree
	omitted int // the output whose values follow from the others', since probabilities sum to 1; −1 if there is none

	means, variances []float64 // of the features in the reference; nil without one
}

// An Explanation holds the Shapley values of some rows.
//
// The model's predictions are its outputs: for classes their probabilities
// ([forest.Forest.Proba]) before they are calibrated, since only these are sums over the trees;
// for regression the value. If the forest's rule is [forest.Sum] and
// it predicts classes, the outputs are the sums before the link: with two classes the
// log-odds of the second one, with more the score of each class. Of values with
// [forest.Forest.LogLink], such as counts, the output is the logarithm.
type Explanation struct {
	Features []string      // names of the p features that the trees split by, after the model's steps
	Outputs  []string      // names of the outputs: the classes, or the target
	Base     []float64     // by output: the prediction if no feature is known, the mean over the training weights
	Values   [][][]float64 // by output, row and feature

	// Data has the rows as the trees see them, after the model's steps: n rows of p features.
	Data *datasets.Dataset
}

// New returns an explainer of the forest's predictions. reference has rows that those to be
// explained are compared with, usually the training data. Its target is ignored, and only
// the weighted means and variances of the features are used. It may be nil if every split reads one
// feature and no leaf is linear.
//
// If the forest has Steps, the explained features are those after the steps. Shapley values
// add up, so a column that OneHot made several features of has the sum of their values.
//
// New returns an error if a reference is needed and is nil or has no rows of positive weight, where
// [forest.Forest.Check] does for the reference, and where [datasets.Dataset.Check] does for it without its target.
func New(f *forest.Forest, reference *datasets.Dataset) (*Explainer, error) {
	model := *f
	model.Steps, model.Columns = nil, nil
	e := &Explainer{forest: f, model: &model, outputs: outputNames(f)}
	if reference != nil && reference.N() > 0 {
		_, x, err := f.Transformed(context.Background(), reference)
		if err != nil {
			return nil, err
		}
		untargeted := *x
		untargeted.Labels, untargeted.Values = nil, nil
		if err := untargeted.Check(); err != nil {
			return nil, err
		}
		e.means, e.variances = moments(f.Filled(x))
	}
	e.trees = make([]tree, len(f.Trees))
	err := parallel.Errors(len(f.Trees), func(i int) (err error) {
		e.trees[i], err = e.newTree(i)
		return err
	})
	if err != nil {
		return nil, err
	}
	e.omitted = -1
	if !f.Regression() && f.Rule != forest.Sum {
		e.omitted = e.mostLeaves()
	}
	e.base = make([]float64, len(e.outputs))
	copy(e.base, f.Base)
	for i := range e.trees {
		for o, v := range e.treeBase(i) {
			e.base[o] += v
		}
	}
	return e, nil
}

// outputNames returns the names of the forest's outputs.
func outputNames(f *forest.Forest) []string {
	switch {
	case f.LogLink:
		return []string{"logarithm of " + f.Target}
	case f.Regression():
		return []string{f.Target}
	case f.Rule == forest.Sum && len(f.Classes) == 2:
		return []string{"log-odds of " + f.Classes[1]}
	case f.Rule == forest.Sum:
		scores := make([]string, len(f.Classes))
		for c, name := range f.Classes {
			scores[c] = "score of " + name
		}
		return scores
	}
	return f.Classes
}

// moments returns the weighted mean and variance of each feature, nil if no row has weight.
func moments(x *datasets.Dataset) (means, variances []float64) {
	weights, total := make([]float64, x.N()), 0.0
	for i := range weights {
		weights[i] = 1
		if x.Weights != nil {
			weights[i] = float64(x.Weights[i])
		}
		total += weights[i]
	}
	if total == 0 {
		return nil, nil
	}
	means, variances = make([]float64, x.P()), make([]float64, x.P())
	parallel.For(x.P(), func(j int) {
		column := x.Column(nil, j)
		for i, v := range column {
			means[j] += float64(v) * weights[i] / total
		}
		for i, v := range column {
			d := float64(v) - means[j]
			variances[j] += d * d * weights[i] / total
		}
	})
	return means, variances
}

// scale returns what the outputs of each tree are multiplied by.
func (e *Explainer) scale() float64 {
	if e.forest.Rule == forest.Sum {
		return 1
	}
	return 1 / float64(len(e.trees))
}

// output returns the output that a value of tree i adds to.
func (e *Explainer) output(i int) int {
	if e.forest.Rule == forest.Sum {
		return i % len(e.outputs)
	}
	return 0
}

// A block of rows goes down a tree together: so many that several agree on which splits of a path they satisfy,
// which share the work, but at most blockRows, and about as many as have blockCells values of features.
const (
	blockRows  = 8192
	blockCells = 1 << 21
)

// Values returns the Shapley values of the rows of d for all outputs of the forest, 8 bytes
// for each output, row and feature. Row i's values for an output and its Base sum to the
// prediction, up to rounding; the forest's own probabilities are summed in float32. Each
// row's values are the same in any table and on any number of cores.
//
// All trees see all rows at all nodes, so the time is about that of the rows times the leaves times the splits on a
// path. For 10,000 rows of letter, with 16 features and 26 classes, and 100 random trees, it is 4 processor seconds if
// trees are at most 8 deep, and 41 if they are fully grown, to 1,500 leaves each. Progress ([forest.WithProgress])
// counts blocks of rows and trees. Values returns an error where [forest.Forest.Check] does, and ctx's error soon after
// ctx is cancelled.
func (e *Explainer) Values(ctx context.Context, d *datasets.Dataset) (*Explanation, error) {
	_, x, err := e.forest.Transformed(ctx, d)
	if err != nil {
		return nil, err
	}
	n, p, filled := x.N(), e.forest.P(), e.forest.Filled(x)
	result := &Explanation{Features: e.forest.Features, Outputs: e.outputs, Base: append([]float64(nil), e.base...),
		Data: x}
	for range e.outputs {
		cells, rows := make([]float64, n*p), make([][]float64, n)
		for i := range rows {
			rows[i] = cells[i*p : (i+1)*p : (i+1)*p]
		}
		result.Values = append(result.Values, rows)
	}
	workers := runtime.GOMAXPROCS(0)
	size := max(256, min(blockRows, blockCells/max(1, p*len(e.outputs))))
	blocks := (n + size*workers - 1) / (size * workers) * workers // the same number for each worker
	size = max(1, (n+blocks-1)/max(1, blocks))
	blocks = (n + size - 1) / size
	report := progress(ctx, blocks*len(e.trees))
	err = parallel.Workers(ctx, blocks, workers, func(items iter.Seq[int]) {
		w := newWalker(e, ctx.Done(), x, filled, size)
		for b := range items {
			lo, hi := b*size, min((b+1)*size, n)
			w.enter(lo, hi)
			for i := range e.trees {
				if ctx.Err() != nil {
					return
				}
				w.walk(i)
				report()
			}
			for o, rows := range result.Values {
				w.write(rows[lo:hi], o)
			}
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// progress returns a function that reports one step more, which several goroutines may call.
func progress(ctx context.Context, total int) func() {
	report := forest.Progress(ctx)
	var mutex sync.Mutex
	done := 0
	return func() {
		mutex.Lock()
		defer mutex.Unlock()
		done++
		report(done, total)
	}
}
