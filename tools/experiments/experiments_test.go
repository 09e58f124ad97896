package experiments

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/notebooks/figures"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// The committed results are of the runs that the experiments list: a run keeps its identity. A line of identities.txt
// has an experiment, its file, how many runs it has, and a hash of all, sorted. Change a line only with the results.
func TestRunsKeepTheirIdentities(t *testing.T) {
	file, err := os.Open("testdata/identities.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, _, _ := strings.Cut(lines.Text(), " ")
		want[name] = lines.Text()
	}
	for _, s := range Studies {
		runs := s.Runs()
		slices.SortFunc(runs, func(a, b paper.Run) int { return strings.Compare(a.String(), b.String()) })
		got := fmt.Sprintf("%s %s %d %.16s", s.Name, s.File, len(runs), trial.Hash(runs))
		if got != want[s.Name] && s.File != paper.SizesFile {
			t.Errorf("runs\n%s\nwant\n%s", got, want[s.Name])
		}
	}
}

// Experiments whose runs are complete, and whose program isn't kept: docs/results/README.md names the commit.
var done = []string{"graf-support", "hrft5", "hrfleaf", "godtontest", "godtdepths", "godtbeta", "godtablation"}

// Every record of a result file is of a run that the experiment lists, and every other experiment has a study.
func TestResultsAreOfRuns(t *testing.T) {
	for _, p := range figures.Papers {
		for _, e := range p.Experiments {
			i := slices.IndexFunc(Studies, func(s trial.Study) bool { return s.Experiment == e })
			if i < 0 && !slices.Contains(done, e.Name) {
				t.Errorf("nothing does the runs of %s", e.Name)
				continue
			}
			listed := map[paper.Run]bool{}
			for _, run := range e.Runs() {
				listed[run] = true
				if i < 0 {
					continue
				}
				if _, known := Studies[i].Methods[run.Method]; !known && Studies[i].Do == nil {
					t.Fatalf("%s has no method %q", e.Name, run.Method)
				}
			}
			records, err := paper.ReadRecords(filepath.Join("..", "..", "docs", "results", e.File))
			if err != nil && !os.IsNotExist(err) {
				t.Error(err)
			}
			for _, r := range records {
				if e.File != paper.SizesFile && !listed[r.Run] {
					t.Errorf("%s has a record of %v, which isn't a run", e.File, r.Run)
					break
				}
			}
		}
	}
}

// The queue names experiments that there are.
func TestQueueOfTheRepository(t *testing.T) {
	var all []*paper.Experiment
	for _, s := range Studies {
		all = append(all, s.Experiment)
	}
	queue, err := paper.ReadQueue(filepath.Join("..", "..", "docs", "results", "queue.csv"), all)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range queue {
		if !slices.ContainsFunc(line.Runs(), line.Only) {
			t.Errorf("line %d of the queue, %s, is for no run", i+1, line.Name)
		}
	}
}
