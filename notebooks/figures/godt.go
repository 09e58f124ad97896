package figures

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// The thesis on Gaussian-mixture trees divides each set once. Here every number is one of many
// random divisions into training, validation and test rows, of the same sizes. Settings are
// chosen on the validation rows, and the best is fitted again to training and validation rows.

// A godtMethod is a column of the thesis' tables.
type godtMethod struct {
	name   string
	splits func(s GODTSet) int // how often a set is divided; 0 leaves it out
	fit    func(ctx context.Context, seed uint64, train, validation, both *datasets.Dataset) (f *forest.Forest, setting string, err error)
}

// runs returns the runs of a method on a set. A record's repeat is the number of the division.
func (m godtMethod) runs(s GODTSet, steps datasets.Steps) []Run {
	var runs []Run
	for repeat := 1; repeat <= m.splits(s); repeat++ {
		seed := uint64(repeat)
		runs = append(runs, Run{Problem: s.Name, Method: m.name, Repeat: repeat, Seed: seed, Do: func(ctx context.Context) (Result, error) {
			d, err := s.Load(ctx)
			if err != nil {
				return Result{}, err
			}
			train, validation, test := s.Split(d.N(), seed)
			encode := func(fitted, others []int32) (a, b *datasets.Dataset, err error) {
				t, err := steps.Fit(ctx, d.Subset(fitted))
				if err != nil {
					return nil, nil, err
				}
				if a, err = t.Apply(ctx, d.Subset(fitted)); err != nil {
					return nil, nil, err
				}
				b, err = t.Apply(ctx, d.Subset(others))
				return a, b, err
			}
			trainRows, validationRows, err := encode(train, validation)
			if err != nil {
				return Result{}, err
			}
			both, testRows, err := encode(append(append([]int32(nil), train...), validation...), test)
			if err != nil {
				return Result{}, err
			}
			begin := time.Now()
			f, setting, err := m.fit(ctx, seed, trainRows, validationRows, both)
			if err != nil {
				return Result{}, err
			}
			r := Result{Setting: setting, Seconds: time.Since(begin).Seconds()}
			godtScore(&r, f, testRows)
			return r, nil
		}})
	}
	return runs
}

// godtScore measures a forest: accuracy and macro precision, recall and F1, or for values mean
// absolute and squared error.
func godtScore(r *Result, f *forest.Forest, test *datasets.Dataset) {
	size := f.Size()
	r.More = map[string]float64{"parameters": float64(size.Parameters), "depth": float64(size.Depth), "bytes": float64(size.Bytes)}
	if test.Values != nil {
		said := must.Value(f.PredictValues(context.Background(), test))
		r.Score = eval.MAE(said, test.Values)
		r.More["mse"] = eval.MSE(said, test.Values)
		return
	}
	said := must.Value(f.Predict(context.Background(), test))
	r.Score = 1 - eval.Error(said, test.Labels)
	r.More["precision"], r.More["recall"], r.More["f1"] = eval.Precision(said, test.Labels), eval.Recall(said, test.Labels), eval.F1(said, test.Labels)
}

// tunedGODT returns a fit that chooses from a grid on validation rows.
func tunedGODT[L interface {
	godt.Tree | godt.Learner
	forest.Learner
}](grid func(seed uint64, train *datasets.Dataset) []L, describe func(l L) string) func(ctx context.Context, seed uint64, train, validation, both *datasets.Dataset) (*forest.Forest, string, error) {
	return func(ctx context.Context, seed uint64, train, validation, both *datasets.Dataset) (*forest.Forest, string, error) {
		learners := grid(seed, train)
		tuning, err := godt.Tune(ctx, learners, train, validation)
		if err != nil {
			return nil, "", err
		}
		best := learners[tuning.Best]
		f, err := best.Fit(ctx, both)
		return f, describe(best), err
	}
}

func describeTree(l godt.Tree) string { return describeSplitting(l.Splitting, l.Growth) }

func describeForest(l godt.Learner) string {
	return fmt.Sprintf("T=%d m=%d %s", l.Trees, l.TreeFeatures, describeSplitting(l.Splitting, l.Growth))
}

func describeSplitting(s godt.Splitting, g forest.Growth) string {
	beta := fmt.Sprintf("β=%v", s.Beta)
	switch {
	case s.RelativeBeta > 0:
		beta = fmt.Sprintf("relative β=%v", s.RelativeBeta)
	case s.Beta == 0:
		beta = "default β"
	}
	return fmt.Sprintf("δ=%.3g m_min=%d %s", max(s.Purity, s.MaxMSE), max(0, g.MinSplit-1), beta)
}

// treeGrid returns the thesis' grid for a tree.
func treeGrid(s godt.Splitting) func(seed uint64, train *datasets.Dataset) []godt.Tree {
	return func(seed uint64, train *datasets.Dataset) []godt.Tree {
		return godt.Tree{Splitting: s, Seed: seed}.Grid(targetVariance(train))
	}
}

// relativeBetas are tried for quadratic trees, beside the thesis' grid.
var relativeBetas = []float64{0.003, 0.01, 0.03, 0.1, 0.3}

func relativeGrid(seed uint64, train *datasets.Dataset) []godt.Tree {
	var grid []godt.Tree
	for _, beta := range relativeBetas {
		grid = append(grid, godt.Tree{Splitting: godt.Splitting{Divider: godt.SeparateFull, RelativeBeta: beta}, Seed: seed}.Grid(0)...)
	}
	return grid
}

// forestGrid has 200 trees, β as given and max_features √p (p/3 for values), p/2 and p, with the thesis' stops.
func forestGrid(s godt.Splitting) func(seed uint64, train *datasets.Dataset) []godt.Learner {
	return func(seed uint64, train *datasets.Dataset) []godt.Learner {
		p := train.P()
		first := int(math.Round(math.Sqrt(float64(p))))
		if train.Values != nil {
			first = int(math.Round(float64(p) / 3))
		}
		var grid []godt.Learner
		for _, features := range []int{max(1, first), (p + 1) / 2, p} {
			if len(grid) > 0 && features <= grid[len(grid)-1].TreeFeatures {
				continue
			}
			stops := s
			if stops.RelativeBeta == 0 {
				stops.RelativeBeta = 1 // so that Grid doesn't try its own β
			}
			for _, t := range (godt.Tree{Splitting: stops}).Grid(targetVariance(train)) {
				t.Splitting.RelativeBeta = s.RelativeBeta
				grid = append(grid, godt.Learner{Trees: 200, TreeFeatures: features, Splitting: t.Splitting, Growth: t.Growth, Seed: seed})
			}
		}
		return grid
	}
}

// targetVariance returns the variance of values, 0 for classes.
func targetVariance(d *datasets.Dataset) float64 {
	var mean, squares float64
	for _, v := range d.Values {
		mean += v / float64(len(d.Values))
	}
	for _, v := range d.Values {
		squares += (v - mean) * (v - mean) / float64(len(d.Values))
	}
	return squares
}

// fitCART chooses the least leaf size, 1, 5, 10 or 20, as the thesis does.
func fitCART(ctx context.Context, seed uint64, train, validation, both *datasets.Dataset) (*forest.Forest, string, error) {
	best, loss := rf.CART{}, math.Inf(1)
	for _, leaf := range []int{1, 5, 10, 20} {
		l := rf.CART{Growth: forest.Growth{MinLeaf: leaf}, Seed: seed}
		f, err := l.Fit(ctx, train)
		if err != nil {
			return nil, "", err
		}
		var r Result
		godtScore(&r, f, validation)
		if validation.Labels != nil {
			r.Score = -r.Score
		}
		if r.Score < loss {
			best, loss = l, r.Score
		}
	}
	f, err := best.Fit(ctx, both)
	return f, fmt.Sprintf("m_min=%d", best.MinLeaf), err
}

func fitRF(ctx context.Context, seed uint64, _, _, both *datasets.Dataset) (*forest.Forest, string, error) {
	f, err := rf.Learner{Trees: 200, Seed: seed}.Fit(ctx, both)
	return f, "T=200", err
}

// untuned returns a fit of a learner as it is, to training and validation rows.
func untuned(learner func(seed uint64) forest.Learner) func(ctx context.Context, seed uint64, train, validation, both *datasets.Dataset) (*forest.Forest, string, error) {
	return func(ctx context.Context, seed uint64, _, _, both *datasets.Dataset) (*forest.Forest, string, error) {
		f, err := learner(seed).Fit(ctx, both)
		return f, "", err
	}
}

// bySize returns how often sets are divided: small, if they have at most 1,000 rows, medium
// up to 10,000 rows and 200 columns, otherwise large.
func bySize(small, medium, large int) func(s GODTSet) int {
	return func(s GODTSet) int {
		switch {
		case s.N > 10_000 || s.P > 200:
			return large
		case s.N > 1000:
			return medium
		}
		return small
	}
}

// godtExperiment runs methods on sets. The fast setting is the first two small sets, twice.
func godtExperiment(name string, paper bool, sets []GODTSet, steps datasets.Steps, methods ...godtMethod) Experiment {
	e := Experiment{Name: name + "-fast"}
	if paper {
		e.Name = name + "-paper"
	}
	small := 0
	for _, s := range sets {
		if !paper && (s.N > 1000 || small == 2) {
			continue
		}
		small++
		for _, m := range methods {
			if !paper {
				m.splits = func(GODTSet) int { return 2 }
			}
			e.Runs = append(e.Runs, m.runs(s, steps)...)
		}
	}
	return e
}

// GODTTrees is tables 3.2, A.5 to A.7 and A.17: accuracy, macro precision, recall and F1, and depth of GODT, tuned
// on the thesis' grid, of CART, and of GODT with thresholds searched by impurity.
func GODTTrees(paper bool) Experiment {
	return godtExperiment("godt-trees", paper, godtSets, GODTSteps,
		godtMethod{"GODT", bySize(100, 50, 10), tunedGODT(treeGrid(godt.Splitting{}), describeTree)},
		godtMethod{"CART", bySize(100, 50, 10), fitCART},
		godtMethod{"GODT supervised", bySize(100, 50, 10), tunedGODT(treeGrid(godt.Splitting{Supervised: true}), describeTree)})
}

// GODTForests is table 4.1 and A.10 to A.12: the same for GORF and random forests of 200 trees.
func GODTForests(paper bool) Experiment {
	return godtExperiment("godt-forests", paper, godtSets, GODTSteps,
		godtMethod{"GORF", bySize(50, 10, 2), tunedGODT(forestGrid(godt.Splitting{}), describeForest)},
		godtMethod{"RF", bySize(50, 10, 2), fitRF})
}

// GODTQuadratic is tables 5.1 and 5.3: GQDT on the thesis' grid of β, with β relative to the
// variances, and GQRF of 200 trees with a relative β of 0.03.
func GODTQuadratic(paper bool) Experiment {
	quadratic := godt.Splitting{Divider: godt.SeparateFull}
	relative := quadratic
	relative.RelativeBeta = 0.03
	return godtExperiment("godt-quadratic", paper, godtSets, GODTSteps,
		godtMethod{"GQDT", bySize(50, 5, 1), tunedGODT(treeGrid(quadratic), describeTree)},
		godtMethod{"GQDT relative β", bySize(50, 5, 1), tunedGODT(relativeGrid, describeTree)},
		godtMethod{"GQRF", bySize(20, 2, 0), tunedGODT(forestGrid(relative), describeForest)})
}

// GODTValues is tables 3.9, 4.5 and A.4: mean absolute and squared errors of GODT-R, CART, GORF-R and
// random forests.
func GODTValues(paper bool) Experiment {
	return godtExperiment("godt-values", paper, godtValueSets, GODTSteps,
		godtMethod{"GODT", bySize(50, 20, 5), tunedGODT(treeGrid(godt.Splitting{}), describeTree)},
		godtMethod{"CART", bySize(50, 20, 5), fitCART},
		godtMethod{"GORF", bySize(20, 5, 1), tunedGODT(forestGrid(godt.Splitting{}), describeForest)},
		godtMethod{"RF", bySize(20, 5, 1), fitRF})
}

// godtDividers are the ways to divide a node that GODTAblation compares.
var godtDividers = []struct {
	name string
	s    godt.Splitting
}{
	{"random direction", godt.Splitting{Divider: godt.RandomAxis}},
	{"first axis", godt.Splitting{Divider: godt.FirstAxis}},
	{"K-means", godt.Splitting{Divider: godt.KMeans}},
	{"mixture, diagonal", godt.Splitting{}},
	{"mixture, full", godt.Splitting{Divider: godt.SharedFull, RelativeBeta: 0.01}},
	{"quadratic, diagonal", godt.Splitting{Divider: godt.SeparateDiagonal, RelativeBeta: 0.01}},
	{"quadratic, full", godt.Splitting{Divider: godt.SeparateFull, RelativeBeta: 0.01}},
	{"first axis, supervised", godt.Splitting{Divider: godt.FirstAxis, Supervised: true}},
	{"K-means, supervised", godt.Splitting{Divider: godt.KMeans, Supervised: true}},
	{"mixture, supervised", godt.Splitting{Supervised: true}},
}

// GODTAblation compares dividers on the ten small sets of the specification, without tuning, on features as they are
// (X = 0) and standardised (X = 1).
func GODTAblation(paper bool) Experiment {
	e := Experiment{Name: "godt-ablation-fast"}
	splits := 2
	if paper {
		e.Name, splits = "godt-ablation-paper", 50
	}
	for _, s := range godtSets {
		if s.N > 1000 || !paper && s.Name != "Iris" {
			continue
		}
		for x, steps := range []datasets.Steps{GODTSteps, append(GODTSteps[:len(GODTSteps):len(GODTSteps)], datasets.Standardise{})} {
			for _, d := range godtDividers {
				m := godtMethod{d.name, func(GODTSet) int { return splits }, untuned(func(seed uint64) forest.Learner { return godt.Tree{Splitting: d.s, Seed: seed} })}
				for _, r := range m.runs(s, steps) {
					r.X = x
					e.Runs = append(e.Runs, r)
				}
			}
		}
	}
	return e
}

// GODTBeta is the accuracy of GQDT by β, fully grown: X is 1000·log10 of β, which is relative to the variances ("relative") or as it is
// ("absolute").
func GODTBeta(paper bool) Experiment {
	sets, exponents, splits := []string{"Wine"}, []int{-4000, -2000}, func(GODTSet) int { return 1 }
	e := Experiment{Name: "godt-beta-fast"}
	if paper {
		e.Name = "godt-beta-paper"
		sets, splits = []string{"Wine", "Dermatology", "Glass", "Ionosphere", "Segmentation", "Satimages", "Letter"}, bySize(20, 5, 5)
		exponents = []int{-6000, -5000, -4000, -3000, -2500, -2000, -1500, -1000, -500, 0}
	}
	for _, s := range godtSets {
		for _, name := range sets {
			if s.Name != name {
				continue
			}
			for _, x := range exponents {
				beta := math.Pow(10, float64(x)/1000)
				for _, by := range []struct {
					name string
					s    godt.Splitting
				}{{"relative", godt.Splitting{Divider: godt.SeparateFull, RelativeBeta: beta}}, {"absolute", godt.Splitting{Divider: godt.SeparateFull, Beta: beta}}} {
					m := godtMethod{by.name, splits, untuned(func(seed uint64) forest.Learner { return godt.Tree{Splitting: by.s, Seed: seed} })}
					for _, r := range m.runs(s, GODTSteps) {
						r.X = x
						e.Runs = append(e.Runs, r)
					}
				}
			}
		}
	}
	return e
}

// GODTMadelon is table A.18 and the Madelon rows of A.1 to A.3 and A.8: GORF by number of trees (X) and
// features of a tree, and trees with other covariances and starts (X = 0), on the official validation part.
func GODTMadelon(paper bool) Experiment {
	e := Experiment{Name: "godt-madelon-fast"}
	if !paper {
		return godtExperiment("godt-madelon", false, godtSets, GODTSteps, godtMethod{"random start", bySize(1, 1, 1),
			tunedGODT(treeGrid(godt.Splitting{Start: godt.RandomRows}), describeTree)})
	}
	e.Name = "godt-madelon-paper"
	madelon := godtSets[0]
	for _, by := range []struct {
		name string
		s    godt.Splitting
	}{{"shared diagonal", godt.Splitting{}}, {"random start", godt.Splitting{Start: godt.RandomRows}}, {"shared full", godt.Splitting{Divider: godt.SharedFull}}} {
		m := godtMethod{by.name, func(GODTSet) int { return 20 }, tunedGODT(treeGrid(by.s), describeTree)}
		e.Runs = append(e.Runs, m.runs(madelon, GODTSteps)...)
	}
	for _, features := range []int{22, 250, 500} {
		for _, trees := range []int{10, 50, 100, 200, 500, 1000} {
			m := godtMethod{fmt.Sprintf("GORF, %d features", features), func(GODTSet) int { return 3 },
				untuned(func(seed uint64) forest.Learner {
					return godt.Learner{Trees: trees, TreeFeatures: features, Seed: seed}
				})}
			for _, r := range m.runs(madelon, GODTSteps) {
				r.X = trees
				e.Runs = append(e.Runs, r)
			}
		}
	}
	return e
}

// GODTTime is figures A.1 and A.2 on a simulation: the seconds of training (the score), as rows, features or trees (the method)
// grow (X) and the others stay at 8,000, 16 and 1. Ten classes.
func GODTTime(paper bool) Experiment {
	e := Experiment{Name: "godt-time-fast"}
	repeats, growth := 1, map[string][]int{"rows": {1000, 2000}, "features": {4, 8}, "trees": {2, 4}}
	if paper {
		e.Name = "godt-time-paper"
		repeats = 3
		growth = map[string][]int{
			"rows": {1000, 2000, 4000, 8000, 16000, 32000, 64000}, "features": {4, 8, 16, 32, 64, 128, 256}, "trees": {25, 50, 100, 200, 400, 800},
		}
	}
	learners := []struct {
		name    string
		learner func(trees int) forest.Learner
	}{
		{"GODT", func(int) forest.Learner { return godt.Tree{} }},
		{"GQDT", func(int) forest.Learner { return godt.Tree{Splitting: godt.Splitting{Divider: godt.SeparateFull}} }},
		{"CART", func(int) forest.Learner { return rf.CART{} }},
		{"GORF", func(trees int) forest.Learner { return godt.Learner{Trees: trees} }},
		{"RF", func(trees int) forest.Learner { return rf.Learner{Trees: trees} }},
	}
	for repeat := 1; repeat <= repeats; repeat++ {
		for _, what := range []string{"rows", "features", "trees"} {
			for _, x := range growth[what] {
				at := map[string]int{"rows": 8000, "features": 16, "trees": 1}
				at[what] = x
				for _, l := range learners {
					if forests := l.name == "GORF" || l.name == "RF"; forests != (what == "trees") {
						continue
					}
					e.Runs = append(e.Runs, Run{Problem: l.name, Method: what, X: x, Repeat: repeat, Seed: uint64(repeat), Do: func(ctx context.Context) (Result, error) {
						train := sim.RandomRBF{Features: at["features"], Classes: 10}.Sample(at["rows"], uint64(repeat))
						begin := time.Now()
						_, err := l.learner(at["trees"]).Fit(ctx, train)
						seconds := time.Since(begin).Seconds()
						return Result{Score: seconds, Seconds: seconds}, err
					}})
				}
			}
		}
	}
	return e
}
