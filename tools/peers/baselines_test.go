package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/notebooks/figures/godt"
)

// Results are added below one header, and the splits that have them are found again.
func TestBaselinesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "baselines.csv")
	if done, err := baselinesDone(path); err != nil || len(done) != 0 {
		t.Fatalf("no file: %v, %v", done, err)
	}
	b := baselines{study{path: path}}
	reply := baselineReply{"1.2", []result{{"svm", 0.75, "libsvm, C=1", 0.5, map[string]float64{"b": 0.25}}}}
	for split, set := range []godt.Set{{Name: "Iris"}, {Name: "ale"}} {
		must.Do(b.keep(set, split+1, reply))
	}
	done, err := baselinesDone(path)
	asRun, textbook := baselineKinds[0], baselineKinds[1]
	if err != nil || !textbook.isDone(done, "Iris", 1) || !textbook.isDone(done, "ale", 2) ||
		textbook.isDone(done, "Iris", 2) || asRun.isDone(done, "Iris", 1) {
		t.Errorf("done %v, %v", done, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) != 6 || lines[0] != "set,method,split,measure,score,setting,seconds,version,date" ||
		!strings.HasPrefix(lines[1], `Iris,svm,1,accuracy,0.75,"libsvm, C=1",0.5,scikit-learn 1.2,`) ||
		!strings.HasPrefix(lines[2], `Iris,svm,1,b,0.25,"libsvm, C=1",0.5,`) ||
		!strings.HasPrefix(lines[3], "ale,svm,2,mae,") {
		t.Errorf("the file is\n%s", text)
	}
}

func TestBaselineSplits(t *testing.T) {
	for n, want := range map[int]int{107: 20, 4177: 20, 9298: 5, 20000: 1, 48842: 1} {
		if got := baselineSplits(n); got != want {
			t.Errorf("%d rows: %d splits, want %d", n, got, want)
		}
	}
}
