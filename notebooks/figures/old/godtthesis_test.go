package old

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/internal/must"
	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz"
)

// lines returns the table's rows, cells joined by "|".
func lines(t nb.Table) (all []string) {
	for _, row := range t.Rows {
		all = append(all, strings.Join(row, "|"))
	}
	return all
}

func checkLines(t *testing.T, table nb.Table, want ...string) {
	t.Helper()
	if got := lines(table); !slices.Equal(got, want) {
		t.Errorf("%s\n%s\nwant\n%s", table.Title, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, row := range table.Rows {
		if len(row) != len(table.Columns) {
			t.Errorf("%s: a row of %d cells for %d columns", table.Title, len(row), len(table.Columns))
		}
	}
}

// splitOf returns the record of a split.
func splitOf(set, method string, x, repeat int, score float64) Record {
	return Record{Run: Run{Problem: set, Method: method, X: x, Repeat: repeat},
		Result: Result{Score: score, Seconds: float64(repeat), More: map[string]float64{"depth": float64(2 * repeat)}}}
}

// small is a thesis of two sets and a third that hasn't been run.
func small() Thesis {
	type cells = map[string]map[string]float64
	nan := math.NaN()
	t := Thesis{sets: []GODTSet{{Name: "Iris", N: 150, Classes: 3}, {Name: "Wine", N: 178, Classes: 3},
		{Name: "ale", N: 107}, {Name: "Usps", N: 9298, Classes: 10}},
		Printed: map[string]map[string]map[string]float64{
			"3.2":  {"Iris": {"GODT": 91, "CART": 90, "SVM": nan}, "Wine": {"GODT": 80, "CART": 85}, "Usps": {"GODT": 1}},
			"3.3":  {"Iris": {"GODT": 1.5}, "Wine": {"GODT": 6}},
			"3.9":  {"ale": {"GODT": 0.5}},
			"A.17": {"Iris": {"GODT": 3}},
			"A.1":  {"Iris": {"diagonal": 91, "full": 92}, "Wine": {"diagonal": 80, "full": 81}},
			"A.18": {"10": {"GORF": 60, "RF": 50}, "100": {"GORF": 70, "RF": 65}},
		}}
	for i, score := range []float64{0.90, 0.91, 0.92, 0.93} {
		t.Records = append(t.Records, splitOf("Iris", "GODT", 0, i+1, score), splitOf("Iris", "CART", 0, i+1, 0.915),
			splitOf("Iris", "GODT, full covariance", 0, i+1, 0.89))
	}
	t.Records = append(t.Records, splitOf("Wine", "GODT", 0, 1, 0.9), splitOf("Wine", "CART", 0, 1, 0.8),
		splitOf("ale", "GODT", 0, 1, 1))
	return t
}

// Equal means have no mark. The quarter of 0.90 to 0.93 that interpolation finds at 2.5 % is 0.90075, and at 97.5 %
// 0.92925.
func TestThesisTable(t *testing.T) {
	table := small().Table("Accuracy", "3.2 GODT", "3.2 CART")
	p := fmt.Sprintf("%.2g", fisher([]float64{4.0 / 5, 1}))
	q := fmt.Sprintf("%.2g", fisher([]float64{1, 1.0 / 2}))
	checkLines(t, table,
		"Iris|*91.00|91.50|90.1 to 92.9|3 of 4|90.00|91.50|91.5 to 91.5|4 of 4",
		"Wine|80.00|*90.00|90.0 to 90.0|1 of 1|*85.00|80.00|80.0 to 80.0|0 of 1",
		"all of these|85.50|90.75|2 sets||87.50|85.75|2 sets|",
		"Fisher's p||"+p+"||||"+q+"||")
	if want := "Not run yet: Usps."; table.Note != want {
		t.Errorf("note %q, want %q", table.Note, want)
	}
	if want := []string{"set", "GODT|printed", "GODT|ours", "GODT|95 % of splits", "GODT|as good"}; !slices.Equal(
		table.Columns[:5], want) {
		t.Errorf("columns %q", table.Columns)
	}
	// Printed numbers stand once.
	all := small()
	for i, score := range []float64{0.94, 0.96} {
		all.Records = append(all.Records, splitOf("Iris", "GODT supervised", 0, i+1, score))
	}
	all.Records = append(all.Records, splitOf("Wine", "GODT supervised", 0, 1, 0.7))
	checkLines(t, all.Table("", "3.2 GODT", "3.2 GODT supervised"),
		"Iris|91.00|91.50|90.1 to 92.9|3 of 4|*95.00|94.0 to 96.0|2 of 2",
		"Wine|80.00|*90.00|90.0 to 90.0|1 of 1|70.00|70.0 to 70.0|0 of 1",
		"all of these|85.50|90.75|2 sets||82.50|2 sets|", "Fisher's p||0.98|||0.85||")
	// Too short a time to measure isn't counted.
	all.Records = append(all.Records, splitOf("Iris", "CART", 0, 0, 0))
	all.Records = slices.DeleteFunc(all.Records, func(r Record) bool { return r.Method == "CART" && r.Repeat > 0 })
	all.Printed["3.3"]["Iris"]["CART"] = 1
	checkLines(t, all.Table("", "3.3 GODT", "3.3 CART"), "Iris|1.5|2.5|*1|*<0.01", "Wine|6|1|–|–",
		"all of these|1|0.53|1|–")
	if charts := all.Charts("3.3 CART"); charts != nil {
		t.Errorf("a chart of nothing: %v", charts)
	}
	// √(2.5/1.5 · 1/6) is 0.53.
	checkLines(t, small().Table("Seconds", "3.3 GODT"), "Iris|1.5|2.5", "Wine|6|1", "all of these|1|0.53")
	checkLines(t, small().Table("Error", "3.9 GODT"), "ale|0.5|1|1 to 1|0 of 1", "all of these|1|2.00|1 sets|")
	checkLines(t, small().Table("Depth", "A.17 GODT"), "Iris|3|5", "all of these|3|5")
}

// Means, and a method that is missing on a set.
func TestThesisSummary(t *testing.T) {
	all := small()
	checkLines(t, all.Common("3.2 GODT", "3.2 CART").On(func(s GODTSet) bool { return s.Name == "Iris" }).
		Summary("", "3.2 GODT", "3.2 CART"), "GODT|1|91.00|91.50|+0.50|0.8|0.6", "CART|1|90.00|91.50|+1.50|1|0.2")
	if n := len(all.Common("3.2 SVM").sets); n != 0 {
		t.Errorf("%d sets have an SVM", n)
	}
}

func TestThesisPaired(t *testing.T) {
	checkLines(t, small().Paired("", "3.2 GODT", "3.2 CART"),
		"Iris|91.50|91.50|+0.00|2|2|4|5.0|5.0", "Wine|*90.00|80.00|-10.00|0|1|1|2.0|2.0",
		"mean|90.75|85.75|-5.00|||||")
}

func TestThesisVariants(t *testing.T) {
	table := small().Variants()
	checkLines(t, table, "A.1|Iris|GODT|91.00|*91.50|4|–|2.5|GODT, full covariance|*92.00|89.00|4|–|2.5")
	if want := "Not run yet: 1 of the 25 pairs."; table.Note != want {
		t.Errorf("note %q, want %q", table.Note, want)
	}
}

func TestThesisCharts(t *testing.T) {
	charts := small().Charts("3.2 GODT", "3.9 GODT", "3.3 GODT")
	for k, want := range []string{"Table 3.2, GODT: 2 of 3 sets, 1 to 4 splits accuracy, % [Iris Wine]",
		"Table 3.9, GODT: 1 of 1 sets, 1 to 1 splits mean absolute error divided by the printed one [ale]",
		"Table 3.3, GODT: 2 of 2 sets, 1 to 4 splits seconds [Iris Wine]"} {
		c := charts[k]
		if got := fmt.Sprint(c.Title, " ", c.X, " ", c.Names); got != want || c.Log != (k > 0) || viz.Draw(c) == nil {
			t.Errorf("%s, log %v; want %s", got, c.Log, want)
		}
	}
	if m := charts[1].Marks; m[0].Values[0] != 2 || m[1].Values[0] != 1 {
		t.Errorf("an error twice the printed one is drawn at %v", m)
	}
}

// Of one set Fisher's p is p; of two it is xy(1 − ln xy), the probability that the product of two uniform numbers is
// at most xy.
func TestFisher(t *testing.T) {
	if got := fisher([]float64{0.3}); math.Abs(got-0.3) > 1e-12 {
		t.Errorf("of one: %v", got)
	}
	if got, want := fisher([]float64{0.3, 0.2}), 0.06*(1-math.Log(0.06)); math.Abs(got-want) > 1e-12 {
		t.Errorf("of two: %v, want %v", got, want)
	}
}

// A method is marked if it is the best of those with its measure that have a number, unless all are equal.
func TestBestIsMarked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sign := rapid.SampledFrom([]int{-1, 0, 1}).Draw(t, "sign")
		x := rapid.SliceOfN(rapid.SampledFrom([]float64{1, 2, 3, math.NaN()}), 1, 5).Draw(t, "numbers")
		columns := make([]column, len(x))
		var known []float64
		for i, v := range x {
			columns[i].better = sign
			if v == v {
				known = append(known, v)
			}
		}
		for k, v := range x {
			want := ""
			if v == v && sign != 0 && slices.Min(known) < slices.Max(known) &&
				v == map[int]float64{-1: slices.Min(known), 1: slices.Max(known)}[sign] {
				want = "*"
			}
			if got := best(columns, x, k); got != want {
				t.Fatalf("%v of %v, sign %d: %q, want %q", v, x, sign, got, want)
			}
		}
	})
}

// What the thesis prints follows from its cells but for the SVM and RF (table 4.3, A.15, A.16), OC1, and GODT, GQDT and
// CART in tables 4.4 and A.16. So the tests are its own.
func TestThesisTests(t *testing.T) {
	thesis := Thesis{Printed: godtTables(t), sets: append(GODTSets(), GODTValueSets()...)}
	w, f := thesis.WilcoxonTests(), thesis.FriedmanRanks()
	var other []string
	for _, row := range w.Rows {
		if row[2] != row[4] || row[3] != row[5] && row[3] != "–" {
			other = append(other, row[0]+" "+row[1])
		}
		if row[7] != "–" || row[8] != "–" {
			t.Errorf("there are no results of ours: %q", row)
		}
	}
	want := []string{"3.6 GODT against SVM", "4.3 GORF against RF", "A.15 GQDT against CART", "A.15 GQRF against GORF",
		"A.15 GQRF against RF", "(3.9) GODT against CART"}
	if !slices.Equal(other, want) {
		t.Errorf("other p than printed: %q, want %q", other, want)
	}
	other = nil
	for _, row := range f.Rows {
		if row[2] != row[4] {
			other = append(other, row[0]+" "+row[1])
		}
	}
	want = []string{"3.7 GODT", "3.7 OC1", "3.7 LDA", "4.4 RF", "4.4 GODT", "4.4 CART", "A.16 GQDT", "A.16 GODT",
		"A.16 CART", "A.16 GQRF", "A.16 GORF", "A.16 RF"}
	if !slices.Equal(other, want) {
		t.Errorf("other ranks than printed: %q, want %q", other, want)
	}
	// Ours are ranked where they have been run.
	for _, s := range []string{"Iris", "Wine", "Glass"} {
		thesis.Records = append(thesis.Records, splitOf(s, "GQDT", 0, 1, 0.8), splitOf(s, "CART", 0, 1, 0.7))
	}
	i := slices.IndexFunc(f.Rows, func(row []string) bool { return row[0] == "A.16" })
	for k, want := range []string{"A.16|GQDT|1.75|82.41|1.68|82.41|22|1.00|80.00|3",
		"A.16|GODT|1.66|82.99|1.70|82.99|22|–|–|–",
		"A.16|CART|2.59|79.32|2.61|79.32|22|2.00|70.00|3"} {
		if got := lines(thesis.FriedmanRanks())[i+k]; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestSetsLine(t *testing.T) {
	d := &datasets.Dataset{Features: make([]datasets.Feature, 2), Columns: [][]float32{{1, 2, 3}, {1, 2, 3}},
		Labels: []int32{0, 1, 0}, Classes: []string{"a", "b"}}
	got := GODTSet{Name: "x", Test: 1, Reading: "as it is"}.line(
		map[string]float64{"features": 2, "classes": 3, "training": 2, "testing": 2}, d)
	if want := "x 2 2 3 *2 4 *3 2 *1 as it is"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The readings of sets that need several lines are whole.
func TestReadings(t *testing.T) {
	for _, s := range GODTValueSets() {
		if s.Name == "air quality" && s.Reading !=
			"absolute humidity, with −200 for missing cells; 12 features; the 7,674 rows that have the concentration of CO" {
			t.Errorf("%q", s.Reading)
		}
		if s.Reading == "" || strings.Contains(s.Reading, "|") {
			t.Errorf("%s: reading %q", s.Name, s.Reading)
		}
	}
}

// bestOnTest is what fitting every setting, one by one, finds.
func TestBestOnTest(t *testing.T) {
	s := GODTSets()[slices.IndexFunc(GODTSets(), func(s GODTSet) bool { return s.Name == "Iris" })]
	d := must.Value(s.Load(t.Context()))
	train, validation, test := s.Split(d.N(), 3)
	both := slices.Sorted(slices.Values(slices.Concat(train, validation)))
	a, b := d.Subset(both), d.Subset(test)
	want := 0.0
	for _, l := range (godt.Tree{}).Grid(a) {
		f := must.Value(l.Fit(t.Context(), a))
		said := must.Value(f.Predict(t.Context(), b))
		want = max(want, 100*(1-eval.Error(said, b.Labels)))
	}
	if got, err := bestOnTest(t.Context(), s, d, 3); err != nil || math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// The class is 0.5 or −0.5 in the first feature, with a standard deviation of 0.25: the Bayes error is Φ(−2). The
// others say nothing of it.
func TestHiddenClass(t *testing.T) {
	p := HiddenClass(4)
	if got, want := p.Bayes().Error(), 0.022750131948179195; math.Abs(got-want) > 0.002 {
		t.Errorf("Bayes error %v, want %v", got, want)
	}
	d := p.Sample(2000, 1)
	var mean [4][2]float64
	counts := d.ClassCounts()
	for i, k := range d.Labels {
		for j := range 4 {
			mean[j][k] += float64(d.At(i, j)) / float64(counts[k])
		}
	}
	if math.Abs(mean[0][1]-mean[0][0]-1) > 0.05 || math.Abs(mean[1][1]-mean[1][0]) > 0.5 {
		t.Errorf("means by class %v", mean)
	}
}

// All contenders learn a problem that any method can learn.
func TestContenders(t *testing.T) {
	d := sim.Twonorm{Features: 10}
	test := d.Sample(500, 9)
	for _, c := range GODTContenders() {
		f := must.Value(c.Fit(t.Context(), d.Sample(400, 1)))
		said := must.Value(f.Predict(t.Context(), test))
		if e := eval.Error(said, test.Labels); e > 0.2 {
			t.Errorf("%s has an error of %v", c.Name, e)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := GODTContenders()[0].Fit(ctx, test); err == nil {
		t.Error("a cancelled fit has no error")
	}
}

// x ≤ 1 divides 0, 1, 2 and 3 half-way; labels that say otherwise on one row of four are 25 % wrong, whichever side is
// called first.
func TestSides(t *testing.T) {
	d := &datasets.Dataset{Features: make([]datasets.Feature, 2), Columns: [][]float32{{0, 1, 2, 3}, {0, 0, 0, 0}},
		Labels: []int32{1, 1, 1, 0}, Classes: []string{"a", "b"}}
	sides, wrong := Sides(d, viz.Boundary{Function: forest.Linear([]int32{0}, []float32{1}), Threshold: 1})
	if !slices.Equal(sides.Labels, []int32{0, 0, 1, 1}) || wrong != 25 || !slices.Equal(d.Labels, []int32{1, 1, 1, 0}) {
		t.Errorf("sides %v, %v %% wrong", sides.Labels, wrong)
	}
}

func TestNodeMixturesAreThoseOfTheTree(t *testing.T) {
	d := HiddenClass(2).Sample(200, 1)
	tree := godt.Tree{Growth: forest.Growth{MaxDepth: 2}}
	model, err := tree.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := NodeMixtures(t.Context(), model, tree, d)
	if err != nil || len(steps) != model.Size().Splits {
		t.Fatalf("%d steps of %d splits, %v", len(steps), model.Size().Splits, err)
	}
	for i, s := range steps {
		m := must.Value(tree.Splitting.Mixture(d, s.Rows, 0))
		// The tree's boundary is that of the mixture drawn.
		if s.Boundaries[0].Threshold != m.Threshold || len(s.Components) != 2 || s.Components[1].Weight != m.Share[1] ||
			s.Components[0].Mean[1] != m.Mean[0][1] || s.Components[1].Covariance[0][0] != m.Covariance[1][0][0] {
			t.Errorf("step %d: threshold %v, components %v; want %+v", i, s.Boundaries[0].Threshold, s.Components, m)
		}
	}
}

func TestByTrees(t *testing.T) {
	c := small().ByTrees("A.18", "Madelon", []Record{splitOf("Madelon", "GORF, 22 features", 100, 1, 0.6),
		splitOf("Madelon", "one tree", 0, 1, 0.1), splitOf("Madelon", "GORF, 22 features", 10, 1, 0.5),
		splitOf("Madelon", "GORF, 22 features", 100, 2, 0.7), splitOf("Usps", "GORF", 10, 1, 0.5)})
	var got []string
	for _, s := range c.Series {
		got = append(got, fmt.Sprintf("%s %v %.4g", s.Name, s.X, s.Y))
	}
	want := []string{"ours, GORF, 22 features [10 100] [50 65]", "printed, GORF [10 100] [60 70]",
		"printed, RF [10 100] [50 65]"}
	if !slices.Equal(got, want) || c.Title != "Table A.18: Madelon by number of trees, 2 runs of ours" {
		t.Errorf("%s: %q, want %q", c.Title, got, want)
	}
}

func TestBetaCharts(t *testing.T) {
	thesis := small()
	thesis.Printed["5.1"] = map[string]map[string]float64{"Wine": {"GQDT": 94.4}}
	var records []Record
	for by, scores := range map[string][]float64{"relative": {0.8, 0.9, 0.3}, "absolute": {0.7, 0.6, 0.5}} {
		for k, x := range []int{-4000, -500, 0} {
			records = append(records, splitOf("Wine", by, x, 1, scores[k]))
		}
	}
	panels, table := thesis.BetaCharts(records)
	checkLines(t, table, "Wine|94.4|90.0|0.3|80.0|30.0|70.0|0.0001|70.0|50.0")
	if len(panels) != 1 || len(panels[0].Series) != 2 || len(panels[0].Series[0].X) != 2 ||
		panels[0].Levels[0].Y != 94.4 {
		t.Errorf("panels %+v", panels)
	}
}

func TestAblation(t *testing.T) {
	var records []Record
	for i, set := range []string{"a", "b"} {
		records = append(records, splitOf(set, "K-means", 1, 1, 0.8),
			splitOf(set, "mixture, diagonal", 1, 1, 0.7+0.2*float64(i)))
	}
	charts, table := small().Ablation(records)
	checkLines(t, table, "standardised|80.00|80.00|1|2|1")
	if len(charts) != 1 || !slices.Equal(charts[0].Columns, []string{"a", "b", "mean"}) ||
		!slices.Equal(charts[0].Text[1], []string{"70.0", "90.0", "80.0"}) {
		t.Fatalf("charts %+v", charts)
	}
	for j, want := range []float64{-10, 10, 0} { // the error of K-means minus that of the mixture
		if got := charts[0].Values[0][j]; math.Abs(got-want) > 1e-9 {
			t.Errorf("column %d: %v, want %v", j, got, want)
		}
	}
}

// Seconds of 2·x^1.5 have the exponent 1.5.
func TestGODTTimes(t *testing.T) {
	var records []Record
	for _, x := range []int{100, 200, 400} {
		records = append(records, splitOf("GODT", "rows", x, 1, 2*math.Pow(float64(x), 1.5)),
			splitOf("RF", "trees", x, 1, 1))
	}
	panels, table := GODTTimes(records)
	if got := lines(table); len(panels) != 2 || got[2] != "GODT|N·p²·log N + I·N·p·log N|1.50|–|–" ||
		got[1] != "RF|T·N·m·log N|–|–|0.00" {
		t.Errorf("%d panels, %q", len(panels), got)
	}
}

// ReadThesis finds all files from the folder of the notebooks.
func TestReadThesis(t *testing.T) {
	t.Chdir("../..")
	thesis := ReadThesis()
	if n := len(thesis.values(thesis.column("3.2 SVM"), "Iris")); n != 20 {
		t.Errorf("%d splits of Iris for the SVM, want 20", n)
	}
	for _, c := range []string{"3.2 GODT", "4.1 GORF", "5.3 GQRF", "3.9 RF", "A.12 GQDT", "3.3 LDA"} {
		method := thesis.column(c)
		if !slices.ContainsFunc(thesis.sets, func(s GODTSet) bool { return len(thesis.values(method, s.Name)) > 0 }) {
			t.Errorf("nothing of %s", c)
		}
	}
}
