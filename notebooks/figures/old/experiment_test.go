package old

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// counting returns an experiment of three repeats with scores 1, 2 and 6. It counts how
// often each is done; the run of the given repeat fails.
func counting(done *[4]int, fails int) Experiment {
	e := Experiment{Name: "counting"}
	for repeat := 1; repeat <= 3; repeat++ {
		e.Runs = append(e.Runs, Run{Problem: "p, quoted", Method: "λ", X: 5, Repeat: repeat, Seed: math.MaxUint64,
			Do: func(context.Context, Run) (Result, error) {
				if repeat == fails {
					return Result{}, errors.New("interrupted")
				}
				done[repeat]++
				return Result{Score: []float64{1, 2, 6}[repeat-1], Setting: "d=4", Seconds: 0.25,
					More: map[string]float64{"size": float64(repeat), "b": -0.5}}, nil
			}})
	}
	return e
}

func TestExperimentContinuesWhereItStopped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "counting.csv")
	var done [4]int
	if _, err := counting(&done, 2).Execute(t.Context(), path, "abc"); err == nil ||
		!strings.Contains(err.Error(), "interrupted") {
		t.Fatalf("error %v; want the run's", err)
	}
	records := must.Value(counting(&done, 0).Execute(t.Context(), path, "def"))
	if done != [4]int{0, 1, 1, 1} {
		t.Errorf("runs done %v times; want once each", done[1:])
	}
	kept := must.Value(readRecords(path))
	for i, r := range kept {
		if r.identity() != records[i].identity() || !reflect.DeepEqual(r.Result, records[i].Result) ||
			r.Commit != []string{"abc", "def", "def"}[i] {
			t.Errorf("record %d: kept %+v, returned %+v", i, r, records[i])
		}
	}
	// (1 + 2 + 6)/3 = 3; variance ((−2)² + (−1)² + 3²)/2 = 7; standard error √(7/3).
	means := Means(kept)
	if len(means) != 1 || means[0].Mean != 3 || math.Abs(means[0].StdErr-math.Sqrt(7.0/3)) > 1e-12 ||
		means[0].Repeats != 3 || means[0].Seconds != 0.25 || means[0].More["size"] != 2 || means[0].More["b"] != -0.5 {
		t.Errorf("means %+v", means)
	}
}

func TestExperimentKeepsRecordsOfOtherRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counting.csv")
	var done [4]int
	must.Value(counting(&done, 0).Execute(t.Context(), path, "abc"))
	other := Experiment{Runs: counting(&done, 0).Runs[:1]}
	other.Runs[0].Problem = "another"
	must.Value(other.Execute(t.Context(), path, "abc"))
	if kept, err := readRecords(path); err != nil || len(kept) != 4 {
		t.Errorf("%d records, error %v; want 4", len(kept), err)
	}
}

func TestReadRecordsNamesTheLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.csv")
	text := strings.Join(header, ",") + "\np,m,1,1,1,0.5,s,1,,c,d\np,m,1,1,1,high,s,1,,c,d\n"
	must.Do(os.WriteFile(path, []byte(text), 0o666))
	if _, err := readRecords(path); err == nil || !strings.Contains(err.Error(), "bad.csv:3") ||
		!strings.Contains(err.Error(), "high") {
		t.Errorf("error %v; want one with file, line and text", err)
	}
}
