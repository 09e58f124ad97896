package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// part returns part i of n of the study's runs for the text "i/n", or all for "": every n-th run, beginning with the
// i-th. Parts can be done in different places, since each has a file of its own, which ends in "-part-i-of-n.csv".
// merge puts the files together.
func (s Study) part(text string) (Study, error) {
	if text == "" {
		return s, nil
	}
	left, right, _ := strings.Cut(text, "/")
	i, errI := strconv.Atoi(left)
	n, errN := strconv.Atoi(right)
	if errI != nil || errN != nil || i < 1 || i > n {
		return s, fmt.Errorf("run: -part %q; want i/n with 1 ≤ i ≤ n, such as 2/3", text)
	}
	file := fmt.Sprintf("%s-part-%d-of-%d.csv", strings.TrimSuffix(s.File, ".csv"), i, n)
	part := paper.Experiment{Name: s.Name, File: file}
	all := s.Runs()
	for k := i - 1; k < len(all); k += n {
		part.List = append(part.List, all[k])
	}
	s.Experiment, s.whole = &part, Hash(all)
	return s, nil
}

// An Execution says how the runs of a study are done.
type Execution struct {
	Path   string                   // of the result file; empty saves nothing
	Commit string                   // for the records
	Only   func(run paper.Run) bool // which runs are done; nil means all
	Trees  int                      // the most that a forest gets; 0 is no limit. Such results aren't the experiment's

	// Parallel is the number of runs that are done at a time, at most GOMAXPROCS; 0 means 1.
	// Most runs use all cores by themselves. More at a time help where data are small,
	// but a run's seconds then include those in which it had no core.
	Parallel int

	// Engine's workers do the runs; nil means that this process does. Workers read public sets and OBLIQUA_DATA as this
	// process does, so these must be the same on all machines. A run's Seconds are those of its worker.
	Engine cluster.Engine

	// Begin reports whether another run may begin; nil means yes. When it may not, Do ends without an error after the
	// runs in progress. The runs of an Engine aren't asked for.
	Begin func() bool

	Log func(line string) // is told about each run, and about what was repaired; nil means nobody
}

// Do does the runs that aren't in the file yet, and returns the records of all runs that x asks for, in the study's
// order. Records of other runs stay in the file.
//
// When a run is done, its line is added to the file and synced. At the end the file is put into the study's order,
// other records last, in one step. So wherever the program is stopped, at most the runs in progress are lost; a last
// line that was written in part is dropped by the next call. While Do works, the file is locked: Do returns an error if
// another process has it. The lock ends with the process. (There is no lock on systems without flock, such as Windows.)
//
// Progress is reported to the function of [forest.WithProgress], in runs. At the first error Do ends the runs in
// progress, and returns the records so far. It returns an error, too, if the study or the file has a run twice.
func (x Execution) Do(ctx context.Context, s Study) (records []paper.Record, err error) {
	file, err := openResults(x.Path, x.log)
	if err != nil {
		return nil, err
	}
	all := s.Runs()
	s.whole = cmp.Or(s.whole, Hash(all))
	defer func() { err = errors.Join(err, file.close(all)) }()
	listed := map[paper.Run]bool{}
	var wanted, todo []paper.Run
	left := newEstimate(x.atATime(), s.workOf(filepath.Dir(x.Path)))
	for _, run := range all {
		if listed[run] {
			return nil, fmt.Errorf("%s: two runs are %v", s.Name, run)
		}
		listed[run] = true
		record, done := file.find(run)
		if done {
			left.add(run, record.Seconds)
		}
		if x.Only != nil && !x.Only(run) {
			continue
		}
		if wanted = append(wanted, run); !done {
			todo = append(todo, run)
			left.expect(run)
		}
	}
	x.log(fmt.Sprintf("%s: %d of %d runs are done%s", s.Name, len(wanted)-len(todo), len(wanted), left))
	err = x.do(ctx, s, todo, len(wanted), left, file)
	for _, run := range wanted {
		if record, done := file.find(run); done {
			records = append(records, record)
		}
	}
	return records, err
}

// do does the runs in todo, some at a time, and adds them to the file.
func (x Execution) do(
	ctx context.Context, s Study, todo []paper.Run, total int, left *estimate, file *resultFile,
) error {
	report := forest.Progress(ctx)
	report(total-len(todo), total)
	ctx, cancel := context.WithCancelCause(forest.WithProgress(ctx, nil))
	defer cancel(nil)
	var mu sync.Mutex
	done := total - len(todo)
	finish := func(run paper.Run, result paper.Result, seconds float64) error {
		mu.Lock()
		defer mu.Unlock()
		date := time.Now().UTC().Format(time.DateOnly)
		err := file.add(paper.Record{Run: run, Result: result, Commit: x.Commit, Date: date})
		if err != nil {
			return err
		}
		done++
		left.finish(run, seconds)
		report(done, total)
		x.log(fmt.Sprintf("%v: %.4f in %.1f s; %d of %d%s", run, result.Score, seconds, done, total, left))
		return nil
	}
	if x.Engine != nil {
		return x.send(ctx, s, todo, finish)
	}
	err := parallel.Workers(ctx, len(todo), x.atATime(), func(items iter.Seq[int]) {
		for i := range items {
			if x.Begin != nil && !x.Begin() {
				return
			}
			start := time.Now()
			result, err := s.run(ctx, todo[i], x.Trees)
			if err == nil {
				err = finish(todo[i], result, time.Since(start).Seconds())
			}
			if err != nil {
				cancel(fmt.Errorf("%s: %v: %w", s.Name, todo[i], err))
			}
		}
	})
	if done < total {
		return cmp.Or(context.Cause(ctx), err)
	}
	return nil
}

// atATime returns how many runs are done at a time.
func (x Execution) atATime() int {
	if x.Engine != nil {
		return x.Engine.Slots()
	}
	return max(1, x.Parallel)
}

func (x Execution) log(line string) {
	if x.Log != nil {
		x.Log(line)
	}
}
