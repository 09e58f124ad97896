package nb_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
)

// A table beside a forest and its training table says whether it has drifted, and by what share of the rows its columns
// have moved: all numbers, half of the categories, and a quarter of the cells that are missing now.
func TestDriftOnCards(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once that the tests of inspect.Drift don't run")
	}
	const rows = 200
	train := &datasets.Dataset{Classes: []string{"no", "yes"}, Columns: make([][]float32, 3),
		Features: []datasets.Feature{{Name: "number"}, {Name: "kind", Categories: []string{"a", "b"}}, {Name: "gaps"}}}
	for i := range rows {
		train.Labels = append(train.Labels, int32(i%2))
		for j, v := range []float32{float32(i%2) + float32(i)/1000, float32(i % 2), float32(i)} {
			train.Columns[j] = append(train.Columns[j], v)
		}
	}
	moved := *train
	moved.Columns = [][]float32{slices.Clone(train.Columns[0]), slices.Repeat([]float32{0}, rows),
		slices.Clone(train.Columns[2])}
	for i := range rows {
		moved.Columns[0][i] += 100
		if i%4 == 0 {
			moved.Columns[2][i] = float32(math.NaN())
		}
	}
	model := must.Value(rf.Learner{Trees: 10, Seed: 1}.Fit(t.Context(), train))
	report := func(things ...any) string {
		path := filepath.Join(t.TempDir(), "report.html")
		nb.Save(path, things...)
		return string(must.Value(os.ReadFile(path)))
	}
	same := *train
	const like, drifted = "These rows look like the first table", "These rows have drifted from the first table"
	if page := report(train, model, &same); !strings.Contains(page, like) || strings.Contains(page, drifted) {
		t.Error("the same rows seem to have drifted")
	}
	page := report(train, model, &moved)
	const want = "What moved most: number (100 % of the rows), kind (50 % of the rows), gaps (25 % of the rows)."
	if !strings.Contains(page, drifted) || !strings.Contains(page, want) {
		t.Errorf("no %q in the report", want)
	}
	// The same rows in a table with another scale and another order of categories, but for the gaps.
	other := *train
	other.Features = slices.Clone(train.Features)
	other.Features[0].Scale, other.Features[1].Categories = datasets.Scale{Step: 2}, []string{"b", "a"}
	other.Columns = [][]float32{slices.Clone(train.Columns[0]), slices.Clone(train.Columns[1]),
		slices.Repeat([]float32{7}, rows)}
	for i, v := range other.Columns[1] {
		other.Columns[0][i], other.Columns[1][i] = other.Columns[0][i]/2, 1-v
	}
	// Of the numbers 0 to 199, 192 would have to become 7: those above it.
	const gaps = "What moved most: gaps (96 % of the rows)."
	if page := report(train, model, &other); !strings.Contains(page, gaps) {
		t.Errorf("no %q in the report", gaps)
	}
	if page := report(train, &moved); strings.Contains(page, "These rows") {
		t.Error("drift without a forest")
	}
}
