package yourdata

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/internal/ordered"
	"github.com/obliqua-ml/obliqua/internal/plain"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
)

// margin returns the share of votes for a class minus the largest share of another class, from −1 to 1. It is NaN
// without votes. Probabilities do for votes.
func margin[V int32 | float64](votes []V, class int32) float64 {
	var all, other V
	for k, v := range votes {
		all += v
		if k != int(class) {
			other = max(other, v)
		}
	}
	return float64(votes[class]-other) / float64(all)
}

// A suspect is a training row that a forest doubts.
type suspect struct {
	row int32 // of the data set the forest was trained on

	// doubt is minus the margin of the votes of the trees grown without the row (of a boosted forest, of their
	// probabilities) or, for regression, the distance of the value from their prediction.
	doubt float64

	// sensitivity is the row's influence on the forest's regions, relative to the mean row's; see
	// [inspect.Sensitivity]. It is NaN for regression.
	sensitivity float64
}

// suspects returns the rows with out-of-bag predictions by doubt, the largest first.
func suspects(
	ctx context.Context, model *forest.Forest, oob *forest.OutOfBag, train *datasets.Dataset,
) (all []suspect, err error) {
	var scores *inspect.RowScores
	if train.Labels != nil {
		if scores, err = inspect.Sensitivity(ctx, model, train); err != nil {
			return nil, err
		}
	}
	for _, r := range oob.Rows {
		if train.Labels == nil {
			all = append(all, suspect{r, math.Abs(train.Values[r] - oob.Values[r]), math.NaN()})
			continue
		}
		m := 0.0
		if oob.Votes != nil {
			m = margin(oob.Votes[r], train.Labels[r])
		} else {
			m = margin(oob.Proba[r], train.Labels[r])
		}
		all = append(all, suspect{r, -m, scores.P[r] * float64(train.N())})
	}
	slices.SortStableFunc(all, func(a, b suspect) int { return cmp.Compare(b.doubt, a.doubt) })
	return all, nil
}

// Suspects describes the training rows that a forest doubts most, at most that many, with the cells of the columns of
// the largest importance. Rows are numbered as in the file, without its header, from 1. The margin is the share of
// votes for the row's class minus the largest share of another class, by the trees grown without the row (of a boosted
// forest, which has no votes, of probability); the sensitivity is that of [inspect.Sensitivity], relative to the mean
// row's. Suspects returns an error where
// [forest.Forest.OutOfBag] or [inspect.Sensitivity] does.
func Suspects(
	ctx context.Context, model *forest.Forest, train *datasets.Dataset, rows, columns int,
) (nb.Table, error) {
	t := nb.Table{Plain: true, Columns: []string{"row", "is", "predicted", "margin", "sensitivity"}}
	if train.Values != nil {
		t.Columns = []string{"row", "is", "predicted", "off by"}
	}
	oob, err := model.OutOfBag(ctx, train)
	if err != nil {
		return t, err
	}
	doubted, err := suspects(ctx, model, oob, train)
	if err != nil {
		return t, err
	}
	shown := inspect.MainColumns(model, train, columns)
	for _, j := range shown {
		t.Columns = append(t.Columns, plain.Short(train.Features[j].Name, 18))
	}
	for _, s := range doubted[:min(rows, len(doubted))] {
		row := []string{fmt.Sprint(number(train, int(s.row)))}
		if train.Values != nil {
			row = append(row, fmt.Sprintf("%.4g", train.Values[s.row]), fmt.Sprintf("%.4g", oob.Values[s.row]),
				fmt.Sprintf("%.3g", s.doubt))
		} else {
			row = append(row, plain.Short(train.Classes[train.Labels[s.row]], 18),
				plain.Short(train.Classes[oob.Labels[s.row]], 18), fmt.Sprintf("%+.2f", -s.doubt),
				fmt.Sprintf("%.1f", s.sensitivity))
		}
		for _, j := range shown {
			row = append(row, plain.Short(train.Text(int(s.row), j), 18))
		}
		t.Add(row...)
	}
	return t, nil
}

// mistakes says which classes the out-of-bag predictions take for which others, the most
// frequent mistakes first, at most that many; after the whole matrix, if there are up to
// twelve classes.
func mistakes(oob *forest.OutOfBag, train *datasets.Dataset, most int) string {
	var predicted, truth []int32
	for _, r := range oob.Rows {
		predicted, truth = append(predicted, oob.Labels[r]), append(truth, train.Labels[r])
	}
	names := make([]string, len(train.Classes))
	for k, name := range train.Classes {
		names[k] = plain.Short(name, 18)
	}
	confusion := eval.NewConfusion(predicted, truth, names)
	var text strings.Builder
	if len(names) <= 12 {
		fmt.Fprintln(&text, confusion)
	}
	rows := train.Subset(oob.Rows).ClassCounts()
	wrong := slices.Concat(confusion.Counts...) // by class and the class it is taken for
	for k := range names {
		wrong[k*len(names)+k] = 0
	}
	order := ordered.Largest(wrong)
	for _, k := range order[:min(most, len(order))] {
		is, taken := k/len(names), k%len(names)
		if wrong[k] > 0 {
			fmt.Fprintf(&text, "%s is taken for %s in %d of %d rows.\n", names[is], names[taken], wrong[k], rows[is])
		}
	}
	if wrong[order[0]] == 0 {
		fmt.Fprintln(&text, "No row is taken for another class.")
	}
	return text.String()
}
