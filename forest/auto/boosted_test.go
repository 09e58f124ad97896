package auto

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/internal/contest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/progress"
)

// additive returns rows whose target is a sum of a bent function of each feature, which boosting fits best.
func additive(n int, values bool) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(5, 6))
	d := table(n, values, 0)
	for i := range n {
		y := 0.0
		for j := range d.Columns {
			v := rng.NormFloat64()
			d.Columns[j][i] = float32(v)
			y += math.Abs(v)
		}
		if values {
			d.Values[i] = y
		} else if d.Labels[i] = 0; y > 4 { // nearly the mean, 5·√(2/π)
			d.Labels[i] = 1
		}
	}
	return d
}

// A model that is boosted is that of package boost, and its report and its files are those of any other.
func TestBoostedForests(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once that TestSameModelOnAnyNumberOfCores doesn't run")
	}
	for _, values := range []bool{false, true} {
		ctx, d, l := t.Context(), additive(200, values), Learner{Seed: 1}
		model, r := fitted(t, l, d)
		rounds := map[bool]int{false: 400, true: 2000}[values]
		booster := boost.Learner{Rate: 0.15, Rounds: rounds, Seed: 1}
		want := must.Value(forest.Pipeline(booster, datasets.Prepare{}).Fit(ctx, d))
		e, expected := must.Value(want.OutOfBag(ctx, d)).Error(), toExpect(t, want, d, r.Optimism)
		if !reflect.DeepEqual(model.Trees, want.Trees) || model.Calibration != (forest.Calibration{}) {
			t.Errorf("a %s, calibrated by %+v", r.Chosen, model.Calibration)
		}
		if math.Abs(expected-r.Error) > 1e-9*e || r.Error < r.Interval.Low || r.Error > r.Interval.High ||
			!r.Settled || len(r.Race) != 5 ||
			r.Race[4].Name != r.Chosen || r.Race[4].Error != e || r.Race[4].Trees != len(want.Trees) {
			t.Errorf("out-of-bag error %v, report %+v", e, r)
		}
		text := r.String()
		if !strings.HasPrefix(text, fmt.Sprintf("The model is a boosted forest. It has %d trees and learned from 200 rows.",
			len(want.Trees))) || strings.Contains(text, "Where nodes sought directions") ||
			strings.Contains(text, "More trees") {
			t.Error(text)
		}
		chosen := must.Value(l.Choose(ctx, d))
		if f, err := chosen.Fit(ctx, d); err != nil || !reflect.DeepEqual(f.Trees, want.Trees) {
			t.Errorf("error %v, or the chosen learner grows other trees", err)
		}
	}
}

// Boosting races with the steps of its model, but with three to ten classes with larger ones.
func TestBoostingThatIsBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once that TestSameModelOnAnyNumberOfCores doesn't run")
	}
	classes := table(60, false, 0.5)
	classes.Classes = append(classes.Classes, "highest")
	for i, v := range classes.Columns[0] {
		if v > 0.5 {
			classes.Labels[i] = 2
		}
	}
	for l, d := range map[boost.Learner]*datasets.Dataset{
		{Rate: 0.15, Rounds: 2000, Seed: 1}: table(200, true, 0), // the sum of two features
		{Rate: 0.6, Rounds: 100, Seed: 1}:   classes,
	} {
		_, r := fitted(t, Learner{Seed: 1}, d)
		quick := must.Value(forest.Pipeline(l, datasets.Prepare{}).Fit(t.Context(), d))
		oob := must.Value(quick.OutOfBag(t.Context(), d))
		if d.Values != nil && !strings.HasPrefix(r.Chosen, "mix") || r.Race[4].Trees != len(quick.Trees) ||
			r.Race[4].Error != oob.Error() {
			t.Errorf("%+v; want %d boosted trees of error %v", r, len(quick.Trees), oob.Error())
		}
	}
}

// By ones: a forest is better by more than 1.645 standard errors from 3 rows on.
func TestBoostedUnlessBehind(t *testing.T) {
	for _, c := range []struct {
		trees, axis, boosted, want int
		margin                     float64
		calibrated                 int // how much lower scores are then
	}{
		{5, 5, 0, 2, behind, 0}, {5, 5, 5, 2, behind, 0}, {5, 5, 7, 2, behind, 0}, {5, 5, 8, 0, behind, 0}, // beside the mix
		{6, 0, 2, 2, behind, 0}, {6, 0, 3, 1, behind, 0}, // beside the random forest
		{5, 5, 6, 2, 1, 0}, {5, 5, 7, 0, 1, 0}, {5, 5, 5, 0, 1, 2}, {5, 5, 4, 2, 1, 2},
	} {
		r := race{
			contestants: []*contestant{{score: ones(c.trees), fair: ones(c.trees - c.calibrated), loss: ones(9)},
				{score: ones(c.axis), fair: ones(c.axis - c.calibrated), loss: ones(8)}},
			boosted: &contestant{score: ones(c.boosted), loss: ones(7)}, margin: c.margin,
		}
		must.Do(r.choose(t.Context(), 100))
		if r.winner != r.all()[c.want] || r.choice.Apparent != contest.Mean(r.winner.loss) {
			t.Errorf("%+v: chose %d", c, r.choice.Chosen)
		}
	}
}

// A number of trees leaves boosting out; more than ten classes don't.
func TestWithoutBoosting(t *testing.T) {
	many := table(110, false, 0.5)
	many.Classes = nil
	for k := range 11 {
		many.Classes = append(many.Classes, fmt.Sprint("class ", k))
	}
	for i := range many.Labels {
		many.Labels[i] = int32(i % 11)
	}
	for l, want := range map[Learner]int{{Seed: 1}: 5, {Seed: 1, Trees: 30}: 4} {
		if _, r := fitted(t, l, many); len(r.Race) != want {
			t.Errorf("%+v: %+v", l, r)
		}
	}
}

// Progress says in words what is tried, in its order, and a call that is cancelled while it boosts ends.
func TestWhatIsTried(t *testing.T) {
	for stop := range 2 { // at the first round of boosting, or never
		if testing.Short() && stop > 0 {
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		var tried []string
		begun, after := 0, 0
		_, err := Learner{Seed: 1}.Fit(progress.With(ctx, func(_, _ int, state string) {
			name, count, _ := strings.Cut(state, ", ")
			if n := len(tried); state != "" && (n == 0 || tried[n-1] != name) {
				tried = append(tried, name)
			}
			if ctx.Err() != nil {
				after++
			}
			if name == "boosted forest" && strings.HasPrefix(count, "1 of ") {
				if begun++; begun == stop+1 {
					cancel()
				}
			}
		}), additive(100, true))
		cancel()
		want := []string{"random forest", "boosted forest", "mix of directions"}
		if !reflect.DeepEqual(tried[:min(2+stop, len(tried))], want[:2+stop]) {
			t.Errorf("tried %q", tried)
		}
		if stop == 0 && (!errors.Is(err, context.Canceled) || after > 8) || stop == 1 && err != nil {
			t.Errorf("cancelled at %d: error %v, %d reports after it", stop, err, after)
		}
	}
}
