package old

import (
	"context"
	"strings"
	"sync"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/sim"
)

// A Pattern is a simulated set of figures 12 and 13.
type Pattern struct {
	Name string
	bounded
}

// A bounded simulation has known boundaries between its classes.
type bounded interface {
	sampler
	BoundaryDistance(x []float32) float64
}

// Patterns returns the six sets of figure 12, a to f. The paper doesn't say how many
// rings, sectors and cells they have; here they have few, so that most of a figure is
// far from a boundary.
func Patterns() []Pattern {
	return []Pattern{
		{"circles, binary", sim.Circles{Rings: 2}},
		{"circles, multi-class", sim.Circles{Rings: 3, Classes: 3}},
		{"pies, binary", sim.Pies{Sectors: 4}},
		{"pies, multi-class", sim.Pies{Sectors: 4, Classes: 4}},
		{"XOR, binary", sim.XOR{Cells: 2}},
		{"XOR, multi-class", sim.XOR{Cells: 3, Classes: 3}},
	}
}

// patternRows is the number of training rows of figures 12 and 13.
const patternRows = 2000

// Sensitivities returns a pattern's training rows and their sensitivities, from 200
// trees of GRAF over both features (section 8).
func Sensitivities(ctx context.Context, p Pattern, seed uint64) (*datasets.Dataset, *inspect.RowScores, error) {
	train := p.Sample(patternRows, seed)
	model, err := graf.Learner{Trees: 200, TreeFeatures: graf.All, Seed: seed}.Fit(ctx, train)
	if err != nil {
		return nil, nil, err
	}
	s, err := inspect.Sensitivity(ctx, model, train)
	return train, s, err
}

// graf13 is figure 13: accuracy on 10,000 test rows against the percentage of training rows kept, for forests of 200
// trees. The rows are drawn uniformly (U), drawn in proportion to their sensitivity (P), or the most sensitive (S). The
// paper's setting has five repeats, the fast one one repeat and fewer percentages.
func graf13(s size) []Run {
	selections := map[string]inspect.Selection{"U": inspect.Uniformly, "P": inspect.ByProbability, "S": inspect.ByRank}
	var patterns []problem
	for _, p := range Patterns() {
		var mu sync.Mutex                        // several runs may ask at a time
		known := map[uint64]*inspect.RowScores{} // by seed; all runs of the pattern share them
		patterns = append(patterns, problem{p.Name, func(ctx context.Context, t *trial) (err error) {
			mu.Lock()
			defer mu.Unlock()
			scores := known[2*t.Seed]
			if scores == nil {
				if _, scores, err = Sensitivities(ctx, p, 2*t.Seed); err != nil {
					return err
				}
				known[2*t.Seed] = scores
			}
			t.test = p.Sample(testRows, 2*t.Seed+1)
			_, by, _ := strings.Cut(t.Method, " ")
			t.train, err = scores.Approximate(float64(t.X)/100, selections[by], t.Seed)
			return err
		}})
	}
	var methods []method
	for _, by := range []string{"U", "P", "S"} {
		methods = append(methods, with("GRAF "+by, graf.Learner{Trees: 200, TreeFeatures: graf.All}))
	}
	for _, by := range []string{"U", "P", "S"} {
		methods = append(methods, with("RF "+by, rf.Learner{Trees: 200}))
	}
	return study{
		problems: patterns, methods: methods,
		xs: pick(s, []int{10, 25, 40, 100}, []int{5, 10, 20, 30, 40, 60, 80, 100}), repeats: pick(s, 1, 5),
		measure: byLabels(func(predicted, labels []int32) float64 { return 1 - eval.Error(predicted, labels) }),
	}.runs()
}
