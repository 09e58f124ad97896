package trial

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// An estimate says how long the runs that are left will take: each as long as the mean of finished runs of the same
// problem, method and X. Where there is none, the time is in proportion to the study's Work, at the rate of the
// method's finished runs. Where that isn't known either, the method's mean is scaled by how the problem's mean compares
// with that of all runs.
type estimate struct {
	work func(c paper.Cell) float64 // 0 where it isn't known

	done map[paper.Cell]total // a group without problem and X has all runs of a method, and so on
	left map[paper.Cell]int   // runs

	began time.Time
	busy  float64 // seconds of the runs finished since began, added up
	share float64 // seconds that pass, for each second of a run
}

// A total is the time of finished runs, and the work of those whose work is known.
type total struct{ seconds, runs, work, worked float64 }

func newEstimate(parallel int, work func(c paper.Cell) float64) *estimate {
	return &estimate{work: work, done: map[paper.Cell]total{}, left: map[paper.Cell]int{}, began: time.Now(),
		share: 1 / float64(parallel)}
}

// expect adds a run that is left to do.
func (e *estimate) expect(run paper.Run) { e.left[run.Cell()]++ }

// add adds a run that was done before.
func (e *estimate) add(run paper.Run, seconds float64) {
	work := e.work(run.Cell())
	for _, g := range []paper.Cell{run.Cell(), {Method: run.Method}, {Problem: run.Problem}, {}} {
		t := e.done[g]
		t.seconds, t.runs = t.seconds+seconds, t.runs+1
		if work > 0 {
			t.work, t.worked = t.work+work, t.worked+seconds
		}
		e.done[g] = t
	}
}

// finish counts a run as done.
func (e *estimate) finish(run paper.Run, seconds float64) {
	e.left[run.Cell()]--
	e.add(run, seconds)
	if e.busy += seconds; e.busy > 0 {
		e.share = time.Since(e.began).Seconds() / e.busy
	}
}

// mean returns the mean seconds of a finished run, and false if there is none.
func (e *estimate) mean(g paper.Cell) (float64, bool) {
	t := e.done[g]
	return t.seconds / t.runs, t.runs > 0
}

// byWork returns the seconds that a run will take by its work, and false if that isn't known.
func (e *estimate) byWork(g paper.Cell) (float64, bool) {
	method, work := e.done[paper.Cell{Method: g.Method}], e.work(g)
	return work * method.worked / method.work, method.work > 0 && work > 0
}

// expected returns the seconds that a run will take, and false if no run is done.
func (e *estimate) expected(g paper.Cell) (float64, bool) {
	if mean, ok := e.mean(g); ok {
		return mean, true
	}
	if seconds, ok := e.byWork(g); ok {
		return seconds, true
	}
	all, any := e.mean(paper.Cell{})
	method, ok := e.mean(paper.Cell{Method: g.Method})
	if !ok {
		method = all
	}
	problem, ok := e.mean(paper.Cell{Problem: g.Problem})
	if !ok || all == 0 {
		return method, any
	}
	return method * problem / all, any
}

// remaining returns the seconds until all runs are done, and false if nothing is known.
func (e *estimate) remaining() (seconds float64, ok bool) {
	for g, runs := range e.left {
		s, known := e.expected(g)
		if !known {
			return 0, false
		}
		seconds += s * float64(runs)
	}
	return seconds * e.share, true
}

// String says when all will be done, after a semicolon. It is empty if nothing is left or
// known.
func (e *estimate) String() string {
	seconds, ok := e.remaining()
	if !ok || seconds == 0 {
		return ""
	}
	left := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("; done in about %v, at %s", left, time.Now().Add(left).Format("Jan 2 15:04"))
}

// A Size is how large a data set is.
type Size struct{ Rows, Features float64 }

// workOf returns the study's Work, with the sizes of sets that a folder of results knows.
func (s Study) workOf(results string) func(c paper.Cell) float64 {
	if s.Work == nil {
		return func(paper.Cell) float64 { return 0 }
	}
	sizes := map[string]Size{}
	records, _ := paper.ReadRecords(filepath.Join(results, paper.SizesFile)) // without it nothing is known
	for _, r := range records {
		sizes[r.Problem] = Size{r.Score, r.More["features"]}
	}
	return func(c paper.Cell) float64 { return s.Work(c, sizes[c.Problem]) }
}
