package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// A queue is a list of runs that are to be done, the most worthwhile first.
type queue []queued

// A queued is a line of a queue's file and what of it is open.
type queued struct {
	paper.Queued
	study   Study // or the part of it that is to be done
	path    string
	open    []paper.Run
	seconds float64 // that the open ones will take, about
}

// readQueue reads the queue in the file at path, for part "i/n" of the runs ("" is all of them), and counts what is
// open.
func readQueue(path, part, results string, studies []Study) (q queue, err error) {
	var all []*paper.Experiment
	for _, s := range studies {
		all = append(all, s.Experiment)
	}
	lines, err := paper.ReadQueue(path, all)
	if err != nil {
		return nil, err
	}
	counted := map[string]bool{} // runs of lines before
	for _, l := range lines {
		whole, err := find(studies, l.Name)
		if err != nil {
			return nil, err
		}
		line := queued{Queued: l}
		if line.study, err = whole.part(part); err != nil {
			return nil, err
		}
		line.path = filepath.Join(results, line.study.File)
		if err := line.count(results, whole.File, counted); err != nil {
			return nil, err
		}
		q = append(q, line)
	}
	return q, nil
}

// count finds the open runs: those in no file of results and in no line before.
func (q *queued) count(results, whole string, counted map[string]bool) error {
	left, done, elsewhere := newEstimate(1, q.study.workOf(results)), map[paper.Run]bool{}, map[paper.Run]bool{}
	files := map[string]bool{whole: true, q.study.File: true}
	for name := range files {
		records, err := paper.ReadRecords(filepath.Join(results, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, r := range records {
			done[r.Run] = true
			elsewhere[r.Run] = elsewhere[r.Run] || name != q.study.File
			left.add(r.Run, r.Seconds)
		}
	}
	only := q.Only
	q.Only = func(r paper.Run) bool { return only(r) && !elsewhere[r] }
	for _, run := range q.study.Runs() {
		if key := q.study.File + run.String(); q.Only(run) && !done[run] && !counted[key] {
			counted[key] = true
			q.open = append(q.open, run)
			if seconds, known := left.mean(run.Cell()); known {
				q.seconds += seconds
			} else if seconds, known := left.byWork(run.Cell()); known {
				q.seconds += seconds
			} else {
				q.seconds += 3600 * q.Hours
			}
		}
	}
	return nil
}

// do does the queue's open runs as x says, line by line. An error in a line's run, such as missing data, ends the line,
// and the next one begins. It returns all errors.
func (q queue) do(ctx context.Context, x Execution) error {
	for i, line := range q {
		if len(line.open) > 0 {
			x.log(fmt.Sprintf("line %d of the queue: %s, %v, %s", i+1, line.study.File, q[i:i+1], line.Why))
		}
	}
	x.log(fmt.Sprintf("the queue: %v", q))
	var errs []error
	for i, line := range q {
		if len(line.open) == 0 || x.Begin != nil && !x.Begin() {
			continue
		}
		one := x
		one.Path, one.Only = line.path, line.Only
		one.Log = func(text string) { x.log(fmt.Sprintf("%s; after line %d of the queue: %v", text, i+1, q[i+1:])) }
		if _, err := one.Do(ctx, line.study); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			x.log(err.Error())
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// String says what is open.
func (q queue) String() string {
	open, seconds := 0, 0.0
	for _, line := range q {
		open += len(line.open)
		seconds += line.seconds
	}
	return fmt.Sprintf("%d runs, about %.1f h", open, seconds/3600)
}
