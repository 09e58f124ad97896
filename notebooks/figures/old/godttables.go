package old

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/godt"
	"github.com/obliqua-ml/obliqua/forest/oc1"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// The thesis on Gaussian-mixture trees divides each set once. Here every number is one of many random divisions into
// training, validation and test rows, of the same sizes. Settings are chosen on the validation rows, and the best is
// fitted again to training and validation rows. A record's repeat is the number of the division.

// A godtMethod is a column of the thesis' tables.
type godtMethod struct {
	name string

	// How often sets are divided: small ones of at most 1,000 rows, medium ones of up to 10,000 rows and 200 columns,
	// and others. 0 leaves them out.
	small, medium, large int

	choose chooser
}

// A chooser returns the learner that is best on the validation rows. It may set the setting.
type chooser func(ctx context.Context, t *trial, train, validation *datasets.Dataset) (forest.Learner, error)

// runs returns the runs of a method on a set.
func (m godtMethod) runs(s GODTSet, x int, steps datasets.Steps) []Run {
	splits := m.medium
	switch {
	case s.N > 10_000 || s.P > 200:
		splits = m.large
	case s.N <= 1000:
		splits = m.small
	}
	if splits == 0 {
		return nil
	}
	return repeated(s.Name, m.name, x, splits, func(ctx context.Context, t *trial) error {
		d, err := s.Load(ctx)
		if err != nil {
			return err
		}
		first, second, last := s.Split(d.N(), t.Seed)
		train, validation, err := prepared(ctx, steps, d.Subset(first), d.Subset(second))
		if err != nil {
			return err
		}
		both, test := d.Subset(slices.Concat(first, second)), d.Subset(last)
		if t.train, t.test, err = prepared(ctx, steps, both, test); err != nil {
			return err
		}
		begun := time.Now()
		learner, err := m.choose(ctx, t, train, validation)
		if err != nil {
			return err
		}
		if err := t.fit(ctx, learner); err != nil {
			return err
		}
		t.Seconds = time.Since(begun).Seconds()
		godtScore(&t.Result, t.model, t.test)
		return nil
	})
}

// godtScore measures a forest: accuracy and macro precision, recall and F1, or for values mean
// absolute and squared error.
func godtScore(r *Result, f *forest.Forest, test *datasets.Dataset) {
	size := f.Size()
	r.More = map[string]float64{"parameters": float64(size.Parameters), "depth": float64(size.Depth),
		"bytes": float64(size.Bytes)}
	if test.Values != nil {
		said := must.Value(f.PredictValues(context.Background(), test))
		r.Score = eval.MAE(said, test.Values)
		r.More["mse"] = eval.MSE(said, test.Values)
		return
	}
	said := must.Value(f.Predict(context.Background(), test))
	r.Score = 1 - eval.Error(said, test.Labels)
	r.More["precision"], r.More["recall"] = eval.Precision(said, test.Labels), eval.Recall(said, test.Labels)
	r.More["f1"] = eval.F1(said, test.Labels)
}

// tunedGODT chooses from a grid.
func tunedGODT(grid func(seed uint64, train *datasets.Dataset) []forest.Learner) chooser {
	return func(ctx context.Context, t *trial, train, validation *datasets.Dataset) (forest.Learner, error) {
		learners := grid(t.Seed, train)
		tuning, err := godt.Tune(ctx, learners, train, validation)
		if err != nil {
			return nil, err
		}
		best := learners[tuning.Best]
		switch l := best.(type) {
		case godt.Tree:
			t.Setting = describeSplitting(l.Splitting, l.Growth)
		case godt.Learner:
			t.Setting = fmt.Sprintf("T=%d m=%d ", l.Trees, l.TreeFeatures) + describeSplitting(l.Splitting, l.Growth)
		}
		return best, nil
	}
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

// tunedTree chooses from the thesis' grid for a tree.
func tunedTree(s godt.Splitting) chooser {
	return tunedGODT(func(seed uint64, train *datasets.Dataset) []forest.Learner {
		return godt.Tree{Splitting: s, Seed: seed}.Grid(train)
	})
}

// relativeGrid tries several relative β for quadratic trees, beside the thesis' grid.
func relativeGrid(seed uint64, train *datasets.Dataset) (grid []forest.Learner) {
	for _, beta := range []float64{0.003, 0.01, 0.03, 0.1, 0.3} {
		by := godt.Splitting{Divider: godt.SeparateFull, RelativeBeta: beta}
		grid = append(grid, godt.Tree{Splitting: by, Seed: seed}.Grid(train)...)
	}
	return grid
}

// tunedForest chooses from forests of 200 trees, with β as given and max_features √p (p/3 for values), p/2 and p, with
// the thesis' stops.
func tunedForest(s godt.Splitting) chooser {
	return tunedGODT(func(seed uint64, train *datasets.Dataset) (grid []forest.Learner) {
		p := train.P()
		first := math.Sqrt(float64(p))
		if train.Values != nil {
			first = float64(p) / 3
		}
		stops := s
		stops.RelativeBeta = cmp.Or(s.RelativeBeta, 1) // so that Grid doesn't try its own β
		for _, features := range slices.Compact([]int{max(1, int(math.Round(first))), (p + 1) / 2, p}) {
			for _, l := range (godt.Tree{Splitting: stops}).Grid(train) {
				t := l.(godt.Tree)
				t.Splitting.RelativeBeta = s.RelativeBeta
				grid = append(grid, godt.Learner{Trees: 200, TreeFeatures: features, Splitting: t.Splitting, Growth: t.Growth,
					Seed: seed})
			}
		}
		return grid
	})
}

// tunedCART chooses the least leaf size, 1, 5, 10 or 20, as the thesis does.
func tunedCART(ctx context.Context, t *trial, train, validation *datasets.Dataset) (forest.Learner, error) {
	best, loss := rf.CART{}, math.Inf(1)
	for _, leaf := range []int{1, 5, 10, 20} {
		l := rf.CART{Growth: forest.Growth{MinLeaf: leaf}, Seed: t.Seed}
		f, err := l.Fit(ctx, train)
		if err != nil {
			return nil, err
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
	t.Setting = fmt.Sprintf("m_min=%d", best.MinLeaf)
	return best, nil
}

// untuned chooses a learner as it is, but for the seed.
func untuned(learner forest.Learner, setting string) chooser {
	return func(_ context.Context, t *trial, _, _ *datasets.Dataset) (forest.Learner, error) {
		t.Setting = setting
		return seeded(learner, t.Seed), nil
	}
}

var godtRF = untuned(rf.Learner{Trees: 200}, "T=200")

// godtTable returns the runs of methods on sets. The fast setting is the first two small sets, twice.
func godtTable(s size, sets []GODTSet, methods []godtMethod) (runs []Run) {
	if s == fast {
		sets = slices.DeleteFunc(slices.Clone(sets), func(s GODTSet) bool { return s.N > 1000 })[:2]
	}
	for _, set := range sets {
		for _, m := range methods {
			m.small = pick(s, 2, m.small)
			runs = append(runs, m.runs(set, 0, GODTSteps)...)
		}
	}
	return runs
}

// godtTrees is tables 3.2, A.5 to A.7 and A.17: accuracy, macro precision, recall and F1, and depth of GODT, tuned
// on the thesis' grid, of CART, and of GODT with thresholds searched by impurity; in the paper's setting also of OC1
// with the thesis' R = 20, J = 5 and twoing, which are its defaults.
func godtTrees(s size) []Run {
	runs := godtTable(s, godtSets, []godtMethod{
		{"GODT", 100, 50, 10, tunedTree(godt.Splitting{})},
		{"CART", 100, 50, 10, tunedCART},
		{"GODT supervised", 100, 50, 10, tunedTree(godt.Splitting{Supervised: true})},
	})
	if s == full {
		listed := map[identity]bool{}
		for _, splits := range [][3]int{{20, 5, 1}, {0, 10, 10}} { // the thesis has ten trees of each set
			m := godtMethod{"OC1", splits[0], splits[1], splits[2], untuned(oc1.Tree{}, "")}
			for _, run := range godtTable(s, godtSets, []godtMethod{m}) {
				if !listed[run.identity()] {
					listed[run.identity()] = true
					runs = append(runs, run)
				}
			}
		}
	}
	return runs
}

// godtForests is table 4.1 and A.10 to A.12: the same for GORF and random forests of 200 trees.
func godtForests(s size) []Run {
	return godtTable(s, godtSets, []godtMethod{
		{"GORF", 50, 10, 2, tunedForest(godt.Splitting{})},
		{"RF", 50, 10, 2, godtRF},
	})
}

// godtQuadratic is tables 5.1 and 5.3: GQDT on the thesis' grid of β, with β relative to the
// variances, and GQRF of 200 trees with a relative β of 0.03.
func godtQuadratic(s size) []Run {
	quadratic := godt.Splitting{Divider: godt.SeparateFull}
	relative := godt.Splitting{Divider: godt.SeparateFull, RelativeBeta: 0.03}
	return godtTable(s, godtSets, []godtMethod{
		{"GQDT", 50, 10, 10, tunedTree(quadratic)},
		{"GQDT relative β", 50, 5, 1, tunedGODT(relativeGrid)},
		{"GQRF", 20, 2, 0, tunedForest(relative)},
	})
}

// godtValues is tables 3.9, 4.5 and A.4: mean absolute and squared errors of GODT-R, CART, GORF-R and
// random forests.
func godtValues(s size) []Run {
	return godtTable(s, godtValueSets, []godtMethod{
		{"GODT", 50, 20, 5, tunedTree(godt.Splitting{})},
		{"CART", 50, 20, 5, tunedCART},
		{"GORF", 20, 5, 1, tunedForest(godt.Splitting{})},
		{"RF", 20, 5, 1, godtRF},
	})
}

// godtDividers are the ways to divide a node that godtAblation compares.
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

// godtAblation compares dividers on the ten small sets of the specification, without tuning, on features as they are
// (X = 0) and standardised (X = 1).
func godtAblation(s size) (runs []Run) {
	standardised := append(GODTSteps[:len(GODTSteps):len(GODTSteps)], datasets.Standardise{})
	for _, set := range godtSets {
		if set.N > 1000 || s == fast && set.Name != "Iris" {
			continue
		}
		for x, steps := range []datasets.Steps{GODTSteps, standardised} {
			for _, d := range godtDividers {
				m := godtMethod{d.name, pick(s, 2, 50), 0, 0, untuned(godt.Tree{Splitting: d.s}, "")}
				runs = append(runs, m.runs(set, x, steps)...)
			}
		}
	}
	return runs
}

// godtBeta is the accuracy of GQDT by β, fully grown: X is 1000·log10 of β, which is relative to the variances
// ("relative") or as it is ("absolute").
func godtBeta(s size) (runs []Run) {
	sets := pick(s, []string{"Wine"},
		[]string{"Wine", "Dermatology", "Glass", "Ionosphere", "Segmentation", "Satimages", "Letter"})
	xs := pick(s, []int{-4000, -2000}, []int{-6000, -5000, -4000, -3000, -2500, -2000, -1500, -1000, -500, 0})
	for _, set := range godtSets {
		if !slices.Contains(sets, set.Name) {
			continue
		}
		for _, x := range xs {
			beta := betaAt(x)
			relative := godt.Tree{Splitting: godt.Splitting{Divider: godt.SeparateFull, RelativeBeta: beta}}
			absolute := godt.Tree{Splitting: godt.Splitting{Divider: godt.SeparateFull, Beta: beta}}
			for _, m := range []godtMethod{
				{"relative", pick(s, 1, 20), 5, 5, untuned(relative, "")},
				{"absolute", pick(s, 1, 20), 5, 5, untuned(absolute, "")},
			} {
				runs = append(runs, m.runs(set, x, GODTSteps)...)
			}
		}
	}
	return runs
}

func betaAt(x int) float64 { return math.Pow(10, float64(x)/1000) }

// godtMadelon is table A.18 and the Madelon rows of A.1 to A.3 and A.8: GORF by number of trees (X) and
// features of a tree, and trees with other covariances and starts (X = 0), on the official validation part.
func godtMadelon(s size) (runs []Run) {
	random := godtMethod{"random start", 0, 0, 20, tunedTree(godt.Splitting{Start: godt.RandomRows})}
	if s == fast {
		return godtTable(s, godtSets, []godtMethod{random})
	}
	add := func(m godtMethod, x int) { runs = append(runs, m.runs(godtSets[0], x, GODTSteps)...) }
	add(godtMethod{"shared diagonal", 0, 0, 20, tunedTree(godt.Splitting{})}, 0)
	add(random, 0)
	add(godtMethod{"shared full", 0, 0, 20, tunedTree(godt.Splitting{Divider: godt.SharedFull})}, 0)
	for _, features := range []int{22, 250, 500} {
		for _, trees := range []int{10, 50, 100, 200, 500, 1000} {
			name := fmt.Sprintf("GORF, %d features", features)
			add(godtMethod{name, 0, 0, 3, untuned(godt.Learner{Trees: trees, TreeFeatures: features}, "")}, trees)
		}
	}
	return runs
}

// ensembleTrees are the numbers of trees of tables A.18 to A.20.
var ensembleTrees = []int{10, 25, 50, 100, 200, 300, 500, 800, 1000}

// godtEnsembles is tables A.18 to A.20: the accuracies of the first trees ("accuracy.10") of GORF and of random forests
// of X trees, on the first division of the other tables. A tree of GORF has as many features as validation rows choose
// for table 4.1.
func godtEnsembles(s size) (runs []Run) {
	trees := ensembleTrees[:pick(s, 2, len(ensembleTrees))]
	for _, name := range []string{"Satimages", "Usps", "Madelon"} {
		features := map[string]int{"Satimages": 18, "Usps": 128, "Madelon": 500}[name]
		set := godtSets[slices.IndexFunc(godtSets, func(s GODTSet) bool { return s.Name == name })]
		runs = append(runs, study{
			problems: []problem{{name, func(ctx context.Context, t *trial) error {
				d, err := set.Load(ctx)
				if err != nil {
					return err
				}
				first, second, last := set.Split(d.N(), t.Seed)
				t.train, t.test = d.Subset(slices.Concat(first, second)), d.Subset(last)
				return nil
			}}},
			methods: []method{
				with("GORF", godt.Learner{Trees: slices.Max(trees), TreeFeatures: features}),
				with("RF", rf.Learner{Trees: slices.Max(trees)}),
			},
			xs: []int{slices.Max(trees)}, steps: GODTSteps,
			measure: func(_ context.Context, t *trial) error {
				for _, n := range trees {
					part := *t.model
					part.Trees = part.Trees[:n]
					t.Score = 1 - errorOn(&part, t.test)
					t.More[fmt.Sprint("accuracy.", n)] = t.Score
				}
				return nil
			},
		}.runs()...)
	}
	return runs
}

// godtVariants is tables A.1, A.2, A.8, A.13 and A.14: trees and forests with another covariance or start than the
// thesis' default, on the splits of the other tables. Of Madelon's GODT [godtMadelon] has them.
func godtVariants(s size) (runs []Run) {
	random := godt.Splitting{Start: godt.RandomRows}
	methods := []godtMethod{
		{"GODT, full covariance", 50, 10, 10, tunedTree(godt.Splitting{Divider: godt.SharedFull})},
		{"GODT, random start", 50, 10, 10, tunedTree(random)},
		{"GORF, random start", 20, 10, 10, tunedForest(random)},
		{"GQDT, diagonal covariance", 50, 10, 10, tunedTree(godt.Splitting{Divider: godt.SeparateDiagonal})},
		{"GQDT, random start", 50, 10, 10, tunedTree(godt.Splitting{Divider: godt.SeparateFull, Start: godt.RandomRows})},
	}
	for _, set := range godtSets {
		of := methods
		switch set.Name {
		case "Abalone", "Adult", "Satimages", "Wine":
		case "Madelon":
			of = methods[2:]
		default:
			continue
		}
		for _, m := range of {
			if s == fast && set.Name == "Wine" {
				m.small = 2
			} else if s == fast {
				continue
			}
			runs = append(runs, m.runs(set, 0, GODTSteps)...)
		}
	}
	return runs
}

// godtTime is figures A.1 and A.2 on a simulation: the seconds of training (the score), as rows, features or trees (the
// method) grow (X) and the others stay at 8,000, 16 and 1. Ten classes.
func godtTime(s size) []Run {
	trees := []timedLearner{
		{"GODT", func(map[string]int, uint64) forest.Learner { return godt.Tree{} }},
		{"GQDT", func(map[string]int, uint64) forest.Learner {
			return godt.Tree{Splitting: godt.Splitting{Divider: godt.SeparateFull}}
		}},
		{"CART", func(map[string]int, uint64) forest.Learner { return rf.CART{} }},
	}
	forests := []timedLearner{
		{"GORF", func(at map[string]int, _ uint64) forest.Learner { return godt.Learner{Trees: at["trees"]} }},
		{"RF", func(at map[string]int, _ uint64) forest.Learner { return rf.Learner{Trees: at["trees"]} }},
	}
	at := map[string]int{"rows": 8000, "features": 16, "trees": 1}
	repeats := pick(s, 1, 3)
	return byRepeat(slices.Concat(
		growing("rows", pick(s, []int{1000, 2000}, []int{1000, 2000, 4000, 8000, 16000, 32000, 64000}), at, repeats,
			trees...),
		growing("features", pick(s, []int{4, 8}, []int{4, 8, 16, 32, 64, 128, 256}), at, repeats, trees...),
		growing("trees", pick(s, []int{2, 4}, []int{25, 50, 100, 200, 400, 800}), at, repeats, forests...)))
}

// A timedLearner is a learner as a function of numbers by name.
type timedLearner struct {
	name    string
	learner func(at map[string]int, seed uint64) forest.Learner
}

// growing lists the runs that measure the seconds of training (the score) on a simulation of ten classes as one of the
// numbers at, such as "rows" or "features", which is the method, grows (X). Problems are the learners' names.
func growing(what string, xs []int, at map[string]int, repeats int, learners ...timedLearner) (runs []Run) {
	for _, x := range xs {
		for _, l := range learners {
			at := maps.Clone(at)
			at[what] = x
			runs = append(runs, repeated(l.name, what, x, repeats, func(ctx context.Context, t *trial) error {
				train := sim.RandomRBF{Features: at["features"], Classes: 10}.Sample(at["rows"], t.Seed)
				begun := time.Now()
				_, err := l.learner(at, t.Seed).Fit(ctx, train)
				t.Seconds = time.Since(begun).Seconds()
				t.Score = t.Seconds
				return err
			})...)
		}
	}
	return runs
}
