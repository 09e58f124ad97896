package old

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/cluster"
)

// An entry is an experiment that has a name.
type entry struct {
	file string // of results, without the size and ".csv"
	runs func(s size) []Run
}

// registered are the experiments by name.
var registered = map[string]entry{
	"auto": {"auto", autoByDefaults},

	"boost":     {"boost", boosting},
	"autotrial": {"autotrial", autoBesideSimpler},
	"autotuned": {"autotuned", autoBesideTuned},

	"mix":       {"mix", mixByDefaults},
	"mixtables": {"mixtables", preparations},
}

// names returns the names of all registered experiments, sorted.
func names() []string { return slices.Sorted(maps.Keys(registered)) }

// named returns the registered experiment of that name, in the paper's setting or in the fast one. It returns an error
// if there is none.
func named(name string, paper bool) (Experiment, error) {
	of := registered[name]
	if of.runs == nil {
		return Experiment{}, fmt.Errorf("figures: no experiment is called %q; want one of %s",
			name, strings.Join(names(), ", "))
	}
	e := Experiment{Name: of.file + size(paper).suffix(), Runs: of.runs(size(paper))}
	e.origin = &origin{name, paper, runsHash(e)}
	return e, nil
}

// An origin is how a worker finds an experiment.
type origin struct {
	Name  string
	Paper bool
	Hash  string // of the identities of all runs
}

func runsHash(e Experiment) string {
	h := sha256.New()
	for _, run := range e.Runs {
		fmt.Fprintf(h, "%q\n", run.String())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A remoteRun is a run that a worker is asked to do.
type remoteRun struct {
	Experiment origin
	Number     int // in the experiment's Runs
	Run        string
}

func init() {
	cluster.Handle("run", func(ctx context.Context, _ *cluster.Worker, q remoteRun) (Result, error) {
		e, err := named(q.Experiment.Name, q.Experiment.Paper)
		if err != nil {
			return Result{}, err
		}
		if e.origin.Hash != q.Experiment.Hash || q.Number >= len(e.Runs) {
			return Result{}, fmt.Errorf("the runs of %s are others in this worker, "+
				"such as where they depend on data that it hasn't got", q.Experiment.Name)
		}
		result, err := e.Runs[q.Number].Do(ctx, e.Runs[q.Number])
		if err != nil {
			return Result{}, fmt.Errorf("%s: %s: %w", e.Name, q.Run, err)
		}
		return result, nil
	})
}
