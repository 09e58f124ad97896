package old

import (
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// Each method has Auto's sets of classes but the larger ones, and the folds of its first partition, once.
func TestAutoBesideTuned(t *testing.T) {
	type cell struct {
		set  string
		fold int
	}
	want := map[cell]bool{}
	for _, r := range autoByDefaults(full) {
		if r.Seed == 1 && !slices.Contains(autoValueSets, r.Problem) && !slices.Contains(autoLargeSets, r.Problem) {
			want[cell{r.Problem, r.Repeat}] = true
		}
	}
	got := map[string]map[cell]bool{}
	for _, r := range autoBesideTuned(full) {
		c := cell{r.Problem, r.Repeat}
		if got[r.Method] == nil {
			got[r.Method] = map[cell]bool{}
		}
		if !want[c] || got[r.Method][c] || r.Seed != 1 {
			t.Errorf("%v", r)
		}
		got[r.Method][c] = true
	}
	for _, m := range []string{"RF", "ET", "CCF", "SPORF"} {
		if len(want) != 35*5 || len(got[m]) != len(want) {
			t.Errorf("%s: %d runs, want %d", m, len(got[m]), len(want))
		}
	}
}

// SPORF's splits depend on the units of features, but not if these are standardised and a missing cell is filled;
// powers of two are exact.
func TestAutoTunedRun(t *testing.T) {
	var results [2]Result
	for i, unit := range []float32{1, 1 << 20} {
		d := sim.Trunk{Features: 3}.Sample(80, 1)
		for row := range d.Columns[0] {
			d.Columns[0][row] *= unit
		}
		d.Columns[1][0] = float32(math.NaN())
		r := must.Value(study{
			problems: []problem{parts("trunk", d)}, methods: []method{raced(sporfTrees, familySPORF)}, seed: 1,
			steps: oneHotSteps, measure: tuningTime,
		}.first(t.Context()))
		results[i] = r
	}
	if a, b := results[0], results[1]; a.Score != b.Score || a.Setting != b.Setting || a.Setting == "" || a.Score >= 0.5 {
		t.Errorf("%+v\nand in another unit %+v", a, b)
	}
}

// Features have mean 0 and mean square 1 (or n/(n − 1)) on the training rows.
func TestPrepared(t *testing.T) {
	d := sim.Trunk{Features: 2}.Sample(60, 2)
	train, test, err := prepared(t.Context(), oneHotSteps, d.Subset(every(40, 0)), d.Subset(every(60, 1)))
	if err != nil || train.N() != 20 || test.N() != 30 {
		t.Fatal(train, test, err)
	}
	column := make([]float32, 20)
	for j := range 2 {
		mean, squares := 0.0, 0.0
		for _, x := range train.Column(column, j) {
			mean += float64(x) / 20
			squares += float64(x) * float64(x) / 20
		}
		if math.Abs(mean) > 1e-6 || math.Abs(squares-1) > 0.06 {
			t.Errorf("feature %d: mean %v, mean square %v", j, mean, squares)
		}
	}
}
