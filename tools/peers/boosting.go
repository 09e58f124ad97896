package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
	"github.com/obliqua-ml/obliqua/tools/experiments/trials"
)

// boostingCommand measures other libraries on the rows of the experiment "boost".
func boostingCommand(args []string) error {
	var sets, methods regexp.Regexp
	every := regexp.MustCompile(".")
	flags := flag.NewFlagSet("boosting", flag.ExitOnError)
	python := flags.String("python", "python3", "a Python with the packages of requirements-anchors.txt")
	flags.TextVar(&sets, "sets", every, "measure the sets that match this `regexp`")
	flags.TextVar(&methods, "methods", every, "measure the methods that match this `regexp`")
	x := trial.Execution{Log: func(line string) { log.Print(time.Now().Format(time.TimeOnly), " ", line) }}
	flags.StringVar(&x.Path, "csv", "docs/results/boost-anchors-paper.csv",
		"append the results to this file; what is in it isn't measured again")
	limits := flags.String("limits", "docs/results/boost-paper.csv", "methods with a time limit have auto's in this file")
	least := flags.Float64("least", 30, "the least time limit, in `seconds`")
	repeats := flags.Int("repeats", 5, "stop after so many of the five folds")
	flags.Parse(args)
	x.Only = func(r paper.Run) bool {
		return sets.MatchString(r.Problem) && methods.MatchString(r.Method) && r.Repeat <= *repeats
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	scripts, err := scriptFolder()
	if err != nil {
		return err
	}
	if x.Commit, err = checkedOut(); err != nil {
		return err
	}
	b := boosters{ask: func(line string, answer any) error {
		p, err := start(exec.CommandContext(ctx, *python, filepath.Join(scripts, "boosting.py")), 1, 3*time.Hour)
		if err != nil {
			return err
		}
		defer p.stop()
		return p.send(line, answer)
	}}
	if b.limits, err = autoSeconds(*limits, *least); err != nil {
		return err
	}
	return b.do(ctx, trials.Anchors(b.predict), x)
}

// boosters asks boosting.py, a process a job, for predictions.
type boosters struct {
	ask    func(line string, answer any) error
	limits func(paper.Run) float64 // seconds
}

// autoSeconds returns a function of the seconds that auto took for a set and fold in a file of results, or least if
// they were fewer or aren't known.
func autoSeconds(path string, least float64) (func(paper.Run) float64, error) {
	records, err := paper.ReadRecords(path)
	seconds := map[paper.Run]float64{}
	for _, r := range records {
		if r.Method == "auto" {
			seconds[paper.Run{Problem: r.Problem, Repeat: r.Repeat}] = r.Seconds
		}
	}
	return func(r paper.Run) float64 {
		return max(least, seconds[paper.Run{Problem: r.Problem, Repeat: r.Repeat}])
	}, err
}

// do does the runs of a study that aren't in the file. One that fails is left out, and is an error at the end.
func (b boosters) do(ctx context.Context, s trial.Study, x trial.Execution) error {
	failed := map[paper.Run]error{}
	measure, only := s.Measure, x.Only
	s.Measure = func(ctx context.Context, t *trial.Trial) error {
		failed[t.Run] = measure(ctx, t)
		return failed[t.Run]
	}
	x.Only = func(r paper.Run) bool { return failed[r] == nil && only(r) }
	for {
		before := len(failed)
		_, err := x.Do(ctx, s)
		maps.DeleteFunc(failed, func(_ paper.Run, err error) bool { return err == nil })
		if err == nil || ctx.Err() != nil || len(failed) == before {
			return errors.Join(slices.Collect(maps.Values(failed))...)
		}
		log.Print(err)
	}
}

// predict asks about a trial's rows.
func (b boosters) predict(_ context.Context, t *trial.Trial) (made trials.Prediction, err error) {
	folder, err := os.MkdirTemp("", "peers-")
	if err != nil {
		return made, err
	}
	defer os.RemoveAll(folder)
	s, err := writeFolder(folder, t.Train, t.Test)
	if err != nil {
		return made, err
	}
	line, err := json.Marshal(map[string]any{"folder": folder, "rows": s.rows, "test_rows": s.testRows,
		"features": s.features, "classes": s.classes, "method": t.Method, "seed": t.Seed, "limit": b.limits(t.Run)})
	if err == nil {
		err = b.ask(string(line), &made)
	}
	if n := len(made.Proba) + len(made.Values); err == nil && n != s.testRows {
		err = fmt.Errorf("%s predicts %d of %d rows", t.Method, n, s.testRows)
	}
	return made, err
}
