package figures

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/sim"
)

// The methods of section 6 of the GRAF paper, with all p features for every tree or
// node. GRAF has K = M = p, or K = 1 to show in the times of figures 6 and 7 what that
// saves. The oblique tree tries one plane a node: with all features and two classes,
// all its fits would be the same.
var cubeMethods = []method{
	{"GRAF", func(p, _, trees int, seed uint64) []forest.Learner {
		return []forest.Learner{graf.Learner{Trees: trees, TreeFeatures: p, Seed: seed}}
	}},
	{"GRAF, K = 1", func(p, _, trees int, seed uint64) []forest.Learner {
		return []forest.Learner{graf.Learner{Trees: trees, TreeFeatures: p, Candidates: 1, Seed: seed}}
	}},
	{"OT", func(p, _, trees int, seed uint64) []forest.Learner {
		return []forest.Learner{oblique.Learner{Trees: trees, NodeFeatures: p, Seed: seed}}
	}},
	{"ET", func(p, _, trees int, seed uint64) []forest.Learner {
		return []forest.Learner{rf.ExtraTrees{Trees: trees, NodeFeatures: p, Seed: seed}}
	}},
	{"RF", func(p, _, trees int, seed uint64) []forest.Learner {
		return []forest.Learner{rf.Learner{Trees: trees, NodeFeatures: p, Seed: seed}}
	}},
}

// GRAFCubes returns figures 4 to 7: κ, model size and times on hypercubes against the
// number of features, for binary and multi-class labels, with and without projection;
// also on tight clusters, which the paper doesn't have. The paper's setting has 3 to 15
// features, here with five repeats; the fast one has 3 to 12 and one repeat. All methods
// grow 100 trees; 30 % of the rows are for testing.
func GRAFCubes(paper bool) Experiment {
	e := Experiment{Name: "graf-fig4-fast"}
	repeats, features := 1, []int{3, 4, 6, 8, 10, 12}
	if paper {
		e.Name = "graf-fig4-paper"
		repeats, features = 5, []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	}
	problems := []struct {
		name string
		cube sim.Hypercube
	}{
		{"binary", sim.Hypercube{}},
		{"multi-class", sim.Hypercube{Multiclass: true}},
		{"binary, projected", sim.Hypercube{Project: true}},
		{"multi-class, projected", sim.Hypercube{Multiclass: true, Project: true}},
		{"binary, deviation 0.1", sim.Hypercube{Deviation: 0.1}},
	}
	for _, p := range features {
		for _, problem := range problems {
			for _, m := range cubeMethods {
				for repeat := 1; repeat <= repeats; repeat++ {
					seed := uint64(repeat)
					cube := problem.cube
					cube.Features = p
					e.Runs = append(e.Runs, Run{Problem: problem.name, Method: m.name, X: p, Repeat: repeat, Seed: seed,
						Do: func(ctx context.Context) (Result, error) {
							train, test, err := datasets.Holdout{Test: 0.3, Seed: seed}.Split(cube.Sample(0, seed))
							if err != nil {
								return Result{}, err
							}
							return fitAndTime(ctx, m.grid(p, train.N(), 100, seed)[0], train, test)
						}})
				}
			}
		}
	}
	return e
}

// fitAndTime measures κ, the model's size as the paper counts it, and the seconds
// of training and testing.
func fitAndTime(ctx context.Context, l forest.Learner, train, test *datasets.Dataset) (Result, error) {
	start := time.Now()
	model, err := l.Fit(ctx, train)
	if err != nil {
		return Result{}, err
	}
	fitted := time.Now()
	labels := must.Value(model.Predict(ctx, test))
	return Result{
		Score:   eval.Kappa(labels, test.Labels),
		Seconds: fitted.Sub(start).Seconds(),
		More: map[string]float64{
			"test_s":  time.Since(fitted).Seconds(),
			"size":    float64(inspect.ModelSize(model)),
			"train_s": fitted.Sub(start).Seconds(), // Seconds has two decimals
		},
	}, nil
}

// The methods of section 7, as functions of what the figures vary: the number of trees
// and M. GRAF and the oblique tree have K = M.
var varied = []struct {
	name    string
	learner func(trees, m int, seed uint64) forest.Learner
}{
	{"GRAF", func(trees, m int, seed uint64) forest.Learner {
		return graf.Learner{Trees: trees, TreeFeatures: m, Seed: seed}
	}},
	{"OT", func(trees, m int, seed uint64) forest.Learner {
		return oblique.Learner{Trees: trees, NodeFeatures: m, Candidates: m, Seed: seed}
	}},
	{"ET", func(trees, m int, seed uint64) forest.Learner {
		return rf.ExtraTrees{Trees: trees, NodeFeatures: m, Seed: seed}
	}},
	{"RF", func(trees, m int, seed uint64) forest.Learner {
		return rf.Learner{Trees: trees, NodeFeatures: m, Seed: seed}
	}},
}

// GRAFTrees returns figure 8, B.5 or B.6, for 10, 20 or 50 centroids: the decomposition of
// Kohavi and Wolpert against the number of trees. [GRAFFeatures] and [GRAFRows] vary M and
// the number of training rows instead. The data are Weka's RandomRBF with two or five
// classes. Of 10,000 rows 5000 are for testing, and models are trained on samples of the
// others: 50 in the paper's setting, 5 in the fast one. To save time, figures B.3 to B.6
// have 10 in the paper's setting. What isn't varied is 100 trees, M = n/2 = 5 and 2500 rows.
// The score is the error. It panics for other numbers of centroids.
func GRAFTrees(centroids int) func(paper bool) Experiment {
	return func(paper bool) Experiment {
		xs := []int{2, 10, 50, 150}
		if paper {
			xs = []int{2, 5, 10, 50, 150}
		}
		return biasVariance([3]string{"8", "B5", "B6"}, centroids, paper, xs, func(x int) (trees, m, rows int) { return x, 5, 2500 })
	}
}

// GRAFFeatures returns figure 9, B.3 or B.4; see [GRAFTrees].
func GRAFFeatures(centroids int) func(paper bool) Experiment {
	return func(paper bool) Experiment {
		xs := []int{2, 5, 10}
		if paper {
			xs = []int{2, 4, 6, 8, 10}
		}
		return biasVariance([3]string{"9", "B3", "B4"}, centroids, paper, xs, func(x int) (trees, m, rows int) { return 100, x, 2500 })
	}
}

// GRAFRows returns figure 10, B.1 or B.2; see [GRAFTrees].
func GRAFRows(centroids int) func(paper bool) Experiment {
	return func(paper bool) Experiment {
		xs := []int{200, 1200, 2500}
		if paper {
			xs = []int{200, 600, 1200, 1800, 2500}
		}
		return biasVariance([3]string{"10", "B1", "B2"}, centroids, paper, xs, func(x int) (trees, m, rows int) { return 100, 5, x })
	}
}

// biasVariance returns one of three figures, those for 10, 20 and 50 centroids.
func biasVariance(figures [3]string, centroids int, paper bool, xs []int, vary func(x int) (trees, m, rows int)) Experiment {
	number := slices.Index([]int{10, 20, 50}, centroids)
	if number < 0 {
		panic(fmt.Sprintf("figures: %d centroids; the paper has 10, 20 and 50", centroids))
	}
	name := "graf-fig" + figures[number]
	e := Experiment{Name: name + "-fast"}
	models := 5
	switch {
	case paper && slices.Contains([]string{"B3", "B4", "B5", "B6"}, figures[number]):
		e.Name, models = name+"-paper", 10
	case paper:
		e.Name, models = name+"-paper", 50
	}
	for _, x := range xs {
		for _, classes := range []int{2, 5} {
			for _, v := range varied {
				trees, m, rows := vary(x)
				e.Runs = append(e.Runs, Run{Problem: fmt.Sprintf("%d classes", classes), Method: v.name, X: x, Repeat: 1, Seed: 1,
					Do: func(ctx context.Context) (Result, error) {
						d := sim.RandomRBF{Features: 10, Classes: classes, Centroids: centroids}.Sample(10000, 1)
						rest, test, err := datasets.Holdout{Test: 0.5, Seed: 1}.Split(d)
						if err != nil {
							return Result{}, err
						}
						return decompose(ctx, models, rows, rest, test, func(seed uint64) forest.Learner { return v.learner(trees, m, seed) })
					}})
			}
		}
	}
	return e
}

// decompose trains models on samples of rest, drawn without replacement.
func decompose(ctx context.Context, models, rows int, rest, test *datasets.Dataset, learner func(seed uint64) forest.Learner) (Result, error) {
	start := time.Now()
	predictions := make([][]int32, models)
	for r := range predictions {
		sample := rand.New(rand.NewPCG(uint64(r), 1)).Perm(rest.N())[:rows]
		chosen := make([]int32, rows)
		for i, row := range sample {
			chosen[i] = int32(row)
		}
		model, err := learner(uint64(r)).Fit(ctx, rest.Subset(chosen))
		if err != nil {
			return Result{}, err
		}
		predictions[r] = must.Value(model.Predict(ctx, test))
	}
	bias2, variance, wrong := eval.KohaviWolpert(predictions, test.Labels)
	return Result{
		Score:   wrong,
		Seconds: time.Since(start).Seconds(),
		More:    map[string]float64{"bias2": bias2, "variance": variance},
	}, nil
}

// A Pattern is a simulated set of figures 12 and 13.
type Pattern struct {
	Name string
	problem
	BoundaryDistance func(x []float32) float64
}

// Patterns returns the six sets of figure 12, a to f. The paper doesn't say how many
// rings, sectors and cells they have; here they have few, so that most of a figure is
// far from a boundary.
func Patterns() []Pattern {
	circles, rings := sim.Circles{Rings: 2}, sim.Circles{Rings: 3, Classes: 3}
	pies, quarters := sim.Pies{Sectors: 4}, sim.Pies{Sectors: 4, Classes: 4}
	xor, grid := sim.XOR{Cells: 2}, sim.XOR{Cells: 3, Classes: 3}
	return []Pattern{
		{"circles, binary", circles, circles.BoundaryDistance},
		{"circles, multi-class", rings, rings.BoundaryDistance},
		{"pies, binary", pies, pies.BoundaryDistance},
		{"pies, multi-class", quarters, quarters.BoundaryDistance},
		{"XOR, binary", xor, xor.BoundaryDistance},
		{"XOR, multi-class", grid, grid.BoundaryDistance},
	}
}

// PatternRows is the number of training rows of figures 12 and 13.
const PatternRows = 2000

// Sensitivities returns a pattern's training rows and their sensitivities, from 200
// trees of GRAF over both features (section 8).
func Sensitivities(ctx context.Context, p Pattern, seed uint64) (*datasets.Dataset, *inspect.RowScores, error) {
	train := p.Sample(PatternRows, seed)
	model, err := graf.Learner{Trees: 200, TreeFeatures: graf.All, Seed: seed}.Fit(ctx, train)
	if err != nil {
		return nil, nil, err
	}
	s, err := inspect.Sensitivity(ctx, model, train)
	return train, s, err
}

// knownScores keeps the sensitivities of a pattern's rows by seed. All runs of the pattern share
// them, and several may ask at a time.
type knownScores struct {
	pattern Pattern
	mu      sync.Mutex
	bySeed  map[uint64]*inspect.RowScores
}

// of returns the second result of [Sensitivities], which it computes when it is first asked.
func (k *knownScores) of(ctx context.Context, seed uint64) (*inspect.RowScores, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.bySeed[seed] == nil {
		_, s, err := Sensitivities(ctx, k.pattern, seed)
		if err != nil {
			return nil, err
		}
		k.bySeed[seed] = s
	}
	return k.bySeed[seed], nil
}

// GRAFApproximation returns figure 13: accuracy on 10,000 test rows against the
// percentage of training rows kept, for forests of 200 trees. The rows are drawn
// uniformly (U), drawn in proportion to their sensitivity (P), or the most sensitive (S).
// The paper's setting has five repeats, the fast one one repeat and fewer percentages.
func GRAFApproximation(paper bool) Experiment {
	e := Experiment{Name: "graf-fig13-fast"}
	repeats, percents := 1, []int{10, 25, 40, 100}
	if paper {
		e.Name = "graf-fig13-paper"
		repeats, percents = 5, []int{5, 10, 20, 30, 40, 60, 80, 100}
	}
	learners := []struct {
		name    string
		learner func(seed uint64) forest.Learner
	}{
		{"GRAF", func(seed uint64) forest.Learner {
			return graf.Learner{Trees: 200, TreeFeatures: graf.All, Seed: seed}
		}},
		{"RF", func(seed uint64) forest.Learner { return rf.Learner{Trees: 200, Seed: seed} }},
	}
	selections := []struct {
		name string
		by   inspect.Selection
	}{{"U", inspect.Uniformly}, {"P", inspect.ByProbability}, {"S", inspect.ByRank}}
	for _, p := range Patterns() {
		known := &knownScores{pattern: p, bySeed: map[uint64]*inspect.RowScores{}}
		for _, l := range learners {
			for _, s := range selections {
				for _, percent := range percents {
					for repeat := 1; repeat <= repeats; repeat++ {
						seed := uint64(repeat)
						e.Runs = append(e.Runs, Run{Problem: p.Name, Method: l.name + " " + s.name, X: percent, Repeat: repeat, Seed: seed,
							Do: func(ctx context.Context) (Result, error) {
								scores, err := known.of(ctx, 2*seed)
								if err != nil {
									return Result{}, err
								}
								start := time.Now()
								kept, err := scores.Approximate(float64(percent)/100, s.by, seed)
								if err != nil {
									return Result{}, err
								}
								model, err := l.learner(seed).Fit(ctx, kept)
								if err != nil {
									return Result{}, err
								}
								test := p.Sample(testRows, 2*seed+1)
								return Result{Score: 1 - eval.Error(must.Value(model.Predict(ctx, test)), test.Labels), Seconds: time.Since(start).Seconds()}, nil
							}})
					}
				}
			}
		}
	}
	return e
}

// The methods of table D.1, tuned over M and MinSplit as in section 7.2; GRAF has K = M.
// The oblique tree, whose fits are slow, tries one plane a node, and has at most 100
// trees and M for at most 32 features.
var tableD1 = []method{
	{"GRAF", func(p, _, trees int, seed uint64) []forest.Learner {
		return graf.Learner{Trees: trees, Seed: seed}.Grid(ofFeatures(p))
	}},
	{"OT", func(p, _, trees int, seed uint64) []forest.Learner {
		return eachSize(min(p, mostFitted), func(m, minSplit int) forest.Learner {
			return oblique.Learner{Trees: min(trees, 100), NodeFeatures: m, Growth: forest.Growth{MinSplit: minSplit}, Seed: seed}
		})
	}},
	{"ET", func(p, _, trees int, seed uint64) []forest.Learner {
		return eachSize(p, func(m, minSplit int) forest.Learner {
			return rf.ExtraTrees{Trees: trees, NodeFeatures: m, Growth: forest.Growth{MinSplit: minSplit}, Seed: seed}
		})
	}},
	{"RF", func(p, _, trees int, seed uint64) []forest.Learner {
		return eachSize(p, func(m, minSplit int) forest.Learner {
			return rf.Learner{Trees: trees, NodeFeatures: m, Growth: forest.Growth{MinSplit: minSplit}, Seed: seed}
		})
	}},
}

// eachSize returns a learner for each M and MinSplit of GRAF's grid.
func eachSize(p int, learner func(m, minSplit int) forest.Learner) []forest.Learner {
	var grid []forest.Learner
	for _, l := range (graf.Learner{}).Grid(ofFeatures(p)) {
		grid = append(grid, learner(l.(graf.Learner).TreeFeatures, l.(graf.Learner).MinSplit))
	}
	return grid
}

const (
	mostFitted  = 32  // features of a fit
	tuningTrees = 100 // when comparing settings
	tableTrees  = 200 // the paper tunes this, from 100 to 2000
)

// GRAFTableD1 returns table D.1: Cohen's κ, the mean over four folds. The sets have the
// numeric coding of Fernández-Delgado and others (JMLR 15, 2014) and that collection's
// folds, which must be in a folder of OBLIQUA_DATA. On the training part of each fold,
// settings are compared by 5-fold cross-validation with 100 trees, by κ over the five
// parts together, and the best is trained with 200 trees. "best" in More is the κ of the
// setting that is best on the test parts, chosen in hindsight.
//
// The sets are those of the paper that we have, of at most 10,000 rows and without the
// slowest, quick ones first; the fast setting has the first three.
func GRAFTableD1(paper bool) Experiment {
	e := Experiment{Name: "graf-tableD1-fast"}
	sets := grafSets[:3]
	if paper {
		e.Name, sets = "graf-tableD1-paper", grafSets
	}
	for _, name := range sets {
		for _, m := range tableD1 {
			e.Runs = append(e.Runs, Run{Problem: name, Method: m.name, Repeat: 1, Seed: 1,
				Do: func(ctx context.Context) (Result, error) {
					d, err := public.Load(ctx, "fd_"+name)
					if err != nil {
						return Result{}, err
					}
					folds, err := publishedFolds(ctx, name, d.N())
					if err != nil {
						return Result{}, err
					}
					return tuneAndFold(ctx, m, d, folds)
				}})
		}
	}
	return e
}

// GRAFFaults returns table D.1 for [FaultySets] with a correct coding: categories as
// numbers, missing cells imputed, columns standardised, and four stratified folds of
// our own.
func GRAFFaults(paper bool) Experiment {
	e := Experiment{Name: "graf-faults-fast"}
	sets := FaultySets[:1]
	if paper {
		e.Name, sets = "graf-faults-paper", FaultySets
	}
	for _, set := range sets {
		for _, m := range tableD1 {
			e.Runs = append(e.Runs, Run{Problem: set.Name, Method: m.name, Repeat: 1, Seed: 1,
				Do: func(ctx context.Context) (Result, error) {
					d, err := public.Load(ctx, set.Name)
					if err != nil {
						return Result{}, err
					}
					steps, err := datasets.Steps{datasets.Impute{}, datasets.Ordinal{}, datasets.Standardise{}}.Fit(ctx, d)
					if err != nil {
						return Result{}, err
					}
					if d, err = steps.Apply(ctx, d); err != nil {
						return Result{}, err
					}
					folds, err := datasets.KFold{K: 4, Stratified: true, Seed: 1}.Folds(d)
					if err != nil {
						return Result{}, err
					}
					return tuneAndFold(ctx, m, d, folds)
				}})
		}
	}
	return e
}

// FaultySets are the small sets of table D.1 whose published coding is faulty. Fault
// says what the coding does wrong.
var FaultySets = []struct{ Name, Fault string }{
	{"congressional-voting", "codes yes and no alike"},
	{"statlog-australian-credit", "takes the applicant's sex as the class"},
	{"spect", "takes a feature as the class"},
	{"pittsburg-bridges-SPAN", "puts rows without a label into class 0"},
	{"pittsburg-bridges-REL-L", "puts rows without a label into class 0"},
	{"pittsburg-bridges-T-OR-D", "puts rows without a label into class 0"},
	{"soybean", "has a phantom row and lacks a class"},
}

// tuneAndFold compares the settings of a method on the training part of every fold
// and tests the best. It also tests all other settings, to find the best in hindsight.
func tuneAndFold(ctx context.Context, m method, d *datasets.Dataset, folds []datasets.Fold) (Result, error) {
	start := time.Now()
	tuned := make([]float64, len(folds))
	more := map[string]float64{}
	var chosen []string
	byGrid := make([]float64, len(m.grid(d.P(), d.N(), tableTrees, 1)))
	for k, fold := range folds {
		train, test := fold.Split(d)
		best, err := tuneByKappa(ctx, m.grid(d.P(), train.N(), tuningTrees, 1), train)
		if err != nil {
			return Result{}, fmt.Errorf("fold %d: %w", k+1, err)
		}
		for i, l := range m.grid(d.P(), train.N(), tableTrees, 1) {
			model, err := l.Fit(ctx, train)
			if err != nil {
				return Result{}, fmt.Errorf("fold %d: %w", k+1, err)
			}
			kappa := eval.Kappa(must.Value(model.Predict(ctx, test)), test.Labels)
			byGrid[i] += kappa / float64(len(folds))
			if i == best {
				tuned[k] = kappa
				chosen = append(chosen, setting(l, d.P()))
			}
		}
		more[fmt.Sprint("fold", k+1)] = tuned[k]
	}
	mean, _ := eval.MeanStdErr(tuned)
	var squares float64
	for _, kappa := range tuned {
		squares += (kappa - mean) * (kappa - mean)
	}
	more["sd"] = math.Sqrt(squares / float64(len(tuned)))
	more["best"] = slices.Max(byGrid)
	return Result{Score: mean, Setting: strings.Join(chosen, "; "), Seconds: time.Since(start).Seconds(), More: more}, nil
}

// tuneByKappa returns the index of the learner with the highest κ over all rows of a
// 5-fold cross-validation together.
func tuneByKappa(ctx context.Context, grid []forest.Learner, d *datasets.Dataset) (best int, err error) {
	parts, err := datasets.KFold{K: 5, Stratified: true, Seed: 1}.Folds(d)
	if err != nil {
		return 0, err
	}
	highest := math.Inf(-1)
	for i, l := range grid {
		labels := make([]int32, d.N())
		for _, part := range parts {
			train, test := part.Split(d)
			model, err := l.Fit(ctx, train)
			if err != nil {
				return 0, err
			}
			for k, y := range must.Value(model.Predict(ctx, test)) {
				labels[part.Test[k]] = y
			}
		}
		if kappa := eval.Kappa(labels, d.Labels); kappa > highest {
			best, highest = i, kappa
		}
	}
	return best, nil
}

// publishedFolds reads the four folds of a set of the Fernández-Delgado collection.
func publishedFolds(ctx context.Context, name string, n int) ([]datasets.Fold, error) {
	for _, dir := range filepath.SplitList(os.Getenv("OBLIQUA_DATA")) {
		folds, err := datasets.ReadKFold(ctx, filepath.Join(dir, "fd_folds", name+".kfold.txt.gz"), n)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return folds, err
	}
	return nil, fmt.Errorf("no folder of OBLIQUA_DATA has the folds of %s", name)
}

// grafSets are the sets of [GRAFTableD1], quick ones first.
var grafSets = []string{
	"lenses",
	"hayes-roth",
	"iris",
	"haberman-survival",
	"teaching",
	"acute-inflammation",
	"acute-nephritis",
	"monks-3",
	"monks-1",
	"pittsburg-bridges-SPAN",
	"pittsburg-bridges-T-OR-D",
	"pittsburg-bridges-REL-L",
	"pittsburg-bridges-TYPE",
	"pittsburg-bridges-MATERIAL",
	"post-operative",
	"monks-2",
	"fertility",
	"breast-tissue",
	"balance-scale",
	"seeds",
	"vertebral-column-2clases",
	"blood",
	"echocardiogram",
	"glass",
	"heart-switzerland",
	"titanic",
	"breast-cancer",
	"mammographic",
	"zoo",
	"planning",
	"heart-va",
	"wine",
	"spect",
	"heart-hungarian",
	"statlog-heart",
	"ilpd-indian-liver",
	"lymphography",
	"led-display",
	"energy-y1",
	"energy-y2",
	"pima",
	"heart-cleveland",
	"hepatitis",
	"breast-cancer-wisc",
	"car",
	"conn-bench-vowel-deterding",
	"image-segmentation",
	"tic-tac-toe",
	"parkinsons",
	"lung-cancer",
	"congressional-voting",
	"contrac",
	"statlog-australian-credit",
	"spectf",
	"credit-approval",
	"horse-colic",
	"wine-quality-red",
	"breast-cancer-wisc-prog",
	"abalone",
	"statlog-vehicle",
	"molec-biol-promoter",
	"soybean",
	"ionosphere",
	"dermatology",
	"breast-cancer-wisc-diag",
	"page-blocks",
	"oocytes_trisopterus_nucleus_2f",
	"statlog-german-credit",
	"wine-quality-white",
	"audiology-std",
	"cylinder-bands",
	"oocytes_merluccius_states_2f",
	"statlog-image",
	"conn-bench-sonar-mines-rocks",
	"oocytes_trisopterus_states_5b",
	"cardiotocography-10clases",
	"bank",
	"thyroid",
	"oocytes_merluccius_nucleus_4d",
	"pendigits",
	"synthetic-control",
	"waveform",
	"libras",
	"ringnorm",
	"twonorm",
	"mushroom",
	"chess-krvkp",
	"low-res-spect",
	"statlog-landsat",
	"hill-valley",
	"plant-texture",
	"plant-margin",
	"plant-shape",
	"waveform-noise",
	"molec-biol-splice",
	"musk-1",
	"ozone",
	"optical",
	"spambase",
	"arrhythmia",
}
