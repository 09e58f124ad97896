package old

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// Two pairs of equal features, uncorrelated with each other, and a constant one: two components have half of the
// variance each.
func TestComponents(t *testing.T) {
	d := &datasets.Dataset{Features: make([]datasets.Feature, 5), Columns: [][]float32{
		{1, 1, -1, -1}, {5, 5, 1, 1}, {1, -1, 1, -1}, {3, 1, 3, 1}, {7, 7, 7, float32(math.NaN())}},
		Labels: []int32{0, 1, 0, 1}, Classes: []string{"a", "b"}}
	r := trial{Result: Result{More: map[string]float64{}}, train: d, test: d.Subset([]int32{3})}
	must.Do(components(t.Context(), &r))
	must.Do(sized(t.Context(), &r))
	for name, want := range map[string]float64{"pc70": 2, "pc90": 2, "features": 5, "classes": 2, "missing": 2,
		"test": 1} {
		if r.More[name] != want {
			t.Errorf("%s is %v, want %v", name, r.More[name], want)
		}
	}
	if r.Score != 5 {
		t.Errorf("%v rows, want 5", r.Score)
	}
}

// What differs was counted in the two files by another program.
func TestTablesOfSets(t *testing.T) {
	t.Chdir("../..")
	for _, want := range []struct {
		paper, file string
		columns     []string
		rows        int
		row         []string
		note        string
	}{
		{"HRF", "hrf_table3_datasets", []string{"n=rows", "inputs=features", "classes=classes", "missing=missing"}, 43,
			[]string{"ban", "1372 (1672)", "4 (5)", "2", "0"}, "on 10 of 43 sets, rows on 6, features on 5, classes on 1, " +
				"missing on 1. Not here: aba, ail, eco, int, lit, mar, mus, pov, vol, yea."},
		{"TAO", "tao_table1_datasets", []string{"n_train+n_test=rows", "n_test=test", "features=features"}, 2,
			[]string{"mnist", "70000", "10000", "784"}, "on 0 of 2 sets, rows on 0, test on 0, features on 0. Not here: "},
		{"GRAF", "graf/tableC1_datasets", []string{"n_samples=rows", "pc_50=pc50", "pc_70=pc70", "pc_90=pc90"}, 100,
			[]string{"arrhythmia", "452", "15 (12)", "35 (25)", "78 (55)"}, "rows on 0, pc50 on 17, pc70 on 24, pc90 on 36."},
	} {
		got := SetsTable("", want.paper, "../testdata/"+want.file+".csv", want.columns...)
		if len(got.Rows) != want.rows || !slices.ContainsFunc(got.Rows, func(row []string) bool {
			return slices.Equal(row, want.row)
		}) || !strings.Contains(got.Note, want.note) {
			t.Errorf("%s: %d rows, %q; want %d with %v and %q", want.paper, len(got.Rows), got.Note, want.rows, want.row,
				want.note)
		}
	}
}
