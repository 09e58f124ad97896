package auto

import (
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// A model with steps predicts rows of a table with missing cells and categories one by one as it predicts the table.
func TestPredictorOfRawRows(t *testing.T) {
	for _, values := range []bool{false, true} {
		d := raw(200, values)
		model, _ := fitted(t, Learner{Trees: 5, Seed: 1}, d)
		p := model.Predictor()
		for i := range d.N() {
			x := d.Row(nil, i)
			one, proba := d.Subset([]int32{int32(i)}), make([]float64, len(model.Classes))
			if values {
				if got, err := p.Value(x); err != nil || got != must.Value(model.PredictValues(t.Context(), one))[0] {
					t.Fatalf("row %d: %v, error %v", i, got, err)
				}
			} else if got, err := p.Proba(proba, x); err != nil ||
				!slices.Equal(got, must.Value(model.Proba(t.Context(), one))[0]) {
				t.Fatalf("row %d: %v, error %v", i, got, err)
			}
		}
	}
}

// BenchmarkPredictor predicts one row at a time from cells as they are in the file, with and without the steps.
func BenchmarkPredictor(b *testing.B) {
	d := raw(300, false)
	model := must.Value(Learner{Trees: 40, Seed: 1}.Fit(b.Context(), d))
	prepared := must.Value(model.Steps.Apply(b.Context(), d))
	bare := *model
	bare.Steps, bare.Columns = nil, nil
	for _, c := range []struct {
		name  string
		model *forest.Forest
		rows  *datasets.Dataset
	}{{"raw", model, d}, {"prepared", &bare, prepared}} {
		b.Run(c.name, func(b *testing.B) {
			p, rows := c.model.Predictor(), make([][]float32, c.rows.N())
			for i := range rows {
				rows[i] = c.rows.Row(nil, i)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := p.Label(rows[i%len(rows)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
