package trial

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// A remoteRun is a run that a worker is asked to do.
type remoteRun struct {
	Experiment string
	Hash       string // of all runs of the experiment that the sender has
	Run        paper.Run
	Trees      int // the most that a forest gets
}

// Hash returns a hash of the identities of runs.
func Hash(runs []paper.Run) string {
	h := sha256.New()
	for _, run := range runs {
		fmt.Fprintf(h, "%q\n", run.String())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// handle tells workers how runs of the studies are done.
func handle(studies []Study) {
	cluster.Handle("run", func(ctx context.Context, _ *cluster.Worker, q remoteRun) (paper.Result, error) {
		s, err := find(studies, q.Experiment)
		if err != nil {
			return paper.Result{}, err
		}
		if Hash(s.Runs()) != q.Hash {
			return paper.Result{}, fmt.Errorf("the runs of %s are others in this worker", q.Experiment)
		}
		result, err := s.run(ctx, q.Run, q.Trees)
		if err != nil {
			return paper.Result{}, fmt.Errorf("%s: %s: %w", s.Name, q.Run, err)
		}
		return result, nil
	})
}

// find returns the study of a name, or an error that lists the names.
func find(studies []Study, name string) (Study, error) {
	var names []string
	for _, s := range studies {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Study{}, fmt.Errorf("run: no experiment is called %q; want one of %v", name, names)
}

// send lets the engine's workers do the runs in todo.
func (x Execution) send(
	ctx context.Context, s Study, todo []paper.Run, finish func(paper.Run, paper.Result, float64) error,
) error {
	questions := make([]remoteRun, len(todo))
	for i, run := range todo {
		questions[i] = remoteRun{s.Name, s.whole, run, x.Trees}
	}
	return cluster.Map(ctx, x.Engine, "run", nil, questions, func(i int, result paper.Result) error {
		return finish(todo[i], result, result.Seconds)
	})
}
