package eval

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/contest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
	"github.com/obliqua-ml/obliqua/sim"
)

// A cut is a learner whose trees say class b of the rows with a feature above At.
type cut struct {
	At    float32
	Trees int
}

func (c cut) Fit(_ context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	tree := forest.Tree{Classes: 2, Nodes: []forest.Node{
		{Split: 0, Next: 2, Value: c.At}, forest.ClassLeaf(0, 1), forest.ClassLeaf(1, 1),
	}}
	return &forest.Forest{Features: train.FeatureNames(), Classes: train.Classes, Rows: train.N(), Seed: 1,
		Trees: slices.Repeat([]forest.Tree{tree}, c.Trees)}, nil
}

func cuts(at ...float32) (learners []cut) {
	for _, a := range at {
		learners = append(learners, cut{At: a})
	}
	return learners
}

func (c cut) with(trees int) cut {
	c.Trees = trees
	return c
}

// stairs returns 200 rows, of which number 0 and those from 100 on are of class b. Thirty
// trees leave each of them out of bag. A cut at 99.5 is wrong in row 0 alone; each step to
// either side adds a row.
func stairs() *datasets.Dataset {
	labels := make([]int32, 200)
	for i := range labels {
		if i == 0 || i >= 100 {
			labels[i] = 1
		}
	}
	return toy(labels, nil)
}

func TestRaceByHand(t *testing.T) {
	for _, test := range []struct {
		name     string
		learners []cut
		options  RaceOptions
		best     int
		wrong    []float64 // rows
		trees    []int
		saved    float64
	}{
		// Two of five stay after 30 trees, then one.
		{"successive halving", cuts(139.5, 99.5, 119.5, 100.5, 69.5), RaceOptions{First: 30},
			1, []float64{41, 1, 21, 2, 31}, []int{30, 240, 30, 60, 30}, 1 - 390./1200},
		// Half of the cost has room for the first three, so the test decides. With four rounds and three other learners
		// its level is 0.05/12 = 1/240. Seven rows have p = 1/128, eight 1/256.
		{"the test", cuts(99.5, 106.5, 107.5, 139.5), RaceOptions{First: 30, Cost: costs(1, 1, 1, 3)},
			0, []float64{1, 8, 9, 41}, []int{240, 60, 30, 30}, 1 - 360./960},
		// The first is wrong in two rows in which the last is right, so p = 1/4: not enough for
		// four times the cost. Two of the others stay, which cost 2 of 6.
		{"dear and hardly better", cuts(101.5, 102.5, 99.5), RaceOptions{First: 30, Cost: costs(1, 1, 4)},
			0, []float64{3, 4, 1}, []int{240, 60, 30}, 1 - 330./720},
		// With three rows p is 1/8. Then the dear one is the best and stays; it costs 4 of 6,
		// which leaves no room for others.
		{"dear and better", cuts(102.5, 103.5, 99.5), RaceOptions{First: 30, Cost: costs(1, 1, 4)},
			2, []float64{4, 5, 1}, []int{30, 30, 240}, 1 - 300./720},
		// At less than four times the cost, the lower error is enough to be ranked first; with
		// 3 of 5.9, the others cost more than the rest.
		{"not so dear", cuts(100.5, 101.5, 99.5), RaceOptions{First: 30, Cost: costs(1, 1, 3.9)},
			2, []float64{2, 3, 1}, []int{30, 30, 240}, 1 - 300./720},
		// The second doesn't fit into half of the cost, 3; the third does.
		{"what fits is kept", cuts(99.5, 100.5, 101.5), RaceOptions{First: 30, Cost: costs(2, 3, 1)},
			0, []float64{1, 2, 3}, []int{240, 30, 60}, 1 - 330./720},
		{"equals, the earlier wins", cuts(98.5, 100.5), RaceOptions{First: 30},
			0, []float64{2, 2}, []int{240, 30}, 1 - 270./480},
		{"one round", cuts(100.5, 99.5), RaceOptions{First: 500},
			1, []float64{2, 1}, []int{240, 240}, 0},
		{"one learner", cuts(100.5), RaceOptions{First: 30}, 0, []float64{2}, []int{240}, 0},
	} {
		r, err := Race(t.Context(), test.learners, cut.with, 240, stairs(), test.options)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if r.Best != test.best || !slices.Equal(r.Trees, test.trees) || !same(saved(r), test.saved) {
			t.Errorf("%s: best %d, trees %v, saved %v; want %d, %v, %v",
				test.name, r.Best, r.Trees, saved(r), test.best, test.trees, test.saved)
		}
		for i, wrong := range test.wrong {
			if !same(r.Error[i], wrong/200) {
				t.Errorf("%s: learner %d has error %v; want %v", test.name, i, r.Error[i], wrong/200)
			}
		}
	}
}

// saved returns the share of trees that weren't grown, of those of all learners' whole forests.
func saved(r *Tuning) float64 {
	grown := 0
	for _, n := range r.Trees {
		grown += n
	}
	return 1 - float64(grown)/float64(len(r.Trees)*r.Trees[r.Best])
}

func costs(by ...float64) func(int) float64 { return func(i int) float64 { return by[i] } }

// An error of 0 ends the race, since nothing can be better.
func TestRaceEndsAtErrorZero(t *testing.T) {
	d := stairs()
	d.Labels[0] = 0
	r := must.Value(Race(t.Context(), cuts(98.5, 99.5, 100.5), cut.with, 240, d, RaceOptions{First: 30}))
	if r.Best != 1 || !slices.Equal(r.Trees, []int{30, 240, 0}) || !math.IsNaN(r.Error[2]) {
		t.Errorf("%+v; want learner 1 and none after it", r)
	}
}

func TestRaceGrowsTheWinnersForest(t *testing.T) {
	d := sim.SparseParity{Features: 6, Informative: 2}.Sample(300, 1)
	steps := []datasets.Step{datasets.Standardise{}}
	for name, grid := range map[string][]forest.Learner{
		"continued":   {rf.Learner{NodeFeatures: 1, Seed: 1}, sporf.Learner{Seed: 1}, rf.Learner{NodeFeatures: 6, Seed: 1}},
		"grown again": {rf.HRF{NodeFeatures: 1, Seed: 1}, rf.HRF{NodeFeatures: 6, Seed: 1}},
	} {
		with := func(l forest.Learner, trees int) forest.Learner {
			switch l := l.(type) {
			case rf.Learner:
				l.Trees = trees
				return l
			case sporf.Learner:
				l.Trees = trees
				return l
			}
			h := l.(rf.HRF)
			h.Trees = trees
			return h
		}
		grown := 0
		ctx := forest.WithProgress(t.Context(), func(int, int) { grown++ })
		r := must.Value(Race(ctx, grid, with, 70, d, RaceOptions{First: 10}, steps...))
		total := 0
		for _, n := range r.Trees {
			total += n
		}
		if (grown == total) != (name == "continued") {
			t.Errorf("%s: %d trees were grown, for forests of %d", name, grown, total)
		}
		model := must.Value(forest.Pipeline(with(grid[r.Best], 70), steps...).Fit(t.Context(), d))
		oob := must.Value(model.OutOfBag(t.Context(), d))
		if r.Best == 0 || !reflect.DeepEqual(r.Model, model) || r.Error[r.Best] != oob.Error() || r.Trees[r.Best] != 70 {
			t.Errorf("%s: learner %d wins with error %v; want another than 0, whose trees know one feature a node, "+
				"error %v, and its own forest", name, r.Best, r.Error[r.Best], oob.Error())
		}
	}
}

// In one round, a race is tuning.
func TestRaceInOneRoundIsTuning(t *testing.T) {
	for _, d := range []*datasets.Dataset{sim.Trunk{Features: 4}.Sample(120, 1), regression(120)} {
		grid := rf.Learner{Trees: 60, Seed: 2}.Grid(d)
		r := must.Value(Race(t.Context(), grid, rfWith, 60, d, RaceOptions{First: 60}))
		tuning := must.Value(Tune(t.Context(), grid, d, nil))
		if r.Best != tuning.Best || !reflect.DeepEqual(r.Model, tuning.Model) {
			t.Errorf("learner %d wins; tuning takes %d", r.Best, tuning.Best)
		}
		for i, e := range tuning.Error {
			if !same(r.Error[i], e) {
				t.Errorf("learner %d: error %v, tuning has %v", i, r.Error[i], e)
			}
		}
	}
}

func rfWith(l forest.Learner, trees int) forest.Learner {
	of := l.(rf.Learner)
	of.Trees = trees
	return of
}

// regression returns rows whose value is the product of their features.
func regression(n int) *datasets.Dataset {
	d := sim.Trunk{Features: 4}.Sample(n, 3)
	d.Labels, d.Classes, d.Values = nil, nil, make([]float64, n)
	for i := range d.Values {
		d.Values[i] = float64(d.Columns[0][i]) * float64(d.Columns[1][i])
	}
	return d
}

// The p-values are sums of binomial coefficients and, for values, ½ − (arctan x + x/(1+x²))/π
// with x = t/√3, the tail of Student's distribution with three degrees of freedom.
func TestPairedTests(t *testing.T) {
	type losses []float64
	classes, values := survival{}, survival{values: true}
	for _, test := range []struct {
		survival
		a, b losses
		p    float64
	}{
		// Rows that are out of bag for one alone don't count, nor do those where both err.
		{classes, losses{1, 1, 0, nan, 1, 1, 0}, losses{0, 0, 1, 0, nan, 1, 0}, 4. / 8},
		{classes, losses{0, 0, 1}, losses{1, 1, 1}, 1},
		{classes, losses{1, 0}, losses{1, 0}, 1},
		{classes, losses{1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, losses{0, 0, 0, 0, 0, 0, 0, 0, 1, 1}, 56. / 1024}, // 45 + 10 + 1
		// Differences 2, 1, 3, 0.
		{values, losses{3, 2, 4, nan, 1}, losses{1, 1, 1, 5, 1}, 0.051364},
		{values, losses{1, 1, 1, 5, 1}, losses{3, 2, 4, nan, 1}, 1 - 0.051364},
		{values, losses{1, 2}, losses{1, 2}, 0.5},
		{values, losses{1, nan}, losses{0, 0}, nan}, // a single row says nothing
	} {
		p := test.worse(&contest.Contestant{Losses: test.a}, &contest.Contestant{Losses: test.b})
		if !(math.Abs(p-test.p) <= 1e-5) && !(math.IsNaN(p) && math.IsNaN(test.p)) {
			t.Errorf("%v against %v: p = %v; want %v", test.a, test.b, p, test.p)
		}
	}
}

func TestRaceFails(t *testing.T) {
	d := stairs()
	race := func(ctx context.Context, learners []cut, trees int, o RaceOptions) error {
		_, err := Race(ctx, learners, cut.with, trees, d, o)
		return err
	}
	two := cuts(98.5, 99.5)
	for name, err := range map[string]error{
		"no learners": race(t.Context(), nil, 40, RaceOptions{}),
		"no trees":    race(t.Context(), two, 0, RaceOptions{}),
		"First -1":    race(t.Context(), two, 40, RaceOptions{First: -1}),
		"no cost":     race(t.Context(), two, 40, RaceOptions{Cost: costs(1, 0)}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// oneLeaf sees every row.
	learners := []forest.Learner{constant(0, 0), learnerFunc(oneLeaf)}
	same := func(l forest.Learner, _ int) forest.Learner { return l }
	_, err := Race(t.Context(), learners, same, 100, d, RaceOptions{})
	readtest.WantError(t, err, "learner 2 of 2")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := race(ctx, two, 40, RaceOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want context.Canceled", err)
	}
}
