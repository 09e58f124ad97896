package forest_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// What averaging all trees gains follows from what single trees say of the rows that they were grown without.
func TestAveragingGainsOfTrees(t *testing.T) {
	classes := sim.Trunk{Features: 4}.Sample(60, 1)
	values := *classes
	values.Labels, values.Classes, values.Values = nil, nil, make([]float64, 60)
	for i := range values.Values {
		values.Values[i] = float64(values.Columns[0][i])
	}
	calibrated := must.Value(rf.Learner{Trees: 9, Seed: 1}.Fit(t.Context(), classes))
	calibrated.Calibration = forest.Calibration{Power: 2, Floor: 0.01}
	for name, c := range map[string]struct {
		f *forest.Forest
		d *datasets.Dataset
	}{
		"classes":    {must.Value(sporf.Learner{Trees: 9, Seed: 1}.Fit(t.Context(), classes)), classes},
		"values":     {must.Value(rf.Learner{Trees: 8, Seed: 2}.Fit(t.Context(), &values)), &values},
		"calibrated": {calibrated, classes},
	} {
		said := func(tree int, row *datasets.Dataset) []float64 {
			one := *c.f
			one.Trees, one.Calibration = one.Trees[tree:tree+1], forest.Calibration{}
			if one.Regression() {
				return must.Value(one.PredictValues(t.Context(), row))
			}
			return must.Value(one.Proba(t.Context(), row))[0]
		}
		var want, trees []float64
		var alone []int // rows of which one half has no tree
		known := 0.0
		for i := range int32(c.d.N()) {
			var sums [2][]float64
			var of [2]float64
			for k := range c.f.Trees {
				if c.f.SampleCounts(nil, c.d, k)[i] > 0 {
					continue
				}
				p := said(k, c.d.Subset([]int32{i}))
				if sums[k%2] == nil {
					sums[k%2] = make([]float64, len(p))
				}
				floats.Add(sums[k%2], p)
				of[k%2]++
			}
			if of[0]+of[1] == 0 {
				continue
			}
			trees = append(trees, of[0]+of[1])
			if want = append(want, 0); of[0]*of[1] == 0 {
				alone = append(alone, len(want)-1)
				continue
			}
			for h := range sums {
				floats.Scale(1/of[h], sums[h])
				c.f.Calibration.Apply(sums[h])
			}
			apart := floats.Distance(sums[0], sums[1], 2)
			want[len(want)-1] = apart * apart / (1/of[0] + 1/of[1])
			known++
		}
		mean := floats.Sum(want) / known
		for _, i := range alone {
			want[i] = mean
		}
		for i, m := range trees {
			want[i] *= 1/m - 1/float64(len(c.f.Trees))
		}
		got, err := c.f.AveragingGains(t.Context(), c.d, must.Value(c.f.OutOfBag(t.Context(), c.d)))
		if err != nil || len(alone) == 0 || floats.Sum(got) == 0 || !floats.EqualApprox(got, want, 1e-6) {
			t.Errorf("%s: averaging gains %v (%v), want %v", name, got, err, want)
		}
	}
}

// Of ten trees a row has about four out of bag, whose Brier score is higher than that of new rows by what averaging
// gains.
func TestAveragingGainsOfNewRows(t *testing.T) {
	var differences []float64
	for seed := range uint64(20) {
		train, fresh := sim.Trunk{Features: 10}.Sample(2000, 2*seed), sim.Trunk{Features: 10}.Sample(5000, 2*seed+1)
		f := must.Value(rf.Learner{Trees: 10, Seed: seed}.Fit(t.Context(), train))
		out := must.Value(f.OutOfBag(t.Context(), train))
		var proba [][]float64
		for _, i := range out.Rows {
			proba = append(proba, out.Proba[i])
		}
		apart := eval.Brier(proba, train.Subset(out.Rows).Labels) -
			eval.Brier(must.Value(f.Proba(t.Context(), fresh)), fresh.Labels)
		gain := eval.Mean(must.Value(f.AveragingGains(t.Context(), train, out)))
		if gain < 0.03 || gain > 0.05 {
			t.Errorf("averaging gains %v", gain)
		}
		differences = append(differences, apart-gain)
	}
	if mean, stderr := eval.MeanStdErr(differences); math.Abs(mean) > 3*stderr || stderr > 0.003 {
		t.Errorf("the Brier scores are further apart than averaging gains by %v ± %v", mean, stderr)
	}
}
