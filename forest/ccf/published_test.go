package ccf_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// Forests of default settings are as good as tuned ones of the authors' program on four sets of the
// SPORF paper, with its folds.
func TestPublishedKappa(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := os.Getenv("OBLIQUA_DATA")
	if dir == "" {
		t.Skip("OBLIQUA_DATA is unset")
	}
	for _, set := range []string{"wine", "statlog_vehicle", "ionosphere", "hill_valley"} {
		d := must.Value(public.Load(t.Context(), "sporf/"+set))
		folds := must.Value(datasets.ReadPartition(t.Context(), filepath.Join(dir, "sporf", "partitions",
			set+"_partitions.txt.gz"),
			d.N()))
		var kappas []float64
		for k, fold := range folds {
			train, test := fold.Split(d)
			model := must.Value(ccf.Learner{Trees: 100, Seed: uint64(k + 1)}.Fit(context.Background(), train))
			kappas = append(kappas, 100*eval.ChanceKappa(must.Value(model.Predict(t.Context(), test)), test.Labels))
		}
		mean, variance := 0.0, 0.0
		for _, v := range kappas {
			mean += v / float64(len(kappas))
		}
		for _, v := range kappas {
			variance += (v - mean) * (v - mean) / float64(len(kappas)-1)
		}
		want, sem := fittest.Published(t, set, "CCF")
		if limit := 2 * math.Sqrt(sem*sem+variance/float64(len(kappas))); math.Abs(mean-want) > limit {
			t.Errorf("%s: κ is %.2f, published is %v; want within %.2f", set, mean, want, limit)
		}
	}
}
