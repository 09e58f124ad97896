package trial

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
)

// numbered returns a study of so many runs, whose X is their number. do is called by each run.
func numbered(name string, runs int, do func(ctx context.Context, x int) error) Study {
	e := paper.Experiment{Name: name, File: name + ".csv"}
	for i := range runs {
		e.List = append(e.List, paper.Run{Problem: fmt.Sprint("p", i%2), Method: fmt.Sprint("method, ", i%3), X: i,
			Repeat: 1 + i%4, Seed: uint64(i)})
	}
	return Study{Experiment: &e, Do: func(ctx context.Context, t *Trial) error {
		t.Score, t.Setting, t.Seconds = float64(t.X)/7, fmt.Sprint("d=", t.X), 0.5
		t.More["size"] = float64(t.X)
		return do(ctx, t.X)
	}}
}

func nothing(context.Context, int) error { return nil }

func contents(path string) string { return string(must.Value(os.ReadFile(path))) }

// execute does a study's runs and returns the file.
func execute(s Study, path string) string {
	must.Value(Execution{Path: path, Commit: "abc"}.Do(context.Background(), s))
	return contents(path)
}

// The test's own program is the worker.
func TestMain(m *testing.M) {
	handle([]Study{numbered("forty", 40, troubles)})
	cluster.Main()
	os.Exit(m.Run())
}

// Wherever a program is killed, the file holds the beginning of what it was to write. Continued, it becomes the file of
// one execution. Only lines that aren't whole are done again.
func TestExecutionContinuesAFileCutAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grid.csv")
	whole := execute(numbered("grid", 3, nothing), path)
	for cut := range len(whole) {
		must.Do(os.WriteFile(path, []byte(whole[:cut]), 0o666))
		kept := max(0, strings.Count(whole[:cut], "\n")-1)
		if records, err := paper.ReadRecords(path); err != nil || len(records) != kept {
			t.Errorf("cut after %d bytes: %d records, error %v; want %d", cut, len(records), err, kept)
		}
		done := 0
		got := execute(numbered("grid", 3, func(context.Context, int) error { done++; return nil }), path)
		if got != whole || done != 3-kept {
			t.Errorf("cut after %d bytes: %d runs done, want %d; the file is\n%s", cut, done, 3-kept, got)
		}
	}
}

// A run fails, or the program is interrupted: what was done before is kept.
func TestExecutionContinuesAfterAnError(t *testing.T) {
	whole := execute(numbered("grid", 6, nothing), filepath.Join(t.TempDir(), "whole.csv"))
	broken := errors.New("no such set")
	for fails := range 6 {
		for _, interrupted := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "grid.csv")
			ctx, cancel := context.WithCancel(t.Context())
			x := Execution{Path: path, Commit: "abc"}
			records, err := x.Do(ctx, numbered("grid", 6, func(ctx context.Context, x int) error {
				if x < fails {
					return nil
				}
				if !interrupted {
					return broken
				}
				cancel()
				return ctx.Err()
			}))
			cancel()
			if want := map[bool]error{false: broken, true: context.Canceled}[interrupted]; !errors.Is(err, want) ||
				len(records) != fails {
				t.Errorf("run %d fails: %d records, error %v", fails, len(records), err)
			}
			if got := execute(numbered("grid", 6, nothing), path); got != whole {
				t.Errorf("run %d fails, and the file becomes\n%s", fails, got)
			}
		}
	}
}

// Runs that are done at the same time come into the file in another order, and at the end into the study's. The first
// waits for the third.
func TestParallelExecution(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	whole := execute(numbered("grid", 12, nothing), filepath.Join(t.TempDir(), "whole.csv"))
	path := filepath.Join(t.TempDir(), "grid.csv")
	third := make(chan bool)
	_, err := Execution{Path: path, Commit: "abc", Parallel: 3}.Do(t.Context(),
		numbered("grid", 12, func(_ context.Context, x int) error {
			switch x {
			case 0:
				<-third
			case 2:
				close(third)
			}
			return nil
		}))
	if err != nil || contents(path) != whole {
		t.Errorf("error %v, file\n%s", err, contents(path))
	}
}

// Parts of a study, merged in any order, are the whole; runs that several have are kept once.
func TestPartsMergeIntoTheWhole(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		runs, n := rapid.IntRange(1, 7).Draw(r, "runs"), rapid.IntRange(1, 3).Draw(r, "parts")
		dir := must.Value(os.MkdirTemp(t.TempDir(), ""))
		s := numbered("grid", runs, nothing)
		into := filepath.Join(dir, "grid.csv")
		if rapid.Bool().Draw(r, "begun") { // runs that parts do again
			begun := Execution{Path: into, Commit: "abc", Only: func(r paper.Run) bool { return r.X%3 == 0 }}
			must.Value(begun.Do(t.Context(), s))
		}
		var paths []string
		for i := 1; i <= n; i++ {
			part := must.Value(s.part(fmt.Sprintf("%d/%d", i, n)))
			if path := filepath.Join(dir, part.File); len(part.Runs()) > 0 {
				execute(part, path)
				paths = append(paths, path)
			}
		}
		paths = rapid.Permutation(paths).Draw(r, "paths")
		records, err := merge(s.Experiment, into, paths, func(string) {})
		if err != nil || len(records) != runs || contents(into) != execute(s, filepath.Join(dir, "whole.csv")) {
			r.Errorf("%d records, error %v; merged into\n%s", len(records), err, contents(into))
		}
	})
	if _, err := numbered("grid", 5, nothing).part("4/3"); err == nil {
		t.Error("no error for part 4 of 3")
	}
}

// Run 1 has another score, run 2 another setting, run 3 only other seconds.
func TestMergeReportsConflicts(t *testing.T) {
	dir := t.TempDir()
	into, a, b := filepath.Join(dir, "into.csv"), filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")
	s := numbered("grid", 4, nothing)
	lines := strings.SplitAfter(execute(s, a), "\n")
	lines[2] = strings.Replace(lines[2], "0.142857", "0.25", 1)
	lines[3] = strings.Replace(lines[3], "d=2", "d=9", 1)
	lines[4] = strings.Replace(lines[4], "0.50", "0.75", 1)
	must.Do(os.WriteFile(b, []byte(strings.Join(lines, "")), 0o666))
	_, err := merge(s.Experiment, into, []string{a, b}, func(string) {})
	for _, want := range []string{b, "seed 1 has score 0.25 (d=1)", "score 0.142857 (d=1)", "(d=9)"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("error %v lacks %q", err, want)
		}
	}
	if _, missing := os.Stat(into); strings.Contains(err.Error(), "seed 3") || !errors.Is(missing, os.ErrNotExist) {
		t.Errorf("error %q: other seconds are no conflict; the file: %v", err, missing)
	}
}

func TestFilesThatAreNoResults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grid.csv")
	whole := execute(numbered("grid", 2, nothing), path)
	lines := strings.SplitAfter(whole, "\n")
	for want, text := range map[string]string{
		"columns":               strings.Replace(whole, "score", "error", 1),
		"(d=0); the same run":   whole + strings.Replace(lines[1], ",0,d=0", ",0.5,d=0", 1),
		"wrong number of field": whole + "p,m\n",
	} {
		must.Do(os.WriteFile(path, []byte(text), 0o666))
		_, err := Execution{Path: path}.Do(t.Context(), numbered("grid", 3, nothing))
		if err == nil || !strings.Contains(err.Error(), want) || contents(path) != text {
			t.Errorf("error %v; want one that says %q, and the file as it was", err, want)
		}
	}
}

// TestKilled runs this test again in another process, which stops in its third run. While it lives, nobody else can
// write the file. After it was killed its lock is worth nothing.
func TestKilled(t *testing.T) {
	const blocking = "FIGURES_TEST_BLOCK"
	if path := os.Getenv(blocking); path != "" {
		x := Execution{Path: path, Commit: "abc"}
		x.Do(context.Background(), numbered("grid", 5, func(_ context.Context, x int) error {
			if x == 2 {
				fmt.Println("ready")
				select {}
			}
			return nil
		}))
	}
	if runtime.GOOS == "windows" {
		t.Skip("no lock")
	}
	path := filepath.Join(t.TempDir(), "grid.csv")
	child := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	child.Env = append(os.Environ(), blocking+"="+path)
	out := must.Value(child.StdoutPipe())
	must.Do(child.Start())
	if said, err := bufio.NewReader(out).ReadString('\n'); err != nil || said != "ready\n" {
		child.Process.Kill()
		t.Fatalf("the process said %q, error %v", said, err)
	}
	_, err := Execution{Path: path}.Do(t.Context(), numbered("grid", 5, nothing))
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d", child.Process.Pid)) {
		t.Errorf("error %v; want one that names process %d", err, child.Process.Pid)
	}
	child.Process.Kill()
	child.Wait()
	done := 0
	got := execute(numbered("grid", 5, func(context.Context, int) error { done++; return nil }), path)
	if got != execute(numbered("grid", 5, nothing), filepath.Join(t.TempDir(), "whole.csv")) || done != 3 {
		t.Errorf("%d runs done, want 3; the file is\n%s", done, got)
	}
}

// troubles happen in workers only, in the folder that the environment names: where it has a file "die-i", run i removes
// it and kills its process; where it has "fail-i", run i removes it and fails.
func troubles(_ context.Context, i int) error {
	folder := os.Getenv("FIGURES_TROUBLES")
	if os.Getenv("OBLIQUA_WORKER") == "" || folder == "" {
		return nil
	}
	if os.Remove(filepath.Join(folder, fmt.Sprint("die-", i))) == nil {
		os.Exit(9)
	}
	if os.Remove(filepath.Join(folder, fmt.Sprint("fail-", i))) == nil {
		return errors.New("bad luck")
	}
	return nil
}

// Workers write the lines that one process writes, though one dies, and though the program is stopped by an error and
// started again.
func TestWorkersDoTheRuns(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("FIGURES_TROUBLES", folder)
	s := numbered("forty", 40, troubles)
	want := execute(s, filepath.Join(t.TempDir(), "alone.csv"))
	for _, trouble := range []string{"die-7", "fail-20"} {
		must.Do(os.WriteFile(filepath.Join(folder, trouble), nil, 0o600))
	}
	x := Execution{Path: filepath.Join(t.TempDir(), "workers.csv"), Commit: "abc", Engine: cluster.Local{Workers: 2}}
	if _, err := x.Do(t.Context(), s); err == nil ||
		!strings.Contains(err.Error(), "forty: p0, method, 2, 20, repeat 1, seed 20: bad luck") {
		t.Fatalf("error %v", err)
	}
	if _, err := x.Do(t.Context(), s); err != nil || contents(x.Path) != want {
		t.Errorf("error %v, file\n%s\nwant\n%s", err, contents(x.Path), want)
	}
	_, err := x.Do(t.Context(), numbered("forty", 41, nothing))
	if err == nil || !strings.Contains(err.Error(), "the runs of forty are others in this worker") {
		t.Errorf("error %v", err)
	}
}

// The runs of x = 2, then the first repeats of b, then all of a and b.
const queueText = `experiment,match,repeats,hours,why
a,", 2$",0,5,nobody knows
b,,1,7,it is cheap
a,,0,2,"it is ""dear"""
b,,0,3,for the rest
`

var queueOrder = strings.Fields("a2.1 a2.2 b1.1 b2.1 b3.1 a1.1 a1.2 a3.1 a3.2 b1.2 b2.2 b3.2")

// Wherever the queue is interrupted, by a signal or because the hours are over, it goes on from there. Each run is open
// once, and takes the hours that the file guesses.
func TestQueue(t *testing.T) {
	for stop := range queueOrder {
		for _, signal := range []bool{false, true} {
			folder, limit := t.TempDir(), stop
			must.Do(os.WriteFile(filepath.Join(folder, "queue.csv"), []byte(queueText), 0o666))
			ctx, cancel := context.WithCancel(t.Context())
			var done []string
			var studies []Study
			for _, name := range []string{"a", "b"} {
				e := &paper.Experiment{Name: name, File: name + ".csv",
					Grids: []paper.Grid{{Problems: []string{"p"}, Methods: []string{"m"}, X: paper.Ints(1, 3), Repeats: 2}}}
				studies = append(studies, Study{Experiment: e, Do: func(ctx context.Context, t *Trial) error {
					if signal && len(done) == limit {
						cancel()
					}
					if ctx.Err() == nil {
						done = append(done, fmt.Sprint(name, t.X, ".", t.Repeat))
						t.Seconds = 3600
					}
					return ctx.Err()
				}})
			}
			open := func() queue { return must.Value(readQueue(filepath.Join(folder, "queue.csv"), "", folder, studies)) }
			if s := open().String(); s != "12 runs, about 48.0 h" { // 2·5 + 3·7 + 4·2 + 3·3
				t.Fatalf("the queue holds %s", s)
			}
			err := open().do(ctx, Execution{Begin: func() bool { return signal || len(done) < limit }})
			if signal != errors.Is(err, context.Canceled) || !signal && err != nil || !slices.Equal(done, queueOrder[:stop]) {
				t.Errorf("stopped after %d runs, signal %v: error %v, done %s", stop, signal, err, done)
			}
			// Those of b that are like the one that is done take its hour, the others what the file guesses.
			if s := open().String(); stop == 3 && s != "9 runs, about 29.0 h" { // 2·7, 4·2, 1 + 2·3
				t.Errorf("after three runs the queue holds %s", s)
			}
			limit = -1 // no more
			must.Do(open().do(t.Context(), Execution{}))
			if !slices.Equal(done, queueOrder) {
				t.Errorf("then all are %s", done)
			}
			cancel()
		}
	}
}

// Times of finished runs, by problem and method: A 2 and 4 s, and B 6 s on the first problem, A 30 s on the second. So
// the mean is 10.5 s, of B 6 s, and of the second problem 30 s.
func TestEstimate(t *testing.T) {
	c := newEstimate(2, Study{}.workOf(""))
	run := func(problem, method string) paper.Run { return paper.Run{Problem: problem, Method: method} }
	c.expect(run("first", "A"))
	for seconds, of := range map[float64]paper.Run{2: run("first", "A"), 4: run("first", "A"), 6: run("first", "B"),
		30: run("second", "A")} {
		c.add(of, seconds)
	}
	for of, seconds := range map[paper.Run]float64{run("first", "A"): 3, run("second", "B"): 6 * 30 / 10.5,
		run("third", "B"): 6, run("second", "C"): 30, run("third", "C"): 10.5} {
		if s, ok := c.expected(of.Cell()); !ok || s != seconds {
			t.Errorf("%v: %v s, want %v", of, s, seconds)
		}
	}
	c.expect(run("first", "B"))
	if s, ok := c.remaining(); !ok || s != 4.5 {
		t.Errorf("%v s remain; want 4.5: A and B on first, two at a time", s)
	}
}

// Runs of work 1 and 3 took 2 and 6 s with A, and 10 s with B of work 2. So A takes 2 s for a unit of work, and B 5 s.
func TestEstimateByWork(t *testing.T) {
	folder := t.TempDir()
	must.Do(os.WriteFile(filepath.Join(folder, paper.SizesFile), []byte(strings.Join(paper.Header, ",")+"\n"+
		"small,S,0,1,1,1,,1,features=1,x,2026-01-01\nlarge,S,0,1,1,3,,1,features=1,x,2026-01-01\n"+
		"middle,S,0,1,1,2,,1,features=1,x,2026-01-01\n"), 0o666))
	work := Study{Work: func(_ paper.Cell, size Size) float64 { return size.Rows * size.Features }}.workOf(folder)
	c := newEstimate(1, work)
	c.add(paper.Run{Problem: "small", Method: "A"}, 2)
	c.add(paper.Run{Problem: "large", Method: "A"}, 6)
	c.add(paper.Run{Problem: "middle", Method: "B"}, 10)
	for of, seconds := range map[paper.Cell]float64{{Problem: "middle", Method: "A"}: 4,
		{Problem: "large", Method: "B"}: 15, {Problem: "small", Method: "A"}: 2} {
		if s, ok := c.expected(of); !ok || s != seconds {
			t.Errorf("%v: %v s; want %v", of, s, seconds)
		}
	}
}
