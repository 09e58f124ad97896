package yourdata

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// By hand: of 10 votes 7 for the row's class and 2 for another; 1 and 6; none.
func TestMargins(t *testing.T) {
	votes := [][]int32{{7, 2, 1}, {6, 1, 3}, {0, 0, 0}, {0, 4, 0}}
	var got []float64
	for i, class := range []int32{0, 1, 2, 1} {
		got = append(got, margin(votes[i], class))
	}
	if math.Abs(got[0]-0.5) > 1e-15 || math.Abs(got[1]+0.5) > 1e-15 || !math.IsNaN(got[2]) || got[3] != 1 {
		t.Errorf("%v", got)
	}
}

// fitted returns a learner's model of the rows, and what it predicts of each out of bag.
func fitted(t *testing.T, l forest.Learner, d *datasets.Dataset) (*forest.Forest, *forest.OutOfBag) {
	model := must.Value(l.Fit(t.Context(), d))
	return model, must.Value(model.OutOfBag(t.Context(), d))
}

// A row whose class was changed is the first suspect, and is numbered as in the file.
func TestSuspectsFindWrongClasses(t *testing.T) {
	whole := mixed(t, false)
	rows := make([]int32, 250)
	for i := range rows {
		rows[i] = int32(i + 40)
	}
	d := whole.Subset(rows).Select(0, 2)
	d.Labels[60] = 1 - d.Labels[60]
	model, oob := fitted(t, auto.Learner{Trees: 100, Seed: 1}, d)
	doubted := suspects(model, oob, d)
	if doubted[0].row != 60 || doubted[0].doubt < 0.5 ||
		!slices.IsSortedFunc(doubted, func(a, b suspect) int { return cmp.Compare(b.doubt, a.doubt) }) {
		t.Errorf("%+v", doubted[:3])
	}
	mean := 0.0
	for _, s := range doubted {
		mean += s.sensitivity / float64(len(doubted))
	}
	if math.Abs(mean-1) > 0.05 {
		t.Errorf("mean sensitivity %v, want 1 but for rows that are in every sample", mean)
	}
	table := Suspects(model, d)
	if lines := strings.Split(table.String(), "\n"); !strings.HasPrefix(lines[1], "101 ") ||
		!strings.Contains(lines[0], "leak") {
		t.Errorf("%s", table)
	}
}

// A boosted forest has no votes: the margin is of probability.
func TestSuspectsOfBoosting(t *testing.T) {
	d := mixed(t, false).Select(0, 1)
	d.Labels[60] = 1 - d.Labels[60]
	model, oob := fitted(t, forest.Pipeline(boost.Learner{Rounds: 40, Seed: 1}, datasets.Prepare{}), d)
	doubted := suspects(model, oob, d)
	for _, s := range doubted {
		if want := 1 - 2*oob.Proba[s.row][d.Labels[s.row]]; math.Abs(s.doubt-want) > 1e-12 {
			t.Errorf("row %d: doubt %v, want %v", s.row, s.doubt, want)
		}
	}
}

func TestSuspectsOfRegression(t *testing.T) {
	d := mixed(t, true)
	d.Values[33] += 10
	model, oob := fitted(t, auto.Learner{Trees: 100, Seed: 1}, d)
	doubted := suspects(model, oob, d)
	if doubted[0].row != 33 || !math.IsNaN(doubted[0].sensitivity) {
		t.Fatalf("%+v", doubted[0])
	}
	if lines := strings.Split(Suspects(model, d).String(), "\n"); !strings.Contains(lines[0], "off by") ||
		!strings.HasPrefix(strings.TrimSpace(lines[1]), "34 ") {
		t.Errorf("%s", lines)
	}
}
