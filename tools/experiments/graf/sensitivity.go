package graf

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/eval"
	forests "github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/papers/graf"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// patternOf returns a pattern by its name.
func patternOf(name string) (graf.Pattern, error) {
	for _, p := range graf.Patterns {
		if p.Name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no pattern is called %q", name)
}

// Sensitivities returns a pattern's training rows and their sensitivities, from trees of GRAF over both features
// (section 8).
func Sensitivities(
	ctx context.Context, p graf.Pattern, trees int, seed uint64,
) (*datasets.Dataset, *inspect.RowScores, error) {
	train := p.Sample(graf.PatternRows, seed)
	model, err := forests.Learner{Trees: trees, TreeFeatures: forests.All, Seed: seed}.Fit(ctx, train)
	if err != nil {
		return nil, nil, err
	}
	s, err := inspect.Sensitivity(ctx, model, train)
	return train, s, err
}

// near measures which rows of figure 12 lie near a boundary.
func near(ctx context.Context, t *trial.Trial) error {
	p, err := patternOf(t.Problem)
	if err != nil {
		return err
	}
	train, s, err := Sensitivities(ctx, p, t.Trees(200), t.Seed)
	if err != nil {
		return err
	}
	share := func(d *datasets.Dataset) float64 {
		n := 0
		for i := range d.N() {
			if p.BoundaryDistance(d.Row(nil, i)) <= 0.2 { // a tenth of the picture's width
				n++
			}
		}
		return float64(n) / float64(d.N())
	}
	t.More["all"] = share(train)
	for _, selection := range graf.Selections {
		kept, err := s.Approximate(0.25, selection.By, t.Seed)
		if err != nil {
			return err
		}
		t.More[selection.Name] = share(kept)
	}
	t.Score = t.More["S"]
	return nil
}

// An approximation keeps sensitivities, which all runs of a sample share.
type approximation struct {
	mu    sync.Mutex // several runs may ask at a time
	known map[sample]*inspect.RowScores
}

type sample struct {
	pattern string
	seed    uint64
	trees   int
}

// rows returns the rows that a run keeps, and 10,000 test rows.
func (a *approximation) rows(ctx context.Context, t *trial.Trial) error {
	p, err := patternOf(t.Problem)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	of := sample{t.Problem, 2 * t.Seed, t.Trees(200)}
	if a.known[of] == nil {
		_, scores, err := Sensitivities(ctx, p, of.trees, of.seed)
		if err != nil {
			return err
		}
		a.known[of] = scores
	}
	t.Test = p.Sample(10000, 2*t.Seed+1)
	for _, selection := range graf.Selections {
		if strings.HasSuffix(t.Method, " "+selection.Name) {
			t.Train, err = a.known[of].Approximate(float64(t.X)/100, selection.By, t.Seed)
		}
	}
	return err
}

// approximated are the methods of figure 13.
func approximated() map[string]trial.Method {
	methods := map[string]trial.Method{}
	for _, selection := range graf.Selections {
		methods["GRAF "+selection.Name] = trial.With(forests.Learner{Trees: 200, TreeFeatures: forests.All})
		methods["RF "+selection.Name] = trial.With(rf.Learner{Trees: 200})
	}
	return methods
}

var accuracy = trial.ByLabels(func(predicted, labels []int32) float64 { return 1 - eval.Error(predicted, labels) })
