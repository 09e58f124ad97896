package old

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/viz"
)

// hasRow fails unless the table has a row with these cells among others, in this order.
func hasRow(t *testing.T, table nb.Table, want ...string) {
	t.Helper()
	for _, row := range table.Rows {
		k := 0
		for _, cell := range row {
			if k < len(want) && cell == want[k] {
				k++
			}
		}
		if k == len(want) {
			return
		}
	}
	t.Errorf("%s: no row with %q", table.Title, want)
}

// The tables have the numbers of docs/graf.md and those that the paper prints. All pictures can be drawn.
func TestGRAFTables(t *testing.T) {
	t.Chdir("../..")
	cubes := Committed("graf-fig4")
	hasRow(t, GRAFCubeTable(cubes), "binary", "GRAF", "−0.039", "0.005")
	hasRow(t, GRAFCubeTable(cubes), "multi-class", "GRAF", "*0.350", "0.019")
	hasRow(t, GRAFVariedTable(), "10", "2", "0.0238", "*0.0230", "0.0072", "*0.0065", "*0.0153", "0.0205")
	hasRow(t, GRAFVariedTable(), "50", "5", "0.0826", "*0.0555", "0.0653", "0.1274", "*0.1062", "0.1133")
	hasRow(t, GRAFTable1(4), "4", "44.8", "38.9", "19.4", "17.4", "4.0", "4.0", "1.6", "1.5")

	d := CommittedTableD1()
	hasRow(t, d.Kappas(), "statlog-vehicle", "*0.749")
	hasRow(t, d.Differences(), "all", "GRAF", "79", "−0.039", "0.039", "−0.008", "0.016")
	hasRow(t, d.Differences(), "at least 1000 rows", "RF", "16", "−0.001", "0.008", "0.004", "0.009")
	hasRow(t, d.Faults(), "congressional-voting", "paper", "0.212", "*0.215", "0.003", "0.030")
	hasRow(t, d.Faults(), "here, clean coding", "0.716", "0.729", "0.709", "*0.742")
	ranks, table := d.Ranks()
	hasRow(t, table, "here, tuned", "79", "2.54", "2.44", "*2.31", "–", "2.72", "–")
	hasRow(t, table, "paper, all sets", "115", "*3.07", "3.49", "3.66", "3.82", "3.94", "4.16", "5.87")

	bySet, means := GRAFSupportTables()
	hasRow(t, means, "GRAF", "68.4", "65.8", "8.9", "0.4")
	hasRow(t, means, "random", "47.1", "–", "1.3", "–")
	hasRow(t, bySet, "letter (1)", "all rows", "52.2", "96.5")
	support, _ := GRAFSupportVectors()
	approximation, lost := GRAFApproximation(Committed("graf-fig13"))
	if len(lost.Rows) != 12 {
		t.Errorf("figure 13 has %d rows; want 12", len(lost.Rows))
	}
	charts := []viz.Chart{GRAFCubes(cubes, false), GRAFCubes(cubes, true), GRAFTimes(cubes, false), d.Scatter(), ranks,
		support, approximation}
	for _, name := range []string{"8", "9", "10", "B1", "B2", "B3", "B4", "B5", "B6"} {
		charts = append(charts, GRAFVaried("Figure "+name, "trees", Committed("graf-fig"+name)))
	}
	for i, chart := range charts {
		if viz.Draw(chart).Alt == "" {
			t.Errorf("chart %d has no description", i)
		}
	}
}

// Losses are differences within a repeat: 1 point in the first, 3 in the second, so 2 ± 1.
func TestGRAFLosses(t *testing.T) {
	var records []Record
	for _, r := range [][3]float64{{1, 100, 0.9}, {1, 5, 0.89}, {2, 100, 0.8}, {2, 5, 0.77}} {
		records = append(records, splitOf("p", "m", int(r[1]), int(r[0]), r[2]))
	}
	losses := grafLosses(records)
	if len(losses) != 1 || math.Abs(losses[0].Mean-2) > 1e-9 || math.Abs(losses[0].StdErr-1) > 1e-9 {
		t.Errorf("%+v; want a loss of 2 ± 1", losses)
	}
}

// Variances of 4, 1 and 0.25 in independent directions: two of them explain 95 %.
func TestExplained(t *testing.T) {
	d := &datasets.Dataset{Features: make([]datasets.Feature, 3), Columns: make([][]float32, 3)}
	for i := range 8 {
		for j := range 3 {
			sign := float32(1 - 2*(i>>j&1))
			d.Columns[j] = append(d.Columns[j], sign*[]float32{2, 1, 0.5}[j])
		}
	}
	shares := explained(cells(d))
	for share, want := range map[float64]int{0.5: 1, 0.9: 2, 0.99: 3} {
		if got := reaching(shares, share); got != want {
			t.Errorf("%d components explain %v; want %d", got, share, want)
		}
	}
}

func TestBold(t *testing.T) {
	cells := bold([]float64{0.12, math.NaN(), -0.5, -0.501}, 2, floats.Min)
	if got := fmt.Sprint(cells); got != "[0.12 – *−0.50 *−0.50]" {
		t.Error(got)
	}
	if cells := bold([]float64{1, math.NaN()}, 0, floats.Max); strings.HasPrefix(cells[0], "*") {
		t.Error("one number alone is bold")
	}
}
