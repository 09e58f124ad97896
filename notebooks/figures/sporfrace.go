package figures

import (
	"context"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// sporfRaceSets are the sets on which racing is compared with the whole grid, in the order
// of the work that they are.
var sporfRaceSets = []string{"wine", "balance_scale", "seeds", "glass", "ecoli", "car", "pima", "parkinsons", "ionosphere",
	"statlog_vehicle"}

// sporfTunings are ways of choosing a setting of SPORF. Each returns a forest with the given
// number of trees and the setting.
var sporfTunings = []struct {
	name string
	tune func(ctx context.Context, grid []sporf.Learner, trees int, train *datasets.Dataset) (*forest.Forest, sporf.Learner, error)
}{
	{"default", func(ctx context.Context, grid []sporf.Learner, trees int, train *datasets.Dataset) (*forest.Forest, sporf.Learner, error) {
		l := sporf.Learner{Trees: trees, Candidates: train.P(), Density: min(1, 3/float64(train.P())), Seed: grid[0].Seed}
		model, err := l.Fit(ctx, train)
		return model, l, err
	}},
	{"race", func(ctx context.Context, grid []sporf.Learner, trees int, train *datasets.Dataset) (*forest.Forest, sporf.Learner, error) {
		return raceSPORF(ctx, grid, trees, train, eval.RaceOptions{Cost: func(i int) float64 { return float64(grid[i].Candidates) }})
	}},
	{"race, equal costs", func(ctx context.Context, grid []sporf.Learner, trees int, train *datasets.Dataset) (*forest.Forest, sporf.Learner, error) {
		return raceSPORF(ctx, grid, trees, train, eval.RaceOptions{})
	}},
	{"grid", func(ctx context.Context, grid []sporf.Learner, _ int, train *datasets.Dataset) (*forest.Forest, sporf.Learner, error) {
		tuning, err := eval.Tune(ctx, grid, train, nil)
		if err != nil {
			return nil, sporf.Learner{}, err
		}
		return tuning.Model, grid[tuning.Best], nil
	}},
}

func raceSPORF(ctx context.Context, grid []sporf.Learner, trees int, train *datasets.Dataset, o eval.RaceOptions) (*forest.Forest, sporf.Learner, error) {
	race, err := eval.Race(ctx, grid, func(l sporf.Learner, trees int) sporf.Learner {
		l.Trees = trees
		return l
	}, trees, train, o)
	if err != nil {
		return nil, sporf.Learner{}, err
	}
	return race.Model, grid[race.Best], nil
}

// SPORFRace compares ways of tuning SPORF over the grid of section 3.2 of its paper: all
// settings with all trees, as in the paper; races that know the settings' costs and that
// don't; and the default setting, without tuning. The score is κ on the folds of ten sets of
// table 1; a record's repeat is its fold. More has the processor time of training, tuning
// included ("processor", in seconds of all cores together). Nothing else may run at the same
// time in the process. The fast setting has the first three sets and 100 trees.
func SPORFRace(paper bool) Experiment {
	e := Experiment{Name: "sporf-race-fast"}
	trees, sets := 100, sporfRaceSets[:3]
	if paper {
		e.Name = "sporf-race-paper"
		trees, sets = 500, sporfRaceSets
	}
	for _, set := range sets {
		for fold := range 5 {
			for _, m := range sporfTunings {
				seed := uint64(fold + 1)
				e.Runs = append(e.Runs, Run{Problem: set, Method: m.name, Repeat: fold + 1, Seed: seed,
					Do: func(ctx context.Context) (Result, error) {
						train, test, err := sporfFold(ctx, set, fold)
						if err != nil {
							return Result{}, err
						}
						var grid []sporf.Learner
						for _, l := range (sporf.Learner{Trees: trees, Seed: seed}).Grid(train) {
							grid = append(grid, l.(sporf.Learner))
						}
						start, processor := time.Now(), processorSeconds()
						model, chosen, err := m.tune(ctx, grid, trees, train)
						if err != nil {
							return Result{}, err
						}
						return Result{
							Seconds: time.Since(start).Seconds(),
							Score:   eval.ChanceKappa(must.Value(model.Predict(ctx, test)), test.Labels),
							Setting: setting(chosen, train.P()),
							More:    map[string]float64{"processor": processorSeconds() - processor},
						}, nil
					}})
			}
		}
	}
	return e
}
