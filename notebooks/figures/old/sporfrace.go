package old

import (
	"context"
	"strings"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/sporf"
)

// sporfRaceSets are the sets on which racing is compared with the whole grid, in the order of the work that they are.
var sporfRaceSets = strings.Fields(
	"wine balance_scale seeds glass ecoli car pima parkinsons ionosphere statlog_vehicle")

// sporfRace compares ways of tuning SPORF over the grid of section 3.2 of its paper: all settings with all trees, as in
// the paper; races that know the settings' costs and that don't; and the default setting, without tuning. The score is
// κ on the folds of ten sets of table 1; a record's repeat is its fold. More has the processor time of training, tuning
// included ("processor", in seconds of all cores together). Nothing else may run at the same time in the process. The
// fast setting has the first three sets and 100 trees.
func sporfRace(s size) []Run {
	trees := pick(s, 100, 500)
	race := func(name string, options func(grid []forest.Learner) eval.RaceOptions) method {
		return method{name: name, fit: func(ctx context.Context, t *trial) error {
			grid := familySPORF.settings(t, trees)
			_, err := t.race(ctx, trees, grid, options(grid))
			return err
		}}
	}
	return study{
		problems: problems(pick(s, sporfRaceSets[:3], sporfRaceSets), sporfFold),
		methods: []method{
			withSetting("default", func(t *trial) forest.Learner {
				p := t.train.P()
				return sporf.Learner{Trees: trees, Candidates: p, Density: min(1, 3/float64(p))}
			}),
			race("race", func(grid []forest.Learner) eval.RaceOptions {
				return eval.RaceOptions{Cost: func(i int) float64 { return float64(number(grid[i], "Candidates")) }}
			}),
			race("race, equal costs", func([]forest.Learner) eval.RaceOptions { return eval.RaceOptions{} }),
			tuned(trees, trees, family{"grid", familySPORF.grid})[0],
		},
		repeats: 5, order: "prxm",
		measure: func(ctx context.Context, t *trial) error {
			t.More["processor"] = t.processor
			return chanceKappa(ctx, t)
		},
	}.runs()
}
