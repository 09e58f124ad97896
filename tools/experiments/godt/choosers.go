package godt

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	learners "github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

var (
	mixture    = learners.Splitting{}
	supervised = learners.Splitting{Supervised: true}
	quadratic  = learners.Splitting{Divider: learners.SeparateFull}
	randomRows = learners.Splitting{Start: learners.RandomRows}
	fullShared = learners.Splitting{Divider: learners.SharedFull}
	quadRandom = learners.Splitting{Divider: learners.SeparateFull, Start: learners.RandomRows}
	plusPlus   = learners.Splitting{Divider: learners.SeparateFull, Start: learners.PlusPlus}
)

// methods are those of all experiments that choose settings on validation rows, or that have nothing to choose.
var methods = map[string]Chooser{
	"GODT": Tree(mixture), "GODT supervised": Tree(supervised), "CART": CART, "RF": RF,
	"OC1":  fixed(func(*trial.Trial) forest.Learner { return oc1.Tree{} }),
	"GORF": gorf(mixture), "GORF, random start": gorf(randomRows),
	"GQDT": Tree(quadratic), "GQDT relative β": relativeTree,
	"GQRF":                      gorf(learners.Splitting{Divider: learners.SeparateFull, RelativeBeta: 0.03}),
	"GODT, full covariance":     Tree(fullShared),
	"GODT, random start":        Tree(randomRows),
	"GQDT, diagonal covariance": Tree(learners.Splitting{Divider: learners.SeparateDiagonal}),
	"GQDT, random start":        Tree(quadRandom),

	"GQDT, scaled":                      Tree(quadratic),
	"GQDT, scaled, diagonal covariance": Tree(learners.Splitting{Divider: learners.SeparateDiagonal}),
	"GQDT, scaled, random start":        Tree(quadRandom),
	"GQDT, scaled, K-means++ start":     Tree(plusPlus),
	"GQDT, K-means++ start":             Tree(plusPlus),
	"GODT, K-means++ start":             Tree(learners.Splitting{Start: learners.PlusPlus}),

	"GORF, tuned": tunedForest(mixture), "GQRF, scaled, tuned": tunedForest(quadratic), "RF, tuned": tunedRF,

	"shared diagonal": Tree(mixture), "random start": Tree(randomRows), "shared full": Tree(fullShared), // on Madelon
	"GORF, 22 features": gorfOf(22), "GORF, 250 features": gorfOf(250), "GORF, 500 features": gorfOf(500),
}

// prepared are the steps of methods that don't have [Steps].
var prepared = map[string]datasets.Steps{
	"GQDT, scaled": scaledSteps, "GQDT, scaled, diagonal covariance": scaledSteps,
	"GQDT, scaled, random start": scaledSteps, "GQDT, scaled, K-means++ start": scaledSteps,
	"GQRF, scaled, tuned": scaledSteps,
	"GORF, tuned":         CodeSteps, "RF, tuned": CodeSteps, "GORF, tuned, random start": CodeSteps,
}

// stepsOf returns the steps of a method.
func stepsOf(method string) datasets.Steps {
	if steps := prepared[method]; steps != nil {
		return steps
	}
	return Steps
}

// A Chooser returns the learner that is best on the validation rows. It may set the setting.
type Chooser func(ctx context.Context, t *trial.Trial, train, validation *datasets.Dataset) (forest.Learner, error)

// tuned chooses from a grid.
func tuned(grid func(t *trial.Trial, train *datasets.Dataset) []forest.Learner) Chooser {
	return func(ctx context.Context, t *trial.Trial, train, validation *datasets.Dataset) (forest.Learner, error) {
		all := grid(t, train)
		tuning, err := learners.Tune(ctx, all, train, validation)
		if err != nil {
			return nil, err
		}
		best := all[tuning.Best]
		switch l := best.(type) {
		case learners.Tree:
			t.Setting = describe(l.Splitting, l.Growth)
		case learners.Learner:
			t.Setting = fmt.Sprintf("T=%d m=%d ", l.Trees, l.TreeFeatures) + describe(l.Splitting, l.Growth)
		}
		return best, nil
	}
}

func describe(s learners.Splitting, g forest.Growth) string {
	beta := fmt.Sprintf("β=%v", s.Beta)
	switch {
	case s.RelativeBeta > 0:
		beta = fmt.Sprintf("relative β=%v", s.RelativeBeta)
	case s.Beta == 0:
		beta = "default β"
	}
	return fmt.Sprintf("δ=%.3g m_min=%d %s", max(s.Purity, s.MaxMSE), max(0, g.MinSplit-1), beta)
}

// Tree chooses from the thesis's grid for a tree.
func Tree(s learners.Splitting) Chooser {
	return tuned(func(t *trial.Trial, train *datasets.Dataset) []forest.Learner {
		return learners.Tree{Splitting: s, Seed: t.Seed}.Grid(train)
	})
}

// relativeTree chooses a relative β of quadratic trees, beside the thesis's δ and smallest node.
var relativeTree = tuned(func(t *trial.Trial, train *datasets.Dataset) (grid []forest.Learner) {
	for _, beta := range []float64{0.003, 0.01, 0.03, 0.1, 0.3} {
		by := learners.Splitting{Divider: learners.SeparateFull, RelativeBeta: beta}
		grid = append(grid, learners.Tree{Splitting: by, Seed: t.Seed}.Grid(train)...)
	}
	return grid
})

// gorf chooses from forests of 200 trees, with β as given and √p (p/3 for values), p/2 and p features a tree, with the
// thesis's stops.
func gorf(s learners.Splitting) Chooser {
	return tuned(func(t *trial.Trial, train *datasets.Dataset) (grid []forest.Learner) {
		stops := s
		stops.RelativeBeta = cmp.Or(s.RelativeBeta, 1) // so that Grid doesn't try its own β
		for _, features := range drawn(train) {
			for _, l := range (learners.Tree{Splitting: stops}).Grid(train) {
				one := l.(learners.Tree)
				one.Splitting.RelativeBeta = s.RelativeBeta
				grid = append(grid, learners.Learner{Trees: t.Trees(200), TreeFeatures: features, Splitting: one.Splitting,
					Growth: one.Growth, Seed: t.Seed})
			}
		}
		return grid
	})
}

// drawn returns the numbers of features that are tried for a forest: √p (p/3 for values), p/2 and p.
func drawn(train *datasets.Dataset) []int {
	p := train.P()
	first := math.Sqrt(float64(p))
	if train.Values != nil {
		first = float64(p) / 3
	}
	return slices.Compact([]int{max(1, int(math.Round(first))), (p + 1) / 2, p})
}

// tunedForest chooses from the thesis's whole grid for a forest: numbers of trees, β, δ, the smallest node, and
// features a tree.
func tunedForest(s learners.Splitting) Chooser {
	return tuned(func(t *trial.Trial, train *datasets.Dataset) (grid []forest.Learner) {
		for _, features := range drawn(train) {
			grid = append(grid, learners.Learner{TreeFeatures: features, Splitting: s, Seed: t.Seed}.Grid(train)...)
		}
		return grid
	})
}

// tunedRF chooses a random forest's number of trees, 50, 100, 200 or 500, its leaf size, 1, 5, 10 or 20, and the
// features drawn at a node. A smaller forest is the first trees of the one of 500.
func tunedRF(ctx context.Context, t *trial.Trial, train, validation *datasets.Dataset) (forest.Learner, error) {
	best, least := rf.Learner{}, math.Inf(1)
	for _, features := range drawn(train) {
		for _, leaf := range []int{1, 5, 10, 20} {
			l := rf.Learner{Trees: 500, NodeFeatures: features, Growth: forest.Growth{MinLeaf: leaf}, Seed: t.Seed}
			f, err := l.Fit(ctx, train)
			if err != nil {
				return nil, err
			}
			for _, l.Trees = range []int{50, 100, 200, 500} {
				first := *f
				first.Trees = f.Trees[:l.Trees]
				loss, err := lossOf(ctx, &first, validation)
				if err != nil {
					return nil, err
				}
				if loss < least {
					best, least = l, loss
				}
			}
		}
	}
	t.Setting = fmt.Sprintf("T=%d m=%d m_min=%d", best.Trees, best.NodeFeatures, best.MinLeaf)
	return best, nil
}

// lossOf returns the error rate or, for values, the mean absolute error.
func lossOf(ctx context.Context, f *forest.Forest, validation *datasets.Dataset) (float64, error) {
	loss, err := score(ctx, f, validation, map[string]float64{})
	if validation.Labels != nil {
		loss = 1 - loss
	}
	return loss, err
}

// gorfOf returns forests of X trees, each on so many features.
func gorfOf(features int) Chooser {
	return fixed(func(t *trial.Trial) forest.Learner {
		return learners.Learner{Trees: t.Trees(t.X), TreeFeatures: features}
	})
}

// CART chooses the least leaf size, 1, 5, 10 or 20, as the thesis does.
func CART(ctx context.Context, t *trial.Trial, train, validation *datasets.Dataset) (forest.Learner, error) {
	best, least := rf.CART{}, math.Inf(1)
	for _, leaf := range []int{1, 5, 10, 20} {
		l := rf.CART{Growth: forest.Growth{MinLeaf: leaf}, Seed: t.Seed}
		f, err := l.Fit(ctx, train)
		if err != nil {
			return nil, err
		}
		loss, err := lossOf(ctx, f, validation)
		if err != nil {
			return nil, err
		}
		if loss < least {
			best, least = l, loss
		}
	}
	t.Setting = fmt.Sprintf("m_min=%d", best.MinLeaf)
	return best, nil
}

// RF is a random forest of 200 trees, untuned.
func RF(_ context.Context, t *trial.Trial, _, _ *datasets.Dataset) (forest.Learner, error) {
	l := rf.Learner{Trees: t.Trees(200), Seed: t.Seed}
	t.Setting = fmt.Sprintf("T=%d", l.Trees)
	return l, nil
}

// fixed chooses the learner that a run asks for, with the run's seed.
func fixed(learner func(t *trial.Trial) forest.Learner) Chooser {
	return func(_ context.Context, t *trial.Trial, _, _ *datasets.Dataset) (forest.Learner, error) {
		return trial.Seeded(learner(t), t.Seed), nil
	}
}
