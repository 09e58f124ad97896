package old

import (
	"slices"
	"strings"
	"testing"
)

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
		{"SPORF", "sporf_table1_kappa_5fold", []string{"n=rows", "p_num+p_cat=features"}, 94,
			[]string{"abalone", "4177", "10 (8)"}, "on 37 of 94 sets, rows on 0, features on 37."},
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
