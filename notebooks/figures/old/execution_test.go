package old

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// grid returns an experiment of the given number of runs: two problems, three methods.
// do is called by each run with its number, which is the run's X, too.
func grid(runs int, do func(ctx context.Context, i int) error) Experiment {
	e := Experiment{Name: "grid"}
	for i := range runs {
		e.Runs = append(e.Runs, Run{Problem: fmt.Sprint("p", i%2), Method: fmt.Sprint("method, ", i%3), X: i,
			Repeat: 1 + i%4, Seed: uint64(i),
			Do: func(ctx context.Context, _ Run) (Result, error) {
				err := do(ctx, i)
				return Result{Score: float64(i) / 7, Setting: fmt.Sprint("d=", i), Seconds: 0.5,
					More: map[string]float64{"size": float64(i)}}, err
			}})
	}
	return e
}

func nothing(context.Context, int) error { return nil }

func contents(t interface {
	Helper()
	Fatal(...any)
}, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Execute is short for [Execution.Do].
func (e Experiment) Execute(ctx context.Context, path, commit string) ([]Record, error) {
	return Execution{Path: path, Commit: commit}.Do(ctx, e)
}

// execute returns the file that an execution writes.
func execute(t *testing.T, e Experiment, path string) string {
	t.Helper()
	must.Value(e.Execute(t.Context(), path, "abc"))
	return contents(t, path)
}

// Wherever a program is killed, the file holds the beginning of what it was to write.
// Continued, it becomes the file of one execution. Only lines that aren't whole are done again.
func TestExecutionContinuesAFileCutAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grid.csv")
	whole := execute(t, grid(3, nothing), path)
	for cut := range len(whole) {
		if next := strings.IndexByte(whole[cut:], '\n'); cut%7 > 0 && next > 1 && whole[max(0, cut-1)] != '\n' {
			continue // all about the ends of lines, and some others
		}
		must.Do(os.WriteFile(path, []byte(whole[:cut]), 0o666))
		records, err := readRecords(path)
		kept := max(0, strings.Count(whole[:cut], "\n")-1)
		if err != nil || len(records) != kept {
			t.Errorf("cut after %d bytes: %d records, error %v; want %d", cut, len(records), err, kept)
		}
		done := 0
		var log []string
		e := grid(3, func(context.Context, int) error { done++; return nil })
		must.Value((Execution{Path: path, Commit: "abc",
			Log: func(line string) { log = append(log, line) }}).Do(t.Context(), e))
		if got := contents(t, path); got != whole || done != 3-kept {
			t.Errorf("cut after %d bytes: %d runs done, want %d; the file is\n%s", cut, done, 3-kept, got)
		}
		torn := cut > 0 && whole[cut-1] != '\n'
		if said := strings.Contains(strings.Join(log, "\n"), "dropped the last line"); said != torn {
			t.Errorf("cut after %d bytes: the log says that a line was dropped: %v; want %v", cut, said, torn)
		}
	}
}

func TestExecutionContinuesAfterAnError(t *testing.T) {
	dir := t.TempDir()
	whole := execute(t, grid(6, nothing), filepath.Join(dir, "whole.csv"))
	broken := errors.New("no such set")
	for fails := range 6 {
		path := filepath.Join(dir, fmt.Sprint(fails, ".csv"))
		records, err := grid(6, func(_ context.Context, i int) error {
			if i == fails {
				return broken
			}
			return nil
		}).Execute(t.Context(), path, "abc")
		if !errors.Is(err, broken) || len(records) != fails {
			t.Errorf("run %d fails: %d records, error %v", fails, len(records), err)
		}
		if got := execute(t, grid(6, nothing), path); got != whole {
			t.Errorf("run %d fails, and the file becomes\n%s", fails, got)
		}
	}
}

// While runs are done, the file is only added to.
func TestExecutionAddsLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grid.csv")
	var first os.FileInfo
	before := ""
	execute(t, grid(100, func(_ context.Context, i int) error {
		if i == 0 {
			return nil
		}
		now, info := contents(t, path), fileInfo(t, path)
		if i == 1 {
			first = info
		}
		if !strings.HasPrefix(now, before) || strings.Count(now, "\n") != i+1 || !os.SameFile(first, info) {
			t.Errorf("before run %d the file is another, or has other lines than before and one more", i)
		}
		before = now
		return nil
	}), path)
	if !os.SameFile(first, fileInfo(t, path)) {
		t.Error("a file in order was written again")
	}
}

func fileInfo(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestInterruptedExecution(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grid.csv")
	ctx, cancel := context.WithCancel(t.Context())
	records, err := grid(5, func(ctx context.Context, i int) error {
		if i == 2 {
			cancel()
		}
		return ctx.Err()
	}).Execute(ctx, path, "abc")
	kept, readErr := readRecords(path)
	if !errors.Is(err, context.Canceled) || readErr != nil || len(records) != 2 || len(kept) != 2 {
		t.Errorf("%d records returned, %d kept, errors %v, %v; want two and context.Canceled", len(records), len(kept), err,
			readErr)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// Runs that are done at the same time come into the file in another order, and at the end into
// the experiment's.
func TestParallelExecution(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	dir := t.TempDir()
	whole := execute(t, grid(12, nothing), filepath.Join(dir, "whole.csv"))
	path := filepath.Join(dir, "grid.csv")
	var now, most atomic.Int32
	third := make(chan bool)
	records, err := Execution{Path: path, Commit: "abc", Parallel: 3}.Do(t.Context(),
		grid(12, func(_ context.Context, i int) error {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer now.Add(-1)
			switch i {
			case 0:
				<-third // so that run 2 is done before run 0
			case 2:
				close(third)
			}
			return nil
		}))
	if err != nil || contents(t, path) != whole {
		t.Errorf("error %v, file\n%s", err, contents(t, path))
	}
	if m := most.Load(); m < 2 || m > 3 {
		t.Errorf("up to %d runs at a time; want 2 or 3", m)
	}
	for i, r := range records {
		if r.X != i {
			t.Errorf("record %d is of run %d", i, r.X)
		}
	}
}

// An error ends the other runs in progress, and is the one that is reported.
func TestParallelExecutionFails(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	broken := errors.New("no such set")
	_, err := Execution{Parallel: 2}.Do(t.Context(), grid(12, func(ctx context.Context, i int) error {
		if i == 1 {
			return broken
		}
		<-ctx.Done()
		return ctx.Err()
	}))
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "p1, method, 1, 1, repeat 2, seed 1") {
		t.Errorf("error %v; want that of run 1", err)
	}
}

func TestExecutionOfSomeRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grid.csv")
	odd := Execution{Path: path, Commit: "abc", Only: func(r Run) bool { return r.X%2 == 1 }}
	records, err := odd.Do(t.Context(), grid(7, nothing))
	if err != nil || len(records) != 3 {
		t.Fatalf("%d records, error %v; want runs 1, 3, 5", len(records), err)
	}
	whole := execute(t, grid(7, nothing), filepath.Join(t.TempDir(), "whole.csv"))
	if got := execute(t, grid(7, nothing), path); got != whole {
		t.Errorf("afterwards all are done, and the file is\n%s", got)
	}
	if records, err = odd.Do(t.Context(), grid(7, nothing)); err != nil || len(records) != 3 ||
		contents(t, path) != whole {
		t.Errorf("again: %d records, error %v, file\n%s", len(records), err, contents(t, path))
	}
}

func TestPartsMergeIntoTheWhole(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		runs := rapid.IntRange(0, 7).Draw(r, "runs")
		n := rapid.IntRange(1, 3).Draw(r, "parts")
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			r.Fatal(err)
		}
		e := grid(runs, nothing)
		into := filepath.Join(dir, "grid.csv")
		if rapid.Bool().Draw(r, "begun") { // runs that parts do again
			begun := Execution{Path: into, Commit: "abc", Only: func(r Run) bool { return r.X%3 == 0 }}
			must.Value(begun.Do(t.Context(), e))
		}
		var paths []string
		for i := 1; i <= n; i++ {
			part := must.Value(e.part(fmt.Sprintf("%d/%d", i, n)))
			path := filepath.Join(dir, part.Name+".csv")
			must.Value(part.Execute(t.Context(), path, "abc"))
			if len(part.Runs) > 0 {
				paths = append(paths, path)
			}
		}
		paths = rapid.Permutation(paths).Draw(r, "paths")
		records, err := e.merge(into, paths, func(string) {})
		if err != nil || len(records) != runs {
			r.Fatalf("%d records, error %v; want %d", len(records), err, runs)
		}
		if runs == 0 {
			return
		}
		whole := filepath.Join(dir, "whole.csv")
		must.Value(e.Execute(t.Context(), whole, "abc"))
		if got := contents(r, into); got != contents(r, whole) {
			r.Errorf("merged into\n%s", got)
		}
	})
}

func TestPartNames(t *testing.T) {
	part, err := grid(5, nothing).part("2/3")
	if err != nil || part.Name != "grid-part-2-of-3" || len(part.Runs) != 2 || part.Runs[0].X != 1 || part.Runs[1].X != 4 {
		t.Errorf("part 2 of 3: %+v, %v", part, err)
	}
	for _, wrong := range []string{"0/3", "4/3", "2", "x/3"} {
		if _, err := grid(5, nothing).part(wrong); err == nil {
			t.Errorf("no error for part %s", wrong)
		}
	}
}

func TestMergeReportsConflicts(t *testing.T) {
	dir := t.TempDir()
	into, a, b := filepath.Join(dir, "into.csv"), filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")
	e := grid(4, nothing)
	whole := execute(t, e, a)
	// Run 1 has another score, run 2 another setting, run 3 only other seconds.
	lines := strings.SplitAfter(whole, "\n")
	lines[2] = strings.Replace(lines[2], "0.142857", "0.25", 1)
	lines[3] = strings.Replace(lines[3], "d=2", "d=9", 1)
	lines[4] = strings.Replace(lines[4], "0.50", "0.75", 1)
	must.Do(os.WriteFile(b, []byte(strings.Join(lines, "")), 0o666))
	_, err := e.merge(into, []string{a, b}, func(string) {})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{b, "p1, method, 1, 1, repeat 2, seed 1 has score 0.25 (d=1)", "score 0.142857 (d=1)",
		"(d=9)"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "seed 3") {
		t.Errorf("error %q: other seconds are no conflict", err)
	}
	if _, err := os.Stat(into); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was written: %v", err)
	}
	_, err = e.merge(into, []string{a, filepath.Join(dir, "none.csv")}, func(string) {})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v; want one about a file that isn't there", err)
	}
}

func TestFilesThatAreNoResults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grid.csv")
	whole := execute(t, grid(2, nothing), path)
	lines := strings.SplitAfter(whole, "\n")
	for name, text := range map[string]string{
		"columns":               strings.Replace(whole, "score", "error", 1),
		"(d=0); the same run":   whole + strings.Replace(lines[1], ",0,d=0", ",0.5,d=0", 1),
		"wrong number of field": whole + "p,m\n",
	} {
		must.Do(os.WriteFile(path, []byte(text), 0o666))
		if _, err := grid(3, nothing).Execute(t.Context(), path, "abc"); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v; want one that says %q", err, name)
		}
		if got := contents(t, path); got != text {
			t.Errorf("%s: the file became\n%s", name, got)
		}
	}
	twice := grid(2, nothing)
	twice.Runs = append(twice.Runs, twice.Runs[0])
	if _, err := twice.Execute(t.Context(), "", "abc"); err == nil {
		t.Error("no error for an experiment that has a run twice")
	}
	broken := grid(1, nothing)
	broken.Runs[0].Method = "two\nlines"
	if _, err := broken.Execute(t.Context(), filepath.Join(t.TempDir(), "broken.csv"), "abc"); err == nil {
		t.Error("no error for a line break in a cell")
	}
}

// After a line that may be torn, none is added.
func TestNothingIsAddedAfterAFailedWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grid.csv")
	whole := execute(t, grid(1, nothing), path)
	f, err := openResults(path, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer f.unlock()
	if f.file, err = os.Open(path); err != nil { // can't be written
		t.Fatal(err)
	}
	runs := grid(3, nothing).Runs
	failed := f.add(Record{Run: runs[1]})
	f.file.Close()
	f.file = nil // the next line could be written
	if err := f.add(Record{Run: runs[2]}); failed == nil || err != failed || contents(t, path) != whole {
		t.Errorf("errors %v, then %v; want the same, and the file as it was", failed, err)
	}
}

// A line that is there twice, as nothing here writes it, is kept once.
func TestDoubledLinesAreDropped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grid.csv")
	whole := execute(t, grid(3, nothing), path)
	lines := strings.SplitAfter(whole, "\n")
	must.Do(os.WriteFile(path, []byte(whole+lines[2]), 0o666))
	if got := execute(t, grid(3, nothing), path); got != whole {
		t.Errorf("the file became\n%s", got)
	}
}

// blocking is set in a process that is to be killed: the path of its file.
const blocking = "FIGURES_TEST_BLOCK"

// TestKilled runs this test again in another process, which stops in its third run. While it
// lives, nobody else can write the file. After it was killed its lock is worth nothing.
func TestKilled(t *testing.T) {
	if path := os.Getenv(blocking); path != "" {
		_, err := grid(5, func(_ context.Context, i int) error {
			if i == 2 {
				fmt.Println("ready")
				select {}
			}
			return nil
		}).Execute(context.Background(), path, "abc")
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("no lock")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "grid.csv")
	child := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	child.Env = append(os.Environ(), blocking+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	must.Do(child.Start())
	if said, err := readLine(out); err != nil || said != "ready" {
		child.Process.Kill()
		t.Fatalf("the process said %q, error %v", said, err)
	}
	_, err = grid(5, nothing).Execute(t.Context(), path, "abc")
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d", child.Process.Pid)) {
		t.Errorf("error %v; want one that names process %d", err, child.Process.Pid)
	}
	child.Process.Kill()
	child.Wait()
	done := 0
	got := execute(t, grid(5, func(context.Context, int) error { done++; return nil }), path)
	if want := execute(t, grid(5, nothing), filepath.Join(t.TempDir(), "whole.csv")); got != want || done != 3 {
		t.Errorf("%d runs done, want 3; the file is\n%s", done, got)
	}
	if _, err := os.Stat(path + ".lock"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock is still there: %v", err)
	}
}

func readLine(r interface{ Read([]byte) (int, error) }) (string, error) {
	var line bytes.Buffer
	b := make([]byte, 1)
	for {
		if _, err := r.Read(b); err != nil || b[0] == '\n' {
			return line.String(), err
		}
		line.Write(b)
	}
}

// Times of finished runs, by problem and method: A 2 and 4 s, and B 6 s on the first
// problem, A 30 s on the second. So the mean is 10.5 s, of B 6 s, and of the second problem 30 s.
func TestEstimate(t *testing.T) {
	c := newEstimate(2)
	run := func(problem, method string) Run { return Run{Problem: problem, Method: method} }
	if s := c.String(); s != "" {
		t.Errorf("nothing is left, and the estimate says %q", s)
	}
	c.expect(run("first", "A"))
	if s := c.String(); s != "" {
		t.Errorf("nothing is known, and the estimate says %q", s)
	}
	c.add(run("first", "A"), 2)
	c.add(run("first", "A"), 4)
	c.add(run("first", "B"), 6)
	c.add(run("second", "A"), 30)
	for _, want := range []struct {
		run     Run
		seconds float64
	}{
		{run("first", "A"), 3},
		{run("second", "B"), 6 * 30 / 10.5},
		{run("third", "B"), 6},
		{run("second", "C"), 30}, // 10.5 · 30/10.5
		{run("third", "C"), 10.5},
	} {
		if s, ok := c.expected(want.run.group()); !ok || s != want.seconds {
			t.Errorf("%s, %s: %v s, want %v", want.run.Problem, want.run.Method, s, want.seconds)
		}
	}
	c.expect(run("first", "B"))
	// One run of A on first and one of B are left, two at a time: (3 + 6)/2.
	if s, ok := c.remaining(); !ok || s != 4.5 {
		t.Errorf("%v s remain; want 4.5", s)
	}
	if s := c.String(); !strings.Contains(s, "5s") { // rounded
		t.Errorf("the estimate says %q; want 5s", s)
	}
	c.finish(run("first", "B"), 6)
	if c.left[run("first", "B").group()] != 0 || c.busy != 6 {
		t.Errorf("after a run: %+v", c)
	}
}

func TestRunsArePrintedWithTheirSeed(t *testing.T) {
	var lines []string
	x := Execution{Log: func(line string) { lines = append(lines, line) }}
	must.Value(x.Do(t.Context(), grid(2, nothing)))
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "grid: 0 of 2 runs are done") ||
		!slices.ContainsFunc(lines, func(l string) bool {
			return strings.HasPrefix(l, "p1, method, 1, 1, repeat 2, seed 1: 0.1429 in ") && strings.HasSuffix(l, "; 2 of 2")
		}) {
		t.Errorf("log %q", lines)
	}
}
