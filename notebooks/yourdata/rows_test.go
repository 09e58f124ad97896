package yourdata

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/boost"
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

// A row whose class was changed is the first suspect, and is numbered as in the file.
func TestSuspectsFindWrongClasses(t *testing.T) {
	whole := mixed(t, false)
	rows := make([]int32, 250)
	for i := range rows {
		rows[i] = int32(i + 40)
	}
	d := whole.Subset(rows).Select(0, 2)
	d.Labels[60] = 1 - d.Labels[60]
	model, err := auto.Learner{Trees: 100, Seed: 1}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	oob, err := model.OutOfBag(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	doubted, err := suspects(t.Context(), model, oob, d)
	if err != nil {
		t.Fatal(err)
	}
	if doubted[0].row != 60 || doubted[0].doubt < 0.5 ||
		!slices.IsSortedFunc(doubted, func(a, b suspect) int { return -sign(a.doubt - b.doubt) }) {
		t.Errorf("%+v", doubted[:3])
	}
	mean := 0.0
	for _, s := range doubted {
		mean += s.sensitivity / float64(len(doubted))
	}
	if math.Abs(mean-1) > 0.05 {
		t.Errorf("mean sensitivity %v, want 1 but for rows that are in every sample", mean)
	}
	table, err := Suspects(t.Context(), model, d, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(table.String(), "\n"); !strings.HasPrefix(lines[1], "101 ") ||
		!strings.Contains(lines[0], "leak") {
		t.Errorf("%s", table)
	}
	if text := DescribeErrors(oob, d); !strings.Contains(text, "rows are taken for another class") ||
		!strings.Contains(text, "is taken for") || !strings.Contains(text, "the largest class, for every row has") {
		t.Errorf("%s", text)
	}
}

func sign(v float64) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// A boosted forest has no votes: the margin is of probability.
func TestSuspectsOfBoosting(t *testing.T) {
	d := mixed(t, false).Select(0, 1)
	d.Labels[60] = 1 - d.Labels[60]
	model, err := forest.Pipeline(boost.Learner{Rounds: 40, Seed: 1}, datasets.Prepare{}).Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	oob, err := model.OutOfBag(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	doubted, err := suspects(t.Context(), model, oob, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range doubted {
		if want := 1 - 2*oob.Proba[s.row][d.Labels[s.row]]; math.Abs(s.doubt-want) > 1e-12 {
			t.Errorf("row %d: doubt %v, want %v", s.row, s.doubt, want)
		}
	}
}

func TestSuspectsOfRegression(t *testing.T) {
	d := mixed(t, true)
	d.Values[33] += 10
	model, err := auto.Learner{Trees: 100, Seed: 1}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	oob, err := model.OutOfBag(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	doubted, err := suspects(t.Context(), model, oob, d)
	if err != nil || doubted[0].row != 33 || !math.IsNaN(doubted[0].sensitivity) {
		t.Fatalf("%+v, %v", doubted[0], err)
	}
	if text, err := Suspects(t.Context(), model, d, 1, 3); err != nil || !strings.Contains(text.String(), "off by") ||
		!strings.Contains(text.String(), "34 ") {
		t.Errorf("%s, %v", text, err)
	}
	if text := DescribeErrors(oob, d); !strings.Contains(text, "; the model has an R² of 0.") ||
		!strings.Contains(text, "better beyond doubt") {
		t.Errorf("%s", text)
	}
}

// By hand: a is taken for b in 1 of 3 rows, b for a in 1 of 1.
func TestMistakes(t *testing.T) {
	d := mixed(t, false)
	d = d.Subset([]int32{0, 1, 2, 3})
	d.Labels = []int32{0, 0, 0, 1}
	oob := &forest.OutOfBag{Rows: []int32{0, 1, 2, 3}, Labels: []int32{0, 1, 0, 0}}
	text := mistakes(oob, d, 5)
	for _, want := range []string{"no is taken for yes in 1 of 3 rows.", "yes is taken for no in 1 of 1 rows."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if text := mistakes(&forest.OutOfBag{Rows: []int32{0}, Labels: []int32{0}}, d, 5); !strings.Contains(
		text,
		"No row is taken",
	) {
		t.Errorf("%s", text)
	}
}

// What a client sends gives the row that the table has.
func TestExample(t *testing.T) {
	d := mixed(t, false)
	for _, i := range []int{0, 17, 20} {
		text, err := json.Marshal(Example(d, i))
		if err != nil {
			t.Fatal(err)
		}
		var cells map[string]any
		if err := json.Unmarshal(text, &cells); err != nil {
			t.Fatal(err)
		}
		row, err := d.Schema().Record(cells)
		if err != nil ||
			!slices.EqualFunc(row, d.Row(nil, i), func(a, b float32) bool { return a == b || a != a && b != b }) {
			t.Errorf("row %d: %v of %s, %v", i, row, text, err)
		}
	}
}
