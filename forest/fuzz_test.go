package forest

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/bounded"
)

// Any model file can be read and used in memory and time in proportion to its size.
func FuzzModelFile(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 12 {
		f.Add(encode(drawForest(rng, 1+rng.IntN(3), []int{0, 2, 3}[i%3], 1+i%2)))
		f.Add(encode(withMissing(rng, 1+rng.IntN(3), []int{0, 2, 3}[i%3], 1+i%2)))
		f.Add(encode(withSets(rng, 1+rng.IntN(3), []int{0, 2, 3}[i%3], 1+i%2)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 32 {
			return
		}
		b = seal(bytes.Clone(b))
		var model Forest
		bounded.Read(t, len(b), func() {
			if model.UnmarshalBinary(b) != nil {
				return
			}
			columns := model.Schema().Features
			rows := 3
			if model.Rows > 0 && model.Rows <= 1000 {
				rows = model.Rows
			}
			d := &datasets.Dataset{Features: columns, Columns: make([][]float32, len(columns))}
			cells := make([]float32, rows)
			if model.Fills != nil {
				cells[0] = float32(math.NaN())
			}
			for j := range d.Columns {
				d.Columns[j] = cells
				if columns[j].Categories != nil && len(columns[j].Categories) == 0 {
					return // no cell is valid
				}
			}
			if model.Regression() {
				_, _ = model.PredictValues(t.Context(), d)
				d.Values = make([]float64, rows)
			} else {
				_, _ = model.Predict(t.Context(), d)
				_, _ = model.Proba(t.Context(), d)
				d.Classes, d.Labels = model.Classes, make([]int32, rows)
			}
			_, _ = model.OutOfBag(t.Context(), d)
			row := d.Row(nil, 0)
			_, _ = model.Predictor().Label(row)
		})
	})
}
