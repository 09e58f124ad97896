package old

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
)

// The powers of p that are the rows of figure 6, and their names.
var (
	powers     = []float64{0.25, 0.5, 0.75, 1, 2}
	powerNames = []string{"p^¼", "p^½", "p^¾", "p", "p²"}
)

// rankSets are the sets of figure 6: of the SPORF authors' sets those of 5 to 40 features and at most 1000 rows, but
// for some that are coded from the same data as another.
var rankSets = strings.Fields(`
	seeds vertebral_column_task_1 glass ecoli zoo monks_1 monks_2 planning hayes_roth wine spect heart_switzerland
	hepatitis breast_cancer pima image_segmentation led_display ilpd_indian-liver breast_cancer-wisconsin heart_va
	conn_bench-vowel-deterding parkinsons statlog_heart heart_hungarian heart_cleveland congressional_voting mammographic
	breast_cancer-wisconsin-prog statlog_vehicle horse_colic ionosphere dermatology breast_cancer-wisconsin-diag`)

// sporf6 is the runs behind figure 6: the error of SPORF with every d and λ of the grid on the authors' folds, as
// "p^¼:1", …, "p²:5". The score is the lowest of the 25, and a record's repeat is its fold. [SPORFRanks] draws
// the figure. The paper has 105 sets and 500 trees; the paper's setting here has 33 small sets and 200
// trees, the fast one four sets, one fold and 50 trees.
func sporf6(s size) []Run { return everySetting(s, rankSets, 200) }

// sporf6Whole is figure 6 with the paper's trees, on all of its sets that are at hand.
func sporf6Whole(s size) []Run { return everySetting(s, sporfNames(), sporfTrees) }

func everySetting(s size, sets []string, trees int) []Run {
	return study{
		problems: problems(pick(s, rankSets[:4], sets), sporfFold), methods: []method{{name: "SPORF"}},
		repeats: pick(s, 1, 5),
		do:      func(ctx context.Context, t *trial) error { return allSettings(ctx, t, pick(s, 50, trees)) },
	}.runs()
}

// allSettings measures the error on test of every d and λ of the grid.
func allSettings(ctx context.Context, t *trial, trees int) error {
	p, lowest := float64(t.train.P()), 1.0
	known := map[sporf.Learner]float64{} // powers of a small p may round to the same d
	for i, power := range powers {
		d := int(math.Round(math.Pow(p, power)))
		for k := 1; k <= 5; k++ {
			l := sporf.Learner{Trees: trees, Candidates: d, Density: float64(k) / p, Seed: t.Seed}
			if _, ok := known[l]; !ok {
				if err := t.fit(ctx, l); err != nil {
					return err
				}
				if err := errorRate(ctx, t); err != nil {
					return err
				}
				known[l] = t.Score
			}
			t.More[fmt.Sprintf("%s:%d", powerNames[i], k)] = known[l]
			lowest = min(lowest, known[l])
		}
	}
	t.Score = lowest
	return nil
}

// sporfRanks returns the rank of each setting on each set, by d as p^¼, p^½, p^¾, p and p², and λp from 1 to 5.
// Settings are ranked by error on each fold, 1 for the lowest, ties sharing the mean of their ranks; the ranks are
// averaged over a set's folds. Sets are in alphabetical order.
func sporfRanks(records []Record) (ranks [][]float64) {
	_, folds := grouped(records, func(r Record) string { return r.Problem })
	for _, set := range slices.Sorted(maps.Keys(folds)) {
		mean := make([]float64, 25)
		for _, r := range folds[set] {
			var errors []float64
			for _, d := range powerNames {
				for k := 1; k <= 5; k++ {
					errors = append(errors, r.More[fmt.Sprintf("%s:%d", d, k)])
				}
			}
			floats.AddScaled(mean, 1/float64(len(folds[set])), eval.Ranks(errors))
		}
		ranks = append(ranks, mean)
	}
	return ranks
}

// noiseSets are the sets of figure 7.
var noiseSets = strings.Fields(`seeds wine glass ecoli ionosphere vertebral_column_task_1 zoo statlog_heart parkinsons
	image_segmentation hepatitis breast_cancer-wisconsin-diag`)

// The families of figure 7. SPORF and F-RC are tuned without d = p², which is a million with 1000 columns of noise.
var noiseFamilies = []family{
	familyRF, withoutSquare(familySPORF), withoutSquare(familyFRC), familyCCF,
	{"RR-RF", func(t *trial) []forest.Learner {
		if p := t.train.P(); p > 1000 {
			return []forest.Learner{rotation.Random{Trees: 25, NodeFeatures: int(math.Sqrt(float64(p)))}}
		}
		return familyRRRF.grid(t)
	}},
}

func withoutSquare(f family) family {
	return family{f.name, func(t *trial) []forest.Learner {
		return slices.DeleteFunc(f.grid(t), func(l forest.Learner) bool {
			return number(l, "Candidates") > int64(t.train.P())
		})
	}}
}

// sporf7 is figure 7: κ on the authors' folds with X = 0, 10, 100 and 1000 columns of standard Gaussian noise behind
// the features. κ is that of [eval.ChanceKappa] on the fold; a record's repeat is its fold. The paper has 105 sets, 500
// trees and the grids of section 3.2. The full size here has twelve small sets and 100 trees, compares settings with
// 50, and leaves out d = p²; with 1000 columns RR-RF, whose rotations take p³ steps, has 25 trees and d = ⌊√p⌋ untuned.
// The fast size has one set, one fold and 20 trees.
func sporf7(s size) []Run {
	return withNoise(s, noiseSets, tuned(pick(s, 20, 50), pick(s, 20, 100), noiseFamilies...))
}

// sporf7Whole is figure 7 with the paper's trees and grids, on all of its sets that are at hand.
func sporf7Whole(s size) []Run {
	trees := pick(s, 20, sporfTrees)
	return withNoise(s, sporfNames(), tuned(trees, trees, familyRF, familySPORF, familyFRC, familyCCF, familyRRRF))
}

func withNoise(s size, sets []string, methods []method) []Run {
	return study{
		problems: problems(pick(s, noiseSets[:1], sets), func(ctx context.Context, t *trial) error {
			if err := sporfFold(ctx, t); err != nil {
				return err
			}
			// The two share columns, so both get the same noise in the same rows.
			t.train, t.test = noisy(t.train, t.X, 1), noisy(t.test, t.X, 1)
			return nil
		}),
		methods: methods,
		xs:      pick(s, []int{0, 100}, []int{0, 10, 100, 1000}), repeats: pick(s, 1, 5), order: "xpmr",
		measure: chanceKappa,
	}.runs()
}

var chanceKappa = byLabels(eval.ChanceKappa)

// noisy returns d with columns of standard Gaussian noise behind its own.
func noisy(d *datasets.Dataset, columns int, seed uint64) *datasets.Dataset {
	wide := *d
	wide.Features, wide.Columns = slices.Clone(d.Features), slices.Clone(d.Columns)
	rng := forest.NewRand(seed, uint64(columns))
	for k := range columns {
		column := make([]float32, len(d.Columns[0]))
		for i := range column {
			column[i] = float32(rng.Normal())
		}
		wide.Features = append(wide.Features, datasets.Feature{Name: fmt.Sprint("noise", k+1)})
		wide.Columns = append(wide.Columns, column)
	}
	return &wide
}
