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

	"github.com/obliqua-ml/obliqua/internal/must"
)

// fakes registers experiments a and b of six runs each, x 1 to 3 twice, and returns which runs were done, in order. A
// run ends as the function says.
func fakes(t *testing.T, ends func(ctx context.Context, name string) error) (done *[]string) {
	done = new([]string)
	for _, experiment := range []string{"a", "b"} {
		name := "fake " + experiment
		registered[name] = entry{"fake-" + experiment, func(size) []Run {
			return study{problems: []problem{{name: "p"}}, methods: []method{{name: "m"}}, xs: ints(1, 3), repeats: 2,
				do: func(ctx context.Context, t *trial) error {
					run := fmt.Sprint(experiment, t.X, ".", t.Repeat)
					if err := ends(ctx, run); err != nil {
						return err
					}
					*done = append(*done, run)
					t.Score, t.Seconds = float64(t.X), 3600
					return nil
				}}.runs()
		}}
		t.Cleanup(func() { delete(registered, name) })
	}
	return done
}

// The runs of x = 2, then the first repeats of b, then all of a and b.
const fakeQueue = `experiment,match,repeats,hours,why
fake a,", 2$",0,5,nobody knows
fake b,,1,7,it is cheap
fake a,,0,2,"it is ""dear"""
fake b,,0,3,for the rest
`

var fakeOrder = strings.Fields("a2.1 a2.2 b1.1 b2.1 b3.1 a1.1 a1.2 a3.1 a3.2 b1.2 b2.2 b3.2")

// fakeFolder returns a folder with the queue.
func fakeFolder(t *testing.T) string {
	folder := t.TempDir()
	must.Do(os.WriteFile(filepath.Join(folder, "queue.csv"), []byte(fakeQueue), 0o666))
	return folder
}

// openQueue reads the queue of a folder with results.
func openQueue(t *testing.T, folder, part string) queue {
	return must.Value(readQueue(filepath.Join(folder, "queue.csv"), part, folder, false))
}

func always(context.Context, string) error { return nil }

func TestQueueDoesItsLinesInOrder(t *testing.T) {
	done := fakes(t, always)
	folder := fakeFolder(t)
	q := openQueue(t, folder, "")
	// Each run is open once, and takes the hours that the file guesses.
	for i, open := range []int{2, 3, 4, 3} {
		if len(q[i].open) != open {
			t.Errorf("line %d has %d open runs; want %d", i+1, len(q[i].open), open)
		}
	}
	if s := q.String(); s != "12 runs, about 48.0 h" {
		t.Errorf("the queue holds %s; want 12 runs and 2·5 + 3·7 + 4·2 + 3·3 hours", s)
	}
	var log []string
	must.Do(q.do(t.Context(), Execution{Commit: "abc", Log: func(line string) { log = append(log, line) }}))
	if !slices.Equal(*done, fakeOrder) {
		t.Errorf("done: %s; want %s", *done, fakeOrder)
	}
	if !slices.ContainsFunc(log, func(line string) bool {
		return strings.HasPrefix(line, "p, m, 2, repeat 1, seed 1: 2.0000 in ") && strings.Contains(line, "; 1 of 2") &&
			strings.HasSuffix(line, "; after line 1 of the queue: 10 runs, about 38.0 h")
	}) {
		t.Errorf("log %q", log)
	}
	if q = openQueue(t, folder, ""); q.String() != "0 runs, about 0.0 h" {
		t.Errorf("at the end the queue holds %v", q)
	}
	if err := q.do(t.Context(), Execution{}); err != nil || len(*done) != len(fakeOrder) {
		t.Errorf("again: error %v, %d runs", err, len(*done))
	}
}

// Wherever it is interrupted, by a signal or because the hours are over, it goes on from there.
func TestQueueContinues(t *testing.T) {
	for stop := range fakeOrder {
		for _, signal := range []bool{false, true} {
			folder := fakeFolder(t)
			ctx, cancel := context.WithCancel(t.Context())
			var done *[]string
			done = fakes(t, func(ctx context.Context, _ string) error {
				if signal && len(*done) == stop {
					cancel()
				}
				return ctx.Err()
			})
			x := Execution{Commit: "abc", Begin: func() bool { return signal || len(*done) < stop }}
			err := openQueue(t, folder, "").do(ctx, x)
			if signal != errors.Is(err, context.Canceled) || !signal && err != nil {
				t.Errorf("stopped after %d runs, signal %v: error %v", stop, signal, err)
			}
			if !slices.Equal(*done, fakeOrder[:stop]) {
				t.Errorf("stopped after %d runs, signal %v: done %s", stop, signal, *done)
			}
			q := openQueue(t, folder, "")
			// Those of b that are like the one that is done take its hour, the others what the file guesses.
			if stop == 3 && q.String() != "9 runs, about 29.0 h" { // 2·7, 4·2, 1 + 2·3
				t.Errorf("after three runs the queue holds %v", q)
			}
			must.Do(q.do(t.Context(), Execution{Commit: "abc"}))
			if !slices.Equal(*done, fakeOrder) {
				t.Errorf("stopped after %d runs, signal %v, and then all are %s", stop, signal, *done)
			}
			cancel()
		}
	}
}

// Where a run fails, the line is left, and the others are done.
func TestQueueGoesOnAfterAFailure(t *testing.T) {
	missing := errors.New("no such data")
	done := fakes(t, func(_ context.Context, run string) error {
		if run == "b2.1" {
			return missing
		}
		return nil
	})
	err := openQueue(t, fakeFolder(t), "").do(t.Context(), Execution{})
	if want := strings.Fields("a2.1 a2.2 b1.1 a1.1 a1.2 a3.1 a3.2 b1.2"); !errors.Is(err, missing) ||
		!slices.Equal(*done, want) {
		t.Errorf("done: %s, error %v; want %s", *done, err, want)
	}
}

// Two machines do a part each, without the runs that were done before. Merged by their folders, all are there.
func TestQueueInParts(t *testing.T) {
	done := fakes(t, always)
	ours := fakeFolder(t)
	first := openQueue(t, ours, "")[:1]
	must.Do(first.do(t.Context(), Execution{}))
	theirs := t.TempDir()
	must.Do(os.CopyFS(theirs, os.DirFS(ours)))
	for i, folder := range []string{ours, theirs} {
		must.Do(openQueue(t, folder, fmt.Sprint(i+1, "/2")).do(t.Context(), Execution{}))
	}
	slices.Sort(*done)
	all := slices.Sorted(slices.Values(fakeOrder))
	if !slices.Equal(*done, all) {
		t.Errorf("done: %s; want each once", *done)
	}
	c := command{results: ours, merge: true}
	for _, folder := range []string{theirs, ours} {
		must.Do(c.run(t.Context(), []string{folder}))
	}
	if q := openQueue(t, ours, ""); q.String() != "0 runs, about 0.0 h" {
		t.Errorf("merged, the queue holds %v", q)
	}
	if err := c.run(t.Context(), []string{t.TempDir()}); err == nil || !strings.Contains(err.Error(), "has no results") {
		t.Errorf("an empty folder: error %v", err)
	}
}

func TestQueueNamesWhatIsWrong(t *testing.T) {
	fakes(t, always)
	for line, want := range map[string]string{
		"fake c,,0,1,":   `queue.csv:2: experiment: figures: no experiment is called "fake c"`,
		"fake a,(,0,1,":  "queue.csv:2: match: error parsing regexp",
		"fake a,,all,1,": "queue.csv:2: repeats: ",
		"fake a,,0,,":    "queue.csv:2: hours: ",
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "queue.csv")
		text := "experiment,match,repeats,hours,why\n" + line + "\n"
		must.Do(os.WriteFile(path, []byte(text), 0o666))
		if _, err := readQueue(path, "", folder, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want %s", line, err, want)
		}
	}
}
