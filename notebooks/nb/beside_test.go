package nb

import (
	"math"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// A table beside a forest and its training table says whether it has drifted, and where.
func TestDriftOnCards(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once that the tests of inspect.Drift don't run")
	}
	train, same, moved := sim.Trunk{Features: 4}.Sample(300, 1), sim.Trunk{Features: 4}.Sample(200, 2),
		sim.Trunk{Features: 4}.Sample(200, 3)
	for i := range moved.Columns[2] {
		moved.Columns[2][i] += 2
	}
	model := must.Value(rf.Learner{Trees: 10, Seed: 1}.Fit(t.Context(), train))
	for want, table := range map[string]any{"These rows look like the first table's": same,
		"These rows have drifted from the first table's": moved} {
		card := CardOf(besideTables([]any{train, model, table})[2]).String()
		if !strings.Contains(card, want) || strings.Contains(want, "drifted") &&
			!strings.Contains(card, "What moved most: "+train.Features[2].Name+" (") {
			t.Errorf("no %q in\n%s", want, card)
		}
	}
	if card := CardOf(besideTables([]any{same, train})[1]).String(); strings.Contains(card, "These rows") {
		t.Errorf("drift without a forest:\n%s", card)
	}
}

func TestDistance(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		a, b       []float32
		categories bool
		want       float64
	}{
		{[]float32{1, 2, 3, 4}, []float32{3, 4, 5, 6}, false, 0.5},
		{[]float32{1, 2, nan, nan}, []float32{1, 2, 1, 2}, false, 0.5},
		{[]float32{0, 2}, []float32{0, 1, 2, nan}, true, 0.5},
		{[]float32{0, 0, 2, 2}, []float32{1, 1, 1, 1}, true, 1},
	} {
		if got := distance(c.a, c.b, c.categories); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v and %v differ by %v; want %v", c.a, c.b, got, c.want)
		}
	}
}
