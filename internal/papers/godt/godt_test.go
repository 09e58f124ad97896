package godt

import (
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

var results = paper.Results{Root: "../../.."}

// at returns a printed number.
func at(number, row, column string) float64 {
	return results.Printed(file(number)).At(row, column).Value
}

// Printed tables have the sets at hand, and the same numbers of a method on a set, but for RF on Adult.
func TestPrintedTablesAgree(t *testing.T) {
	for _, same := range [][]string{
		{"3.2", "4.1", "5.1", "5.3"}, {"3.3", "4.2", "5.2", "5.4"}, {"3.9", "4.5"}, {"3.10", "4.6"},
	} {
		first := map[string]float64{}
		for _, number := range same {
			printed := results.Printed(file(number))
			for _, set := range printed.Rows {
				for _, method := range printed.Columns {
					v, cell := at(number, set, method), set+" "+method
					if before, ok := first[cell]; ok && before != v && v == v && cell != "Adult RF" {
						t.Errorf("%s: %v, in table %s %v", cell, before, number, v)
					}
					first[cell] = v
				}
			}
		}
	}
	for number, sets := range map[string][]Set{"3.2": Sets, "3.9": ValueSets} {
		for _, s := range sets {
			if math.IsNaN(at(number, s.Name, "GODT")) {
				t.Errorf("table %s has no set %s", number, s.Name)
			}
		}
	}
	if results.Err != nil {
		t.Error(results.Err)
	}
}

// Means that tables 3.7, 4.4 and A.16 print and those that follow from the cells: RF has 83.29 there, OC1 75.82.
func TestPrintedMeans(t *testing.T) {
	for _, c := range []struct {
		table, method string
		want          float64
	}{
		{"3.2", "GODT", 82.99}, {"3.2", "SVM", 76.24}, {"3.2", "CART", 79.32}, {"3.2", "LDA", 74.39}, {"3.2", "QDA", 68.19},
		{"3.2", "OC1", 75.40},
		{"4.1", "GORF", 84.91}, {"4.1", "RF", 83.90}, {"5.1", "GQDT", 82.41}, {"5.3", "GQRF", 84.41},
	} {
		cells, _ := ranking{table: table{number: c.table}}.scores(&results, c.method)
		mean := 0.0
		for _, line := range cells {
			mean += line[0] / 100 / float64(len(cells))
		}
		if math.Abs(mean-c.want) > 0.0051 {
			t.Errorf("%s has mean accuracy %.4f, want %.2f", c.method, mean, c.want)
		}
	}
}

// An accuracy is a whole number of the test rows. The sizes of [Sets] fit all printed cells but those named, and
// those of OC1. These fit one row less, on all sets but Segmentation.
func TestTestSizes(t *testing.T) {
	var off []string
	for _, s := range Sets {
		for number, methods := range map[string][]string{"3.2": results.Printed(file("3.2")).Columns,
			"4.1": {"GORF", "RF"}, "5.1": {"GQDT"}, "5.3": {"GQRF"}} {
			for _, method := range methods {
				v, n := at(number, s.Name, method), float64(s.Test)
				if method == "OC1" {
					n--
				}
				if math.Abs(100*math.Round(v*n/100)/n-v) >= 0.00501 {
					off = append(off, s.Name+" "+method)
				}
			}
		}
	}
	slices.Sort(off)
	want := []string{"Heart Failure QDA", "Madelon GQRF", "Madelon QDA", "Satimages GQRF", "Segmentation OC1",
		"Usps GODT", "Usps GORF", "Usps SVM"}
	if !slices.Equal(off, want) {
		t.Errorf("cells that don't fit: %v, want %v", off, want)
	}
}

// A mean squared error is at least the square of the mean absolute error.
func TestSquaredErrors(t *testing.T) {
	var wrong []string
	printed := results.Printed(file("A.4"))
	for _, set := range printed.Rows {
		for _, method := range printed.Columns {
			if mae := at("3.9", set, method); at("A.4", set, method) < 0.999*mae*mae {
				wrong = append(wrong, set+" "+method)
			}
		}
	}
	if !slices.Equal(wrong, []string{"energy efficiency SVM"}) {
		t.Errorf("impossible: %v", wrong)
	}
}

// Who always predicts the larger of k classes, of share s, has recall 1/k, precision s/k and F1 2s/(1 + s)/k. So do
// several methods on Adult and Drug Consumption.
func TestMajority(t *testing.T) {
	for _, c := range []struct {
		set, method, accuracy string
		others                [3]string
		classes               float64
	}{
		{"Adult", "GODT", "3.2", [3]string{"A.5", "A.6", "A.7"}, 2},
		{"Adult", "GORF", "4.1", [3]string{"A.10", "A.11", "A.12"}, 2},
		{"Adult", "GQDT", "5.1", [3]string{"A.10", "A.11", "A.12"}, 2},
		{"Adult", "GQRF", "5.3", [3]string{"A.10", "A.11", "A.12"}, 2},
		{"Drug Consumption", "GORF", "4.1", [3]string{"A.10", "A.11", "A.12"}, 7},
		{"Drug Consumption", "GQRF", "5.3", [3]string{"A.10", "A.11", "A.12"}, 7},
	} {
		s := at(c.accuracy, c.set, c.method)
		for k, want := range []float64{s / c.classes, 100 / c.classes, 200 * s / (100 + s) / c.classes} {
			if got := at(c.others[k], c.set, c.method); math.Abs(got-want) > 0.00501 {
				t.Errorf("%s, %s: %v in table %s; a majority vote has %v", c.set, c.method, got, c.others[k], want)
			}
		}
	}
}

// What the thesis prints of Wilcoxon's tests follows from its cells but for the SVM and RF and some of table A.15. So
// the test is its own. SciPy 1.17.1 gives p = 0.6009 for GODT-R and CART.
func TestPrintedTests(t *testing.T) {
	var other []string
	p := func(k ranking, a, b string, unit float64) float64 {
		printed := results.Printed(file(k.number))
		var x, y []float64
		for _, set := range printed.Rows {
			if v, w := printed.At(set, a).Value, printed.At(set, b).Value; v == v && w == w {
				x, y = append(x, math.Round(v/unit)), append(y, math.Round(w/unit))
			}
		}
		return twoSided(x, y)
	}
	for _, k := range rankings {
		for _, m := range k.methods[1:] {
			if printed := at(k.p, m, "p"); math.Abs(p(k, k.methods[0], m, 0.01)/printed-1) > 0.01 {
				other = append(other, k.methods[0]+" "+m)
			}
		}
	}
	want := []string{"GODT SVM", "GORF RF", "GQDT CART", "GQRF GORF", "GQRF RF"}
	if !slices.Equal(other, want) {
		t.Errorf("other p than printed: %q, want %q", other, want)
	}
	if got := p(ranking{table: table{number: "3.9"}}, "GODT", "CART", 1e-4); math.Abs(got-0.6008710115741303) > 1e-9 {
		t.Errorf("GODT-R and CART: p = %v", got)
	}
}

// By hand: accuracies of 90 and 94 % have the mean 92 and the standard deviation √8. The thesis has 100 on Iris.
func TestOurs(t *testing.T) {
	r := paper.Results{Root: "../../.."}
	for _, e := range tuning[1:] {
		r.Use(e, nil)
	}
	record := func(method string, repeat int, score float64) paper.Record {
		run := paper.Run{Problem: "Iris", Method: method, Repeat: repeat}
		return paper.Record{Run: run, Result: paper.Result{Score: score}}
	}
	r.Use(&Trees, []paper.Record{record("GODT", 1, 0.9), record("GODT", 2, 0.94), record("CART", 1, 0.97)})
	of := table{number: "3.2"}
	if n := of.ours(&r)("Iris", "GODT"); math.Abs(n.Value-92) > 1e-9 || math.Abs(n.StdErr-math.Sqrt(8)) > 1e-9 {
		t.Errorf("%v", n)
	}
	f := of.leads(paper.Above, "GODT", "CART").Find(&r)
	if math.Abs(f.Ours.Value+5) > 1e-9 || f.Paper.Value != 0 || math.Abs(f.Difference.Value+5) > 1e-9 {
		t.Errorf("a lead of %v", f)
	}
	// 8 points, with the binomial deviation of 37 test rows, which is the larger one, and of a mean of two.
	want := 8 / (0.7 * math.Sqrt(92*8/37.0) * math.Sqrt(1.5))
	if z := of.distances(&r)("Iris", "GODT"); math.Abs(z-want) > 1e-9 {
		t.Errorf("printed %v deviations above ours, want %v", z, want)
	}
	if f := of.within("GODT").Find(&r); f.Ours.Value != 0 || math.Abs(f.Paper.Value-0.9545) > 1e-9 {
		t.Errorf("%v of one set within two deviations", f)
	}
	// CART's 97 % on Iris are within two deviations of 100, so the set stays; where a baseline wasn't run, it stays, too.
	if f := of.withinWhere("GODT", "CART").Find(&r); math.Abs(f.Paper.Value-0.9545) > 1e-9 {
		t.Errorf("%v of one set whose CART agrees", f)
	}
	r.Use(&Trees, []paper.Record{record("GODT", 1, 0.9), record("GODT", 2, 0.94), record("CART", 1, 0.7)})
	if f := of.withinWhere("GODT", "CART").Find(&r); f.Ours.Value == f.Ours.Value {
		t.Errorf("%v of no set whose CART agrees", f)
	}
	// One division without a mistake tells no deviation. The thesis has 94.44.
	flawless := paper.Record{Run: paper.Run{Problem: "Wine", Method: "CART", Repeat: 1}, Result: paper.Result{Score: 1}}
	r.Use(&Trees, []paper.Record{flawless})
	if z := of.distances(&r)("Wine", "CART"); z == z {
		t.Errorf("%v deviations of 0", z)
	}
	r.Use(&Trees, []paper.Record{record("GODT", 1, 0.9), record("GODT", 2, 0.94), record("CART", 1, 0.97)})
	// A set has the first reading that it was run with.
	of.methods = map[string][]string{"GODT": {"none", "CART", "GODT"}}
	if n := of.ours(&r)("Iris", "GODT"); math.Abs(n.Value-97) > 1e-9 {
		t.Errorf("%v with other methods", n)
	}
}

// By hand, with p = 0.9545: three misses or more of 16 sets have the probability 0.034, of 13 sets 0.019, and two of 8
// sets 0.048. That of two standard deviations is 0.0228. A miss of one set has 0.0455, of two sets 0.089, and two
// misses of two 0.002.
func TestExpecting(t *testing.T) {
	for _, c := range []struct {
		near, all float64
		want      paper.Verdict
	}{
		{13, 16, paper.Agrees}, {10, 13, paper.Disagrees}, {16, 16, paper.Agrees}, {14, 15, paper.Agrees},
		{6, 8, paper.Agrees}, {0, 1, paper.CantTell}, {1, 2, paper.CantTell}, {2, 2, paper.Agrees},
		{0, 2, paper.Disagrees},
	} {
		if got := paper.Same.Verdict(expecting(c.near, c.all)); got != c.want {
			t.Errorf("%v of %v: %s, want %s", c.near, c.all, got, c.want)
		}
	}
}

// Of Wine, printed 10, the range is 2 to 9 over two divisions; of Iris, printed 6, it is 4 to 8.
func TestWithinRange(t *testing.T) {
	r := paper.Results{Root: "../../.."}
	record := func(set string, repeat int, shallowest, deepest float64) paper.Record {
		return paper.Record{Run: paper.Run{Problem: set, Method: "GODT", Repeat: repeat},
			Result: paper.Result{More: map[string]float64{"shallowest": shallowest, "deepest": deepest}}}
	}
	r.Use(&Depths, []paper.Record{record("Wine", 1, 2, 7), record("Wine", 2, 4, 9), record("Iris", 1, 4, 8),
		record("Adult", 1, 1, 99)})
	if f := withinRange(&r); f.Ours.Value != 1 || f.Paper.Value != 2 {
		t.Errorf("%v of %v sets", f.Ours, f.Paper)
	}
}

// Once all listed runs are done, only what scikit-learn's file lacks keeps an item from being full.
func TestFullWhenDone(t *testing.T) {
	r := paper.Results{Root: "../../.."}
	for _, e := range Paper.Experiments[1:] { // but those of sizes, which are done
		var records []paper.Record
		for _, run := range e.Runs() {
			records = append(records, paper.Record{Run: run, Result: paper.Result{More: map[string]float64{}}})
		}
		r.Use(e, records)
	}
	for _, f := range Paper.Figures {
		if c := f.Count(&r); !f.Ours && f.State(c) != paper.Full && !slices.Contains(f.Files, peersFile) {
			t.Errorf("%s is %s: %v", f.Name, f.State(c), c.Protocol)
		}
	}
}

// The sets without a column's numbers are named: Ionosphere has no SVM.
func TestByPeers(t *testing.T) {
	var here paper.Protocol
	byPeers(table{number: "3.2", methods: map[string][]string{"SVM": {"none"}}}, few("Ionosphere"), "SVM")(&results, &here)
	if here.Sets != 1 || here.Methods != "SVM without Ionosphere" {
		t.Errorf("%+v", here)
	}
	here = paper.Protocol{}
	if byPeers(named("3.2"), few("Ionosphere"), "SVM", "LDA")(&results, &here); here.Methods != "" {
		t.Errorf("%+v", here)
	}
}

// Madelon, Glass and Wine are printed with GQRF 57.22, 69.77 and 100, GORF 79.17, 72.09 and 100, RF 76.83, 76.74 and
// 97.22. GQRF ranks 3, 3 and 1.5, GORF 1, 2 and 1.5, and RF 2, 1 and 3. Ours are the same, but RF is the best on
// Madelon.
func TestMeanRanks(t *testing.T) {
	r := paper.Results{Root: "../../.."}
	for _, e := range []*paper.Experiment{&Forests, &Quadratic} {
		r.Use(e, nil)
	}
	var records []paper.Record
	for set, scores := range map[string][]float64{
		"Madelon": {0.5722, 0.7917, 0.8}, "Glass": {0.6977, 0.7209, 0.7674}, "Wine": {1, 1, 0.9722},
	} {
		for j, method := range []string{tunedGQRF, "GORF, tuned", "RF, tuned"} {
			records = append(records, paper.Record{Run: paper.Run{Problem: set, Method: method},
				Result: paper.Result{Score: scores[j]}})
		}
	}
	r.Use(&Tuned, records)
	for j, claim := range rankings[3].meanRanks() {
		f := claim.Find(&r)
		printed, ours := []float64{2.5, 1.5, 2}[j], []float64{2.5, 11.0 / 6, 5.0 / 3}[j]
		if math.Abs(f.Paper.Value-printed) > 1e-9 || math.Abs(f.Ours.Value-ours) > 1e-9 {
			t.Errorf("%s: %+v; want %v and %v", claim.Says, f, ours, printed)
		}
	}
}

// A two-sided p of 0.0625, that of five differences of one sign, is a normal deviate of 1.8627.
func TestNormal(t *testing.T) {
	lines := [][]float64{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}}
	if z := normal(lines); math.Abs(z-1.8627318674) > 1e-6 {
		t.Errorf("%v above 0", z)
	}
	for _, line := range lines {
		line[0] = -line[0]
	}
	if z := normal(lines); math.Abs(z+1.8627318674) > 1e-6 {
		t.Errorf("%v below 0", z)
	}
}

// Seconds of 2·x^1.5 have the exponent 1.5.
func TestExponent(t *testing.T) {
	r := paper.Results{Root: "../../.."}
	record := func(x, seconds float64) paper.Record {
		run := paper.Run{Problem: "GODT", Method: "rows", X: int(x)}
		return paper.Record{Run: run, Result: paper.Result{Score: seconds}}
	}
	var records []paper.Record
	for _, x := range []float64{100, 200, 400, 800} {
		records = append(records, record(x, 2*math.Pow(x, 1.5)))
	}
	r.Use(&Times, records)
	if got := exponent(&r, of(&Times, "rows")[0], "GODT"); math.Abs(got.Value-1.5) > 1e-9 || got.StdErr > 1e-6 {
		t.Errorf("%v", got)
	}
	// By hand: the slope of (0, 0), (1, 1), (2, 3) is 1.5 with a standard error of √(1/12).
	r.Use(&Times, []paper.Record{record(1, 1), record(10, 10), record(100, 1000)})
	got, want := exponent(&r, of(&Times, "rows")[0], "GODT"), paper.Number{Value: 1.5, StdErr: math.Sqrt(1.0 / 12)}
	if math.Abs(got.Value-want.Value) > 1e-9 || math.Abs(got.StdErr-want.StdErr) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
}
