package rotation_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// Table 1 of the SPORF paper has κ of RR-RF on five folds, with the number of rotated features chosen by out-of-bag
// error. 100 trees instead of its 500 take a fifth of the time. Ours, in the order below: 96.2 ± 0.9 (published 96 ±
// 2), 87.9 ± 3.3 (88 ± 4), 80.6 ± 1.8 (82 ± 1), 88.1 ± 1.8 (88 ± 1), 70.3 ± 1.2 (69 ± 2). With 500 trees they are 95.3
// ± 2.6, 87.9 ± 4.3, 81.5 ± 1.2, 88.1 ± 1.8 and 69.2 ± 2.1.
func TestRandomHasThePublishedKappa(t *testing.T) {
	dir := os.Getenv("OBLIQUA_DATA")
	if dir == "" || testing.Short() {
		t.Skip("needs OBLIQUA_DATA")
	}
	for _, name := range []string{"wine", "seeds", "balance_scale", "ionosphere", "statlog_vehicle"} {
		d := must.Value(public.Load(t.Context(), "sporf/"+name))
		folds := must.Value(datasets.ReadPartition(t.Context(),
			filepath.Join(dir, "sporf", "partitions", name+"_partitions.txt.gz"), d.N()))
		var sum, squares float64
		for _, fold := range folds {
			train, test := fold.Split(d)
			tuning := must.Value(eval.Tune(t.Context(), (rotation.Random{Trees: 100, Seed: 1}).Grid(train), train, nil))
			k := 100 * eval.ChanceKappa(must.Value(tuning.Model.Predict(t.Context(), test)), test.Labels)
			sum, squares = sum+k, squares+k*k
		}
		mean := sum / 5
		sem := math.Sqrt((squares/5 - mean*mean) / 4)
		want, wantSem := fittest.Published(t, name, "RR-RF")
		if math.Abs(mean-want) > 2*math.Hypot(sem, wantSem)+0.5 {
			t.Errorf("%s: κ %.1f ± %.1f; the paper has %v ± %v", name, mean, sem, want, wantSem)
		}
	}
}

// RotationForestClassifier of aeon 1.6.0 (scikit-learn 1.9.1, NumPy 2.3.5), with 100 trees
// and a seed for each split, has the mean errors below on eight halves of each set. Its
// remove_proportion is 0.75, which is the share of rows that it keeps, without replacement.
// Its trees split by entropy. Ours have 0.144, 0.212 and 0.062. Means of eight errors have
// standard errors of 0.005 to 0.006.
func TestErrorsAreThoseOfAeon(t *testing.T) {
	if os.Getenv("OBLIQUA_DATA") == "" || testing.Short() {
		t.Skip("needs OBLIQUA_DATA")
	}
	for _, c := range []struct {
		set  string
		aeon float64
	}{{"conn-bench-sonar-mines-rocks", 0.1466}, {"statlog-vehicle", 0.2101}, {"ionosphere", 0.0562}} {
		d := must.Value(public.Load(t.Context(), c.set))
		mean := 0.0
		for split := range uint64(8) {
			var halves [2][]int32
			for i := range uint64(d.N()) {
				side := (i*2654435761 + split/2*40503) % (1 << 32) >> 15 & 1
				halves[side^split&1] = append(halves[side^split&1], int32(i))
			}
			l := rotation.Learner{Growth: forest.Growth{Criterion: forest.Entropy}, Seed: split}
			model := must.Value(l.Fit(t.Context(), d.Subset(halves[1])))
			test := d.Subset(halves[0])
			mean += eval.Error(must.Value(model.Predict(t.Context(), test)), test.Labels) / 8
		}
		t.Logf("%s: error %.4f, of aeon %.4f", c.set, mean, c.aeon)
		if math.Abs(mean-c.aeon) > 0.02 {
			t.Errorf("%s: error %.4f, of aeon %.4f", c.set, mean, c.aeon)
		}
	}
}
