package old

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/sim"
)

// The simulations of the SPORF paper.
var (
	orthant      = sim.Orthant{Features: 6}
	sparseParity = sim.SparseParity{Features: 20, Informative: 3}
	trunk        = sim.Trunk{Features: 10}
)

// sporf1 is figure 1B: error on the consistency problem against the number of training rows. The paper's setting has
// 500 trees, ten repeats and tuning as in section 3.2, the fast one 100 trees and three repeats.
func sporf1(s size) []Run {
	trees := pick(s, 100, 500)
	families := pick(s, []family{familyRF, cappedRF, fastSPORF},
		[]family{familyRF, cappedRF, familySPORF, cappedSPORF, familyRRRF, familyCCF})
	return study{
		problems: []problem{drawn("consistency", sim.Consistency{}, 0)},
		methods:  tuned(trees, trees, families...),
		xs:       []int{100, 1000, 5000, 10000}, repeats: pick(s, 3, 10), order: "pxmr",
	}.runs()
}

// sporf2 is figures 2C and 2F: error on sparse parity and orthant against the number of training rows. The paper's
// setting has 500 trees, ten repeats and tuning as in section 3.2; from 5000 rows of sparse parity on, settings are
// compared with 50 trees, and the best is trained again with 500 (the kept results of RF and SPORF with 5000 rows are
// older: they were compared with 500). The fast one has 50 trees, two repeats, a small grid and at most 2000 rows.
// RR-RF and extremely randomised trees aren't in the paper's figure.
func sporf2(s size) []Run {
	families := pick(s, []family{familyRF, fastSPORF, fastFRC},
		[]family{familyRF, familyET, familyCCF, familyRRRF, familySPORF, familyFRC})
	curves := func(name string, p sampler, compare int, rows ...int) []Run {
		return study{
			problems: []problem{drawn(name, p, 0)}, methods: tuned(compare, pick(s, 50, 500), families...),
			xs: rows, repeats: pick(s, 2, 10), order: "pxmr",
		}.runs()
	}
	if s == fast {
		return slices.Concat(curves("orthant", orthant, 50, 400, 2000), curves("sparse parity", sparseParity, 50, 1000, 2000))
	}
	return slices.Concat(curves("orthant", orthant, 500, 400, 2000, 4000),
		curves("sparse parity", sparseParity, 500, 1000), curves("sparse parity", sparseParity, 50, 5000, 10000))
}

// sporfTrunk is the error on trunk with ten features and 1000 rows, the setting of figure 4; that figure shows
// projections, not errors.
func sporfTrunk(s size) []Run {
	trees := pick(s, 100, 500)
	return study{
		problems: []problem{drawn("trunk", trunk, 0)},
		methods:  tuned(trees, trees, familyRF, pick(s, fastSPORF, familySPORF)),
		xs:       []int{1000}, repeats: pick(s, 3, 10),
	}.runs()
}

// sporf3 is figure 3: error on sparse parity with 5000 rows and orthant with 400 against the density of projections,
// for SPORF and F-RC. X is λp, which is L of F-RC, from 1 (the paper begins at 2) to 5; d is tuned for each. The
// paper's setting has ten repeats and 500 trees on orthant, and 100 on sparse parity; the fast one has 50 trees, one
// repeat, and d = p and p² on orthant alone.
func sporf3(s size) []Run {
	ds := pick(s, func(p int) []int { return []int{p, p * p} }, candidates)
	of := func(p problem, trees int) []Run {
		return study{problems: []problem{p}, xs: ints(1, 5), repeats: pick(s, 1, 10), order: "pxmr",
			methods: tuned(trees, trees, family{"SPORF", func(t *trial) (grid []forest.Learner) {
				p := t.train.P()
				for _, d := range ds(p) {
					grid = append(grid, sporf.Learner{Candidates: d, Density: float64(t.X) / float64(p)})
				}
				return grid
			}}, family{"F-RC", func(t *trial) (grid []forest.Learner) {
				for _, d := range ds(t.train.P()) {
					grid = append(grid, sporf.FRC{Candidates: d, Combined: t.X})
				}
				return grid
			}})}.runs()
	}
	if s == fast {
		return of(drawn("orthant", orthant, 400), 50)
	}
	return append(of(drawn("orthant", orthant, 400), 500), of(drawn("sparse parity", sparseParity, 5000), 100)...)
}

// candidates returns the numbers of candidate directions in the grid of section 3.2.
func candidates(p int) (ds []int) {
	for _, l := range (sporf.Learner{Density: 1}).Grid(ofFeatures(p)) {
		ds = append(ds, l.(sporf.Learner).Candidates)
	}
	return slices.Compact(ds)
}

// TrunkBayes returns the error of the best classifier that knows only a projection of [sim.Trunk]. Along a the classes
// are Gaussians with means ±a·μ and standard deviation ‖a‖, so it is Φ(−|a·μ|/‖a‖).
func TrunkBayes(a forest.Projection) float64 {
	var dot, squares float64
	for i, j := range a.Index {
		w := float64(a.Weights[i])
		dot += w / math.Sqrt(float64(j+1))
		squares += w * w
	}
	return math.Erfc(math.Abs(dot)/math.Sqrt(2*squares)) / 2
}

// sporf4 is figures 4C and 4D: of the ten projections with the highest Gini importance on trunk with ten features and
// 1000 rows, the importance and the Bayes error ("importance.1" and "bayes.1", …). X is 1000; the score is the mean
// Bayes error of the ten. SPORF has d = p and λ = 1/2, the random forest d = ⌊√p⌋. Importances are relative to the
// largest: the paper calls them normalised, and only so can SPORF's, which are shared among many more projections, lie
// above the random forest's. The paper has one forest of each method; the paper's setting here has ten, the fast one
// one.
func sporf4(s size) []Run {
	return study{
		problems: []problem{drawn("trunk", trunk, 0)},
		methods: []method{
			withSetting("RF", func(*trial) forest.Learner { return rf.Learner{Trees: 500, NodeFeatures: 3} }),
			withSetting("SPORF", func(*trial) forest.Learner {
				return sporf.Learner{Trees: 500, Candidates: 10, Density: 0.5}
			}),
		},
		xs: []int{1000}, repeats: pick(s, 1, 10),
		measure: func(_ context.Context, t *trial) error {
			all := t.model.Projections()
			t.More["largest"] = all[0].Importance
			for i, p := range all[:min(10, len(all))] {
				bayes := TrunkBayes(p)
				t.Score += bayes / 10
				t.More[fmt.Sprint("bayes.", i+1)] = bayes
				t.More[fmt.Sprint("importance.", i+1)] = p.Importance / all[0].Importance
			}
			return nil
		},
	}.runs()
}
