package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// newLearner returns the learner of one of our contenders for a number of trees and d candidates per node, or nil.
func newLearner(contender string, trees, d int, seed uint64) forest.Learner {
	switch contender {
	case "obliqua-sporf":
		return sporf.Learner{Trees: trees, Candidates: d, Seed: seed}
	case "obliqua-entropy":
		return sporf.Learner{Trees: trees, Candidates: d, Seed: seed, Growth: forest.Growth{Criterion: forest.Entropy}}
	case "obliqua-rf":
		return rf.Learner{Trees: trees, NodeFeatures: d, Seed: seed}
	}
	return nil
}

// work runs one of our contenders, which reads requests from in and answers them on out. The arguments are those of
// every contender; see programs.command.
func work(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("work", flag.ContinueOnError)
	name := flags.String("contender", "", "")
	folder := flags.String("folder", "", "")
	var s shape
	flags.IntVar(&s.rows, "rows", 0, "")
	flags.IntVar(&s.testRows, "test-rows", 0, "")
	flags.IntVar(&s.features, "features", 0, "")
	flags.IntVar(&s.classes, "classes", 0, "")
	directions := flags.Int("directions", 0, "")
	flags.Int("threads", 0, "") // set by GOMAXPROCS
	if err := flags.Parse(args); err != nil {
		return err
	}
	k := slices.IndexFunc(contenders, func(c contender) bool { return c.Name == *name })
	if newLearner(*name, 0, 0, 0) == nil {
		return fmt.Errorf("no contender %q", *name)
	}
	train, err := readFolder(*folder, "train", s.rows, s.features, s.classes)
	if err != nil {
		return err
	}
	test, err := readFolder(*folder, "test", s.testRows, s.features, s.classes)
	if err != nil {
		return err
	}
	answer := json.NewEncoder(out)
	if err := answer.Encode(reply{Version: runtime.Version(), Settings: contenders[k].Settings}); err != nil {
		return err
	}
	var model *forest.Forest
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var trees int
		var seed uint64
		var r reply
		switch line := lines.Text(); line {
		case "rest":
			model = nil
			debug.FreeOSMemory()
		case "predict":
			r, err = predict(model, test)
		default:
			if _, err := fmt.Sscanf(line, "fit %d %d", &trees, &seed); err != nil {
				return fmt.Errorf("line %q: %w", line, err)
			}
			start := time.Now()
			model, err = newLearner(*name, trees, *directions, seed).Fit(context.Background(), train)
			r.Seconds = time.Since(start).Seconds()
		}
		if err != nil {
			return err
		}
		if err := answer.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

func predict(model *forest.Forest, test *datasets.Dataset) (r reply, err error) {
	call := func() float64 {
		start := time.Now()
		if model.Regression() {
			values := must.Value(model.PredictValues(context.Background(), test))
			r.Seconds = time.Since(start).Seconds()
			r.Error = eval.MSE(values, test.Values)
		} else {
			labels := must.Value(model.Predict(context.Background(), test))
			r.Seconds = time.Since(start).Seconds()
			r.Error = eval.Error(labels, test.Labels)
		}
		return r.Seconds
	}
	var seconds []float64
	for range int(min(15, max(1, 0.25/call()))) {
		seconds = append(seconds, call())
	}
	r.Seconds = eval.Median(seconds)
	bytes, err := model.MarshalBinary()
	r.Bytes = int64(len(bytes))
	return r, err
}
