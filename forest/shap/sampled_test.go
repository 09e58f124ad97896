package shap

import (
	"context"
	"math"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// sampled returns Shapley values of a row's probabilities, by output and feature, in which unknown features have the
// cells of rows drawn from the data: the mean over random orders of the features, each of them also backwards.
func sampled(f *forest.Forest, d *datasets.Dataset, x []float32, draws int, seed uint64) [][]float64 {
	p, rng := f.P(), forest.NewRand(seed)
	mixed := &datasets.Dataset{Name: "mixed", Features: d.Features, Columns: make([][]float32, p)}
	add := func(row []float32) {
		for j, v := range row {
			mixed.Columns[j] = append(mixed.Columns[j], v)
		}
	}
	var orders [][]int32
	for range draws {
		row := d.Row(nil, rng.Intn(d.N()))
		order := make([]int32, p)
		for i := range order {
			k := rng.Intn(i + 1)
			order[i], order[k] = order[k], int32(i)
		}
		for _, forwards := range []bool{true, false} {
			now, taken := append([]float32(nil), row...), make([]int32, p)
			add(now)
			for i := range order {
				taken[i] = order[i]
				if !forwards {
					taken[i] = order[p-1-i]
				}
				now[taken[i]] = x[taken[i]]
				add(now)
			}
			orders = append(orders, taken)
		}
	}
	proba := must.Value(f.Proba(context.Background(), mixed))
	values := make([][]float64, len(f.Classes))
	for c := range values {
		values[c] = make([]float64, p)
		for k, order := range orders {
			for i, j := range order {
				values[c][j] += (proba[k*(p+1)+i+1][c] - proba[k*(p+1)+i][c]) / float64(len(orders))
			}
		}
	}
	return values
}

// TestNearSampledValues: values of slanted splits are about as near to sampled ones, which split features by another
// definition, as the exact ones of single features are. The distance is the root of the sum of squared differences over
// that of the squared values. If splits were shared by the magnitudes of their weights instead, the values of SPORF and
// of ridge nodes would be at 0.53 and 0.55 on waveform, and at 0.46 and 0.46 on twonorm.
func TestNearSampledValues(t *testing.T) {
	for _, test := range []struct {
		name    string
		data    *datasets.Dataset
		learner forest.Learner
		most    float64
	}{
		{"waveform", sim.Waveform{}.Sample(200, 1), rf.Learner{Trees: 20}, 0.28},
		{"waveform", sim.Waveform{}.Sample(200, 1), sporf.Learner{Trees: 20}, 0.42},
		{"waveform", sim.Waveform{}.Sample(200, 1), oblique.Learner{Trees: 20}, 0.41},
		{"twonorm", sim.Twonorm{}.Sample(200, 1), rf.Learner{Trees: 20}, 0.26},
		{"twonorm", sim.Twonorm{}.Sample(200, 1), sporf.Learner{Trees: 20}, 0.29},
		{"twonorm", sim.Twonorm{}.Sample(200, 1), oblique.Learner{Trees: 20}, 0.26},
	} {
		f := must.Value(test.learner.Fit(t.Context(), test.data))
		const rows = 10
		some := make([]int32, rows)
		for i := range some {
			some[i] = int32(i * test.data.N() / rows)
		}
		x := explain(t, f, test.data, test.data.Subset(some))
		difference, size := 0.0, 0.0
		for i := range some {
			for o, values := range sampled(f, test.data, x.Data.Row(nil, i), 100, uint64(i)) {
				for j, v := range values {
					difference += (v - x.Values[o][i][j]) * (v - x.Values[o][i][j])
					size += v * v
				}
			}
		}
		if got := math.Sqrt(difference / size); got > test.most {
			t.Errorf("%s, %s: at a distance of %.3f; want at most %v", test.name, f.Method, got, test.most)
		}
	}
}
