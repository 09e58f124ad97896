package old

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/graf"
	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/oblique"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/sim"
)

// cubeProblems are the hypercubes of figures 4 to 7 of the GRAF paper, with as many features as the run's X, and tight
// clusters, which the paper doesn't have; 30 % of the rows are for testing.
var cubeProblems = []problem{
	cubes("binary", sim.Hypercube{}),
	cubes("multi-class", sim.Hypercube{Multiclass: true}),
	cubes("binary, projected", sim.Hypercube{Project: true}),
	cubes("multi-class, projected", sim.Hypercube{Multiclass: true, Project: true}),
	cubes("binary, deviation 0.1", sim.Hypercube{Deviation: 0.1}),
}

func cubes(name string, cube sim.Hypercube) problem {
	return problem{name, func(_ context.Context, t *trial) (err error) {
		cube := cube
		cube.Features = t.X
		t.train, t.test, err = datasets.Holdout{Test: 0.3, Seed: t.Seed}.Split(cube.Sample(0, t.Seed))
		return err
	}}
}

// grafForest returns a forest of the GRAF paper in which a tree or node draws m features. The oblique tree tries one
// plane a node.
func grafForest(name string, trees, m int) forest.Learner {
	switch name {
	case "GRAF":
		return graf.Learner{Trees: trees, TreeFeatures: m}
	case "OT":
		return oblique.Learner{Trees: trees, NodeFeatures: m}
	case "ET":
		return rf.ExtraTrees{Trees: trees, NodeFeatures: m}
	}
	return rf.Learner{Trees: trees, NodeFeatures: m}
}

// grafMethod trains 100 trees of such a forest with as many features as the run's X.
func grafMethod(name string) method {
	return fitted(name, func(t *trial) forest.Learner { return grafForest(name, 100, t.X) })
}

// grafCubes is figures 4 to 7: κ, model size and times on hypercubes against the number of features, for binary and
// multi-class labels, with and without projection. The full size has the paper's 3 to 15 features and ten repeats; the
// fast one has 3 to 12 and one repeat. All methods grow 100 trees, with all p features for every tree or node. GRAF
// has K = M = p, or K = 1 to show in the times of figures 6 and 7 what that saves. The oblique tree tries one plane a
// node: with all features and two classes, all its fits would be the same.
func grafCubes(s size) []Run {
	return study{
		problems: cubeProblems,
		methods: []method{
			grafMethod("GRAF"),
			fitted("GRAF, K = 1", func(t *trial) forest.Learner {
				return graf.Learner{Trees: 100, TreeFeatures: t.X, Candidates: 1}
			}),
			grafMethod("OT"), grafMethod("ET"), grafMethod("RF"),
		},
		xs:      pick(s, []int{3, 4, 6, 8, 10, 12}, []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}),
		repeats: pick(s, 1, 10), order: "xpmr",
		measure: func(ctx context.Context, t *trial) error {
			fitted := time.Now()
			labels, err := t.model.Predict(ctx, t.test)
			if err != nil {
				return err
			}
			t.More["test_s"] = time.Since(fitted).Seconds()
			t.More["train_s"] = t.Seconds // Seconds has two decimals
			t.More["size"] = float64(inspect.ModelSize(t.model))
			t.Score = eval.Kappa(labels, t.test.Labels)
			return nil
		},
	}.runs()
}

// CubeRecords returns Cohen's kappa of predictions on hypercubes, whose sets are called cube/, the
// problem, a slash and the number of features, as records like those of grafCubes. It leaves out
// other sets.
func CubeRecords(predictions []paper.Prediction) []Record {
	var records []Record
	for _, p := range predictions {
		parts := strings.Split(p.Set, "/")
		if len(parts) != 3 || parts[0] != "cube" {
			continue
		}
		features, err := strconv.Atoi(parts[2])
		if err != nil {
			continue
		}
		records = append(records, Record{
			Run:    Run{Problem: parts[1], Method: p.Method, X: features, Repeat: p.Repeat, Seed: uint64(p.Repeat)},
			Result: Result{Score: eval.Kappa(p.Labels, p.Truth)},
		})
	}
	return records
}

// grafVaried returns a figure on the decomposition of Kohavi and Wolpert: against the number of trees (figure 8, B.5 or
// B.6, for 10, 20 or 50 centroids), M (9, B.3, B.4) or the number of training rows (10, B.1, B.2). The data are the
// paper's very rows of Weka's RandomRBF, with two or five classes. Of 10,000 rows 5000 are for testing, and models are
// trained on samples of the others: 50 in the paper's setting, 5 in the fast one. What isn't varied is 100 trees,
// M = n/2 = 5 and 2500 rows; GRAF and the oblique tree have K = M. The score is the error.
func grafVaried(what string, centroids int) func(s size) []Run {
	xs := map[string][2][]int{
		"trees": {{2, 10, 50, 150}, {2, 5, 10, 50, 150}},
		"M":     {{2, 5, 10}, {2, 4, 6, 8, 10}},
		"rows":  {{200, 1200, 2500}, {200, 600, 1200, 1800, 2500}},
	}[what]
	rows := func(classes int) *datasets.Dataset { return wekaRBF(classes, centroids) }
	return func(s size) []Run {
		return study{
			problems: []problem{halves("2 classes"+wekasRows, 2, rows), halves("5 classes"+wekasRows, 5, rows)},
			methods:  []method{{name: "GRAF"}, {name: "OT"}, {name: "ET"}, {name: "RF"}},
			xs:       pick(s, xs[0], xs[1]), order: "xpmr",
			do: func(ctx context.Context, t *trial) error {
				at := map[string]int{"trees": 100, "M": 5, "rows": 2500}
				at[what] = t.X
				learner := grafForest(t.Method, at["trees"], at["M"])
				if l, ok := learner.(oblique.Learner); ok {
					l.Candidates = at["M"]
					learner = l
				}
				predictions := make([][]int32, pick(s, 5, 50))
				for r := range predictions {
					sample := rand.New(rand.NewPCG(uint64(r), 1)).Perm(t.train.N())
					rows := make([]int32, at["rows"])
					for i := range rows {
						rows[i] = int32(sample[i])
					}
					model, err := seeded(learner, uint64(r)).Fit(ctx, t.train.Subset(rows))
					if err != nil {
						return err
					}
					if predictions[r], err = model.Predict(ctx, t.test); err != nil {
						return err
					}
				}
				t.More["bias2"], t.More["variance"], t.Score = eval.KohaviWolpert(predictions, t.test.Labels)
				return nil
			},
		}.runs()
	}
}

// halves is a problem whose rows are divided at random into halves for training and testing.
func halves(name string, classes int, sample func(classes int) *datasets.Dataset) problem {
	return problem{name, func(_ context.Context, t *trial) (err error) {
		t.train, t.test, err = datasets.Holdout{Test: 0.5, Seed: 1}.Split(sample(classes))
		return err
	}}
}
