package figures

import (
	"context"
	"fmt"
	"math/bits"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// A problem is a simulated problem.
type problem interface {
	Sample(n int, seed uint64) *datasets.Dataset
}

// A method has a grid: the settings to tune over for p features and n rows, all with the
// given number of trees and seed.
// ofFeatures returns a table without rows, for the grids of so many features.
func ofFeatures(p int) *datasets.Dataset { return &datasets.Dataset{Columns: make([][]float32, p)} }

type method struct {
	name string
	grid func(p, n, trees int, seed uint64) []forest.Learner
}

// The grids of section 3.2 of the SPORF paper: d in {p^¼, p^½, p^¾, p}, for oblique
// forests also p²; λ in {1/p, …, 5/p}; fully grown trees.
var (
	tunedRF = method{"RF", func(p, _, trees int, seed uint64) []forest.Learner {
		return rf.Learner{Trees: trees, Seed: seed}.Grid(ofFeatures(p))
	}}
	tunedSPORF = method{"SPORF", func(p, _, trees int, seed uint64) []forest.Learner {
		return sporf.Learner{Trees: trees, Seed: seed}.Grid(ofFeatures(p))
	}}
	tunedFRC = method{"F-RC", func(p, _, trees int, seed uint64) []forest.Learner {
		return sporf.FRC{Trees: trees, Seed: seed}.Grid(ofFeatures(p))
	}}
	tunedCCF = method{"CCF", func(p, _, trees int, seed uint64) []forest.Learner {
		return ccf.Learner{Trees: trees, Seed: seed}.Grid(ofFeatures(p))
	}}
	tunedRRRF = method{"RR-RF", func(p, _, trees int, seed uint64) []forest.Learner {
		return rotation.Random{Trees: trees, Seed: seed}.Grid(ofFeatures(p))
	}}
)

// The paper doesn't have extremely randomised trees; they have the random forest's grid.
var tunedET = method{"ET", func(p, _, trees int, seed uint64) []forest.Learner {
	var grid []forest.Learner
	for _, l := range (rf.Learner{}).Grid(ofFeatures(p)) {
		grid = append(grid, rf.ExtraTrees{Trees: trees, NodeFeatures: l.(rf.Learner).NodeFeatures, Seed: seed})
	}
	return grid
}}

// The fast setting tries two numbers of directions and two densities.
var (
	fastSPORF = method{"SPORF", func(p, _, trees int, seed uint64) []forest.Learner {
		var grid []forest.Learner
		for _, k := range []int{1, 3} {
			for _, d := range []int{p, p * p} {
				grid = append(grid, sporf.Learner{Trees: trees, Candidates: d, Density: float64(min(k, p)) / float64(p), Seed: seed})
			}
		}
		return grid
	}}
	fastFRC = method{"F-RC", func(p, _, trees int, seed uint64) []forest.Learner {
		return learners([]sporf.FRC{
			{Trees: trees, Candidates: p * p, Combined: min(2, p), Seed: seed},
			{Trees: trees, Candidates: p * p, Combined: min(3, p), Seed: seed},
		})
	}}
)

// The depth cap of ⌈log₂ n⌉ and the minimum of six rows to split are those of the scripts
// with which the paper's authors made figure 1 in 2018. With them, and both features tried
// at every node, the random forest's error has the plateau near 1/6: each tree spends
// its levels on the stripes, as in the theorem of Biau et al., and has none left for the
// checkerboard.
var (
	cappedRF = method{"RF, depth cap", func(p, n, trees int, seed uint64) []forest.Learner {
		return learners([]rf.Learner{{Trees: trees, NodeFeatures: p, Growth: depthCap(n), Seed: seed}})
	}}
	cappedSPORF = method{"SPORF, depth cap", func(p, n, trees int, seed uint64) []forest.Learner {
		return sporf.Learner{Trees: trees, Growth: depthCap(n), Seed: seed}.Grid(ofFeatures(p))
	}}
)

func depthCap(n int) forest.Growth {
	return forest.Growth{MaxDepth: bits.Len(uint(n - 1)), MinSplit: 6}
}

func learners[L forest.Learner](ls []L) []forest.Learner {
	grid := make([]forest.Learner, len(ls))
	for i, l := range ls {
		grid[i] = l
	}
	return grid
}

// testRows is the size of the test samples (section 4.3).
const testRows = 10000

// SPORF1 returns figure 1B: error on the consistency problem against the number of
// training rows. The paper's setting has 500 trees, ten repeats and tuning as in
// section 3.2, the fast one 100 trees and three repeats.
func SPORF1(paper bool) Experiment {
	e := Experiment{Name: "sporf-fig1-fast"}
	trees, repeats, methods := 100, 3, []method{tunedRF, cappedRF, fastSPORF}
	if paper {
		e.Name = "sporf-fig1-paper"
		trees, repeats, methods = 500, 10, []method{tunedRF, cappedRF, tunedSPORF, cappedSPORF}
	}
	e.curves("consistency", sim.Consistency{}, 2, []int{100, 1000, 5000, 10000}, repeats, trees, methods)
	return e
}

// SPORF2 returns figures 2C and 2F: error on sparse parity and orthant against the
// number of training rows. The paper's setting has 500 trees, ten repeats and
// tuning as in section 3.2; from 5000 rows of sparse parity on, settings are compared with
// 50 trees, and the best is trained again with 500 (the kept results of RF and SPORF with 5000 rows are
// older: they were compared with 500). The fast one has 50 trees, two
// repeats, a small grid and at most 2000 rows. RR-RF and extremely randomised trees aren't in the paper's figure.
func SPORF2(paper bool) Experiment {
	e := Experiment{Name: "sporf-fig2-fast"}
	trees, repeats, methods := 50, 2, []method{tunedRF, fastSPORF, fastFRC}
	parity, orthant := []int{1000, 2000}, []int{400, 2000}
	if paper {
		e.Name = "sporf-fig2-paper"
		trees, repeats = 500, 10
		methods = []method{tunedRF, tunedET, tunedCCF, tunedRRRF, tunedSPORF, tunedFRC}
		parity, orthant = []int{1000, 5000, 10000}, []int{400, 2000, 4000}
	}
	e.curves("orthant", sim.Orthant{Features: 6}, 6, orthant, repeats, trees, methods)
	e.curves("sparse parity", sim.SparseParity{Features: 20, Informative: 3}, 20, parity, repeats, trees, methods)
	return e
}

// SPORFTrunk returns the error on trunk with ten features and 1000 rows, the setting of
// figure 4; that figure shows projections, not errors.
func SPORFTrunk(paper bool) Experiment {
	e := Experiment{Name: "sporf-trunk-fast"}
	trees, repeats, methods := 100, 3, []method{tunedRF, fastSPORF}
	if paper {
		e.Name = "sporf-trunk-paper"
		trees, repeats, methods = 500, 10, []method{tunedRF, tunedSPORF}
	}
	e.curves("trunk", sim.Trunk{Features: 10}, 10, []int{1000}, repeats, trees, methods)
	return e
}

// curves adds runs of all methods at all sizes, the cheap ones first.
func (e *Experiment) curves(name string, p problem, features int, sizes []int, repeats, trees int, methods []method) {
	for _, n := range sizes {
		compare := trees
		if n*features >= 100_000 {
			compare = min(trees, 50)
		}
		for _, m := range methods {
			for repeat := 1; repeat <= repeats; repeat++ {
				seed := uint64(repeat)
				e.Runs = append(e.Runs, Run{Problem: name, Method: m.name, X: n, Repeat: repeat, Seed: seed,
					Do: func(ctx context.Context) (Result, error) {
						return m.test(ctx, p.Sample(n, 2*seed), p.Sample(testRows, 2*seed+1), compare, trees, seed)
					}})
			}
		}
	}
}

// test tunes the method on training rows, and returns its error on test rows; see fit.
func (m method) test(ctx context.Context, train, test *datasets.Dataset, compare, trees int, seed uint64) (Result, error) {
	start := time.Now()
	model, chosen, err := m.fit(ctx, train, compare, trees, seed)
	if err != nil {
		return Result{}, err
	}
	return Result{
		Seconds: time.Since(start).Seconds(),
		Score:   eval.Error(must.Value(model.Predict(ctx, test)), test.Labels),
		Setting: chosen,
	}, nil
}

// fit compares the method's settings with forests of the given number of trees, and returns the
// forest of the best with the final number of trees, and that setting as text. Settings are
// compared by out-of-bag error, or where trees have all rows by stratified five-fold
// cross-validation with at most 50 trees.
func (m method) fit(ctx context.Context, train *datasets.Dataset, compare, trees int, seed uint64) (*forest.Forest, string, error) {
	grid := m.grid(train.P(), train.N(), trees, seed)
	if len(grid) == 1 {
		model, err := grid[0].Fit(ctx, train)
		return model, setting(grid[0], train.P()), err
	}
	var by eval.Splitter
	switch grid[0].(type) {
	case ccf.Learner, rf.ExtraTrees:
		by = datasets.KFold{K: 5, Stratified: true, Seed: seed}
		compare = min(compare, 50)
	}
	tuning, err := eval.Tune(ctx, m.grid(train.P(), train.N(), compare, seed), train, by)
	if err != nil {
		return nil, "", err
	}
	best, model := grid[tuning.Best], tuning.Model
	if model == nil || compare != trees {
		if model, err = best.Fit(ctx, train); err != nil {
			return nil, "", err
		}
	}
	return model, setting(best, train.P()), nil
}

// setting returns the tuned parameters as text.
func setting(l forest.Learner, p int) string {
	switch l := l.(type) {
	case rf.Learner:
		return fmt.Sprintf("d=%d", l.NodeFeatures) + minSplit(l.Growth)
	case rf.ExtraTrees:
		return fmt.Sprintf("d=%d", l.NodeFeatures) + minSplit(l.Growth)
	case rotation.Random:
		return fmt.Sprintf("d=%d", l.NodeFeatures) + minSplit(l.Growth)
	case ccf.Learner:
		return fmt.Sprintf("λ=%d", l.NodeFeatures)
	case oblique.Learner:
		return fmt.Sprintf("M=%d K=%d", l.NodeFeatures, l.Candidates) + minSplit(l.Growth)
	case graf.Learner:
		return fmt.Sprintf("M=%d", l.TreeFeatures) + minSplit(forest.Growth{MinSplit: l.MinSplit})
	case sporf.Learner:
		return fmt.Sprintf("d=%d λ=%.3g/p", l.Candidates, l.Density*float64(p))
	case sporf.FRC:
		return fmt.Sprintf("d=%d L=%d", l.Candidates, l.Combined)
	default:
		return fmt.Sprintf("%+v", l)
	}
}

// minSplit returns MinSplit as text, or nothing if it wasn't tuned.
func minSplit(g forest.Growth) string {
	if g.MinSplit == 0 {
		return ""
	}
	return fmt.Sprintf(" min=%d", g.MinSplit)
}
