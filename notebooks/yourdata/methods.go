package yourdata

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
)

// Contenders returns the methods to compare on d, each with the given number of trees but auto, on tables that
// [datasets.Prepare] has prepared: a random forest, the baseline; the learner of package auto; extra trees; SPORF; and
// canonical correlation forests or, for regression, which those can't do, random rotation forests. All but the second
// have the parameters that their papers recommend. Leaves of their regression trees have five rows or more.
func Contenders(d *datasets.Dataset, trees int) []eval.Contender {
	var growth forest.Growth
	if d.Values != nil {
		growth.MinLeaf = 5
	}
	contender := func(name string, learner forest.Learner, oblique bool) eval.Contender {
		return eval.Contender{Name: name, Learner: forest.Pipeline(learner, datasets.Prepare{}), Oblique: oblique}
	}
	contenders := []eval.Contender{
		contender("random forest", rf.Learner{Trees: trees, Growth: growth}, false),
		{Name: "auto", Learner: auto.Learner{}, Oblique: true},
		contender("extra trees", rf.ExtraTrees{Trees: trees, Growth: growth}, false),
		contender("SPORF", sporf.Learner{Trees: trees, Growth: growth}, true),
	}
	if d.Values != nil {
		return append(contenders, contender("random rotations", rotation.Random{Trees: trees, Growth: growth}, true))
	}
	return append(contenders, contender("CCF", ccf.Learner{Trees: trees}, true))
}

// Sample returns d or, if it has more cells than that, as many of its rows, drawn at random, but
// at least 1000. So a comparison takes about the same time on any table.
func Sample(d *datasets.Dataset, cells int) *datasets.Dataset {
	rows := min(d.N(), max(1000, cells/d.P()))
	if rows == d.N() {
		return d
	}
	return d.Subset(chosen(d, rows))
}

// A lone says how well one column predicts the target without any other: which share of the loss of guessing a forest
// on that column alone removes. Guessing says the largest class, or the mean.
type lone struct {
	name    string
	removed float64
}

// suspicious is the share of the loss of guessing above which a single column is suspicious.
const suspicious = 0.95

// Alone says how well each column of d predicts the target without any other: which share of the loss of guessing the
// largest class, or the mean, a small forest on that column alone removes. It lists the best columns, at most that
// many, and names those that say nearly all. It returns an error where a learner does.
func Alone(ctx context.Context, d *datasets.Dataset, most int) (string, error) {
	columns, err := alone(ctx, d)
	return describeAlone(columns, most), err
}

// alone returns the columns of d, the best first. The loss is the out-of-bag error rate or, for regression, mean
// squared error of ten trees.
func alone(ctx context.Context, d *datasets.Dataset) ([]lone, error) {
	guess := guessing(d)
	var columns []lone
	learner := forest.Pipeline(rf.Learner{Trees: 10, Growth: forest.Growth{MinLeaf: 2}}, datasets.Prepare{})
	for j, f := range d.Features {
		one := d.Select(j)
		if len(distinct(one.Column(nil, 0))) < 2 { // as it may be in a sample of the rows
			columns = append(columns, lone{name: f.Name})
			continue
		}
		model, err := learner.Fit(ctx, one)
		if err != nil {
			return nil, fmt.Errorf("yourdata: column %q alone: %w", f.Name, err)
		}
		oob, err := model.OutOfBag(ctx, one)
		if err != nil {
			return nil, fmt.Errorf("yourdata: column %q alone: %w", f.Name, err)
		}
		columns = append(columns, lone{f.Name, 1 - oob.Error()/guess})
	}
	slices.SortStableFunc(columns, func(a, b lone) int { return cmp.Compare(b.removed, a.removed) })
	return columns, nil
}

// guessing returns the loss of a guess: the share of rows that aren't in the largest class, or the
// variance of the values.
func guessing(d *datasets.Dataset) float64 {
	if d.Labels != nil {
		return 1 - float64(slices.Max(d.ClassCounts()))/float64(d.N())
	}
	return stat.PopVariance(d.Values, nil)
}

// describeAlone lists the first columns, and names the suspicious ones.
func describeAlone(columns []lone, most int) string {
	var text strings.Builder
	fmt.Fprintln(&text, "column alone\tremoves")
	var suspects []string
	for i, c := range columns {
		if i < most {
			fmt.Fprintf(&text, "%s\t%.0f %% of the loss of guessing\n", Short(c.name, 40), 100*max(0, c.removed))
		}
		if c.removed > suspicious {
			suspects = append(suspects, Short(c.name, 40))
		}
	}
	if suspects == nil {
		text.WriteString("No column predicts the target by itself.\n")
	} else {
		fmt.Fprintf(&text, "%s: all but the target itself. Is it known when a prediction is wanted? If not, drop it "+
			"and begin again.\n", strings.Join(suspects, ", "))
	}
	return aligned(text.String())
}
