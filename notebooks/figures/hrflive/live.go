// Package hrflive trains forests in the cell and says how their trees differ. Its functions end the cell at an error.
package hrflive

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	"github.com/obliqua-ml/obliqua/sim"
	runs "github.com/obliqua-ml/obliqua/tools/experiments/hrf"
	"github.com/obliqua-ml/obliqua/viz"
)

// Roots trains learners on the data of figure 3. It returns the features at the roots of the first trees, and the mean
// depth of each feature.
func Roots(train *datasets.Dataset, trees int, learners ...forest.Learner) viz.Table {
	t := viz.Table{Columns: []string{"forest", fmt.Sprintf("feature at the root of the first %d trees", trees),
		"mean depth|x1", "mean depth|x2", "mean depth|x3", "mean depth|x4", "mean depth|x5"}}
	for _, l := range learners {
		model := nb.Value(l.Fit(nb.Context(), train))
		roots := ""
		for i := range trees {
			depths := make([]int32, model.P())
			model.Trees[i].FeatureDepths(depths)
			roots += fmt.Sprint(1+slices.Index(depths, 0), " ")
		}
		row := []string{model.Method, roots}
		for _, d := range inspect.MeanFeatureDepths(model, 1) {
			row = append(row, fmt.Sprintf("%.2f", d))
		}
		t.Add(row...)
	}
	return t
}

// VoteShares says where the wrong votes of a forest's trees fall. The forest's error is Trees − Harmless + Useless
// (Brown and Kuncheva, "Good" and "bad" diversity in majority vote ensembles, 2010; they call the last two good and bad
// diversity).
type VoteShares struct {
	Trees    float64 // mean error of a tree: the share of wrong votes
	Forest   float64 // error of the plurality; of classes with equal votes the first wins
	Harmless float64 // wrong votes on rows that the forest gets right, of all votes
	Useless  float64 // right votes on rows that the forest gets wrong, of all votes
}

// ShareVotes counts votes, as [forest.Forest.Votes] returns them, for rows of the given labels.
func ShareVotes(votes [][]int32, labels []int32) VoteShares {
	var s VoteShares
	for i, row := range votes {
		all := int32(0)
		for _, n := range row {
			all += n
		}
		right := float64(row[labels[i]]) / float64(all)
		s.Trees += 1 - right
		if slices.Index(row, slices.Max(row)) == int(labels[i]) {
			s.Harmless += 1 - right
		} else {
			s.Forest++
			s.Useless += right
		}
	}
	for _, v := range []*float64{&s.Trees, &s.Forest, &s.Harmless, &s.Useless} {
		*v /= float64(len(votes))
	}
	return s
}

// samples is over how many samples [FewerFeatures] takes means.
const samples = 20

// FewerFeatures trains forests with and without memory on the data of figure 5, with m features a node: 700 training
// rows, 100 trees, 2000 test rows. It returns errors of forests against those of their trees, and where votes fall.
func FewerFeatures(noise int, ms ...int) (viz.Curves, viz.Table) {
	title := fmt.Sprintf("%d %% noise features", 100*noise/30)
	c := viz.Curves{Title: title, X: "wrong votes, % (error of a tree)", Y: "error of the forest, %"}
	t := viz.Table{Title: title, Columns: []string{"forest", "m", "spread of depths", "votes in %|wrong",
		"votes in %|− harmless", "votes in %|+ useless", "error of the forest, %", "less without memory"}}
	without := map[int][]float64{} // errors by m
	for _, memory := range []bool{false, true} {
		s := viz.Series{Name: map[bool]string{false: "random forest", true: "with memory (HRF)"}[memory]}
		for _, m := range ms {
			shares, spread, errors := votesOf(noise, m, memory)
			s.X, s.Y = append(s.X, shares.Trees), append(s.Y, eval.Mean(errors))
			difference := ""
			if memory {
				var less []float64
				for i, e := range errors {
					less = append(less, e-without[m][i])
				}
				mean, se := eval.MeanStdErr(less)
				difference = fmt.Sprintf("%+.1f ± %.1f", mean, se)
			} else {
				without[m] = errors
			}
			t.Add(s.Name, fmt.Sprint(m), fmt.Sprintf("%.2f", spread), fmt.Sprintf("%.1f", shares.Trees),
				fmt.Sprintf("%.1f", shares.Harmless), fmt.Sprintf("%.1f", shares.Useless), fmt.Sprintf("%.1f", eval.Mean(errors)),
				difference)
		}
		c.Series = append(c.Series, s)
	}
	return c, t
}

// votesOf returns means over samples in percent: where votes fall, the standard deviation of the features' mean depths,
// and the error of each sample's forest.
func votesOf(noise, m int, memory bool) (mean VoteShares, spread float64, errors []float64) {
	problem := sim.NoiseFeatures{Noise: noise}
	for seed := range uint64(samples) {
		var l forest.Learner = rf.Learner{NodeFeatures: m, Trees: 100, Seed: seed}
		if memory {
			l = rf.HRF{NodeFeatures: m, Constant: rf.DrawOn, Trees: 100, Seed: seed}
		}
		model := nb.Value(l.Fit(nb.Context(), problem.Sample(700, seed+1)))
		spread += stat.StdDev(inspect.MeanFeatureDepths(model, 1), nil) / samples
		test := problem.Sample(2000, seed+1001)
		v := ShareVotes(nb.Value(model.Votes(nb.Context(), test)), test.Labels)
		mean.Trees += 100 * v.Trees / samples
		mean.Harmless += 100 * v.Harmless / samples
		mean.Useless += 100 * v.Useless / samples
		errors = append(errors, 100*v.Forest)
	}
	return mean, spread, errors
}

// MeasuredNoise returns the mean share of noise that table 8's rule finds in samples of 1000 rows and 30 features.
// noise is how many of the features are noise.
func MeasuredNoise(noise, samples int) (mean float64) {
	for seed := range uint64(samples) {
		d := sim.NoiseFeatures{Noise: noise}.Sample(1000, seed+1)
		mean += nb.Value(runs.NoiseShare(nb.Context(), d, 1)) / float64(samples)
	}
	return mean
}
