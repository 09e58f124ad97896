package nb_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/sim"
)

// stump returns a forest of one split, which gains 3.
func stump(fn forest.Function, threshold float32, names ...string) *forest.Forest {
	t := forest.Tree{Classes: 2}
	split := t.Splits.Add(fn)
	t.Nodes = []forest.Node{{Split: split, Value: threshold, Next: 2, Weight: 3}, forest.ClassLeaf(0, 5),
		forest.ClassLeaf(1, 7)}
	return &forest.Forest{Method: "m", Target: "y", Features: names, Classes: []string{"no", "yes"},
		Trees: []forest.Tree{t}}
}

// What a split asks is written down by hand.
func TestQuestions(t *testing.T) {
	linear := func(weights ...float32) forest.Function {
		features := make([]int32, len(weights))
		for j := range features {
			features[j] = int32(j)
		}
		return forest.Linear(features, weights)
	}
	for _, test := range []struct {
		fn        forest.Function
		threshold float32
		want      string
	}{
		{forest.Function{Kind: forest.Axis, Features: []int32{1}, Weights: []float32{1}}, -2.5, "Is b at most −2.5?"},
		{forest.Function{Kind: forest.Axis, Features: []int32{1}, Weights: []float32{1}, MissingLeft: true}, 4,
			"Is b at most 4, or missing?"},
		{forest.Function{Kind: forest.Axis, Features: []int32{0}, Weights: []float32{1}}, math.MaxFloat32, "Is a known?"},
		{linear(1, -1), 0, "Is a at most b?"},
		{linear(2, -1, 4), 8, "Is c plus 0.5 × a at most 0.25 × b plus 2?"}, // 4c + 2a ≤ b + 8
		{linear(-1, 1), -0.5, "Is b at most a minus 0.5?"},
		{linear(-2, -2), 6, "Is a plus b at least −3?"},
		{linear(1, 1, 1, 1, 1, 1), 1, "Is a plus b plus c plus d plus 2 more at most 1?"},
		{forest.Function{Kind: forest.Quadratic, Features: []int32{0, 2}, Weights: []float32{1, 1}, Q: []float32{1, 0, 1}},
			1, "Is a quadratic function of a, c at most 1?"},
		{linear(0, 0), 1, "Is 0 at most 1?"},
		{forest.Function{Kind: forest.Set, Features: []int32{1}, Categories: []uint32{0b10011}}, 0.5,
			"Is b red, blue or green?"},
		{forest.Function{Kind: forest.Set, Features: []int32{1}, Categories: []uint32{0b1111}}, 0.5,
			"Is b red, blue or 2 more?"},
		{forest.Function{Kind: forest.Set, Features: []int32{1}, Categories: []uint32{0b10}, MissingLeft: true}, 0.5,
			"Is b blue, or missing?"},
	} {
		f := stump(test.fn, test.threshold, "a", "b", "c", "d", "e", "f")
		f.Categories = [][]string{1: {"red", "blue", "x", "y", "green"}, 5: nil}
		text := nb.CardOf(f).String()
		if want := "  " + test.want + "\n    Yes: no 5\n    No: yes 7\n"; !strings.Contains(text, want) {
			t.Errorf("no\n%s in\n%s", want, text)
		}
	}
}

// Of a table that Prepare has prepared, questions are in the table's own units: area has the mean 140 and the standard
// deviation 10, half of the colours are red.
func TestQuestionsInUnitsOfColumns(t *testing.T) {
	d := &datasets.Dataset{Features: []datasets.Feature{{Name: "area"},
		{Name: "colour", Categories: []string{"blue", "red"}},
		{Name: "day", Scale: datasets.Scale{Unit: "date 2006-01-02"}}}, Columns: make([][]float32, 3),
		Classes: []string{"no", "yes"}}
	for i := range 40 {
		d.Columns[0] = append(d.Columns[0], float32(130+20*(i%2)))
		d.Columns[1] = append(d.Columns[1], float32(i/2%2))
		d.Columns[2] = append(d.Columns[2], float32(19000+100*(i/4%2)))
		d.Labels = append(d.Labels, int32(i%2))
	}
	steps, _, err := datasets.Prepare{}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	_, columns, err := datasets.Columns(steps)
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) int32 {
		return int32(slices.IndexFunc(columns, func(c datasets.Column) bool { return c.Name == name }))
	}
	for _, test := range []struct {
		fn        forest.Function
		threshold float32
		want      string
	}{
		{forest.Linear([]int32{at("area")}, []float32{1}), -0.25, "Is area at most 137.5?"},
		{forest.Linear([]int32{at("area")}, []float32{-1}), 0.25, "Is area at least 137.5?"},
		{forest.Linear([]int32{at("colour=red")}, []float32{1}), 0, "Is colour other than red?"},
		{forest.Linear([]int32{at("colour=red")}, []float32{-1}), 0, "Is colour red?"},
		{forest.Linear([]int32{at("day")}, []float32{1}), 0, "Is day at most 2022-02-27?"}, // 19050
		// area/10 − 14 plus 2·red − 1 at most 1
		{forest.Linear([]int32{at("area"), at("colour=red")}, []float32{1, 1}), 1,
			"Is area plus 20 × (colour is red) at most 160?"},
	} {
		f := stump(test.fn, test.threshold)
		f.Steps, f.Columns = steps, d.Features
		for _, c := range columns {
			f.Features = append(f.Features, c.Name)
		}
		if text := nb.CardOf(f).String(); !strings.Contains(text, "  "+test.want+"\n") {
			t.Errorf("no %s in\n%s", test.want, text)
		}
	}
}

// The README says of its picture, docs/card.png, what the card of its cell says. Where this fails, both are old.
func TestCardOfTheREADME(t *testing.T) {
	readme := string(must.Value(os.ReadFile("../../README.md")))
	text := nb.CardOf(must.Value(auto.Learner{Seed: 1}.Fit(t.Context(), nb.Load("balance-scale")))).String()
	picture := regexp.MustCompile(`The card says.*`).FindString(readme)
	said := regexp.MustCompile(`\d+\.\d (%|points)`).FindAllString(picture, -1)
	if len(said) != 3 {
		t.Errorf("the README has the numbers %q; want three", said)
	}
	for _, want := range said {
		if !strings.Contains(text, " "+want) {
			t.Errorf("the README says %s; the card doesn't:\n%s", want, text)
		}
	}
}

func TestForestCard(t *testing.T) {
	d := sim.Trunk{Features: 3}.Sample(200, 1)
	model := must.Value(auto.Learner{Trees: 20, Seed: 1}.Fit(t.Context(), d))
	report := must.Value(auto.Read(model))
	text := nb.CardOf(model).String()
	for _, want := range []string{report.String(), strings.ReplaceAll(model.String(), "\n", "\nsize           "),
		"learned from   200 rows of 3 columns\n", "calibrated on rows that trees haven't seen\n",
		"The first of 20 trees\n", "largest class, for every row has an error rate of 50"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, direction := range report.Directions[:min(10, len(report.Directions))] {
		if want := fmt.Sprintf("%4.1f %%", 100*direction.Share); !strings.Contains(text, direction.Words) ||
			!strings.Contains(text, want) {
			t.Errorf("no %q, %s in\n%s", direction.Words, want, text)
		}
	}
	// Directions of single features are no more than their importance.
	axis := nb.CardOf(must.Value(rf.Learner{Trees: 3}.Fit(t.Context(), d))).String()
	if strings.Contains(axis, "Directions") || !strings.Contains(axis, "not calibrated") {
		t.Error(axis)
	}
	want := "What auto found\n\n" + report.String() + "\n\nDirections"
	if text := nb.CardOf(report).String(); !strings.HasPrefix(text, want) {
		t.Error(text)
	}
}

// Names stay text, and cards small.
func TestForestCardEscapes(t *testing.T) {
	d := sim.Trunk{Features: 12}.Sample(300, 1)
	for j := range d.Features {
		d.Features[j].Name = strings.Repeat(hostile[j%len(hostile)], 20) + fmt.Sprint(j)
	}
	d.Target, d.Classes = hostile[0], hostile[1:3]
	model := must.Value(sporf.Learner{Trees: 3, Density: 0.9, Seed: 1}.Fit(t.Context(), d))
	model.Method = hostile[3]
	page := nb.CardOf(model).HTML()
	if text := checkHTML(t, page); !strings.Contains(text, hostile[0]) || len(page) > 300_000 {
		t.Errorf("%d bytes: %s", len(page), text)
	}
}

type (
	inner struct{ Depth int }
	// lots is a learner of somebody else.
	lots struct {
		Name string
		inner
		Rate   float64
		hidden int
	}
)

func (lots) Fit(context.Context, *datasets.Dataset) (*forest.Forest, error) { return nil, nil }

func TestLearnerCard(t *testing.T) {
	card := nb.CardOf(forest.Pipeline(&lots{Name: hostile[0], inner: inner{Depth: 3}, hidden: 1}, datasets.Impute{}))
	want := `nb_test.lots

prepares by  datasets.Impute{}
package https://github.com/obliqua-ml/obliqua/tree/main/notebooks/nb_test

parameter                         value
*Name      *<img src=x onerror=alert(1)>
*Depth                                *3
Rate                             default
Bold, or with a star: not the default.
`
	if got := card.String(); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	checkHTML(t, card.HTML())
	text := nb.CardOf(sporf.Learner{Density: 0.5, Growth: forest.Growth{MinLeaf: 2}}).String()
	for _, want := range []string{"Tomita", "/docs/sporf.md\n", "/forest/sporf\n", "*Density", "*0.5\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestResultCards(t *testing.T) {
	d := sim.Trunk{Features: 2}.Sample(120, 1)
	scores := must.Value(eval.CrossValidate(t.Context(), rf.Learner{Trees: 5}, d, datasets.KFold{K: 3, Seed: 1}))
	loss, _ := scores.Loss()
	if text := nb.CardOf(scores).String(); !strings.Contains(text, fmt.Sprintf("\nmean  %.4f  ", loss)) ||
		!strings.Contains(text, "\ns.e.  0.") {
		t.Error(text)
	}
	comparison := must.Value(eval.Compare(t.Context(), []eval.Contender{{Name: hostile[0], Learner: rf.Learner{Trees: 5}},
		{Name: "other", Learner: sporf.Learner{Trees: 5}, Oblique: true}}, d, nil))
	_, verdict := comparison.Verdict()
	card := nb.CardOf(comparison)
	if text := checkHTML(t, card.HTML()); !strings.Contains(text, verdict) || strings.Count(text, hostile[0]) < 3 {
		t.Error(text)
	}
	tuning := must.Value(eval.Tune(t.Context(), []rf.Learner{{Trees: 5}, {Trees: 9}}, d, nil))
	if text := nb.CardOf(tuning).String(); !strings.Contains(text, "the lowest error rate.") ||
		!strings.Contains(text, fmt.Sprintf("*%d", tuning.Best)) || !strings.Contains(text, "looks lower than it is") {
		t.Error(text)
	}
	tuning.Learners, tuning.Error = tuning.Learners[:1], tuning.Error[:1] // nothing was chosen
	if text := nb.CardOf(tuning).String(); strings.Contains(text, "looks lower than it is") {
		t.Error(text)
	}
	tuning = &eval.Tuning{By: "mean squared error", Error: []float64{25, 36}, StdErr: []float64{2, 3}}
	// √25, and 2/(2·5)
	if text := nb.CardOf(tuning).String(); !strings.Contains(text, "root mean squared error") ||
		!slices.Equal(strings.Fields(strings.Split(text, "\n")[3]), []string{"*0", "5", "0.2"}) {
		t.Error(text)
	}
}
