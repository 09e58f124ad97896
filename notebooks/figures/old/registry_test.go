package old

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// The test's own program is the worker.
func TestMain(m *testing.M) {
	registered["forty"] = entry{"grid", func(size) []Run { return grid(40, troubles).Runs }}
	registered["changing"] = entry{"grid", func(size) []Run { return grid(30+os.Getpid()%1000, nothing).Runs }}
	registered["forests"] = entry{"forests", func(size) []Run { return forestRuns(12) }}
	cluster.Main()
	os.Exit(m.Run())
}

// troubles happen in workers only, in the folder that the environment names: it gets a file for
// each run; and where it has a file "die-i", run i removes it and kills its process.
func troubles(_ context.Context, i int) error {
	folder := os.Getenv("FIGURES_TROUBLES")
	if os.Getenv("OBLIQUA_WORKER") == "" || folder == "" {
		return nil
	}
	mark, err := os.CreateTemp(folder, fmt.Sprintf("run-%d-*", i))
	if err != nil {
		return err
	}
	if err := mark.Close(); err != nil {
		return err
	}
	if os.Remove(filepath.Join(folder, fmt.Sprint("die-", i))) == nil {
		os.Exit(9)
	}
	if os.Remove(filepath.Join(folder, fmt.Sprint("fail-", i))) == nil {
		return errors.New("bad luck")
	}
	return nil
}

// forestRuns are runs that train.
func forestRuns(n int) []Run {
	var runs []Run
	for i := range n {
		runs = append(runs, Run{Problem: "trunk", Method: "sporf", X: 10 * (1 + i%3), Repeat: 1 + i/3, Seed: uint64(i),
			Do: func(ctx context.Context, _ Run) (Result, error) {
				d := sim.Trunk{Features: 5}.Sample(60, uint64(i))
				f, err := sporf.Learner{Trees: 10 * (1 + i%3), Seed: uint64(i)}.Fit(ctx, d)
				if err != nil {
					return Result{}, err
				}
				oob, err := f.OutOfBag(ctx, d)
				if err != nil {
					return Result{}, err
				}
				return Result{Score: oob.Error(), More: map[string]float64{"nodes": float64(len(f.Trees[0].Nodes))}}, nil
			}})
	}
	return runs
}

// Workers write the lines that one process writes, though one dies, and though the program is
// stopped by an error and started again; no run is done again but the one that died, the one that
// failed, and those that were in progress then.
func TestWorkersDoTheRuns(t *testing.T) {
	for _, name := range []string{"forty", "forests"} {
		troubles := t.TempDir()
		t.Setenv("FIGURES_TROUBLES", troubles)
		e := must.Value(named(name, false))
		want := execute(t, e, filepath.Join(t.TempDir(), "alone.csv"))
		for _, trouble := range []string{"die-7", "fail-20"} {
			must.Do(os.WriteFile(filepath.Join(troubles, trouble), nil, 0o600))
		}
		path := filepath.Join(t.TempDir(), "workers.csv")
		x := Execution{Path: path, Commit: "abc", Engine: cluster.Local{Workers: 2}}
		if name == "forty" {
			if _, err := x.Do(t.Context(), e); err == nil ||
				!strings.Contains(err.Error(), "grid-fast: p0, method, 2, 20, repeat 1, seed 20: bad luck") {
				t.Fatalf("error %v", err)
			}
			if records, err := readRecords(path); err != nil || len(records) < 19 {
				t.Fatalf("%d records after a failure, error %v", len(records), err)
			}
		}
		records := must.Value(x.Do(t.Context(), e))
		if got := contents(t, path); got != want || len(records) != len(e.Runs) {
			t.Errorf("%d records, file\n%s\nwant\n%s", len(records), got, want)
		}
		if name == "forty" {
			marks, _ := filepath.Glob(filepath.Join(troubles, "run-*"))
			if n := len(marks); n < 42 || n > 43 { // another may have been in progress at the failure
				t.Errorf("40 runs were begun %d times; want once more for a death and a failure", n)
			}
		}
	}
}

func TestWorkersRefuseRuns(t *testing.T) {
	x := Execution{Engine: cluster.Local{Workers: 1}}
	if _, err := x.Do(t.Context(), grid(3, nothing)); err == nil ||
		!strings.Contains(err.Error(), "grid: only experiments that have a registered name") {
		t.Errorf("error %v", err)
	}
	e := must.Value(named("changing", false))
	if _, err := x.Do(t.Context(), e); err == nil ||
		!strings.Contains(err.Error(), "the runs of changing are others in this worker") {
		t.Errorf("error %v", err)
	}
	if _, err := named("sporf99", true); err == nil ||
		!strings.Contains(err.Error(), `no experiment is called "sporf99"; want one of auto, autotrial, autotuned, `) {
		t.Errorf("error %v", err)
	}
	if part, err := e.part("2/3"); err != nil || part.origin != e.origin {
		t.Error("a part can't be sent")
	}
	if !slices.IsSorted(names()) {
		t.Error("names are not sorted")
	}
}
