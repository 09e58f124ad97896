package forest

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/bounded"
)

// Any bytes are refused or are a model that can be used and written again. A file with a right length and checksum can
// be read and used in memory and time in proportion to its size.
func FuzzModelFile(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 12 {
		f.Add(encode(drawForest(rng, 1+rng.IntN(3), []int{0, 2, 3}[i%3], 1+i%2)))
		f.Add(encode(withMissing(rng, 1+rng.IntN(3), []int{0, 2, 3}[i%3], 1+i%2)))
		f.Add(encode(withSets(rng, 1+rng.IntN(3), []int{0, 2, 3}[i%3], 1+i%2)))
	}
	squares := Tree{Nodes: []Node{{Split: 1 << 30, Next: 2}, ValueLeaf(1, 1), ValueLeaf(2, 1)}}
	squares.Splits = pool(Function{
		Kind: LowRank, Features: []int32{0, 2}, Weights: []float32{1, 0}, Bias: 1,
		Centre: []float32{1, -1}, Factors: []float32{1, 2, 3, 4, 5, 6}, Positive: 2,
	})
	f.Add(encode(&Forest{Features: []string{"a", "b", "c"}, Trees: []Tree{squares}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		checkDecoded(t, b)
		if len(b) < 32 {
			return
		}
		b = seal(bytes.Clone(b))
		checkDecoded(t, b)
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
