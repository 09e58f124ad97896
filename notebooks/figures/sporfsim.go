package figures

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/sim"
)

// SPORFDensity returns figure 3: error on sparse parity with 5000 rows and orthant with 400 against
// the density of projections, for SPORF and F-RC. X is λp, which is L of F-RC, from 1 (the paper
// begins at 2) to 5; d is tuned for each. The paper's setting has ten repeats and 500 trees on orthant,
// and 100 on sparse parity; the fast one has 50 trees, one repeat, and d = p and p² on
// orthant alone.
func SPORFDensity(paper bool) Experiment {
	if !paper {
		e := Experiment{Name: "sporf-fig3-fast"}
		e.densities("orthant", sim.Orthant{Features: 6}, 6, 400, 1, 50, func(p int) []int { return []int{p, p * p} })
		return e
	}
	e := Experiment{Name: "sporf-fig3-paper"}
	e.densities("orthant", sim.Orthant{Features: 6}, 6, 400, 10, 500, candidates)
	e.densities("sparse parity", sim.SparseParity{Features: 20, Informative: 3}, 20, 5000, 10, 100, candidates)
	return e
}

// candidates returns the numbers of candidate directions in the grid of section 3.2.
func candidates(p int) []int {
	var ds []int
	for _, l := range (sporf.Learner{Density: 1}).Grid(ofFeatures(p)) {
		l := l.(sporf.Learner)
		if len(ds) == 0 || ds[len(ds)-1] != l.Candidates {
			ds = append(ds, l.Candidates)
		}
	}
	return ds
}

func (e *Experiment) densities(name string, p problem, features, n, repeats, trees int, candidates func(p int) []int) {
	for k := 1; k <= 5; k++ {
		methods := []method{
			{"SPORF", func(p, _, trees int, seed uint64) (grid []forest.Learner) {
				for _, d := range candidates(p) {
					grid = append(grid, sporf.Learner{Trees: trees, Candidates: d, Density: float64(k) / float64(p), Seed: seed})
				}
				return grid
			}},
			{"F-RC", func(p, _, trees int, seed uint64) (grid []forest.Learner) {
				for _, d := range candidates(p) {
					grid = append(grid, sporf.FRC{Trees: trees, Candidates: d, Combined: k, Seed: seed})
				}
				return grid
			}},
		}
		for _, m := range methods {
			for repeat := 1; repeat <= repeats; repeat++ {
				seed := uint64(repeat)
				e.Runs = append(e.Runs, Run{Problem: name, Method: m.name, X: k, Repeat: repeat, Seed: seed,
					Do: func(ctx context.Context) (Result, error) {
						return m.test(ctx, p.Sample(n, 2*seed), p.Sample(testRows, 2*seed+1), trees, trees, seed)
					}})
			}
		}
	}
}

// A TrunkProjection is a projection of a forest on trunk.
type TrunkProjection struct {
	forest.Projection

	// Bayes is the error of the best classifier that knows only the projection. Along a the
	// classes are Gaussians with means ±a·μ and standard deviation ‖a‖, so it is Φ(−|a·μ|/‖a‖).
	Bayes float64
}

// TrunkProjections returns the k most important projections of a forest that was
// trained on [sim.Trunk], or all of them if there are fewer.
func TrunkProjections(f *forest.Forest, k int) []TrunkProjection {
	var top []TrunkProjection
	for _, p := range f.Projections() {
		if len(top) == k {
			break
		}
		var dot, squares float64
		for i, j := range p.Index {
			w := float64(p.Weights[i])
			dot += w / math.Sqrt(float64(j+1))
			squares += w * w
		}
		top = append(top, TrunkProjection{p, math.Erfc(math.Abs(dot)/math.Sqrt(2*squares)) / 2})
	}
	return top
}

// The forests of figure 4: SPORF with d = p and λ = 1/2, and a random forest with d = ⌊√p⌋.
var trunkMethods = []method{
	{"RF", func(_, _, trees int, seed uint64) []forest.Learner {
		return []forest.Learner{rf.Learner{Trees: trees, NodeFeatures: 3, Seed: seed}}
	}},
	{"SPORF", func(_, _, trees int, seed uint64) []forest.Learner {
		return []forest.Learner{sporf.Learner{Trees: trees, Candidates: 10, Density: 0.5, Seed: seed}}
	}},
}

// SPORFImportance returns figures 4C and 4D: of the ten projections with the highest Gini
// importance on trunk with ten features and 1000 rows, the importance and the Bayes error
// ("importance.1" and "bayes.1", …). X is 1000; the score is the mean Bayes error of the ten.
// Importances are relative to the largest: the paper calls them normalised, and only so
// can SPORF's, which are shared among many more projections, lie above the random forest's. The paper
// has one forest of each method; the paper's setting here has ten, the fast one one.
func SPORFImportance(paper bool) Experiment {
	e := Experiment{Name: "sporf-fig4-fast"}
	repeats := 1
	if paper {
		e.Name, repeats = "sporf-fig4-paper", 10
	}
	for _, m := range trunkMethods {
		for repeat := 1; repeat <= repeats; repeat++ {
			seed := uint64(repeat)
			e.Runs = append(e.Runs, Run{Problem: "trunk", Method: m.name, X: 1000, Repeat: repeat, Seed: seed,
				Do: func(ctx context.Context) (Result, error) {
					train := sim.Trunk{Features: 10}.Sample(1000, 2*seed)
					start := time.Now()
					model, chosen, err := m.fit(ctx, train, 500, 500, seed)
					if err != nil {
						return Result{}, err
					}
					r := Result{Seconds: time.Since(start).Seconds(), Setting: chosen, More: map[string]float64{}}
					for i, p := range TrunkProjections(model, 10) {
						r.Score += p.Bayes / 10
						r.More[fmt.Sprint("bayes.", i+1)] = p.Bayes
						if i == 0 {
							r.More["largest"] = p.Importance
						}
						r.More[fmt.Sprint("importance.", i+1)] = p.Importance / r.More["largest"]
					}
					return r, nil
				}})
		}
	}
	return e
}
