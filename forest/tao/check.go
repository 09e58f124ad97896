package tao

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// maxScores is the most rows × classes of linear leaves: a gigabyte of scores.
const maxScores = 1 << 27

// trainer checks parameters and data and fills in the defaults.
func (l Learner) trainer(train *datasets.Dataset) (*trainer, error) {
	if err := grow.Check(train); err != nil {
		return nil, err
	}
	if err := l.check(train); err != nil {
		return nil, err
	}
	n := train.N()
	if k := len(train.Classes); l.LinearLeaves && k > 0 && n > maxScores/k {
		return nil, fmt.Errorf("%d rows of %d classes; linear leaves compute a score for each row and class, 2²⁷ at most: "+
			"put rare classes together, or take constant leaves", n, k)
	}
	if l.Trees == 0 {
		l.Trees = defaultTrees
	}
	if l.Passes == 0 {
		l.Passes = defaultPasses
	}
	if l.Depth == 0 {
		l.Depth = defaultDepth
		if l.LinearLeaves {
			l.Depth = defaultDepthL
		}
		l.Depth = max(1, min(l.Depth, bits.Len(uint(n/4))-1))
	}
	l.Depth = max(1, min(l.Depth, bits.Len(uint(n-1))))
	if l.SplitProbability == 0 {
		l.SplitProbability = 1
	}
	if l.Sampling == (forest.Sampling{}) {
		l.Sampling = forest.Sampling{Fraction: 0.9, WithoutReplacement: true}
	}
	l.Lambda = penalty(l.Lambda, defaultLambda)
	if l.AxisAligned {
		l.Lambda = 0
	}
	l.LeafLambda = penalty(l.LeafLambda, defaultLeafLambda)
	t := newTrainer(l, train)
	return t, t.checkSums()
}

func penalty(lambda, byDefault float64) float64 {
	switch lambda {
	case 0:
		return byDefault
	case none:
		return 0
	}
	return lambda
}

func (l Learner) check(train *datasets.Dataset) error {
	p := train.P()
	switch {
	case l.Trees < 0 || l.Depth < 0 || l.Passes < 0 || l.FullDepth < 0:
		return fmt.Errorf("Trees %d, Depth %d, FullDepth %d, Passes %d; want 0 or more", l.Trees, l.Depth, l.FullDepth,
			l.Passes)
	case l.NodeFeatures < 0 || l.NodeFeatures > p || l.TreeFeatures < 0 || l.TreeFeatures > p:
		return fmt.Errorf("NodeFeatures %d, TreeFeatures %d; want 0 to %d, the number of features", l.NodeFeatures,
			l.TreeFeatures, p)
	case l.Acceptance > Free:
		return fmt.Errorf("Acceptance %d; want at most %d", l.Acceptance, Free)
	case !(l.SplitProbability >= 0 && l.SplitProbability <= 1):
		return fmt.Errorf("SplitProbability %v; want 0 to 1", l.SplitProbability)
	}
	for _, lambda := range []float64{l.Lambda, l.LeafLambda} {
		if !(lambda >= 0 || lambda == none) || math.IsInf(lambda, 1) {
			return fmt.Errorf("Lambda %v, LeafLambda %v; want finite numbers, 0 or more, or −1", l.Lambda, l.LeafLambda)
		}
	}
	return l.Sampling.CheckData(train)
}

// largestSum is the largest sum of weights, and of squared deviations of values: nodes
// store such sums as float32s, and a row can be drawn up to 65,535 times.
const largestSum = math.MaxFloat32 / math.MaxUint16

// checkSums returns an error if the weights or the values are too large for a tree.
func (t *trainer) checkSums() error {
	var weight, squares float64
	for i, w := range t.weights {
		weight += w
		if t.values != nil {
			e := float64(t.values[i] * t.sd)
			squares += float64(w * float64(e*e))
		}
	}
	switch {
	case weight > largestSum:
		return fmt.Errorf("the weights add up to %.3g; want at most %.3g: scale them", weight, float64(largestSum))
	case !(squares <= largestSum):
		return fmt.Errorf("the squared deviations of the values from their mean add up to more than %.3g: scale the values",
			float64(largestSum))
	}
	return nil
}

// checkRefine returns an error if f isn't a forest whose trees can be refined on train.
func (l Learner) checkRefine(f *forest.Forest, train *datasets.Dataset) error {
	switch {
	case f.Rule == forest.Sum:
		return errors.New("the forest adds the values of its trees to a base score, so each tree depends on the others; " +
			"want trees that predict by themselves")
	case f.Steps != nil:
		return errors.New("the forest has steps of a pipeline; apply them to the data and refine a forest without")
	}
	for i := range f.Trees {
		if !l.LinearLeaves && f.Trees[i].HasLinearLeaves() {
			return errors.New("the forest has linear leaves, which constant ones can't improve; want LinearLeaves")
		}
	}
	if err := f.CheckTraining(train); err != nil {
		return err
	}
	return f.Check(train)
}
