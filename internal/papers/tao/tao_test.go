package tao

import (
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// Ten trees of seven splits have 10·(3·7 + 1) numbers, leaves included, of which 10·2·7 are those of splits.
func TestParametersOfSplits(t *testing.T) {
	r := paper.Record{Result: paper.Result{More: map[string]float64{"parameters": 220, "parameters.10.40": 220}}}
	for method, want := range map[string]float64{"rf": 140, "tao-c": 220} {
		if got := (forest{method, 10, 10, ""}).parameters(r); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v parameters, want %v", method, got, want)
		}
	}
}

// Table 2 prints 9904, 310k, 4.2M and 10M.
func TestRounding(t *testing.T) {
	for v, want := range map[float64]float64{9904: 0.5, 310e3: 500, 4.2e6: 0.05e6, 10e6: 0.5e6} {
		if got := rounding(v); got != want {
			t.Errorf("%v is rounded by %v, want %v", v, got, want)
		}
	}
}

// A single fit has the standard error of its test rows: of 4000 rows √(p·(1 − p)/4000).
func TestSingleFit(t *testing.T) {
	r := &paper.Results{Root: "../../.."}
	n := booster{set: "taoxgb/letter", method: "XGB100"}.error(r)
	if p := n.Value / 100; r.Err != nil || math.Abs(n.StdErr-100*math.Sqrt(p*(1-p)/4000)) > 1e-9 {
		t.Errorf("%v, %v", n, r.Err)
	}
}

// When all runs are there, all items whose data can be had are in full, and can be drawn; before, those are shown whose
// runs there are.
func TestItemsBecomeFull(t *testing.T) {
	reduced := map[string]bool{} // figures whose files aren't whole
	for i := range Paper.Figures {
		if f := &Paper.Figures[i]; f.Whole != nil {
			reduced[f.Name] = !f.Whole(&paper.Results{Root: "../../.."})
		}
	}
	none, all := &paper.Results{Root: "../../.."}, &paper.Results{Root: "../../.."}
	for _, e := range Paper.Experiments {
		if e == &Sizes {
			continue
		}
		var records []paper.Record
		for _, run := range e.Runs() {
			records = append(records, paper.Record{Run: run})
		}
		all.Use(e, records)
		none.Use(e, nil)
	}
	before := Paper.Items(none)
	for i, item := range Paper.Items(all) {
		if item.Place == "" || item.Figure == &Paper.Figures[0] {
			continue
		}
		want := paper.Full
		if reduced[item.Name] {
			want = paper.Reduced
		}
		if item.State != want {
			t.Errorf("%s: %v with all runs, want %v; %v", item.Name, item.State, want, item.Count.Protocol)
		}
		if before[i].Name != item.Name || len(item.Of) > 0 && before[i].State == paper.Full {
			t.Errorf("%s: %s is %v without runs", item.Name, before[i].Name, before[i].State)
		}
		if item.Draw != nil {
			item.Draw(all)
		}
	}
	if all.Err != nil {
		t.Fatal(all.Err)
	}
}
