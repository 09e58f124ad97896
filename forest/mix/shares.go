package mix

import (
	"context"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// Pilots is the number of trees that the shares are learned from.
const Pilots = 20

const (
	leadShare = 0.9  // of the source that a pilot tree is for
	minShare  = 0.05 // of every source in the other trees
)

// open returns the sources that differ with p features.
func open(p int) []Source {
	switch {
	case p == 1:
		return []Source{Single}
	case p <= few:
		return []Source{Single, Signs, Few}
	}
	return []Source{Single, Signs, Few, Many}
}

// leadShares returns the shares of the pilot trees for a source.
func leadShares(lead Source, open []Source) (shares [Sources]float64) {
	if len(open) == 1 {
		shares[lead] = 1
		return shares
	}
	for _, s := range open {
		shares[s] = (1 - leadShare) / float64(len(open)-1)
	}
	shares[lead] = leadShare
	return shares
}

// Shares returns the share of time that each source has in all trees of model but the first
// [Pilots], by Source; they sum to 1. They aren't in the model's file, but follow from its first trees and the
// training data, which must be those that the model was trained on, with the same rows in the
// same order. Shares returns an error if model isn't of this package's learner, or has no
// more than Pilots trees, if [forest.Forest.CheckTraining] does, and ctx's error soon after
// ctx is cancelled.
//
// A pilot tree scores the mean proportion of the true class in the leaves of its out-of-bag rows or, for values, minus
// their mean squared error, rows counting by their weights. A source has the mean score of its pilot trees. Shares are
// in proportion to exp(score/standard error of the score), but at least a twentieth.
func Shares(ctx context.Context, model *forest.Forest, train *datasets.Dataset) (shares [Sources]float64, err error) {
	if model.Method != method || len(model.Trees) <= Pilots {
		return shares, fmt.Errorf("mix: the model is a %q of %d trees; want %q and more than %d trees", model.Method,
			len(model.Trees), method, Pilots)
	}
	f, train, err := model.TransformedTraining(ctx, train)
	if err != nil {
		return shares, err
	}
	return learnedShares(ctx, f, train)
}

// learnedShares returns what Shares does, for a forest without steps.
func learnedShares(ctx context.Context, f *forest.Forest, train *datasets.Dataset) ([Sources]float64, error) {
	pilots := *f
	pilots.Trees = f.Trees[:Pilots]
	leaves, err := pilots.Apply(ctx, train)
	if err != nil {
		return [Sources]float64{}, err
	}
	scores := make([]float64, Pilots)
	parallel.For(Pilots, func(t int) { scores[t] = score(&pilots, t, leaves, train) })
	return sharesOf(scores, open(f.P())), nil
}

// score returns the score of pilot tree t, NaN if it has no out-of-bag rows of positive weight.
func score(f *forest.Forest, t int, leaves [][]int32, train *datasets.Dataset) float64 {
	tree := &f.Trees[t]
	drawn, proportions := f.SampleCounts(nil, train, t), make([]float64, tree.Classes)
	var sum, total float64
	for i, n := range drawn {
		if n > 0 {
			continue
		}
		w := grow.Weight(train, int32(i))
		total += w
		leaf := tree.Leaf(int(leaves[i][t]))
		if leaf.Kind == forest.LeafValue {
			d := train.Values[i] - f.Offset() - float64(leaf.Value)
			sum -= float64(w * float64(d*d))
			continue
		}
		leaf.Proportions(proportions)
		sum += float64(w * proportions[train.Labels[i]])
	}
	return sum / total
}

// sharesOf returns the shares that follow from the scores of pilot trees, which took turns in the
// order of open. Scores that are NaN don't count.
func sharesOf(scores []float64, open []Source) (shares [Sources]float64) {
	if len(open) == 1 {
		shares[open[0]] = 1
		return shares
	}
	mean, deviation := means(scores, len(open))
	best := math.Inf(-1)
	for _, m := range mean {
		best = max(best, m)
	}
	var odds []float64
	sum := 0.0
	for _, m := range mean {
		o := 1.0
		if d := best - m; d > 0 {
			o = portable.Exp(-d / deviation) // 0 if all trees of a source score the same
		}
		odds = append(odds, o)
		sum += o
	}
	rest := 1 - float64(minShare*float64(len(open)))
	for k, s := range open {
		shares[s] = minShare + float64(rest*odds[k])/sum
	}
	return shares
}

// means returns the mean score of each source, and the standard error of these means, from the
// variance within sources. If a source has no score, or no source has two, all means are 0.
func means(scores []float64, sources int) (mean []float64, deviation float64) {
	mean = make([]float64, sources)
	n := make([]float64, sources)
	for t, s := range scores {
		if !math.IsNaN(s) {
			mean[t%sources] += s
			n[t%sources]++
		}
	}
	total := 0.0
	for k := range mean {
		if n[k] == 0 {
			return make([]float64, sources), 1
		}
		mean[k] /= n[k]
		total += n[k]
	}
	if total == float64(sources) {
		return make([]float64, sources), 1
	}
	var squares float64
	for t, s := range scores {
		if d := s - mean[t%sources]; !math.IsNaN(d) {
			squares += float64(d * d)
		}
	}
	return mean, math.Sqrt(squares / (total - float64(sources)) * float64(sources) / total)
}
