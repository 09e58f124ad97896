package nb_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/auto"
	"github.com/obliqua-ml/obliqua/forest/boost"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/learners"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz"
)

// customers returns the text of a table with numbers, missing cells and categories. Who pays more for less leaves.
func customers(rows int, target bool) string {
	rng := forest.NewRand(3)
	text := "paid,used,plan,left\n"
	for range rows {
		paid, used := rng.Normal(), rng.Normal()
		left, plan := "no", []string{"basic", "family", "office"}[rng.Intn(3)]
		if paid > used {
			left = "yes"
		}
		cell := fmt.Sprintf("%.3f", used)
		if rng.Intn(20) == 0 {
			cell = ""
		}
		if !target {
			left = ""
		}
		text += fmt.Sprintf("%.3f,%s,%s,%s\n", paid, cell, plan, left)
	}
	if !target {
		text = strings.ReplaceAll(strings.ReplaceAll(text, ",left", ""), ",\n", "\n")
	}
	return text
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(os.WriteFile(path, []byte(text), 0o600))
	return path
}

// A table goes from its file to predictions of another file, in a line for each step.
func TestFromFileToPredictions(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	data := nb.Read(written(t, "t.csv", customers(400, true)), "left")
	train, test := nb.Split(data)
	if train.N() != 300 || test.N() != 100 || train.P() != 3 {
		t.Fatalf("%d and %d rows of %d columns", train.N(), test.N(), train.P())
	}
	model := nb.Fit(boost.Learner{Rounds: 60}, train)
	score := nb.Score(model, test)
	if want := eval.Error(must.Value(model.Predict(t.Context(), test)), test.Labels); score.Error != want || want > 0.2 {
		t.Errorf("error %v; want %v, below 0.2", score.Error, want)
	}
	card := nb.CardOf(score).String()
	for _, part := range []string{fmt.Sprintf("accuracy                  %.1f %%", 100*(1-score.Error)), "recall", "yes",
		"better beyond doubt"} {
		if !strings.Contains(card, part) {
			t.Errorf("no %q in\n%s", part, card)
		}
	}
	// The line of a missed row that costs ten false alarms has the cheapest of all thresholds.
	least := math.Inf(1)
	for _, p := range score.Thresholds(1).Points {
		least = min(least, float64(p.Taken-p.Found+10*(score.Thresholds(1).Of-p.Found)))
	}
	of := score.Thresholds(1).Of
	if want := fmt.Sprintf("%g", min(float64(100-of), 10*float64(of))-least); !regexp.MustCompile(
		`(?m)^ *10 .* ` + want + `$`).MatchString(card) {
		t.Errorf("no line of 10 that saves %s in\n%s", want, card)
	}
	rows := nb.ReadLike(model, written(t, "new.csv", customers(25, false)))
	report := filepath.Join(t.TempDir(), "report.html")
	nb.Save(report, train, model, rows)
	later := string(must.Value(os.ReadFile(report)))
	if !strings.Contains(later, "These rows look like the first table&#39;s.") {
		t.Error(later)
	}
	p := nb.Predict(model, rows)
	path := filepath.Join(t.TempDir(), "p.csv")
	nb.Save(path, p)
	lines := must.Value(csv.NewReader(bytes.NewReader(must.Value(os.ReadFile(path)))).ReadAll())
	want := []string{"row", "paid", "used", "plan", "prediction", "probability of no", "probability of yes"}
	if len(lines) != 26 || !slices.Equal(lines[0], want) || lines[25][0] != "25" || lines[7][4] != p.Names()[6] {
		t.Errorf("%d lines, %q, %q", len(lines), lines[0], lines[25])
	}
	if labelled := nb.ReadLike(model, written(t, "again.csv", customers(25, true))); labelled.Labels == nil {
		t.Error("the target of a file that has one isn't read")
	}
	unknown := customers(25, true)
	for _, text := range []string{strings.Replace(unknown, "no\n", "\n", 1),
		strings.NewReplacer("no\n", "\n", "yes\n", "\n").Replace(unknown)} {
		rows := nb.ReadLike(model, written(t, "unknown.csv", text))
		if rows.Labels != nil || rows.N() != 25 || len(rows.Notes) != 1 ||
			!strings.HasPrefix(rows.Notes[0], `The target, "left", is missing in some rows`) {
			t.Errorf("%v, labels %v, notes %q", rows, rows.Labels, rows.Notes)
		}
	}
	coded := nb.ReadLike(model, written(t, "coded.csv", "plan;used;paid\nbasic;1;999\n"),
		datasets.CSV{Missing: []string{"999"}, Comma: ';'})
	if v := coded.At(0, 0); v == v {
		t.Errorf("a cell of 999, which is missing, is %v", v)
	}
	asked := nb.Ask(model, map[string]any{"paid": 3, "used": -1.5, "plan": "family"})
	if name := asked.Names()[0]; name != "yes" || !strings.Contains(asked.String(), "yes") {
		t.Errorf("who pays much for little: %s", asked)
	}
	for _, file := range []string{"m.forest", "m.onnx"} {
		nb.Save(filepath.Join(filepath.Dir(path), file), model)
	}
	if again := nb.Open(filepath.Join(filepath.Dir(path), "m.forest")); len(again.Trees) != len(model.Trees) {
		t.Errorf("%d trees; want %d", len(again.Trees), len(model.Trees))
	}
}

// The table of thresholds is of the second class, unless the first one is far rarer.
func TestWhenToSay(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	for ja, want := range map[int]string{20: "When to say ja", 45: "When to say nein", 80: "When to say nein"} {
		d := &datasets.Dataset{Features: []datasets.Feature{{Name: "x"}}, Columns: make([][]float32, 1),
			Classes: []string{"ja", "nein"}, Labels: make([]int32, 100)}
		for i := range d.Labels {
			d.Columns[0] = append(d.Columns[0], float32(i))
			if i >= ja {
				d.Labels[i] = 1
			}
		}
		if card := nb.CardOf(nb.Score(nb.Fit(rf.Learner{Trees: 5}, d), d)).String(); !strings.Contains(card, want) {
			t.Errorf("%d of ja: no %q in\n%s", ja, want, card)
		}
	}
}

// A threshold as it is written takes the rows that the table says: those of the class, and none of the others.
func TestThresholdsAsWritten(t *testing.T) {
	for _, test := range []struct {
		of, others float64
		want       string
	}{
		{2. / 3, 1. / 3, "0.666"}, {0.9996, 0.5, "0.999"}, {0.5, 0.25, "0.500"}, {0.12346, 0.1234, "0.12346"},
		{0.00041, 0, "0.0004"},
	} {
		e := &eval.Evaluation{Score: eval.Score{Test: 4}, Guessing: &eval.Assessment{},
			Data: &datasets.Dataset{Classes: []string{"no", "yes"}, Labels: []int32{0, 0, 1, 1}}}
		e.Labels, e.Confusion = e.Data.Labels, eval.NewConfusion(e.Data.Labels, e.Data.Labels, e.Data.Classes)
		for _, y := range e.Labels {
			p := []float64{test.others, test.of}[y]
			e.Proba = append(e.Proba, []float64{1 - p, p})
		}
		// A missed row that costs 10: both rows are taken and right, which saves the 2 of taking all four.
		card := strings.Join(strings.Fields(nb.CardOf(e).String()), " ")
		if line := "10 " + test.want + " 2 100 % 100 % 2 "; !strings.Contains(card, line) {
			t.Errorf("no %q in\n%s", line, card)
		}
	}
}

// Predictions that differ little from each other stay apart, and names of classes stand for themselves.
func TestScoresAsTheyAre(t *testing.T) {
	e := &eval.Evaluation{Values: []float64{1e9 + 2, 1e9 + 1}, Guessing: &eval.Assessment{Values: true},
		Data: &datasets.Dataset{Values: []float64{1e9 + 1, 1e9 + 2}}}
	page := filepath.Join(t.TempDir(), "page.html")
	nb.Save(page, e)
	if text := string(must.Value(os.ReadFile(page))); !strings.Contains(text, "Above the diagonal: 1; below: 1.") {
		t.Error(text)
	}
	names := []string{"*a|b", "c"}
	e = &eval.Evaluation{Labels: []int32{0, 1}, Proba: [][]float64{{1, 0}, {0, 1}}, Guessing: &eval.Assessment{},
		Data: &datasets.Dataset{Classes: names, Labels: []int32{0, 1}}}
	e.Confusion = eval.NewConfusion(e.Labels, e.Labels, names)
	if card := nb.CardOf(e).HTML(); !strings.Contains(card, ">*a|b<") {
		t.Error(card)
	}
}

// A number is written with all digits that a cell has, and a missing one as nothing.
func TestCellsOfPredictions(t *testing.T) {
	nan := float32(math.NaN())
	rows := &datasets.Dataset{Features: []datasets.Feature{{Name: "sum", Scale: datasets.Scale{Unit: "€"}},
		{Name: "plan", Categories: []string{"basic"}},
		{Name: "day", Scale: datasets.Scale{Unit: datasets.DateUnit("2006-01-02")}},
		{Name: "card", Scale: datasets.Scale{Offset: 4000000000000001}}},
		Columns: [][]float32{{26537.34, 2000000, nan}, {0, nan, 0}, {0, 1, nan}, {1, 0, nan}}}
	var b strings.Builder
	must.Do((&nb.Predictions{Rows: rows, Values: []float64{1, 2, 3}}).WriteCSV(&b))
	want := "row,sum,plan,day,card,prediction\n1,26537.34,basic,1970-01-01,4000000000000002,1\n" +
		"2,2000000,,1970-01-02,4000000000000001,2\n3,,basic,,,3\n"
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", &b, want)
	}
	b.Reset()
	must.Do((&nb.Predictions{Rows: rows.Subset([]int32{2}), Classes: []string{"n", "y"}, Labels: []int32{1},
		Proba: [][]float64{{1e-5, 0.99999}}}).WriteCSV(&b))
	if want := "y,1e-05,0.99999\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("%s\nwant %s", &b, want)
	}
	b.Reset()
	taken := &datasets.Dataset{Features: []datasets.Feature{{Name: "prediction"}, {Name: "row"}, {Name: "row.1"}},
		Columns: [][]float32{{7}, {8}, {9}}}
	must.Do((&nb.Predictions{Rows: taken, Values: []float64{1}}).WriteCSV(&b))
	if want := "row.1.1,prediction,row,row.1,prediction.1\n1,7,8,9,1\n"; b.String() != want {
		t.Errorf("%s\nwant %s", &b, want)
	}
}

func TestValuesFromFile(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	data := nb.Read(written(t, "t.csv", customers(400, true)), "paid")
	train, test := nb.Split(data)
	model := nb.Fit(rf.Learner{Trees: 30}, train)
	score := nb.Score(model, test)
	if card := nb.CardOf(score).String(); !strings.Contains(card, "root mean squared error") ||
		!strings.Contains(card, fmt.Sprintf("R²                       %.3f", score.R2)) {
		t.Error(card)
	}
	if p := nb.Predict(model, test); p.Names() != nil || len(p.Values) != 100 ||
		!strings.Contains(p.String(), "The first 10 of 100 rows") {
		t.Error(p)
	}
}

// What compares learners names them, and prepares tables that they can't take.
func TestComparing(t *testing.T) {
	data := nb.Read(written(t, "t.csv", customers(150, true)), "left")
	c := nb.Compare(data, rf.Learner{Trees: 10}, sporf.Learner{Trees: 10}, graf.Learner{Trees: 10},
		sporf.Learner{Trees: 20})
	var names []string
	var oblique []bool
	for _, m := range c.Contenders {
		names, oblique = append(names, m.Name), append(oblique, m.Oblique)
	}
	if !slices.Equal(names, []string{"rf", "sporf, Trees 10", "graf", "sporf, Trees 20"}) ||
		!slices.Equal(oblique, []bool{false, true, true, true}) {
		t.Errorf("%q, oblique %v", names, oblique)
	}
	if s := nb.CrossValidate(graf.Learner{Trees: 10}, data); len(s.Folds) != 5 || !(s.Folds[0].AUC > 0.5) {
		t.Error(s)
	}
	numbers := sim.Trunk{Features: 6}.Sample(200, 1)
	tuned := nb.Tune(sporf.Learner{Trees: 10}.Grid(numbers), numbers)
	card := nb.CardOf(tuned).String()
	if head := strings.SplitN(card, "\n", 4)[2]; tuned.Model == nil || !strings.Contains(head, "Candidates") ||
		strings.Contains(head, "Trees") {
		t.Errorf("%s", card)
	}
	tuned = nb.Tune([]graf.Learner{{Trees: 5}, {Trees: 9}}, data, datasets.KFold{K: 3})
	if len(tuned.Learners) != 2 || tuned.Error[1] > 0.4 {
		t.Errorf("%+v", tuned)
	}
}

// Every learner of the library can be given a table with missing cells and categories.
func TestEveryLearnerTakesAnyTable(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	data := nb.Read(written(t, "t.csv", customers(120, true)), "left")
	for _, l := range learners.With(5, 1) {
		if _, ok := l.(auto.Learner); ok {
			continue // which takes them by itself
		}
		if model := nb.Fit(l, data); nb.Score(model, data).Error > 0.4 {
			t.Errorf("%T: %v", l, nb.Score(model, data))
		}
	}
}

// A chart has the columns of the given names, or the most important ones.
func TestCharts(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	data := nb.Read(written(t, "t.csv", customers(300, true)), "left")
	model := nb.Fit(rf.Learner{Trees: 20}, data)
	effect := nb.Effect(model, data, "used").(viz.PartialDependence)
	if first, last := effect.Mean[0], effect.Mean[len(effect.Mean)-1]; first < last+0.3 || effect.X != "used" ||
		effect.Y != "probability of yes" {
		t.Errorf("%+v", effect)
	}
	if all := nb.Effect(model, data).(viz.Grid); len(all.Charts) != 3 {
		t.Errorf("%d effects", len(all.Charts))
	}
	bars := nb.Importance(model, data).(viz.Bars)
	if !slices.Equal(bars.Names[:2], []string{"paid", "used"}) && !slices.Equal(bars.Names[:2], []string{"used", "paid"}) {
		t.Errorf("%q", bars.Names)
	}
	numbers := sim.Trunk{Features: 5}.Sample(200, 1)
	plain := nb.Fit(rf.Learner{Trees: 10}, numbers)
	regions := nb.Regions(plain, numbers, numbers.Features[3].Name, numbers.Features[1].Name).(viz.DecisionRegions)
	if regions.X != 3 || regions.Y != 1 {
		t.Errorf("features %d and %d", regions.X, regions.Y)
	}
	for _, chart := range []viz.Chart{effect, bars, regions} {
		viz.Draw(chart)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	nb.Save(path, data, model, nb.Score(model, data), effect, "The end.")
	page := string(must.Value(os.ReadFile(path)))
	if n := strings.Count(page, "<article"); n != 4 || strings.Count(page, "data:image/png;base64,") != 2 ||
		!strings.Contains(page, "<h1>report</h1>") || !strings.Contains(page, "The end.") {
		t.Errorf("%d cards, %d pictures", n, strings.Count(page, "data:image/png;base64,"))
	}
}

// The largest class is called by its name, wherever the rows have it among theirs.
func TestEffectOnTheLargestClass(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	d := sim.RandomRBF{Features: 3, Classes: 3, Centroids: 9}.Sample(200, 1)
	model := nb.Fit(rf.Learner{Trees: 10}, d)
	other := *d
	other.Classes = []string{"new", d.Classes[2], d.Classes[1], d.Classes[0]}
	other.Labels = slices.Repeat([]int32{1}, d.N())
	effect := nb.Effect(model, &other, d.Features[0].Name).(viz.PartialDependence)
	if effect.Y != "probability of "+d.Classes[2] {
		t.Errorf("the effect on %s; all rows are of %s", effect.Y, d.Classes[2])
	}
}

// Rows need no target to be explained.
func TestChartsOfRowsWithoutTarget(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	d := sim.RandomRBF{Features: 3, Classes: 6, Centroids: 12}.Sample(200, 1)
	model := nb.Fit(rf.Learner{Trees: 10}, d)
	bare := *d
	bare.Labels, bare.Classes = nil, nil
	effect := nb.Effect(model, &bare, d.Features[0].Name).(viz.PartialDependence)
	if effect.Y != "probability of "+d.Classes[0] {
		t.Errorf("the effect on %s", effect.Y)
	}
	if charts := nb.Explain(model, &bare).(viz.Grid).Charts; len(charts) != 4 {
		t.Errorf("%d charts", len(charts))
	}
}

// Of a boosted forest the effects are those of all trees: they differ between two rows by what the log-odds do.
func TestExplanationOfBoosting(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	d := nb.Read(written(t, "t.csv", customers(300, true)), "left")
	model := nb.Fit(forest.Pipeline(boost.Learner{Rounds: 60, Seed: 1}, datasets.Prepare{}), d)
	if card := nb.CardOf(model).String(); !strings.Contains(card, "Leaves have what they add to the prediction") {
		t.Error(card)
	}
	s := nb.Explain(model, d).(viz.SHAP)
	if s.Title != "What moves the log-odds of yes" || len(s.Values) != d.N() ||
		s.X != "effect on the log-odds of yes (+1 multiplies its odds by 2.7)" {
		t.Errorf("%q, %q, %d rows", s.Title, s.X, len(s.Values))
	}
	proba := must.Value(model.Proba(t.Context(), d))
	odds := func(i int) float64 { return math.Log(proba[i][1] / proba[i][0]) }
	for i := range s.Values {
		effects := floats.Sum(s.Values[i]) - floats.Sum(s.Values[0])
		if want := odds(i) - odds(0); math.Abs(effects-want) > 1e-4 {
			t.Errorf("row %d: effects differ by %v, log-odds by %v", i, effects, want)
		}
	}
}

// Effects add up to the probabilities of the trees, not to those that are calibrated.
func TestExplanationBeforeCalibration(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	d := sim.Trunk{Features: 5}.Sample(200, 1)
	model := nb.Fit(rf.Learner{Trees: 50, Seed: 1}, d) // as many as are explained
	calibrated := must.Value(forest.Calibrate(t.Context(), model, d))
	x := "effect on the probability of " + d.Classes[1]
	if s := nb.Explain(model, d).(viz.SHAP); s.X != x {
		t.Errorf("%q, want %q", s.X, x)
	}
	s := nb.Explain(calibrated, d).(viz.SHAP)
	if want := x + ", before calibration"; s.X != want {
		t.Errorf("%q, want %q", s.X, want)
	}
	proba := must.Value(model.Proba(t.Context(), d))
	for i := range s.Values {
		effects := floats.Sum(s.Values[i]) - floats.Sum(s.Values[0])
		if want := proba[i][1] - proba[0][1]; math.Abs(effects-want) > 1e-5 {
			t.Errorf("row %d: effects differ by %v, probabilities before calibration by %v", i, effects, want)
		}
	}
}

// Explanations are of the second of two classes, of the four largest of many, and of values.
func TestExplanations(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	many := sim.RandomRBF{Features: 3, Classes: 6, Centroids: 12}.Sample(400, 1)
	file := written(t, "t.csv", customers(400, true))
	for _, test := range []struct {
		d    *datasets.Dataset
		want []string
	}{
		{nb.Read(file, "left"), []string{"What speaks for yes"}},
		{nb.Read(file, "used"), []string{"What moves the prediction of used"}},
		{many, nil},
	} {
		if test.want == nil {
			counts := many.ClassCounts()
			least := slices.Sorted(slices.Values(counts))[2]
			for k, n := range counts {
				if n >= least {
					test.want = append(test.want, "What speaks for "+many.Classes[k])
				}
			}
		}
		chart := nb.Explain(nb.Fit(rf.Learner{Trees: 60}, test.d), test.d)
		charts := []viz.Chart{chart}
		if grid, ok := chart.(viz.Grid); ok {
			charts = grid.Charts
		}
		var titles []string
		for _, c := range charts {
			s := c.(viz.SHAP)
			titles = append(titles, s.Title)
			if len(s.Values) != 300 || s.Data.N() != 300 {
				t.Errorf("%s: %d rows", s.Title, len(s.Values))
			}
		}
		if !slices.Equal(titles, test.want) {
			t.Errorf("%q, want %q", titles, test.want)
		}
	}
}
