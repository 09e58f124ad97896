// Package auto is the learner to begin with: it takes a table as it is and has nothing to set. It prepares the columns,
// lets a few kinds of forest, one of them boosted, race against each other by out-of-bag scores, grows the best one
// until more trees would change little, calibrates its probabilities, and says what it found.
package auto

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/internal/contest"
	"github.com/obliqua-ml/obliqua/internal/doubts"
)

// A Learner grows the best of a few kinds of forest from a table of any columns. It does this:
//
//   - Columns are prepared by [datasets.Prepare].
//   - Forests race by their out-of-bag Brier scores or, for values, squared errors: a random forest of 100 trees, a
//     boosted one (package boost), and three mixes of directions (package mix) with 25, 50 and 100 trees: one with its
//     defaults, one with leaves of five rows or more, and one with bootstrap samples of fits. Scores are those of
//     infinitely many trees, estimated without bias, and of boosting those of the members that haven't seen the row. A
//     mix that is worse than the best at the level of 5 % stops early, and all but the best do if boosting is better
//     than it at the level of 1 %. In the end the mix of the lowest score is taken, but the random forest if that is
//     better at the level of 1 %, and then boosting unless it is worse: for values at the level of 5 %, and for classes
//     by more than one standard error, with the forest's probabilities calibrated. With more than 2²⁷ rows × classes
//     there is no mix with leaves of five rows, whose trees would take too much memory, and of a table that races with
//     more than 2²² of them no boosting, which would take too much time.
//   - Boosting races at a rate of 0.15, or 0.3 with more than 10,000 rows. With three to ten classes and at most so
//     many rows it races at 0.6, and is boosted anew at 0.15 if it wins. It ends by itself. Other winners grow to as
//     many trees as [Report.Trees] says.
//   - Of 2¹⁵ rows or more a sample races, 2¹⁴ rows or up to twice as many, stratified for classes, with groups whole.
//     The winner grows on all rows, but with more than 2²⁶ rows × trees to 100 trees only. A boosted one that would
//     need more than 2³¹ rows × trees has a larger sample. [Report.Rows] and [Report.Sample] say so.
//   - For classes, probabilities are calibrated by [forest.Calibrate], unless they are boosted.
//   - The model keeps a [Report]; [Read] returns it. It also says which columns were left out or may be a mistake.
//
// If the context has a deadline, the best model so far comes before it: the race ends after half of the time, and the
// growing of the winner after 0.85 of it, with fewer trees, or boosted in larger steps, than without a deadline.
// [Report.Short] says so. If there isn't time for ten trees of the random forest, Fit returns
// [context.DeadlineExceeded].
//
// For classes the error is the error rate, for values the mean squared error. Rows count alike
// there, whatever their weights.
//
// The same data and seed give the same model on any number of cores, if no deadline was too early. Beside the
// model's own trees, Fit grows up to 200 trees of the other mixes and 100 of the random forest, and boosts.
type Learner struct {
	// Trees is the number of trees, without boosting, which has a number of its own. 1 gives the mix with its defaults,
	// since a score needs two trees. 0 means as many as needed, 100 to 500, or boosting.
	Trees int

	Seed uint64
}

// Fit grows the forest; see [forest.Learner]. Missing cells and categories are allowed. Fit returns an error
// where [datasets.Prepare] does, if all rows have the same class, and if too few rows are out of bag to compare
// forests. Parts of the forest can't be grown by themselves (see [forest.FitPart]), but those of the learner that
// [Learner.Choose] returns can, if it doesn't boost.
func (l Learner) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	f, err := forest.Pipeline(chooser{l, train, time.Now()}, datasets.Prepare{}).Fit(ctx, train)
	return f, named(err)
}

// named returns an error of a part of the learner as the learner's.
func named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("auto: %w", err)
}

// Choose runs the race and returns the learner that wins, with its number of trees. Its forest has the trees of
// the model that l.Fit returns, if that had time enough and all rows; it isn't calibrated and has no report. It can be
// grown in parts unless it is boosted.
// Choose returns an error where l.Fit does.
func (l Learner) Choose(ctx context.Context, train *datasets.Dataset) (forest.Learner, error) {
	begun := time.Now()
	_, prepared, err := datasets.Prepare{}.Fit(ctx, train)
	if err != nil {
		return nil, named(err)
	}
	r, err := l.race(ctx, begun, prepared)
	if err != nil {
		return nil, named(err)
	}
	return forest.Pipeline(r.learner(), datasets.Prepare{}), nil
}

// A chooser is the Learner for tables that are prepared.
type chooser struct {
	Learner
	raw   *datasets.Dataset // the table before that
	begun time.Time
}

// Fit grows the forest; see [forest.Learner].
func (l chooser) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	r, err := l.race(ctx, l.begun, train)
	if err != nil {
		return nil, err
	}
	model, train, err := r.grown(ctx, train)
	if err != nil {
		return nil, err
	}
	forest.Progress(ctx)(len(model.Trees), len(model.Trees))
	if !model.Regression() && r.winner != r.boosted {
		if model, err = forest.Calibrate(ctx, model, train); err != nil {
			return nil, err
		}
	}
	guessing, err := assess(ctx, model, train, r.choice.Optimism)
	if err != nil {
		return nil, err
	}
	var shares [mix.Sources]float64
	if slices.Contains(r.mixes(), r.winner) && len(model.Trees) > mix.Pilots {
		if shares, err = mix.Shares(ctx, model, train); err != nil {
			return nil, err
		}
	}
	reported := *model
	if reported.Report, err = r.report(model, guessing, shares, doubts.Of(l.raw)); err != nil {
		return nil, err
	}
	return &reported, nil
}

// mostAssessed is the largest number of probabilities that are kept at once to assess rare classes.
const mostAssessed = 1 << 26

// assess compares the model with guessing by its out-of-bag predictions. The loss is lowered by what averaging gains
// beyond one standard error, and raised by the optimism of choosing.
func assess(ctx context.Context, model *forest.Forest, train *datasets.Dataset, optimism float64) (
	*eval.Assessment, error) {
	if k := len(model.Classes); k > 0 && train.N() > mostAssessed/k {
		losses, err := model.OutOfBagLosses(ctx, train)
		if err != nil {
			return nil, err
		}
		return shifted(eval.Assess(train, losses, nil), optimism), nil
	}
	oob, err := model.OutOfBag(ctx, train)
	if err != nil {
		return nil, err
	}
	a := eval.Assess(train, oob.Losses(), oob)
	gains, err := model.AveragingGains(ctx, train, oob)
	if err != nil {
		return nil, err
	}
	share := 0.0
	if len(gains) > 1 && a.Loss > 0 {
		scores, seen := scoresOf(oob, train), []float64(nil)
		for _, i := range oob.Rows {
			seen = append(seen, scores[i])
		}
		gain, doubt := eval.MeanStdErr(gains)
		share = min(1, max(0, gain-doubt)/contest.Mean(seen))
	}
	return shifted(a, optimism-float64(a.Loss*share)), nil
}

// shifted adds to the loss. An error rate stays at most 1.
func shifted(a *eval.Assessment, by float64) *eval.Assessment {
	if !a.Values {
		by = min(by, 1-a.Loss)
	}
	a.Loss += by
	a.Gain -= by
	return a
}
