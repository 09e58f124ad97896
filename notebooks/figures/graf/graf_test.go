package graf

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
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
	if rows := r.Printed(tableC1); rows.At("magic", "n_samples").Value != 19020 || len(rows.Rows) != 115 {
		t.Errorf("table C.1: %d sets", len(rows.Rows))
	}
	for _, f := range kappas {
		_, method, _ := strings.Cut(f.Name, ", ")
		if n := len(boosted(r).Of(method)); n > 0 && n != f.Here.Sets {
			t.Errorf("%s: %d sets have been measured", f.Name, n)
		}
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

// Boosting is measured on ten hypercubes of each number of features. Predictions on them have the κ that the file of
// results has, and GRAF's lead is the mean over what both have been measured on.
func TestBoostedCubes(t *testing.T) {
	r := results()
	scores := map[string]float64{}
	r.Lines("classifiers.csv", func(l *paper.Line) {
		scores[l.Text("set")+l.Text("method")+l.Text("split")] = l.Number("score")
	})
	for _, m := range boostedCubes(r) {
		if m.Repeats != 10 {
			t.Errorf("%v: %d repeats", m.Cell, m.Repeats)
		}
	}
	sum, n := 0.0, 0.0
	for _, record := range boostedRecords(r) {
		key := fmt.Sprintf("cube/%s/%d%s%d", record.Problem, record.X, record.Method, record.Repeat)
		if math.Abs(record.Score-scores[key]) > 1e-5 {
			t.Errorf("%s: κ %v, want %v", key, record.Score, scores[key])
		}
		if record.Problem != "binary" || record.Method != "XGB" {
			continue
		}
		for _, ours := range r.Records(Cubes.On("binary").By("GRAF").At(record.X)) {
			if ours.Repeat == record.Repeat {
				sum, n = sum+ours.Score-scores[key], n+1
			}
		}
	}
	if got := lessBoosted("binary", "XGB")(r).Ours.Value; n == 0 || math.Abs(got-sum/n) > 1e-6 {
		t.Errorf("GRAF less XGB on %v cubes: %v, want %v", n, got, sum/n)
	}
	if r.Err != nil {
		t.Fatal(r.Err)
	}
}
