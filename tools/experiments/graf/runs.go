// Package graf does the runs of the GRAF paper's experiments.
package graf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	forests "github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/papers/graf"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/tools/experiments/trial"
)

// Studies are how the paper's runs are done, but for graf.Support, whose runs are complete.
var Studies = studies()

func studies() []trial.Study {
	all := []trial.Study{
		{Experiment: &graf.Boosting, Do: planes},
		{Experiment: &graf.CubeSizes, Do: cubeSizes},
		{Experiment: &graf.Cubes, Rows: cubeRows, Methods: cubeMethods(), Measure: cubeMeasure},
		{Experiment: &graf.Sizes, Rows: collection, Do: components},
		{Experiment: &graf.Kappas, Do: tunedKappa},
		{Experiment: &graf.Maps, Do: near},
		{Experiment: &graf.Approximation, Rows: (&approximation{known: map[sample]*inspect.RowScores{}}).rows,
			Methods: approximated(), Measure: accuracy},
	}
	for _, v := range graf.VariedFigures {
		all = append(all, trial.Study{Experiment: &v.Experiment, Rows: wekaRows(v.Centroids), Do: decompose(v.What)})
	}
	return all
}

// learner returns a forest of the paper by its name. A tree of GRAF or a node of another forest draws m features. The
// oblique tree tries one plane a node.
func learner(name string, trees, m, minSplit int) forest.Learner {
	growth := forest.Growth{MinSplit: minSplit}
	switch name {
	case "GRAF":
		return forests.Learner{Trees: trees, TreeFeatures: m, MinSplit: minSplit}
	case "OT, unshared planes":
		return forests.Learner{Trees: trees, TreeFeatures: m, MinSplit: minSplit, Unshared: true}
	case "OT":
		return oblique.Learner{Trees: trees, NodeFeatures: m, Growth: growth}
	case "ET":
		return rf.ExtraTrees{Trees: trees, NodeFeatures: m, Growth: growth}
	}
	return rf.Learner{Trees: trees, NodeFeatures: m, Growth: growth}
}

// planes counts the planes of algorithm 2, or of a tree of GRAF with all features and one candidate a step.
func planes(ctx context.Context, t *trial.Trial) error {
	d := graf.Rings()
	if t.Method == "algorithm 2" {
		steps, _ := graf.Boost(d, t.Seed)
		t.Score = float64(len(steps) - 1)
		return nil
	}
	model, err := forests.Learner{Trees: 1, TreeFeatures: forests.All, Candidates: 1, Seed: t.Seed}.Fit(ctx, d)
	if err == nil {
		t.Score = float64(model.Size().Splits)
	}
	return err
}

// Cube returns a hypercube of figures 4 to 7. 30 % of the rows are for testing.
func Cube(problem string, features int, seed uint64) (train, test *datasets.Dataset, err error) {
	cube, known := map[string]sim.Hypercube{
		"binary": {}, "multi-class": {Multiclass: true}, "binary, projected": {Project: true},
		"multi-class, projected": {Multiclass: true, Project: true}, "binary, deviation 0.1": {Deviation: 0.1},
	}[problem]
	if !known {
		return nil, nil, fmt.Errorf("no hypercube is called %q", problem)
	}
	cube.Features = features
	return datasets.Holdout{Test: 0.3, Seed: seed}.Split(cube.Sample(0, seed))
}

// cubeSizes measures table 1.
func cubeSizes(_ context.Context, t *trial.Trial) error {
	features, err := strconv.Atoi(t.Problem)
	if err != nil {
		return err
	}
	cube := sim.Hypercube{Features: features}
	if t.Method != "sizes" {
		cube.MostRows = 4
	}
	if t.Method == graf.OneVariance {
		cube.Deviation = 0.5
	}
	train, test, err := datasets.Holdout{Test: 0.3, Seed: t.Seed}.Split(cube.Sample(0, t.Seed))
	if err != nil {
		return err
	}
	t.More["train"], t.More["test"] = float64(train.N()), float64(test.N())
	t.Score = float64(train.N()+test.N()) / math.Exp2(float64(features))
	for name, projected := range map[string]bool{"components": false, "projected": true} {
		cube.Project = projected
		counts, err := explaining(cube.Sample(0, t.Seed), 0.9)
		if err != nil {
			return err
		}
		t.More[name] = counts[0]
	}
	return nil
}

func cubeRows(_ context.Context, t *trial.Trial) (err error) {
	t.Train, t.Test, err = Cube(t.Problem, t.X, t.Seed)
	return err
}

// cubeMethods are those of figures 4 to 7: 100 trees, with all features for every tree or node. GRAF has K = M, or
// K = 1, or K = M and planes that aren't shared. With all features and two classes, all fits of an oblique tree would
// be the same.
func cubeMethods() map[string]trial.Method {
	methods := map[string]trial.Method{
		"GRAF, K = 1": trial.Fitted(func(t *trial.Trial) forest.Learner {
			return forests.Learner{Trees: 100, TreeFeatures: t.X, Candidates: 1}
		}),
		"OT, unshared planes": trial.Fitted(func(t *trial.Trial) forest.Learner {
			return learner("OT, unshared planes", 100, t.X, 0)
		}),
	}
	for _, name := range graf.Forests {
		methods[name] = trial.Fitted(func(t *trial.Trial) forest.Learner { return learner(name, 100, t.X, 0) })
	}
	return methods
}

func cubeMeasure(ctx context.Context, t *trial.Trial) error {
	begun := time.Now()
	labels, err := t.Model.Predict(ctx, t.Test)
	if err != nil {
		return err
	}
	t.More["test_s"] = time.Since(begun).Seconds()
	t.More["train_s"] = t.Seconds // Seconds has two decimals
	t.More["size"] = float64(inspect.ModelSize(t.Model))
	t.Score = eval.Kappa(labels, t.Test.Labels)
	return nil
}

// wekaRows divides Weka's rows into halves for training and testing.
func wekaRows(centroids int) trial.Action {
	return func(_ context.Context, t *trial.Trial) (err error) {
		classes := map[string]int{"2 classes, Weka's rows": 2, "5 classes, Weka's rows": 5}[t.Problem]
		t.Train, t.Test, err = datasets.Holdout{Test: 0.5, Seed: 1}.Split(wekaRBF(classes, centroids))
		return err
	}
}

// decompose trains 50 models on samples of the training rows. The oblique tree has K = M.
func decompose(what string) trial.Action {
	return func(ctx context.Context, t *trial.Trial) error {
		at := map[string]int{"trees": 100, "M": 5, "rows": 2500}
		at[what] = t.X
		l := learner(t.Method, t.Trees(at["trees"]), at["M"], 0)
		if ot, ok := l.(oblique.Learner); ok {
			ot.Candidates = at["M"]
			l = ot
		}
		predictions := make([][]int32, 50)
		for r := range predictions {
			rows := make([]int32, at["rows"])
			for i, row := range rand.New(rand.NewPCG(uint64(r), 1)).Perm(t.Train.N())[:len(rows)] {
				rows[i] = int32(row)
			}
			model, err := trial.Seeded(l, uint64(r)).Fit(ctx, t.Train.Subset(rows))
			if err != nil {
				return err
			}
			if predictions[r], err = model.Predict(ctx, t.Test); err != nil {
				return err
			}
		}
		t.More["bias2"], t.More["variance"], t.Score = eval.KohaviWolpert(predictions, t.Test.Labels)
		return nil
	}
}

// collection loads a set in the numeric coding of Fernández-Delgado and others (JMLR 15, 2014).
func collection(ctx context.Context, t *trial.Trial) (err error) {
	t.Train, err = public.Load(ctx, "fd_"+t.Problem)
	return err
}

// components adds to a set's sizes the principal components of all rows, standardised, or of a half as they are.
func components(ctx context.Context, t *trial.Trial) error {
	if err := trial.Sized(ctx, t); err != nil {
		return err
	}
	steps := datasets.Steps{datasets.Impute{}, datasets.Standardise{}}
	if t.Method == graf.Halved {
		half, _, err := datasets.Holdout{Test: 0.5, Stratified: true, Seed: t.Seed}.Split(t.Train)
		if err != nil {
			return err
		}
		t.Train, steps = half, steps[:1]
	}
	if err := t.PrepareAll(ctx, steps); err != nil {
		return err
	}
	counts, err := explaining(t.Train, 0.5, 0.7, 0.9)
	if err == nil {
		t.More["pc50"], t.More["pc70"], t.More["pc90"] = counts[0], counts[1], counts[2]
	}
	return err
}

// explaining returns how many principal components of the columns have each of some shares of their variance together.
func explaining(d *datasets.Dataset, shares ...float64) (counts []float64, err error) {
	x := mat.NewDense(d.N(), d.P(), nil)
	for j := range d.P() {
		for i, v := range d.Column(nil, j) {
			x.Set(i, j, float64(v))
		}
	}
	var pc stat.PC
	if !pc.PrincipalComponents(x, nil) {
		return nil, errors.New("there are no principal components")
	}
	variances := pc.VarsTo(nil)
	floats.CumSum(variances, variances)
	floats.Scale(1/variances[len(variances)-1], variances)
	for _, share := range shares {
		counts = append(counts, float64(1+slices.IndexFunc(variances, func(v float64) bool { return v >= share })))
	}
	return counts, nil
}
