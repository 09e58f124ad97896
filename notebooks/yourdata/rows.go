package yourdata

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/inspect"
)

// Margins returns the out-of-bag margin of each training row: the share of votes for its class
// minus the largest share of another class, from −1 to 1, by the trees grown without the row. It
// is NaN for a row that is in every tree's sample.
func Margins(oob *forest.OutOfBag, labels []int32) []float64 {
	margins := make([]float64, len(labels))
	for i, votes := range oob.Votes {
		var all, own, other int32
		for k, v := range votes {
			all += v
			if k == int(labels[i]) {
				own = v
			} else {
				other = max(other, v)
			}
		}
		margins[i] = float64(own-other) / float64(all)
	}
	return margins
}

// A Suspect is a training row that a forest doubts.
type Suspect struct {
	Row int // of the data set the forest was trained on

	// Doubt is minus the out-of-bag margin or, for regression, the distance of the value from the out-of-bag prediction.
	Doubt float64

	// Sensitivity is the row's influence on the forest's regions, relative to the mean row's;
	// see [inspect.Sensitivity]. It is NaN for regression.
	Sensitivity float64
}

// Suspects returns the training rows of a forest with out-of-bag rows, by doubt, the largest
// first. It returns an error where [forest.Forest.OutOfBag] or [inspect.Sensitivity] does.
func Suspects(ctx context.Context, model *forest.Forest, train *datasets.Dataset) ([]Suspect, *forest.OutOfBag, error) {
	oob, err := model.OutOfBag(ctx, train)
	if err != nil {
		return nil, nil, err
	}
	suspects := make([]Suspect, len(oob.Rows))
	var margins, sensitivity []float64
	if train.Labels != nil {
		margins = Margins(oob, train.Labels)
		scores, err := inspect.Sensitivity(ctx, model, train)
		if err != nil {
			return nil, nil, err
		}
		sensitivity = scores.P
	}
	for i, r := range oob.Rows {
		suspects[i] = Suspect{Row: int(r), Sensitivity: math.NaN()}
		if train.Labels != nil {
			suspects[i].Doubt, suspects[i].Sensitivity = -margins[r], sensitivity[r]*float64(train.N())
		} else {
			suspects[i].Doubt = math.Abs(train.Values[r] - oob.Values[r])
		}
	}
	slices.SortStableFunc(suspects, func(a, b Suspect) int { return cmp.Compare(b.Doubt, a.Doubt) })
	return suspects, oob, nil
}

// DescribeSuspects formats rows with the cells of the given columns. Rows are numbered as in the
// file, without its header, from 1.
func DescribeSuspects(suspects []Suspect, oob *forest.OutOfBag, train *datasets.Dataset, columns []int) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	head := "row\tis\tpredicted\tmargin\tsensitivity"
	if train.Values != nil {
		head = "row\tis\tpredicted\toff by"
	}
	for _, j := range columns {
		head += "\t" + Short(train.Features[j].Name, 18)
	}
	fmt.Fprintln(w, head)
	for _, s := range suspects {
		if train.Values != nil {
			fmt.Fprintf(w, "%d\t%.4g\t%.4g\t%.3g", number(train, s.Row), train.Values[s.Row], oob.Values[s.Row], s.Doubt)
		} else {
			fmt.Fprintf(w, "%d\t%s\t%s\t%+.2f\t%.1f", number(train, s.Row), Short(train.Classes[train.Labels[s.Row]], 18),
				Short(train.Classes[oob.Labels[s.Row]], 18), -s.Doubt, s.Sensitivity)
		}
		for _, j := range columns {
			fmt.Fprint(w, "\t", cell(train, s.Row, j))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return text.String()
}

// cell formats a cell.
func cell(d *datasets.Dataset, i, j int) string {
	v := d.At(i, j)
	switch {
	case v != v:
		return "?"
	case d.Features[j].Categories != nil:
		return Short(d.Features[j].Categories[int(v)], 18)
	}
	return fmt.Sprintf("%.4g", v)
}

// Mistakes says which classes the out-of-bag predictions take for which others, the most
// frequent mistakes first, at most that many; after the whole matrix, if there are up to
// twelve classes.
func Mistakes(oob *forest.OutOfBag, train *datasets.Dataset, most int) string {
	var predicted, truth []int32
	for _, r := range oob.Rows {
		predicted, truth = append(predicted, oob.Labels[r]), append(truth, train.Labels[r])
	}
	names := make([]string, len(train.Classes))
	for k, name := range train.Classes {
		names[k] = Short(name, 18)
	}
	confusion := eval.NewConfusion(predicted, truth, names)
	type mistake struct{ is, taken, rows, of int }
	var mistakes []mistake
	for is, row := range confusion.Counts {
		all := 0
		for _, n := range row {
			all += n
		}
		for taken, n := range row {
			if taken != is && n > 0 {
				mistakes = append(mistakes, mistake{is, taken, n, all})
			}
		}
	}
	slices.SortStableFunc(mistakes, func(a, b mistake) int { return cmp.Compare(b.rows, a.rows) })
	var text strings.Builder
	if len(names) <= 12 {
		fmt.Fprintln(&text, confusion)
	}
	for _, m := range mistakes[:min(most, len(mistakes))] {
		fmt.Fprintf(&text, "%s is taken for %s in %d of %d rows.\n", names[m.is], names[m.taken], m.rows, m.of)
	}
	if len(mistakes) == 0 {
		fmt.Fprintln(&text, "No row is taken for another class.")
	}
	return text.String()
}
