package auto

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/progress"
)

// inTime fits in a bubble whose clock only goes on while progress is reported, 10 ms for each tree or round. It returns
// the time that is left in the end, of a budget that is 0 for none.
func inTime(t *testing.T, l Learner, d *datasets.Dataset, budget time.Duration, told func(state string)) (
	model *forest.Forest, left time.Duration, err error) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // nobody waits for who sleeps and holds a lock
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := t.Context(), context.CancelFunc(func() {})
		if budget > 0 {
			ctx, cancel = context.WithTimeout(ctx, budget)
		}
		defer cancel()
		begun := time.Now()
		model, err = l.Fit(progress.With(ctx, func(_, _ int, state string) {
			told(state)
			time.Sleep(10 * time.Millisecond)
		}), d)
		left = budget - time.Since(begun)
	})
	return model, left, err
}

// The best model so far comes before the deadline, with its report. Ten trees of the random forest take 0.1 s. Where
// there is time enough, the model is that of a context without a deadline. It may be where the race was short, too.
func TestDeadlines(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs on one core")
	}
	silent := func(string) {}
	for _, c := range []struct {
		name string
		d    *datasets.Dataset
	}{{"forests", table(120, false, 0.1)}, {"boosting", additive(120, true)}} {
		want, _, err := inTime(t, Learner{Seed: 1}, c.d, 0, silent)
		if err != nil {
			t.Fatal(err)
		}
		raced := 0
		for _, seconds := range []float64{0.1, 0.3, 1.9, 4, 6, 12, 1000} {
			model, left, err := inTime(t, Learner{Seed: 1}, c.d, time.Duration(seconds*float64(time.Second)), silent)
			if seconds == 0.1 {
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s, %v s: error %v", c.name, seconds, err)
				}
				continue
			}
			if err != nil || left < 0 {
				t.Fatalf("%s, %v s: error %v, %v left", c.name, seconds, err, left)
			}
			r := must.Value(Read(model))
			same := slices.EqualFunc(model.Trees, want.Trees, func(a, b forest.Tree) bool {
				return slices.Equal(a.Nodes, b.Nodes)
			})
			if r.Trees != len(model.Trees) || r.Error != r.Error || len(r.Race) < raced || seconds == 1000 && r.Short ||
				!r.Short && !same || r.Short != strings.Contains(r.String(), "Time was short") {
				t.Errorf("%s, %v s: %d trees, the same %v\n%v\n%+v", c.name, seconds, len(model.Trees), same, r, r.Race)
			}
			raced = len(r.Race)
		}
	}
}

// A cancelled context stays an error, whatever its deadline.
func TestCancelledBeforeTheDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	begun := false
	_, err := Learner{Seed: 1}.Fit(progress.With(ctx, func(_, _ int, state string) {
		if begun = begun || strings.HasPrefix(state, "mix"); begun {
			cancel()
		}
	}), table(100, false, 0.1))
	if !errors.Is(err, context.Canceled) || !begun {
		t.Errorf("error %v", err)
	}
}

// The race had 40 rounds at 0.3: as far go 80 at 0.15, 60 at 0.2 and 48 at 0.25.
func TestHurry(t *testing.T) {
	for _, c := range []struct {
		fit, rate float64
		rounds    int
	}{
		{48000, 0.15, 400}, {106.7, 0.15, 106}, {60, 0.2, 60}, {48, 0.25, 48}, {26.7, 12 / 26.7, 26}, {-1, 12, 1},
	} {
		r := race{rate: 0.3}
		l := boost.Learner{Rate: 0.15, Rounds: 400}
		r.limitRounds(&l, 40, c.fit)
		if d := l.Rate - c.rate; d > 1e-9 || d < -1e-9 || l.Rounds != c.rounds || r.short != (c.rate > 0.15) {
			t.Errorf("%+v: a rate of %v, %d rounds, short %v", c, l.Rate, l.Rounds, r.short)
		}
	}
}

// Of a large table a sample races, and the winner grows on all rows.
func TestSamplesOfLargeTables(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs on one core")
	}
	d := table(2*mostRaced+10, false, 0.5)
	d.Columns, d.Features = d.Columns[:2], d.Features[:2]
	_, r := fitted(t, Learner{Trees: 2, Seed: 1}, d)
	if r.Sample < mostRaced || r.Sample > mostRaced+10 || r.Rows != d.N() ||
		!strings.Contains(r.String(), "learned from 32778 rows") || !strings.Contains(r.String(), "a sample of 1638") {
		t.Errorf("%+v\n%v", r, r)
	}
	model, left, err := inTime(t, Learner{Trees: 40, Seed: 1}, d, 700*time.Millisecond, func(string) {})
	if err != nil || left < 0 {
		t.Fatalf("error %v, %v left", err, left)
	}
	if short, err := Read(model); err != nil || !short.Short || short.Rows != r.Sample || short.Trees != 20 {
		t.Errorf("error %v; with time for some trees of all rows: %v", err, short)
	}
	some := must.Value(sample(d, mostRaced, 1))
	high := func(d *datasets.Dataset) (n int) {
		for _, label := range d.Labels {
			n += int(label)
		}
		return n
	}
	if a, b := high(d), 2*high(some); a-b > 4 || b-a > 4 {
		t.Errorf("%d rows of a class, and half of the rows have %d", a, b)
	}
	d.Groups = make([]int32, d.N())
	for _, groups := range []int{39, 1000} { // a sample has twenty groups or more
		for i := range d.Groups {
			d.Groups[i] = int32(i % groups)
		}
		some := must.Value(sample(d, mostRaced, 1))
		if groups == 39 && some != d {
			t.Errorf("%d rows of %d in 39 groups", some.N(), d.N())
		}
		if groups == 1000 {
			rows := map[int32]int{}
			for _, g := range some.Groups {
				rows[g]++
			}
			for g, n := range rows {
				if n < d.N()/1000 {
					t.Fatalf("%d rows of group %d; want all", n, g)
				}
			}
		}
	}
	d.Groups = nil
	if some, err := sample(d.Subset(from(0, 2*mostRaced-1)), mostRaced, 1); err != nil || some.N() != 2*mostRaced-1 {
		t.Errorf("error %v, %d rows", err, some.N())
	}
}

// A booster of five members raced for 107,400 rounds at a rate of 0.3, and asks for twice as many at 0.15: that is 2³⁰
// rows × trees for a thousand rows. Or 1000 rows raced in 3.6 s: 36 rounds and 2.5/0.3 more. In 0.8 of the time left,
// 90 s, that is 887 rounds, and 36 are wanted: for 24,600 rows, so half of 50,000 is boosted. In 0.01 s it is the model
// of the race.
func TestBoostedSample(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once that TestSameModelOnAnyNumberOfCores doesn't run")
	}
	for _, c := range []struct {
		all          *datasets.Dataset
		raced        int // rows
		rounds, want int
		spent, left  time.Duration
	}{
		{additive(2050, false), 2050, 107400, 1025, 0, 0},
		{table(50000, false, 0.5), 1000, 36, 25000, 3600 * time.Millisecond, 90 * time.Second},
		{table(50000, false, 0.5), 1000, 36, 1000, 3600 * time.Millisecond, 10 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			raced := &forest.Forest{Members: make([]float64, 5), Base: []float64{0}, Trees: make([]forest.Tree, 5*c.rounds)}
			booster := &contestant{model: raced}
			r := race{seed: 1, table: c.all.Subset(from(0, int32(c.raced))), contestants: []*contestant{booster},
				winner: booster, boosted: booster, rate: 0.3, spent: c.spent}
			if c.left > 0 {
				r.growing = time.Now().Add(c.left)
			}
			model, got, err := r.grown(t.Context(), c.all)
			if err != nil || got.N() != c.want || (model == raced) != (c.want == 1000) || r.short != (c.left > 0) {
				t.Errorf("%v left: error %v, %d rows, short %v", c.left, err, got.N(), r.short)
			}
		})
	}
}

// Progress says how long the forest that is tried will take at most: of n steps that take 10 ms each.
func TestHowLongItMayTake(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs on one core")
	}
	var states []string
	if _, _, err := inTime(t, Learner{Seed: 1}, additive(100, true), 0, func(state string) {
		states = append(states, state)
	}); err != nil {
		t.Fatal(err)
	}
	if i := slices.Index(states, "boosted forest, 21 of 2000, at most about 19s"); i < 100 {
		t.Errorf("%q", states[:min(130, len(states))])
	}
}
