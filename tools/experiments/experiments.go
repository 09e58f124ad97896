// Package experiments does the runs of the papers' experiments, and of the trials of boosting and auto. Package trial
// says how experiments are done, a folder a paper how its runs are, and run is the program.
package experiments

import (
	"context"
	"slices"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/tools/experiments/godt"
	"github.com/obliqua-ml/obliqua/tools/experiments/graf"
	"github.com/obliqua-ml/obliqua/tools/experiments/hrf"
	"github.com/obliqua-ml/obliqua/tools/experiments/sporf"
	"github.com/obliqua-ml/obliqua/tools/experiments/tao"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
	"github.com/obliqua-ml/obliqua/tools/experiments/trials"
)

// Studies are how the runs of all experiments are done.
var Studies = slices.Concat(sporf.Studies, graf.Studies, hrf.Studies, tao.Studies, godt.Studies, trials.Studies)

// Main is the command line of tools/experiments/run. See [trial.Main].
func Main(dial func(ctx context.Context, address string) (cluster.Engine, error)) {
	trial.Main(Studies, dial)
}
