package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
	"github.com/obliqua-ml/obliqua/tools/internal/runs"
)

// A study asks a Python script about data in a folder, and adds the answers to a file.
type study struct {
	*process
	script string
	folder string // for data
	shape  shape  // of these
	path   string
	sets   regexp.Regexp // the sets to measure
}

// run reads a command's flags, and calls do while the study's script runs. The script has one thread, and is killed
// when the context is done.
func (s *study) run(flags *flag.FlagSet, args []string, path string, do func(context.Context) error) error {
	python := flags.String("python", "python3", "a Python with the packages of requirements.txt")
	flags.StringVar(&s.path, "csv", path, "append the results to this file; what is in it isn't measured again")
	flags.TextVar(&s.sets, "sets", regexp.MustCompile("."), "measure the sets that match this `regexp`, such as ^fd_")
	minutes := flags.Float64("minutes", 0, "stop after so many minutes; 0 means when all is done")
	flags.Parse(args)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *minutes > 0 {
		ctx, stop = context.WithTimeout(ctx, time.Duration(*minutes*float64(time.Minute)))
		defer stop()
	}
	defer func() { os.RemoveAll(s.folder) }()
	if err := s.start(ctx, *python); err != nil {
		return err
	}
	defer s.stop()
	return do(ctx)
}

// experiment does the runs of an experiment that are wanted, of the sets to measure, while the script runs.
func (s *study) experiment(flags *flag.FlagSet, args []string, of trial.Study, want func(r paper.Run) bool) error {
	return s.run(flags, args, "docs/results/"+of.File, func(ctx context.Context) error {
		commit, err := runs.Commit()
		if err != nil {
			return err
		}
		x := trial.Execution{Path: s.path, Commit: commit, Log: func(line string) { log.Print(line) },
			Only: func(r paper.Run) bool { return s.sets.MatchString(r.Problem) && want(r) }}
		_, err = x.Do(ctx, of)
		return err
	})
}

// ask writes data and asks about them.
func (s *study) ask(train, test *datasets.Dataset, more map[string]any, answer any) error {
	if err := s.load(train, test); err != nil {
		return err
	}
	return s.question(more, answer)
}

// start makes the folder and starts the script.
func (s *study) start(ctx context.Context, python string) error {
	scripts, err := scriptFolder()
	if err != nil {
		return err
	}
	if s.folder, err = os.MkdirTemp("", "peers-"); err != nil {
		return err
	}
	s.process, err = start(exec.CommandContext(ctx, python, filepath.Join(scripts, s.script)), 1, math.MaxInt64)
	return err
}

// load writes data that the next questions are about.
func (s *study) load(train, test *datasets.Dataset) (err error) {
	s.shape, err = writeFolder(s.folder, train, test)
	return err
}

// question asks about the data, with more fields of JSON, and waits for the answer.
func (s *study) question(more map[string]any, answer any) error {
	fields := map[string]any{"folder": s.folder, "rows": s.shape.rows, "test_rows": s.shape.testRows,
		"features": s.shape.features, "classes": s.shape.classes}
	maps.Copy(fields, more)
	line, err := json.Marshal(fields)
	if err == nil {
		err = s.send(string(line), answer)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", s.script, err)
	}
	return err
}

// A result is an answer about one method.
type result struct {
	Method  string             `json:"method"`
	Score   float64            `json:"score"`
	Setting string             `json:"setting"`
	Seconds float64            `json:"seconds"`
	More    map[string]float64 `json:"more"` // other measures
}

// save adds results to the file, a line a measure.
func (s *study) save(set string, split int, measure, version string, results ...result) error {
	var lines [][]string
	for _, r := range results {
		add := func(measure string, score float64) {
			lines = append(lines, []string{set, r.Method, strconv.Itoa(split), measure, short(score), r.Setting,
				short(r.Seconds), version, time.Now().UTC().Format(time.DateOnly)})
		}
		add(measure, r.Score)
		for _, name := range slices.Sorted(maps.Keys(r.More)) {
			add(name, r.More[name])
		}
	}
	return runs.AppendCSV(s.path, resultColumns, lines...)
}
