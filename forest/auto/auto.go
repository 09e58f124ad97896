// Package auto is the learner to begin with: it takes a table as it is and has nothing to set. It prepares the columns,
// lets a few kinds of forest, one of them boosted, race against each other by out-of-bag scores, grows the best one
// until more trees would change little, calibrates its probabilities, and says what it found.
package auto

import (
	"context"
	"fmt"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/mix"
	"github.com/obliqua-ml/obliqua/internal/contest"
	"github.com/obliqua-ml/obliqua/internal/doubts"
)

// A Learner grows the best of a few kinds of forest from a table of any columns. It does this:
//
//   - Columns are prepared by [datasets.Prepare].
//   - Four forests race by their out-of-bag Brier scores or, for values, squared errors, with 25, 50 and 100 trees: a
//     mix of directions (package mix) with its defaults, one with leaves of five rows or more, one with bootstrap
//     samples of fits, and a random forest. Scores are those of infinitely many trees, estimated without bias. A mix
//     that is worse than the best at the level of 5 % stops early; in the end the lowest score wins. The random forest
//     takes its place only if it is better at the level of 1 %. With more than 2²⁷ rows × classes there is no mix with
//     leaves of five rows, whose trees would take too much memory.
//   - A forest is boosted (package boost), first at a rate of 0.3. Unless the winner so far is better than it at the
//     level of 5 %, another is boosted in its place, with the defaults of package boost. It wins unless the winner so
//     far is better than it at the level of 5 %. Its scores are those of the members that were boosted without the row.
//     With more than ten classes, or 2²⁴ rows × classes, none is boosted: that would take too long or too much memory.
//   - The winner grows to as many trees as [Report.Trees] says, if it isn't boosted: boosting ends by itself.
//   - For classes, probabilities are calibrated by [forest.Calibrate], unless they are boosted.
//   - The model keeps a [Report]; [Read] returns it. It also says which columns were left out or may be a mistake.
//
// For classes the error is the error rate, for values the mean squared error. Rows count alike
// there, whatever their weights.
//
// The same data and seed give the same model on any number of cores. Beside the
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
	f, err := forest.Pipeline(chooser{l, train}, datasets.Prepare{}).Fit(ctx, train)
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
// the model that l.Fit returns; it isn't calibrated and has no report. It can be grown in parts unless it is boosted.
// Choose returns an error where l.Fit does.
func (l Learner) Choose(ctx context.Context, train *datasets.Dataset) (forest.Learner, error) {
	_, prepared, err := datasets.Prepare{}.Fit(ctx, train)
	if err != nil {
		return nil, named(err)
	}
	r, err := l.race(ctx, prepared)
	if err != nil {
		return nil, named(err)
	}
	return forest.Pipeline(r.winner.learner(r.trees), datasets.Prepare{}), nil
}

// A chooser is the Learner for tables that are prepared.
type chooser struct {
	Learner
	raw *datasets.Dataset // the table before that
}

// Fit grows the forest; see [forest.Learner].
func (l chooser) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	r, err := l.race(ctx, train)
	if err != nil {
		return nil, err
	}
	model := r.winner.model
	if r.winner == r.boosted {
		forest.Progress(ctx)(r.trees, r.trees)
	} else if model, err = r.continued(ctx, r.winner, train, r.trees); err != nil {
		return nil, err
	}
	if !model.Regression() && r.winner != r.boosted {
		if model, err = forest.Calibrate(ctx, model, train); err != nil {
			return nil, err
		}
	}
	losses, err := model.OutOfBagLosses(ctx, train)
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
	if reported.Report, err = r.report(model, contest.Mean(losses), shares, doubts.Of(l.raw)); err != nil {
		return nil, err
	}
	return &reported, nil
}
