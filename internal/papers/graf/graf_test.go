package graf

import (
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

func results() *paper.Results { return &paper.Results{Root: "../../.."} }

// The averages printed below table D.1 are those of the rows read.
func TestTableD1(t *testing.T) {
	r := results()
	table := r.Printed(tableD1)
	for method, want := range map[string]float64{"GRAF": 0.685, "OT": 0.675, "ET": 0.673, "GB": 0.663, "ADA": 0.550,
		"RF": 0.663, "XGB": 0.660} {
		sum := 0.0
		for _, set := range table.Rows {
			sum += table.At(set, method).Value
		}
		if got := sum / 115; math.Abs(got-want) > 0.0015 {
			t.Errorf("%s: mean κ %.4f; the paper prints %.3f", method, got, want)
		}
	}
	for _, set := range Sets {
		if math.IsNaN(table.At(set, "GRAF").Value) {
			t.Errorf("%s isn't in the paper's table", set)
		}
	}
	// The paper prints 0.488 ± 0.005, the deviation of four folds.
	if n := printedFolds(r, "abalone", "GRAF"); n.Value != 0.488 || n.StdErr != 0.0025 {
		t.Errorf("abalone, GRAF: %+v", n)
	}
	if rows := r.Printed(tableC1); rows.At("magic", "n_samples").Value != 19020 || len(rows.Rows) != 115 {
		t.Errorf("table C.1: %d sets", len(rows.Rows))
	}
}

// Two cells of each method, compared with the printed table.
func TestTable2(t *testing.T) {
	table := results().Printed(table2)
	if len(table.Rows) != len(supportSets) {
		t.Errorf("%d sets; want %d", len(table.Rows), len(supportSets))
	}
	for _, test := range []struct {
		set, method          string
		size, overlap, right float64
	}{
		{"synthetic-control", "graf", 55.67, 67.67, 98}, {"letter", "graf", 52.19, 67.89, 92.34},
		{"mushroom", "svis", 11.18, 21.37, 50.76}, {"titanic", "svis", 43.32, 50.73, 65.09},
		{"energy-y2", "npps", 61.98, 65.81, 71.35}, {"statlog-german-credit", "npps", 51, 53.62, 73.40},
	} {
		size := table.At(test.set, "svs_pct")
		if test.method == "npps" {
			size = table.At(test.set, "npps_size_pct")
		}
		overlap := table.At(test.set, test.method+"_overlap_pct")
		right := table.At(test.set, test.method+"_accuracy_pct")
		if size.Value != test.size || overlap.Value != test.overlap || right.Value != test.right {
			t.Errorf("%+v: %v, %v, %v", test, size, overlap, right)
		}
	}
}

// At the end rows of a code are of one class. Before it, weights are those of a code that isn't pure.
func TestBoostingEndsWithPureCodes(t *testing.T) {
	d := Rings()
	for seed := range uint64(20) {
		steps, code := Boost(d, seed)
		class := map[string]int32{}
		for i, c := range code {
			if y, ok := class[c]; ok && y != d.Labels[i] {
				t.Fatalf("seed %d: code %s has rows of both classes", seed, c)
			}
			class[c] = d.Labels[i]
		}
		last := len(steps) - 1
		if first := steps[0]; first != (BoostingStep{1, 150, 150}) || steps[last] != (BoostingStep{len(class), 0, 0}) {
			t.Errorf("seed %d: the first step is %v, the last %v", seed, first, steps[last])
		}
		for k, s := range steps[:last] {
			if s.Weighted < 2 || s.Weighted > s.Impure || s.Codes > steps[k+1].Codes || s.Impure < steps[k+1].Impure {
				t.Errorf("seed %d: step %d is %v, the next %v", seed, k, s, steps[k+1])
			}
		}
	}
}

// Losses are differences within a repeat: 1 point in the first, 3 in the second, so 2 ± 1.
func TestLosses(t *testing.T) {
	var records []paper.Record
	for _, v := range []struct {
		x, repeat int
		accuracy  float64
	}{{100, 1, 0.9}, {5, 1, 0.89}, {100, 2, 0.8}, {5, 2, 0.77}} {
		records = append(records, paper.Record{Run: paper.Run{Problem: "p", Method: "RF S", X: v.x, Repeat: v.repeat},
			Result: paper.Result{Score: v.accuracy}})
	}
	var r paper.Results
	r.Use(&Approximation, records)
	lost := losses(&r)
	if len(lost) != 1 || math.Abs(lost[0].Score.Value-2) > 1e-9 || math.Abs(lost[0].Score.StdErr-1) > 1e-9 {
		t.Errorf("%+v; want a loss of 2 ± 1", lost)
	}
}

// Boosting on hypercubes has the problems, features and repeats that the experiment lists.
func TestBoostedCubes(t *testing.T) {
	r := results()
	listed := BoostedCubes.Runs()
	records := r.Records(BoostedCubes.On())
	for _, record := range records {
		if !slices.ContainsFunc(listed, func(run paper.Run) bool {
			return run.Cell() == record.Cell() && run.Repeat == record.Repeat
		}) {
			t.Errorf("%v isn't listed", record.Run)
		}
	}
	if r.Err != nil || len(records) == 0 {
		t.Fatal(r.Err, len(records))
	}
}

// On a set where all four forests are tuned once, these count. Where one lacks, those tuned within folds do.
func TestTunedMeans(t *testing.T) {
	var records []paper.Record
	add := func(set, method string, score float64) {
		records = append(records, paper.Record{Run: paper.Run{Problem: set, Method: method, Repeat: 1},
			Result: paper.Result{Score: score}})
	}
	for k, method := range Forests {
		add("iris", method, 0.1)
		add("wine", method, 0.1)
		add("iris", forestsOnce()[k], 0.2)
		if method != "RF" {
			add("wine", forestsOnce()[k], 0.2)
		}
	}
	var r paper.Results
	r.Use(&Kappas, records)
	means := tunedMeans(&r)
	for _, method := range Forests {
		if iris, wine := means.At("iris", method, 0), means.At("wine", method, 0); iris.Score.Value != 0.2 ||
			wine.Score.Value != 0.1 || len(means) != 8 {
			t.Errorf("%s: %v, %v", method, iris.Score, wine.Score)
		}
	}
}

// With all runs that are tuned once, the forests' columns of table D.1 are full.
func TestFull(t *testing.T) {
	r := results()
	var records []paper.Record
	for _, run := range Kappas.By(forestsOnce()...).Runs() {
		records = append(records, paper.Record{Run: run})
	}
	r.Use(&Kappas, records)
	for _, method := range Forests {
		for _, f := range Paper.Find(r, "Table D.1, "+method) {
			if got := f.State(f.Count(r)); got != paper.Full {
				t.Errorf("%s is %s: %v", f.Name, got, f.Count(r))
			}
		}
	}
}
