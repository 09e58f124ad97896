package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/tools/experiments/trials"
)

// All methods learn a step of 10 at 100 of 200 rows in order, as values, as two classes, and as classes 0 and 2 of
// four, of which class 1 has no row and class 3 a single one, which the inner fifth can't have.
func TestBoostersLearnAStep(t *testing.T) {
	python := filepath.Join("..", "..", ".lab", "peers", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		t.Skip("no Python with the packages of requirements.txt: make peers installs it")
	}
	b := &boosters{study{script: "boosting.py"}}
	must.Do(b.start(t.Context(), python))
	defer os.RemoveAll(b.folder)
	defer b.stop()
	for _, classes := range []int{0, 2, 4} {
		d := newDataset("d", 200, 1, classes)
		for i := range 200 {
			d.Columns[0][i] = float32(i)
			step := i / 100
			switch classes {
			case 0:
				d.Values[i] = float64(10 * step)
			case 2:
				d.Labels[i] = int32(step)
			default:
				d.Labels[i] = int32(2 * step)
			}
		}
		if classes == 4 {
			d.Labels[199] = 3
		}
		rows := []int32{20, 60, 140, 180}
		for _, run := range trials.BoostPeers(nil).Runs()[:13] {
			reply := must.Value(b.boost(t.Context(), trials.BoostJob{Train: d, Test: d.Subset(rows), Method: run.Method,
				Seed: 3}))
			if reply.Fit <= 0 || reply.Predict <= 0 || !setting.MatchString(reply.Setting) {
				t.Errorf("%s: %+v", run.Method, reply)
			}
			for i, row := range rows {
				miss := 0.0
				if classes == 0 {
					miss = math.Abs(reply.Values[i]-d.Values[row]) / 10
				} else {
					miss = 1 - reply.Proba[i][d.Labels[row]]
				}
				if miss > 0.15 {
					t.Errorf("%s, %d classes, row %d: off by %.2f", run.Method, classes, row, miss)
				}
			}
		}
	}
}

var setting = regexp.MustCompile(`^[a-z-]+ [0-9.]+, [0-9]+ rounds$`)
