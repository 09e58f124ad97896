package yourdata

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/internal/plain"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/viz"
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
func suspects(model *forest.Forest, oob *forest.OutOfBag, train *datasets.Dataset) (all []suspect) {
	var scores *inspect.RowScores
	if train.Labels != nil {
		scores = nb.Value(inspect.Sensitivity(nb.Context(), model, train))
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
	return all
}

// Suspects describes the ten training rows that a forest doubts most, with the cells of the six most important columns.
// Rows are numbered as in the file, without its header, from 1. The margin is the share of votes for the row's class
// minus the largest share of another class, by the trees grown without the row (of a boosted forest, which has no
// votes, of probability); the sensitivity is that of [inspect.Sensitivity], relative to the mean row's. Suspects ends
// the cell where [forest.Forest.OutOfBag] or [inspect.Sensitivity] returns an error.
func Suspects(model *forest.Forest, train *datasets.Dataset) viz.Table {
	t := viz.Table{Plain: true, Columns: []string{"row", "is", "predicted", "margin", "sensitivity"},
		Note: "A margin of −1 means that trees which haven't seen the row are sure of another class. A sensitivity of 3 " +
			"means that the row shapes the model three times as much as a usual one."}
	if train.Values != nil {
		t.Columns, t.Note = []string{"row", "is", "predicted", "off by"}, ""
	}
	oob := nb.Value(model.OutOfBag(nb.Context(), train))
	doubted := suspects(model, oob, train)
	shown := inspect.MainColumns(model, train, 6)
	for _, j := range shown {
		t.Columns = append(t.Columns, plain.Short(train.Features[j].Name, 18))
	}
	for _, s := range doubted[:min(shownRows, len(doubted))] {
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
	return t
}
