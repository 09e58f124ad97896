package old

import (
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
)

// Two cells of each method, compared with the printed table.
func TestReadSupportTable(t *testing.T) {
	table := must.Value(ReadTable("../../../testdata/graf/table2_support_vectors.csv"))
	if len(table) != len(SupportSets) {
		t.Errorf("%d sets, want %d", len(table), len(SupportSets))
	}
	for _, name := range SupportSets {
		if table[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	for _, test := range []struct {
		set, size, method       string
		support, overlap, right float64
	}{
		{"synthetic-control", "svs", "graf", 55.67, 67.67, 98},
		{"letter", "svs", "graf", 52.19, 67.89, 92.34},
		{"mushroom", "svs", "svis", 11.18, 21.37, 50.76},
		{"titanic", "svs", "svis", 43.32, 50.73, 65.09},
		{"energy-y2", "npps_size", "npps", 61.98, 65.81, 71.35},
		{"statlog-german-credit", "npps_size", "npps", 51, 53.62, 73.40},
	} {
		row := table[test.set]
		if row[test.size+"_pct"] != test.support || row[test.method+"_overlap_pct"] != test.overlap ||
			row[test.method+"_accuracy_pct"] != test.right {
			t.Errorf("%+v: %v", test, row)
		}
	}
	if got := table["hill-valley"]; got["svs_pct"] != 95.71 || got["svm_accuracy_pct"] != 49.83 {
		t.Errorf("hill-valley, SVM: %v", got)
	}
}

// A row is complete when the methods asked for have been measured on four folds: wine has three of GB, four
// of ADA and five of XGB.
func TestWithBaselines(t *testing.T) {
	published := must.Value(ReadTableD1(tableD1Path))
	rows := map[string]map[string]Cell{"zoo": {"RF": {Tuned: 0.9}}, "wine": {"RF": {Tuned: 0.8}}, "unpublished": {}}
	var means []PredictionMean
	for k, method := range []string{"GB", "ADA", "XGB"} {
		kappa := float64(k+1) / 10
		means = append(means, PredictionMean{Set: "fd_zoo", Method: method, Splits: 4, Kappa: kappa},
			PredictionMean{Set: "fd_wine", Method: method, Splits: 3 + k, Kappa: kappa},
			PredictionMean{Set: "fd_unpublished", Method: method, Splits: 4})
	}
	if got := WithBaselines(rows, published, means, "ADA"); len(got) != 2 || got["wine"]["ADA"].Tuned != 0.2 ||
		len(got["wine"]) != 2 {
		t.Errorf("with ADA: %v", got)
	}
	got := WithBaselines(rows, published, means, "GB", "ADA", "XGB")
	if len(got) != 1 || len(got["zoo"]) != 4 {
		t.Fatalf("rows %v", got)
	}
	// The printed row of zoo: GB 0.986, ADA 0.918, XGB 0.986.
	for method, want := range map[string][2]float64{"RF": {0.9, 0}, "GB": {0.1, 0.986}, "ADA": {0.2, 0.918},
		"XGB": {0.3, 0.986}} {
		if c := got["zoo"][method]; c.Tuned != want[0] || c.Published != want[1] {
			t.Errorf("%s: %v, want %v", method, c, want)
		}
	}
	if len(rows["zoo"]) != 1 {
		t.Error("the rows given were changed")
	}
}

// κ by hand: 3 of 4 agree where 2 of 4 would by chance.
func TestCubeRecords(t *testing.T) {
	truth, labels := []int32{0, 0, 1, 1}, []int32{0, 1, 1, 1}
	got := CubeRecords([]paper.Prediction{
		{Set: "fd_zoo", Method: "GB", Repeat: 1, Truth: truth, Labels: labels},
		{Set: "cube/binary, projected/12", Method: "GB", Repeat: 2, Truth: truth, Labels: labels},
	})
	if len(got) != 1 {
		t.Fatalf("%d records, want 1", len(got))
	}
	r := got[0]
	if r.Problem != "binary, projected" || r.Method != "GB" || r.X != 12 || r.Repeat != 2 || r.Score != 0.5 {
		t.Errorf("record %+v", r)
	}
}
