package old

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// A queue is a list of runs that are to be done, the most worthwhile first.
type queue []queued

// A queued is a line of a queue's file: the runs of an experiment up to a repeat that match an expression.
type queued struct {
	Experiment                    // or the part of it that is to be done
	path, why  string             // of the result file; of the line
	only       func(run Run) bool // which runs the line is for, but for those that other files have
	open       []Run              // of them
	seconds    float64            // that the open ones will take, about
}

// readQueue reads the queue in the file at path, for part "i/n" of the runs ("" is all of them), and counts what is
// open. Of its columns experiment, match and repeats say what those of the command line say; repeats is 0 for all. The
// column why is for people, and hours is a guess for each run of a problem, method and X of which none is done yet.
func readQueue(path, part, results string, paper bool) (q queue, err error) {
	counted := map[string]bool{} // runs of lines before
	err = eachLine(path, func(l *publishedLine) {
		only := parsed(l, "match", regexp.Compile)
		repeats := parsed(l, "repeats", strconv.Atoi)
		guess := l.number("hours")
		whole := parsed(l, "experiment", func(name string) (Experiment, error) { return named(name, paper) })
		if l.err != nil {
			return
		}
		var e Experiment
		if e, l.err = whole.part(part); l.err != nil {
			return
		}
		line := queued{Experiment: e, path: filepath.Join(results, e.Name+".csv"), why: l.text("why")}
		left := newEstimate(1)
		elsewhere, done := map[identity]bool{}, map[identity]bool{}
		for _, name := range slices.Compact([]string{whole.Name, e.Name}) {
			records, err := readRecords(filepath.Join(results, name+".csv"))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				l.err = err
				return
			}
			for _, r := range records {
				done[r.identity()] = true
				elsewhere[r.identity()] = elsewhere[r.identity()] || name != e.Name
				left.add(r.Run, r.Seconds)
			}
		}
		line.only = func(r Run) bool { return selects(r, only, repeats) && !elsewhere[r.identity()] }
		for _, run := range e.Runs {
			key := e.Name + run.String()
			if line.only(run) && !done[run.identity()] && !counted[key] {
				counted[key] = true
				line.open = append(line.open, run)
				if seconds, known := left.mean(run.group()); known {
					line.seconds += seconds
				} else {
					line.seconds += 3600 * guess
				}
			}
		}
		q = append(q, line)
	})
	return q, err
}

// selects reports whether a run is one of those that the flags -match and -repeats ask for.
func selects(r Run, match *regexp.Regexp, repeats int) bool {
	return (repeats == 0 || r.Repeat <= repeats) && match.MatchString(fmt.Sprintf("%s, %s, %d", r.Problem, r.Method, r.X))
}

// do does the queue's open runs as x says, line by line. An error in a line's run, such as missing data, ends the line,
// and the next one begins. It returns all errors.
func (q queue) do(ctx context.Context, x Execution) error {
	for i, line := range q {
		if len(line.open) > 0 {
			x.log(fmt.Sprintf("line %d of the queue: %s, %v, %s", i+1, line.Name, q[i:i+1], line.why))
		}
	}
	x.log(fmt.Sprintf("the queue: %v", q))
	var errs []error
	for i, line := range q {
		if len(line.open) == 0 || x.Begin != nil && !x.Begin() {
			continue
		}
		one := x
		one.Path, one.Only = line.path, line.only
		one.Log = func(text string) { x.log(fmt.Sprintf("%s; after line %d of the queue: %v", text, i+1, q[i+1:])) }
		if _, err := one.Do(ctx, line.Experiment); err != nil {
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
