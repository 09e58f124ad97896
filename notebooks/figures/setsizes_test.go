package figures

import (
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Two pairs of equal features, uncorrelated with each other, and a constant one: two components have half of the
// variance each.
func TestComponents(t *testing.T) {
	d := &datasets.Dataset{Features: make([]datasets.Feature, 5), Columns: [][]float32{
		{1, 1, -1, -1}, {5, 5, 1, 1}, {1, -1, 1, -1}, {3, 1, 3, 1}, {7, 7, 7, float32(math.NaN())}},
		Labels: []int32{0, 1, 0, 1}, Classes: []string{"a", "b"}}
	r := trial{Result: Result{More: map[string]float64{}}, train: d, test: d.Subset([]int32{3})}
	if err := components(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	if err := sized(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"pc70": 2, "pc90": 2, "features": 5, "classes": 2, "missing": 2, "test": 1} {
		if r.More[name] != want {
			t.Errorf("%s is %v, want %v", name, r.More[name], want)
		}
	}
	if r.Score != 5 {
		t.Errorf("%v rows, want 5", r.Score)
	}
}
