// Package figures computes the figures and tables of the papers, for the
// notebooks and for the long runs whose results are in docs/results.
//
// A figure is an [Experiment]: a list of runs, each of which trains and tests a method. The result of every run is
// added to a CSV file when it is there, so that an experiment that takes hours can be interrupted and continued.
//
// To add a figure, write a function in the file of its paper that lists the runs, and a line in the table of
// registry.go, which gives it a name and a file for its results:
//
//	"sporf99": {"sporf-fig99", sporf99},
//
//	// sporf99 is figure 99: error on trunk against the number of training rows, with defaults.
//	func sporf99(s size) []Run {
//		return study{
//			problems: []problem{drawn("trunk", sim.Trunk{Features: 10}, 0)}, // as many rows as X
//			methods:  []method{with("RF", rf.Learner{}), with("SPORF", sporf.Learner{})},
//			xs:       []int{100, 1000}, repeats: pick(s, 2, 10), // 2 in the fast setting
//		}.runs()
//	}
//
// The file study.go says what else a study has. Real data are problems of names and of a function that loads them, such
// as problems(names, collectionFold). Learners are tuned by tuned or raced. A study's measure may set another score
// than the error, and its do replaces training and measuring. "go run ./notebooks/figures/run -paper sporf99"
// computes the figure, and a cell reads it by Committed("sporf-fig99"). Once results are committed, the runs'
// identities must stay: testdata/identities.txt has a line for them, and the test that reads it says what belongs
// there.
package old

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A Run is one training and test of an experiment, identified by all fields but Do.
type Run struct {
	Problem string // the data
	Method  string
	X       int // the figure's horizontal axis, such as the number of training rows
	Repeat  int // from 1
	Seed    uint64

	// Do trains and tests, and returns the result of the run, which is the one that Do is of.
	Do func(ctx context.Context, run Run) (Result, error)
}

// A Result is the result of a run.
type Result struct {
	Score   float64 // the figure's vertical axis, such as the test error
	Setting string  // the parameters that tuning chose
	Seconds float64 // of training, tuning included

	More map[string]float64 // other measurements, by name
}

// A Record is a finished run, with its commit and date.
type Record struct {
	Run
	Result
	Commit string
	Date   string // year-month-day
}

// An identity is what tells runs apart.
type identity struct {
	problem, method string
	x, repeat       int
	seed            uint64
}

func (r Run) identity() identity { return identity{r.Problem, r.Method, r.X, r.Repeat, r.Seed} }

// A group is what the repeats of a run share.
type group struct {
	problem, method string
	x               int
}

func (r Run) group() group { return group{r.Problem, r.Method, r.X} }

// String returns the run's identity for people.
func (r Run) String() string {
	return fmt.Sprintf("%s, %s, %d, repeat %d, seed %d", r.Problem, r.Method, r.X, r.Repeat, r.Seed)
}

// An Experiment is a figure or table to compute.
type Experiment struct {
	Name string // of the result file, without ".csv"
	Runs []Run

	origin *origin // how workers find it; nil if it isn't registered
}

// part returns part i of n for the text "i/n", or all for "": every n-th run, beginning with the i-th.
// Parts can be executed in different places, since each has a file of its own: Name ends
// in "-part-i-of-n". merge puts the files together.
func (e Experiment) part(text string) (Experiment, error) {
	if text == "" {
		return e, nil
	}
	left, right, _ := strings.Cut(text, "/")
	i, errI := strconv.Atoi(left)
	n, errN := strconv.Atoi(right)
	if errI != nil || errN != nil || i < 1 || i > n {
		return e, fmt.Errorf("run: -part %q; want i/n with 1 ≤ i ≤ n, such as 2/3", text)
	}
	part := Experiment{Name: fmt.Sprintf("%s-part-%d-of-%d", e.Name, i, n), origin: e.origin}
	for k := i - 1; k < len(e.Runs); k += n {
		part.Runs = append(part.Runs, e.Runs[k])
	}
	return part, nil
}

// An Execution says how an experiment is done.
type Execution struct {
	Path   string             // of the result file; empty saves nothing
	Commit string             // for the records
	Only   func(run Run) bool // which runs are done; nil means all

	// Parallel is the number of runs that are done at a time, at most GOMAXPROCS; 0 means 1.
	// Most runs use all cores by themselves. More at a time help where data are small,
	// but a run's seconds then include those in which it had no core.
	Parallel int

	// Engine's workers do the runs; nil means that this process does. The experiment must be
	// a registered one. Workers read public sets and OBLIQUA_DATA as this process does, so
	// these must be the same on all machines. A run's Seconds are those of its worker.
	Engine cluster.Engine

	// Begin reports whether another run may begin; nil means yes. When it may not, Do ends without an error after the
	// runs in progress. The runs of an Engine aren't asked for.
	Begin func() bool

	Log func(line string) // is told about each run, and about what was repaired; nil means nobody
}

// Do does the runs that aren't in the file yet, and returns the records of all runs that x
// asks for, in the experiment's order. Records of other runs stay in the file.
//
// When a run is done, its line is added to the file and synced. At the end the file is put
// into the experiment's order, other records last, in one step. So wherever the program
// is stopped, at most the runs in progress are lost; a last line that was written in part
// is dropped by the next call. While Do works, the file is locked: Do returns an
// error if another process has it. The lock ends with the process. (There is no lock on
// systems without flock, such as Windows.)
//
// Progress is reported to the function of [forest.WithProgress], in runs. At the first error
// Do ends the runs in progress, and returns the records so far. It returns an error, too, if
// the experiment or the file has a run twice.
func (x Execution) Do(ctx context.Context, e Experiment) (records []Record, err error) {
	file, err := openResults(x.Path, x.log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.close(e)) }()
	listed := map[identity]bool{}
	var wanted, todo []Run
	left := newEstimate(x.atATime())
	for _, run := range e.Runs {
		if listed[run.identity()] {
			return nil, fmt.Errorf("%s: two runs are %v", e.Name, run)
		}
		listed[run.identity()] = true
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
	x.log(fmt.Sprintf("%s: %d of %d runs are done%s", e.Name, len(wanted)-len(todo), len(wanted), left))
	err = x.do(ctx, e, todo, len(wanted), left, file)
	for _, run := range wanted {
		if record, done := file.find(run); done {
			records = append(records, record)
		}
	}
	return records, err
}

// do does the runs in todo, some at a time, and adds them to the file.
func (x Execution) do(
	ctx context.Context, e Experiment, todo []Run, total int, left *estimate, file *resultFile,
) error {
	report := forest.Progress(ctx)
	report(total-len(todo), total)
	ctx, cancel := context.WithCancelCause(forest.WithProgress(ctx, nil))
	defer cancel(nil)
	var mu sync.Mutex
	done := total - len(todo)
	finish := func(run Run, result Result, seconds float64) error {
		mu.Lock()
		defer mu.Unlock()
		err := file.add(Record{Run: run, Result: result, Commit: x.Commit, Date: time.Now().UTC().Format(time.DateOnly)})
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
		return x.send(ctx, e, todo, finish)
	}
	err := parallel.Workers(ctx, len(todo), x.atATime(), func(items iter.Seq[int]) {
		for i := range items {
			if x.Begin != nil && !x.Begin() {
				return
			}
			start := time.Now()
			result, err := todo[i].Do(ctx, todo[i])
			if err == nil {
				err = finish(todo[i], result, time.Since(start).Seconds())
			}
			if err != nil {
				cancel(fmt.Errorf("%s: %v: %w", e.Name, todo[i], err))
			}
		}
	})
	if done < total {
		return cmp.Or(context.Cause(ctx), err)
	}
	return nil
}

// send lets the engine's workers do the runs in todo.
func (x Execution) send(ctx context.Context, e Experiment, todo []Run, finish func(Run, Result, float64) error) error {
	if e.origin == nil {
		return fmt.Errorf("%s: only experiments that have a registered name can be sent to workers", e.Name)
	}
	whole, err := named(e.origin.Name, e.origin.Paper)
	if err != nil {
		return err
	}
	number := map[identity]int{}
	for i, run := range whole.Runs {
		number[run.identity()] = i
	}
	questions := make([]remoteRun, len(todo))
	for i, run := range todo {
		questions[i] = remoteRun{*e.origin, number[run.identity()], run.String()}
	}
	return cluster.Map(ctx, x.Engine, "run", nil, questions, func(i int, result Result) error {
		return finish(todo[i], result, result.Seconds)
	})
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

// A Mean is the mean over repeats of a method's results at one X.
type Mean struct {
	Problem, Method string
	X               int
	Mean, StdErr    float64 // over repeats
	Repeats         int
	Seconds         float64            // mean
	More            map[string]float64 // means
}

// Means averages records over repeats. Its order is that of their first appearance.
func Means(records []Record) []Mean {
	var means []Mean
	order, groups := grouped(records, Record.group)
	for _, g := range order {
		m := Mean{Problem: g.problem, Method: g.method, X: g.x, Repeats: len(groups[g]), More: map[string]float64{}}
		var scores []float64
		for _, r := range groups[g] {
			scores = append(scores, r.Score)
			m.Seconds += r.Seconds
			for name, v := range r.More {
				m.More[name] += v
			}
		}
		for name := range m.More {
			m.More[name] /= float64(m.Repeats)
		}
		m.Seconds /= float64(m.Repeats)
		m.Mean, m.StdErr = eval.MeanStdErr(scores)
		means = append(means, m)
	}
	return means
}

// meansAt returns the means by problem, method and X.
func meansAt(records []Record) map[group]Mean {
	at := map[group]Mean{}
	for _, m := range Means(records) {
		at[group{m.Problem, m.Method, m.X}] = m
	}
	return at
}

// grouped returns the items of each key, and the keys in the order of their first appearance.
func grouped[K comparable, T any](items []T, key func(item T) K) (order []K, groups map[K][]T) {
	groups = map[K][]T{}
	for _, item := range items {
		k := key(item)
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], item)
	}
	return order, groups
}
