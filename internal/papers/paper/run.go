// Package paper has what the papers' rooms share: a figure as one value with its protocol, its runs, its drawing and
// its claims; the results of runs and their means; printed tables, and printed numbers beside ours.
//
// It draws committed results and trains nothing. How a run is done is in tools/experiments.
//
//   - run.go: runs and the experiments that list them
//   - results.go, lines.go, classifiers.go: reading docs/results and testdata
//   - means.go: means over repeats
//   - charts.go: from means to charts
//   - printed.go, beside.go: printed tables, and ours beside them
//   - claim.go: what a paper says in numbers, and whether ours agree
//   - figure.go: a figure, its protocol and its state
//   - items.go: what is reproduced of a paper
//   - queue.go: runs that are still to be done
package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Run is one training and test of an experiment. Its fields identify it, so they must not change once results are
// committed.
type Run struct {
	Problem string // the data
	Method  string
	X       int // the figure's horizontal axis, such as the number of training rows
	Repeat  int // from 1
	Seed    uint64
}

// String returns the run for people.
func (r Run) String() string {
	return fmt.Sprintf("%s, %s, %d, repeat %d, seed %d", r.Problem, r.Method, r.X, r.Repeat, r.Seed)
}

// A Cell is what the repeats of a run share.
type Cell struct {
	Problem, Method string
	X               int
}

// Cell returns the run's problem, method and X.
func (r Run) Cell() Cell { return Cell{r.Problem, r.Method, r.X} }

// A Result is what a run measured.
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

// A Grid lists runs: one for each combination of problems, methods, numbers X and repeats.
type Grid struct {
	Problems, Methods []string
	X                 []int  // none means that X is 0
	Repeats           int    // 0 means 1
	Order             string // of the loops over problems, methods, x and repeats, outermost first; "" means "pmxr"
	Seed              uint64 // of all runs; 0 means that a run has its repeat's number
}

// Runs returns the runs in the grid's order.
func (g Grid) Runs() []Run {
	order, xs := cmp.Or(g.Order, "pmxr"), g.X
	if xs == nil {
		xs = []int{0}
	}
	counts := map[byte]int{'p': len(g.Problems), 'm': len(g.Methods), 'x': len(xs), 'r': max(1, g.Repeats)}
	runs := make([]Run, counts['p']*counts['m']*counts['x']*counts['r'])
	for i := range runs {
		at, rest := map[byte]int{}, i
		for k := len(order) - 1; k >= 0; k-- {
			at[order[k]], rest = rest%counts[order[k]], rest/counts[order[k]]
		}
		repeat := at['r'] + 1
		runs[i] = Run{g.Problems[at['p']], g.Methods[at['m']], xs[at['x']], repeat, cmp.Or(g.Seed, uint64(repeat))}
	}
	return runs
}

// An Experiment lists runs whose results are in one file.
type Experiment struct {
	Name  string // on the command line, such as "sporf2"
	File  string // in docs/results, such as "sporf-fig2-paper.csv"
	Grids []Grid
	List  []Run // beside those of the grids

	// Read returns the records of a file that has others, too, and another form; nil reads a file of runs.
	Read func(r *Results) []Record
}

// Runs returns the runs of all grids, and those of the list.
func (e *Experiment) Runs() (runs []Run) {
	for _, g := range e.Grids {
		runs = append(runs, g.Runs()...)
	}
	return append(runs, e.List...)
}

// A Part is some runs of an experiment.
type Part struct {
	*Experiment
	Problems, Methods []string // nil means all
	X                 []int
}

// On returns the runs of problems.
func (e *Experiment) On(problems ...string) Part { return Part{Experiment: e, Problems: problems} }

// By returns the runs of methods.
func (e *Experiment) By(methods ...string) Part { return Part{Experiment: e, Methods: methods} }

// On returns the part's runs of problems.
func (p Part) On(problems ...string) Part {
	p.Problems = problems
	return p
}

// By returns the part's runs of methods.
func (p Part) By(methods ...string) Part {
	p.Methods = methods
	return p
}

// At returns the part's runs at some X.
func (p Part) At(x ...int) Part {
	p.X = x
	return p
}

// Of returns a measure of the part.
func (p Part) Of(measure Measure) Series { return Series{p, measure} }

// Has reports whether a run is in the part.
func (p Part) Has(r Run) bool {
	return (p.Problems == nil || slices.Contains(p.Problems, r.Problem)) &&
		(p.Methods == nil || slices.Contains(p.Methods, r.Method)) && (p.X == nil || slices.Contains(p.X, r.X))
}

// Runs returns the part's runs.
func (p Part) Runs() []Run {
	return slices.DeleteFunc(p.Experiment.Runs(), func(r Run) bool { return !p.Has(r) })
}

// Among returns some of the records: with the problems, methods and X of the part.
func (p Part) Among(records []Record) (some []Record) {
	for _, r := range records {
		if p.Has(r.Run) {
			some = append(some, r)
		}
	}
	return some
}

// Pairs returns the words of a text, each second one by the one before it.
func Pairs(text string) map[string]string {
	pairs := map[string]string{}
	for words := range slices.Chunk(strings.Fields(text), 2) {
		pairs[words[0]] = words[1]
	}
	return pairs
}

// Ints returns the numbers from first to last.
func Ints(first, last int) (all []int) {
	for n := first; n <= last; n++ {
		all = append(all, n)
	}
	return all
}
