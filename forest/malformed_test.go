package forest_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

// Tables that once ended the program, since a goroutine panicked that nobody could
// recover, or that were predicted from memory behind a column's end.
func TestBrokenTablesAreRefused(t *testing.T) {
	good := func() *datasets.Dataset { return threeClasses(400) }
	model, err := rf.Learner{Trees: 3}.Fit(t.Context(), good())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		damage func(d *datasets.Dataset)
	}{
		{"no features", func(d *datasets.Dataset) { d.Features = nil }},
		{"fewer features than columns", func(d *datasets.Dataset) { d.Features = d.Features[:2] }},
		{"more features than columns", func(d *datasets.Dataset) { d.Features = append(d.Features, datasets.Feature{Name: "d"}) }},
		{"row beyond the columns", func(d *datasets.Dataset) { d.Rows = identity(400); d.Rows[17] = 400 }},
		{"negative row", func(d *datasets.Dataset) { d.Rows = identity(400); d.Rows[399] = -1 }},
		{"short column", func(d *datasets.Dataset) { d.Columns[2] = slices.Clone(d.Columns[2][:100]) }},
		{"short column with cells behind its end", func(d *datasets.Dataset) { d.Columns[2] = d.Columns[2][:100] }},
		{"long column", func(d *datasets.Dataset) { d.Columns[1] = append(slices.Clone(d.Columns[1]), 1) }},
		{"short first column", func(d *datasets.Dataset) { d.Columns[0] = d.Columns[0][:399] }},
		{"nil column", func(d *datasets.Dataset) { d.Columns[1] = nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := good()
			test.damage(d)
			if model.Check(d) == nil {
				t.Error("Check returns no error")
			}
			if _, err := (rf.Learner{Trees: 1}).Fit(t.Context(), d); err == nil {
				t.Error("Fit returns no error")
			}
			for name, predict := range map[string]func(){
				"Predict": func() { model.Predict(d) },
				"Proba":   func() { model.Proba(d) },
				"Votes":   func() { model.Votes(d) },
				"Apply":   func() { model.Apply(d) },
			} {
				text, _ := recovered(predict).(string)
				if !strings.HasPrefix(text, "forest: ") && !strings.HasPrefix(text, "datasets: ") {
					t.Errorf("%s panics with %q; want what Check says", name, text)
				}
			}
		})
	}
}

// threeClasses returns n rows of three features, which the class depends on.
func threeClasses(n int) *datasets.Dataset {
	d := &datasets.Dataset{
		Target:   "y",
		Features: []datasets.Feature{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Classes:  []string{"u", "v", "w"},
		Columns:  make([][]float32, 3),
		Labels:   make([]int32, n),
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		for j := range d.Columns {
			d.Columns[j] = append(d.Columns[j], float32(rng.NormFloat64()))
		}
		if d.Columns[0][i] > 0 {
			d.Labels[i] = 1
		}
		if d.Columns[1][i]+d.Columns[2][i] > 1 {
			d.Labels[i] = 2
		}
	}
	return d
}

func identity(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// recovered returns what do panics with, nil if it doesn't.
func recovered(do func()) (value any) {
	defer func() { value = recover() }()
	do()
	return nil
}
