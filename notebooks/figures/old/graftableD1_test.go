package old

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

const tableD1Path = "../../../testdata/graf/tableD1_kappa_4fold.csv"

// The averages printed below table D.1 are those of the rows read.
func TestReadTableD1(t *testing.T) {
	rows := must.Value(ReadTableD1(tableD1Path))
	if len(rows) != 115 {
		t.Fatalf("%d sets, want 115", len(rows))
	}
	for method, want := range map[string]float64{"GRAF": 0.685, "OT": 0.675, "ET": 0.673, "GB": 0.663, "ADA": 0.550,
		"RF": 0.663, "XGB": 0.660} {
		sum := 0.0
		for _, cells := range rows {
			sum += cells[method].Published
		}
		if got := sum / 115; math.Abs(got-want) > 0.0015 {
			t.Errorf("%s: mean κ %.4f; the paper prints %.3f", method, got, want)
		}
	}
	for _, name := range grafSets {
		if rows[name] == nil {
			t.Errorf("%s isn't in the paper's table", name)
		}
	}
}

func TestReadTableD1NamesTheLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.csv")
	must.Do(os.WriteFile(path, []byte("dataset,RF_kappa,RF_sd\na,0.5,1\nb,high,1\n"), 0o666))
	if _, err := ReadTableD1(path); err == nil || !strings.Contains(err.Error(), "bad.csv:3") {
		t.Errorf("error %v; want one with file and line", err)
	}
}

func TestCompare(t *testing.T) {
	p := must.Value(ReadTableD1(tableD1Path))
	var means []Mean
	for k, m := range []string{"GRAF", "OT", "ET", "RF"} {
		means = append(means, Mean{Problem: "zoo", Method: m, Mean: 0.9 + float64(k)/100,
			More: map[string]float64{"best": 1}})
	}
	means = append(means, Mean{Problem: "wine", Method: "GRAF", Mean: 0.5}) // not all methods yet
	rows := Compare(means, p)
	if len(rows) != 1 || rows["zoo"]["ET"] != (Cell{Tuned: 0.92, Hindsight: 1, Published: 0.986}) {
		t.Fatalf("rows %v", rows)
	}
	tuned, hindsight := Difference(rows, "GRAF")
	if math.Abs(tuned[0]+0.086) > 1e-12 || math.Abs(tuned[1]-0.086) > 1e-12 || math.Abs(hindsight[0]-0.014) > 1e-12 {
		t.Errorf("differences %v, %v", tuned, hindsight)
	}
	if got := Scores(rows, []string{"RF", "GRAF"},
		func(_ string, c Cell) float64 { return c.Tuned }); got[0][0] != 0.93 || got[0][1] != 0.9 {
		t.Errorf("scores %v", got)
	}
}

// Section 7.2: 24 to some 130,000 rows.
func TestReadTableC1(t *testing.T) {
	table := must.Value(ReadTable("../../../testdata/graf/tableC1_datasets.csv", "n_samples"))
	rows := map[string]int{}
	for set, row := range table {
		rows[set] = int(row["n_samples"])
	}
	least, most := rows["iris"], rows["iris"]
	for _, n := range rows {
		least, most = min(least, n), max(most, n)
	}
	if len(rows) != 115 || least != 24 || most != 130064 || rows["iris"] != 150 {
		t.Errorf("%d sets of %d to %d rows, iris of %d", len(rows), least, most, rows["iris"])
	}
	for _, name := range grafSets {
		if n := rows[name]; n == 0 || n > 10000 {
			t.Errorf("%s has %d rows", name, n)
		}
	}
	if _, err := ReadTable(tableD1Path, "n_samples"); err == nil || !strings.Contains(err.Error(), "n_samples") {
		t.Errorf("error %v; want one that names the columns", err)
	}
}
