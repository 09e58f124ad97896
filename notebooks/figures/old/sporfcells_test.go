package old

import (
	"math"
	"slices"
	"testing"
)

func sporfRecords(set, method string, kappas ...float64) (records []Record) {
	for i, k := range kappas {
		records = append(records, Record{Run: Run{Problem: set, Method: method, Repeat: i + 1},
			Result: Result{Score: 1 - k, More: map[string]float64{"kappa": k, "printed": k / 2}}})
	}
	return records
}

// κ of 10 %, 20 %, …, 50 % have the mean 30 and the standard error √(250/5) = 7.07.
func TestSPORFCells(t *testing.T) {
	records := append(sporfRecords("a", "RF", 0.1, 0.2, 0.3, 0.4, 0.5), sporfRecords("a", "SPORF", 0.1, 0.2)...)
	records = append(records, sporfRecords("b", "GRAF", 1, 1, 1, 1, 1)...)
	cells := SPORFCells(records, map[string]map[string]float64{"a": {"RF_kappa_pct": 40, "RF_sem": 1}})
	if len(cells) != 2 {
		t.Fatalf("%d cells; want 2, of the methods with five folds", len(cells))
	}
	c := cells[0]
	if math.Abs(c.Kappa.Kappa-30) > 1e-9 || math.Abs(c.Kappa.StdErr-math.Sqrt(50)) > 1e-9 ||
		math.Abs(c.Printed.Kappa-15) > 1e-9 ||
		math.Abs(c.Error.Kappa-70) > 1e-9 {
		t.Errorf("%+v", c)
	}
	if got := c.Deviation(c.Kappa); math.Abs(got+10/math.Sqrt(51)) > 1e-9 {
		t.Errorf("deviation %v; want −10/√51", got)
	}
	if !math.IsNaN(cells[1].Published.Kappa) || !math.IsNaN(cells[1].Deviation(cells[1].Kappa)) {
		t.Errorf("a method that isn't in the paper: %+v", cells[1])
	}
	exact := SPORFCell{Published: publishedKappa{100, 0}}
	if got := exact.Deviation(publishedKappa{100, 0}); got != 0 {
		t.Errorf("deviation of equal numbers without errors: %v", got)
	}
	if got := exact.Deviation(publishedKappa{90, 0}); !math.IsInf(got, -1) {
		t.Errorf("deviation of different numbers without errors: %v", got)
	}
}

// Only set a has both methods.
func TestCellTable(t *testing.T) {
	cell := func(set, method string, kappa float64) SPORFCell {
		return SPORFCell{Set: set, Method: method, Kappa: publishedKappa{Kappa: kappa}}
	}
	cells := []SPORFCell{cell("a", "RF", 1), cell("b", "RF", 2), cell("a", "ET", 3), cell("a", "OT", 0)}
	sets, table := CellTable(cells, []string{"ET", "RF"}, func(c SPORFCell) float64 { return c.Kappa.Kappa })
	if !slices.Equal(sets, []string{"a"}) || len(table) != 1 || !slices.Equal(table[0], []float64{3, 1}) {
		t.Errorf("%v, %v", sets, table)
	}
}
