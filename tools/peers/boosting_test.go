package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
	"github.com/obliqua-ml/obliqua/tools/experiments/trials"
)

// A job is asked once, with its rows and its limit, which is at least 30 seconds, and not again by a later call. One
// that fails, or whose answer is too short, keeps no other from being done, and is asked again by a later call.
func TestBoostersContinue(t *testing.T) {
	x := trial.Execution{Path: filepath.Join(t.TempDir(), "r.csv"), Only: func(paper.Run) bool { return true }}
	auto := filepath.Join(t.TempDir(), "auto.csv")
	must.Do(os.WriteFile(auto, []byte("problem,method,x,repeat,seed,score,setting,seconds,more,commit,date\n"+
		"four,auto,0,1,3,0.5,,40,,c,2026-01-01\nfour,auto,0,2,3,0.5,,2,,c,2026-01-01\n"), 0o600))
	answers := map[string]string{"FLAML": `{"setting": "v", "fit": 2, "predict": 1, "proba": [[0.5, 0.5], [0.5, 0.5]]}`,
		"short": `{"proba": [[0.5, 0.5]]}`}
	var limits []float64
	b := boosters{limits: must.Value(autoSeconds(auto, 30)), ask: func(line string, answer any) error {
		var job struct {
			Folder                            string
			Rows, Features, Classes, TestRows int
			Method                            string
			Seed                              int
			Limit                             float64
		}
		must.Do(json.Unmarshal([]byte(strings.Replace(line, "test_rows", "TestRows", 1)), &job))
		test := must.Value(readFolder(job.Folder, "test", job.TestRows, job.Features, job.Classes))
		if job.Rows != 2 || test.Labels[0] != 1 || test.Labels[1] != 0 || job.Seed != 3 {
			t.Errorf("asked %s, test labels %v", line, test.Labels)
		}
		limits = append(limits, job.Limit)
		if answers[job.Method] == "" {
			return errors.New("no answer")
		}
		return json.Unmarshal([]byte(answers[job.Method]), answer)
	}}
	s := trials.Anchors(b.predict)
	s.Rows = func(_ context.Context, t *trial.Trial) (err error) {
		t.Train, t.Test, err = four("").rows(nil, t.Run)
		return err
	}
	s.Methods["short"] = s.Methods["FLAML"]
	s.Experiment = &paper.Experiment{Name: "e", File: "r.csv", List: []paper.Run{{Problem: "four", Method: "CatBoost",
		Repeat: 1, Seed: 3}, {Problem: "four", Method: "short", Repeat: 1, Seed: 3},
		{Problem: "four", Method: "FLAML", Repeat: 1, Seed: 3}, {Problem: "four", Method: "FLAML", Repeat: 2, Seed: 3}}}
	for call, want := range []int{4, 6} { // questions so far
		err := b.do(t.Context(), s, x)
		if err == nil || !strings.Contains(err.Error(), "no answer") ||
			!strings.Contains(err.Error(), "short predicts 1 of 2 rows") || len(limits) != want {
			t.Errorf("call %d: %d questions, want %d; error %v", call, len(limits), want, err)
		}
	}
	records := must.Value(paper.ReadRecords(x.Path))
	if len(records) != 2 || records[0].Score != 0.693147 || records[1].Seconds != 2 || limits[2] != 40 || limits[3] != 30 {
		t.Errorf("limits %v, records %v", limits, records)
	}
}

// The runs are all sets, folds of one partition, and every method of them, the first two folds before the others.
func TestAnchorsAreOrdered(t *testing.T) {
	runs := trials.Anchors(nil).Runs()
	for i, r := range runs {
		if late := r.Repeat > 2; late != (i >= len(runs)*2/5) || r.Repeat > 5 {
			t.Fatalf("run %d is %v", i, r)
		}
	}
	if len(runs) != 35*5*13 {
		t.Errorf("%d runs", len(runs))
	}
}
