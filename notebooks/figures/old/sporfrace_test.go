package old

import (
	"os"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// On ten sets, five folds and four tunings. With the data, wine's first fold is tuned in all
// ways: the grid's settings have d in {2, 4, 7, 13, 169}, and the default is d = p = 13, λ = 3/p.
func TestSPORFRace(t *testing.T) {
	if runs := sporfRace(full); len(runs) != 200 {
		t.Errorf("%d runs; want 200", len(runs))
	}
	if os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("no data")
	}
	wine := Execution{Only: func(r Run) bool { return r.Problem == "wine" && r.Repeat == 1 }}
	records := must.Value(wine.Do(t.Context(), Experiment{Runs: sporfRace(fast)}))
	if len(records) != 4 || records[0].Setting != "d=13 λ=3/p" {
		t.Errorf("%d records, the first with %q; want four, the first with the default", len(records), records[0].Setting)
	}
	for _, r := range records {
		// Published: 95 ± 3 percent over the folds.
		if r.Score < 0.8 || r.Score > 1 || !(r.More["processor"] > 0) {
			t.Errorf("%s: κ %v, processor time %v", r.Method, r.Score, r.More["processor"])
		}
	}
}
