package old

import (
	"context"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

// testToTrain is the ratio of test to training rows in section 4: 20 % to 80 %.
const testToTrain = 0.25

// hrfSteps treat missing cells and categories as the paper does, but are fitted to training
// rows only.
var hrfSteps = datasets.Steps{datasets.Impute{}, datasets.TargetEncoding{Folds: 1}}

// hrfTable5 is the part of table 5 whose sets are at hand: random forests and HRF, tuned out
// of bag (m in {√p, log2 p, p}; α in {0.2, 0.5, 0.7, 0.9} and β in {1, 3, 6, 10}, and as α = 0
// of the authors' program the leaf rule without weights), and bagging and extremely randomised
// trees with their defaults. 50 random splits in the paper's setting. More has the mean
// errors ("err.name"), and what tests makes of HRF and each other one, by its name.
func hrfTable5(s size) []Run {
	return hrfTable(s, "table 5", append([]family{familyHRF}, families6...),
		map[string][2]int{"rf": {0, 1}, "bagging": {0, 2}, "et": {0, 3}})
}

// hrfTable6 has what table 6 needs beyond table 5: the same splits and forests without
// HRF, and the comparisons of random forests, bagging and extremely randomised trees with one another.
func hrfTable6(s size) []Run {
	return hrfTable(s, "table 6", families6,
		map[string][2]int{"rf-bagging": {0, 1}, "rf-et": {0, 2}, "bagging-et": {1, 2}})
}

// The methods of table 6 and, with HRF, of table 5.
var (
	families6 = []family{
		{"rf", func(t *trial) (grid []forest.Learner) {
			p := float64(t.train.P())
			for _, m := range []float64{math.Sqrt(p), math.Log2(p), p} {
				grid = append(grid, rf.Learner{NodeFeatures: max(1, int(m))})
			}
			return grid
		}},
		{"bagging", func(*trial) []forest.Learner { return []forest.Learner{rf.Bagging{}} }},
		{"et", func(*trial) []forest.Learner { return []forest.Learner{rf.ExtraTrees{}} }},
	}
	familyHRF = family{"hrf", func(t *trial) []forest.Learner {
		grid := []forest.Learner{rf.Learner{Constant: rf.MakeLeaf}}
		for _, l := range (rf.HRF{}).Grid(t.train) {
			if l.(rf.HRF).Memory.Alpha > 0 {
				grid = append(grid, l)
			}
		}
		return grid
	}}
)

// hrfTable measures methods on all sets at hand. The score is the mean error of the first one.
func hrfTable(s size, name string, families []family, pairs map[string][2]int) []Run {
	c := comparison{contenders: tuned(hrfTrees, hrfTrees, families...), rows: held, steps: hrfSteps, pairs: pairs,
		absolute: true}
	return study{
		problems: problems(hrfTable5Sets(), nil), methods: []method{{name: name}}, xs: []int{pick(s, 3, 50)},
		do: func(ctx context.Context, t *trial) error { return c.run(ctx, t, t.X) },
	}.runs()
}

// tests compares the errors a and b of two methods on the same splits. It sets the mean of
// a − b ("diff.name"), the p-values of a being less and greater by the signed-rank test
// ("better-p.name", "worse-p.name"), and the two-sided one of the corrected resampled t-test
// of Nadeau and Bengio (Machine Learning 52, 2003), which allows for the splits' overlap ("t-p.name").
func tests(more map[string]float64, name string, a, b []float64) {
	more["better-p."+name] = eval.Wilcoxon(b, a)
	more["worse-p."+name] = eval.Wilcoxon(a, b)
	resampled := eval.ResampledTTest(a, b, testToTrain)
	more["diff."+name], more["t-p."+name] = resampled.Difference, resampled.P
}

// hrfTable8 is table 8: the share of features whose importance in a CART tree grown on all rows is below 1/p, p being
// the number of encoded columns. The score is the mean over trees of different seeds, which differ where cuts tie; More
// has the least and the largest, and p.
func hrfTable8(s size) []Run {
	return study{
		problems: problems(hrfTable5Sets(), nil), methods: []method{{name: "noise share"}}, xs: []int{pick(s, 3, 20)},
		do: func(ctx context.Context, t *trial) error {
			d, err := hrfData(ctx, t.Problem)
			if err != nil {
				return err
			}
			if d, _, err = prepared(ctx, hrfSteps, d, d); err != nil {
				return err
			}
			shares := make([]float64, t.X)
			for seed := range shares {
				if shares[seed], err = NoiseShare(ctx, d, uint64(seed+1)); err != nil {
					return err
				}
			}
			t.Score, t.More["p"] = eval.Mean(shares), float64(d.P())
			t.More["least"], t.More["most"] = slices.Min(shares), slices.Max(shares)
			return nil
		},
	}.runs()
}

// NoiseShare grows a CART tree on all rows and returns the share of features whose
// importance is below 1/p (section 4.2).
func NoiseShare(ctx context.Context, d *datasets.Dataset, seed uint64) (float64, error) {
	tree, err := rf.CART{Seed: seed}.Fit(ctx, d)
	if err != nil {
		return 0, err
	}
	below := 0
	for _, v := range tree.Importance() {
		if v < 1/float64(d.P()) {
			below++
		}
	}
	return float64(below) / float64(d.P()), nil
}

// A Verdict says how a method did against another one on a data set.
type Verdict struct {
	Gain       float64 // mean accuracy minus the other's
	SignedRank int     // by the signed-rank test at 0.05: 1 better, −1 worse, 0 neither
	Resampled  int     // the same by the corrected resampled t-test
}

// Verdicts returns what the records of tables 5 and 6 say of each ordered pair
// of methods on each set that both have.
func Verdicts(table5, table6 []Mean) map[string]map[[2]string]Verdict {
	verdicts := map[string]map[[2]string]Verdict{}
	for _, m := range table5 {
		i := slices.IndexFunc(table6, func(other Mean) bool { return other.Problem == m.Problem })
		if i < 0 {
			continue
		}
		set := map[[2]string]Verdict{}
		verdicts[m.Problem] = set
		add := func(method, other string, v Verdict) {
			set[[2]string{method, other}] = v
			set[[2]string{other, method}] = Verdict{-v.Gain, -v.SignedRank, -v.Resampled}
		}
		names := []string{"rf", "bagging", "et"}
		for k, name := range names {
			add("hrf", name, verdict(m.More, name))
			for _, other := range names[k+1:] {
				add(name, other, verdict(table6[i].More, name+"-"+other))
			}
		}
	}
	return verdicts
}

// verdict reads what tests wrote.
func verdict(more map[string]float64, name string) Verdict {
	const level = 0.05
	v := Verdict{Gain: 0 - more["diff."+name]}
	switch {
	case more["better-p."+name] < level:
		v.SignedRank = 1
	case more["worse-p."+name] < level:
		v.SignedRank = -1
	}
	if more["t-p."+name] < level {
		v.Resampled = int(math.Copysign(1, v.Gain))
	}
	return v
}

// Wins counts as table 6 does: the element [i][j] has the number of sets on which method j
// is more accurate than method i, where equal accuracies count ½, and on which it is
// significantly so.
func Wins(verdicts map[string]map[[2]string]Verdict, methods []string, significant func(Verdict) bool) [][][2]float64 {
	wins := make([][][2]float64, len(methods))
	for i, loser := range methods {
		wins[i] = make([][2]float64, len(methods))
		for j, winner := range methods {
			for _, set := range verdicts {
				v := set[[2]string{winner, loser}]
				switch {
				case i == j:
				case math.Abs(v.Gain) < 1e-9: // differs from 0 by rounding
					wins[i][j][0] += 0.5
				case v.Gain > 0:
					wins[i][j][0]++
				}
				if significant(v) {
					wins[i][j][1]++
				}
			}
		}
	}
	return wins
}
