package old

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// Cells are compared with the paper's text by eye: the first set, one with two names, and the
// last one.
func TestPublishedSPORFTable1(t *testing.T) {
	table := must.Value(ReadTable("../../../testdata/sporf_table1_kappa_5fold.csv"))
	if len(table) != 104 {
		t.Errorf("%d sets; want 104", len(table))
	}
	for _, c := range []struct {
		set, method string
		want        publishedKappa
	}{
		{"abalone", "SPORF", publishedKappa{11.2, 0.8}},
		{"abalone", "CCF", publishedKappa{10.4, 0.7}},
		{"acute_inflammation_task_2", "XGBoost", publishedKappa{87, 9}},
		{"wine", "RF", publishedKappa{94, 4}},
		{"adult", "RR-RF", publishedKappa{78.16, 0.39}},
	} {
		if got := (publishedKappa{table[c.set][c.method+"_kappa_pct"], table[c.set][c.method+"_sem"]}); got != c.want {
			t.Errorf("%s, %s: %v; the paper has %v", c.set, c.method, got, c.want)
		}
	}
	for _, set := range sporfSets {
		if len(table[set.name]) != 4+2*5 {
			t.Errorf("%s: published cells %v; want two for each of five methods", set.name, table[set.name])
		}
	}
	bad := filepath.Join(t.TempDir(), "bad.csv")
	must.Do(os.WriteFile(bad, []byte("dataset,RF_kappa_pct,RF_sem\nwine,94,x\n"), 0o666))
	if _, err := ReadTable(bad); err == nil || !strings.Contains(err.Error(), "bad.csv:2: RF") {
		t.Errorf("error %v", err)
	}
}

// Labels 0, 0, 0, 1, 2, 2: the largest class has half of the rows; without class 0, a third.
func TestChanceError(t *testing.T) {
	for from, want := range []float64{1.0 / 2, 2.0 / 3} {
		if got := chanceError(int32(from), []int32{0, 0, 1}, []int32{0, 2, 2}); math.Abs(got-want) > 1e-15 {
			t.Errorf("from class %d: %v; want %v", from, got, want)
		}
	}
}

// The sizes of the table's sets are those of the files.
func TestSPORFSets(t *testing.T) {
	for _, set := range sporfSets {
		d, err := public.Load(context.Background(), "sporf/"+set.name)
		if errors.Is(err, public.ErrUnknownSet) || os.Getenv("OBLIQUA_DATA") == "" {
			t.Skip("OBLIQUA_DATA doesn't have the sets of the SPORF authors")
		}
		if err != nil {
			t.Fatal(err)
		}
		if d.N() != set.rows || d.P() != set.features {
			t.Errorf("%s: %d rows and %d features; want %d and %d", set.name, d.N(), d.P(), set.rows, set.features)
		}
		columns, err := categoricalColumns(set.name)
		if err != nil || (columns > 0) != (set.original < set.features) || set.features-columns > set.original {
			t.Errorf("%s: %d columns code categories, and %d features were %d before", set.name, columns, set.features,
				set.original)
		}
	}
}
