//go:build unix

package forest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/internal/learners"
)

var (
	cancelFits = flag.Int("cancel.fits", 0, "number of fits that TestLateReturns cancels; 0 skips it")
	cancelOnly = flag.String("cancel.only", "", "regular expression of the learners and shapes that TestLateReturns fits")
	cancelSeed = flag.Uint64("cancel.seed", 1, "what TestLateReturns draws from")
)

// A fitCall is something that fits a forest, to be cancelled.
type fitCall func(ctx context.Context, d *datasets.Dataset) error

// cancelCalls returns a call of every learner.
func cancelCalls() map[string]fitCall {
	const trees = 40
	calls := map[string]fitCall{}
	add := func(name string, l forest.Learner) {
		calls[name] = func(ctx context.Context, d *datasets.Dataset) error {
			_, err := l.Fit(ctx, d)
			return err
		}
	}
	for _, l := range learners.With(trees, 0) {
		add(fmt.Sprintf("%T", l), l)
	}
	add("oc1.Learner", oc1.Learner{Trees: 10}) // 40 take too long
	add("tao.Learner", tao.Learner{Trees: 5})
	add("sporf with memory", sporf.Learner{Trees: trees, Memory: forest.Memory{Alpha: 0.5, Beta: 1}})
	add("boost huber", boost.Learner{Rounds: trees, Loss: boost.Huber})
	add("tao linear", tao.Learner{Trees: 5, LinearLeaves: true})
	add("tao unpenalised", tao.Learner{Trees: 5, Lambda: -1, Unscaled: true})
	for divider := range godt.RandomAxis + 1 {
		s := godt.Splitting{Divider: divider}
		add(fmt.Sprintf("godt forest %d", divider), godt.Learner{Trees: trees, Splitting: s})
		add(fmt.Sprintf("godt tree %d", divider), godt.Tree{Splitting: s})
	}
	add("mix honest of fits", mix.Learner{Trees: trees, Honest: true, BootstrapFits: true})
	add("graf with memory", graf.Learner{Trees: trees, Memory: forest.Memory{Alpha: 0.5, Beta: 1}})
	add("pipeline", forest.Pipeline(rf.Learner{Trees: trees}, datasets.Standardise{}))
	calls["part"] = func(ctx context.Context, d *datasets.Dataset) error {
		_, err := forest.FitPart(ctx, sporf.Learner{Trees: trees}, d, trees/4, trees/2)
		return err
	}
	calls["refine"] = func(ctx context.Context, d *datasets.Dataset) error {
		f, err := rf.Learner{Trees: 2, Growth: forest.Growth{MaxDepth: 8}}.Fit(ctx, d)
		if err == nil {
			_, err = tao.Learner{}.Refine(ctx, f, d)
		}
		return err
	}
	return calls
}

// A cancelShape is data of some shape, made when it is first needed.
type cancelShape struct {
	name    string
	share   int           // of the fits
	longest time.Duration // before which a fit is cancelled
	make    func() *datasets.Dataset
}

func cancelShapes() []cancelShape {
	normal := func(rng *rand.Rand) float32 { return float32(rng.NormFloat64()) }
	small := 40 * time.Millisecond
	shapes := []cancelShape{
		{"300×6", 400, small, func() *datasets.Dataset { return cancelData(300, 6, 2, normal) }},
		{"300×6 values", 200, small, func() *datasets.Dataset { return cancelData(300, 6, 0, normal) }},
		{"2000×20 3 classes", 200, small, func() *datasets.Dataset { return cancelData(2000, 20, 3, normal) }},
		{"2000×20 values", 50, small, func() *datasets.Dataset { return cancelData(2000, 20, 0, normal) }},
		{"30×2000", 50, small, func() *datasets.Dataset { return cancelData(30, 2000, 2, normal) }},
		{"1000×4 1000 classes", 50, small, func() *datasets.Dataset { return cancelData(1000, 4, 1000, normal) }},
		{"20×100000", 3, time.Second, func() *datasets.Dataset { return cancelData(20, 100000, 2, normal) }},
		{"20000×4 equal rows", 10, time.Second, func() *datasets.Dataset {
			return cancelData(20000, 4, 2, func(*rand.Rand) float32 { return 1 })
		}},
		{"60000×60", 25, 2 * time.Second, func() *datasets.Dataset { return cancelData(60000, 60, 2, normal) }},
		{"60000×60 values", 10, 2 * time.Second, func() *datasets.Dataset { return cancelData(60000, 60, 0, normal) }},
		{"60000×60 digits", 10, 2 * time.Second, func() *datasets.Dataset {
			return cancelData(60000, 60, 10, func(rng *rand.Rand) float32 { return float32(rng.IntN(10) * rng.IntN(2)) })
		}},
		// With one row a class they would be identifiers, which learners refuse.
		{"40000×4 20000 classes", 5, 2 * time.Second, func() *datasets.Dataset {
			return cancelData(40000, 4, 20000, normal)
		}},
		{"140000×4 70000 classes", 10, 2 * time.Second, func() *datasets.Dataset {
			return cancelData(140000, 4, 70000, normal)
		}},
	}
	for i := range shapes {
		var d *datasets.Dataset
		of := shapes[i].make
		shapes[i].make = func() *datasets.Dataset {
			if d == nil {
				d = of()
			}
			return d
		}
	}
	return shapes
}

// cancelData returns n rows of p features, with labels that are hard to learn, or values if classes is 0.
func cancelData(n, p, classes int, cell func(rng *rand.Rand) float32) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(p)))
	d := &datasets.Dataset{Name: "cancelled", Target: "y"}
	cells := make([]float32, n*p)
	for i := range cells {
		cells[i] = cell(rng)
	}
	for j := range p {
		d.Features = append(d.Features, datasets.Feature{Name: fmt.Sprint("x", j)})
		d.Columns = append(d.Columns, cells[j*n:(j+1)*n])
	}
	for c := range classes {
		d.Classes = append(d.Classes, fmt.Sprint("class ", c))
	}
	for i := range n {
		signal := rng.NormFloat64() + float64(d.Columns[0][i]-d.Columns[p-1][i])
		switch classes {
		case 0:
			d.Values = append(d.Values, signal)
		case 2:
			d.Labels = append(d.Labels, int32(min(1, max(0, signal+0.5))))
		default:
			d.Labels = append(d.Labels, int32(i%classes))
		}
	}
	return d
}

// A lateReturn is a fit that was cancelled.
type lateReturn struct {
	name      string
	cancelled time.Duration // after the call
	late      time.Duration
	worked    time.Duration // of late, the processors' time; less where other programs use them
	at        []string      // where its goroutines were when it was late by longestReturn
}

// longestReturn is how long a learner may take to return after its context has ended, on a machine that does
// nothing else.
const longestReturn = 100 * time.Millisecond

// Learners return soon after their context is cancelled. The test measures time, so it isn't part of the suite:
//
//	go test ./forest -run TestLateReturns -v -timeout 1h -cancel.fits 10000
//
// It prints the fits that returned the latest, with what the goroutines of those that are too late were doing. If other
// programs use the processors, judge by the processors' time.
func TestLateReturns(t *testing.T) {
	if *cancelFits == 0 {
		t.Skip("no -cancel.fits")
	}
	only := regexp.MustCompile(*cancelOnly)
	calls := cancelCalls()
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range calls {
			if !yield(name) {
				return
			}
		}
	})
	type pair struct {
		name  string
		shape cancelShape
	}
	var pairs []pair // as often as its share says
	for _, shape := range cancelShapes() {
		for _, name := range names {
			if only.MatchString(name + ", " + shape.name) {
				for range shape.share {
					pairs = append(pairs, pair{name, shape})
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(*cancelSeed, 1))
	whole := map[string]time.Duration{} // how long fits take that aren't cancelled
	var returns []lateReturn
	begun := time.Now()
	for i := range *cancelFits {
		p := pairs[rng.IntN(len(pairs))]
		name := p.name + ", " + p.shape.name
		longest := p.shape.longest
		if known, ok := whole[name]; ok {
			longest = min(longest, known)
		}
		at := time.Duration(float64(longest) * rng.Float64())
		if rng.IntN(4) == 0 { // soon
			at = time.Duration(float64(at) * rng.Float64() * rng.Float64())
		}
		r, took := timeCancelled(calls[p.name], p.shape.make(), at)
		if took > 0 {
			whole[name] = took
			continue
		}
		r.name = name
		returns = append(returns, r)
		if i%1000 == 999 {
			t.Logf("%d fits in %v", i+1, time.Since(begun).Round(time.Second))
		}
	}
	slices.SortFunc(returns, func(a, b lateReturn) int { return int(b.late - a.late) })
	t.Logf("%d of %d fits were cancelled before their end, in %v; the latest returns:",
		len(returns), *cancelFits, time.Since(begun).Round(time.Second))
	for _, r := range returns[:min(20, len(returns))] {
		t.Logf("%8v after its context (%v of processors' time), which ended after %8v: %s",
			r.late.Round(time.Millisecond), r.worked.Round(time.Millisecond), r.cancelled.Round(time.Millisecond), r.name)
		for _, at := range r.at {
			t.Log("          ", at)
		}
	}
	if len(returns) > 0 {
		most := slices.MaxFunc(returns, func(a, b lateReturn) int { return int(a.worked - b.worked) })
		t.Logf("the most processors' time after a context: %v, %s", most.worked.Round(time.Millisecond), most.name)
	}
	if len(returns) > 0 && returns[0].late > longestReturn {
		t.Errorf("the latest return was %v after its context; want at most %v", returns[0].late, longestReturn)
	}
}

// timeCancelled cancels a call after some time. If the call ends before, it returns how long that took.
func timeCancelled(call fitCall, d *datasets.Dataset, at time.Duration) (r lateReturn, took time.Duration) {
	runtime.GC() // so that it isn't in the time that is measured
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var ended, worked atomic.Int64
	var where atomic.Pointer[[]string]
	begun := time.Now()
	late := time.AfterFunc(at+longestReturn, func() {
		at := positions()
		where.Store(&at)
	})
	stop := time.AfterFunc(at, func() {
		worked.Store(int64(processorTime()))
		ended.Store(int64(time.Since(begun)))
		cancel()
	})
	err := call(ctx, d)
	took = time.Since(begun)
	stop.Stop()
	late.Stop()
	if !errors.Is(err, context.Canceled) {
		return r, took
	}
	r.cancelled = time.Duration(ended.Load())
	r.late, r.worked = took-r.cancelled, processorTime()-time.Duration(worked.Load())
	if at := where.Load(); at != nil {
		r.at = *at
	}
	return r, 0
}

// processorTime returns how long processors have worked for this process.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// positions returns the innermost functions of this module in each goroutine.
func positions() (all []string) {
	b := make([]byte, 1<<18)
	for stack := range strings.SplitSeq(string(b[:runtime.Stack(b, true)]), "\n\n") {
		var at []string
		for line := range strings.Lines(stack) {
			name, ours := strings.CutPrefix(line, "github.com/obliqua-ml/obliqua/")
			if ours && !strings.Contains(name, "TestLateReturns") && len(at) < 4 {
				at = append(at, name[:strings.LastIndexByte(name, '(')])
			}
		}
		if len(at) > 0 {
			all = append(all, strings.Join(at, " ← "))
		}
	}
	return all
}
