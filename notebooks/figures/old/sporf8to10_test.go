package old

import (
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/viz"
)

// With a serial share of 1/5, a job of 10 seconds takes 10·(0.2 + 0.8/2) = 6 on two cores. A speed-up of 2.3 has no
// share, and one of 1.9 ± 0.1 isn't known to have one.
func TestSerialShare(t *testing.T) {
	for _, c := range []struct {
		speedUp, stdErr float64
		want            string
	}{
		{10.0 / 6, 0.01, "20 %"}, {1, 0, "100 %"}, {2, 0, "none to be seen"}, {2.3, 0.1, "none to be seen"},
		{1.9, 0.1, "none to be seen"}, {1.9, 0.01, "5 %"}, {1.9, math.NaN(), "5 %"}, {2.1, math.NaN(), "none to be seen"},
	} {
		if got := serialShare(c.speedUp, c.stdErr); got != c.want {
			t.Errorf("%v ± %v: %s; want %s", c.speedUp, c.stdErr, got, c.want)
		}
	}
}

// Two sets: SPORF gains 0.1 and 0.3 without noise, so 0.2 ± 0.1. A third set lacks a method, and only one set has 1000
// columns.
func TestSPORFNoise(t *testing.T) {
	var records []Record
	add := func(set, method string, x int, kappa float64) {
		records = append(records, Record{Run: Run{Problem: set, Method: method, X: x, Repeat: 1},
			Result: Result{Score: kappa}})
	}
	for _, method := range []string{"RF", "SPORF", "F-RC", "CCF", "RR-RF"} {
		gain := map[string]float64{"SPORF": 1}[method]
		add("a", method, 0, 0.5+0.1*gain)
		add("b", method, 0, 0.6+0.3*gain)
		add("a", method, 100, 0.4)
		add("b", method, 100, 0.4)
		add("a", method, 1000, 0.4)
	}
	add("c", "RF", 0, 0.9)
	chart, table := SPORFNoise(records)
	b := chart.(viz.Bars)
	if b.Names[0] != "SPORF, 0 columns" || math.Abs(b.Values[0]-0.2) > 1e-9 || math.Abs(b.Err[0]-0.1) > 1e-9 {
		t.Errorf("%s %v ± %v; want 0.2 ± 0.1", b.Names[0], b.Values[0], b.Err[0])
	}
	hasRow(t, table, "SPORF", "0.750", "0.200 ± 0.100", "0.400")
	hasRow(t, table, "RF", "0.550", "0.400")
}

// Repeats are paired: speed-ups of 2 and 1.5, so 1.75 ± 0.25.
func TestSPORFScaling(t *testing.T) {
	var records []Record
	for _, r := range [][3]float64{{1, 1, 4}, {1, 2, 2}, {2, 1, 3}, {2, 2, 2}} {
		records = append(records, splitOf("p", "m", int(r[1]), int(r[0]), r[2]))
	}
	hasRow(t, SPORFScaling(records), "p", "m", "3.500", "2.000", "1.75 ± 0.25", "none to be seen")
}

// The committed measurements are drawn, and the speed-up is that of docs/benchmarks.md's medians but for rounding.
func TestPeerPictures(t *testing.T) {
	t.Chdir("../..")
	chart, table := PeerScaling()
	for i, c := range []viz.Chart{chart, PeerTraining(), PeerPrediction(), SPORFRanks(Committed("sporf-fig6"))} {
		if viz.Draw(c).Alt == "" {
			t.Errorf("chart %d has no description", i)
		}
	}
	if len(table.Rows) != 8 || table.Rows[0][0] != "obliqua-rf" {
		t.Errorf("rows %q", table.Rows)
	}
	hasRow(t, table, "ranger", "1.74", "15 %", "1.72", "16 %", "1.15", "74 %")
	times, rows := SPORFTimes(Committed("sporf-fig8"))
	hasRow(t, rows, "400", "–", "12.01", "15.34", "–", "*0.0026", "0.0275")
	viz.Draw(times)
}

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
