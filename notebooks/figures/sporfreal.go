package figures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rotation"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// The powers of p that are the rows of figure 6, and their names.
var (
	powers     = []float64{0.25, 0.5, 0.75, 1, 2}
	PowerNames = []string{"p^¼", "p^½", "p^¾", "p", "p²"}
)

// rankSets are the sets of figure 6: of the SPORF authors' sets those of 5 to 40 features and at most
// 1000 rows, but for some that are coded from the same data as another.
var rankSets = []string{
	"seeds", "vertebral_column_task_1", "glass", "ecoli", "zoo", "monks_1", "monks_2", "planning", "hayes_roth",
	"wine", "spect", "heart_switzerland", "hepatitis", "breast_cancer", "pima", "image_segmentation", "led_display",
	"ilpd_indian-liver", "breast_cancer-wisconsin", "heart_va", "conn_bench-vowel-deterding", "parkinsons",
	"statlog_heart", "heart_hungarian", "heart_cleveland", "congressional_voting", "mammographic",
	"breast_cancer-wisconsin-prog", "statlog_vehicle", "horse_colic", "ionosphere", "dermatology",
	"breast_cancer-wisconsin-diag",
}

// SPORFSettings returns the runs behind figure 6: the error of SPORF with every d and λ of the grid
// on the authors' folds, as "p^¼:1", …, "p²:5". The score is the lowest of the 25, and a record's repeat is its
// fold. [SPORFRanks] makes the figure of the records. The paper has 105 sets and 500
// trees; the paper's setting here has 33 small sets and 200 trees, the fast one four sets, one fold
// and 50 trees.
func SPORFSettings(paper bool) Experiment {
	e := Experiment{Name: "sporf-fig6-fast"}
	sets, folds, trees := rankSets[:4], 1, 50
	if paper {
		e.Name = "sporf-fig6-paper"
		sets, folds, trees = rankSets, 5, 200
	}
	for _, set := range sets {
		for fold := range folds {
			seed := uint64(fold + 1)
			e.Runs = append(e.Runs, Run{Problem: set, Method: "SPORF", Repeat: fold + 1, Seed: seed,
				Do: func(ctx context.Context) (Result, error) {
					train, test, err := sporfFold(ctx, set, fold)
					if err != nil {
						return Result{}, err
					}
					return allSettings(ctx, train, test, trees, seed)
				}})
		}
	}
	return e
}

// allSettings returns the error on test of every d and λ of the grid.
func allSettings(ctx context.Context, train, test *datasets.Dataset, trees int, seed uint64) (Result, error) {
	start := time.Now()
	r := Result{Score: 1, More: map[string]float64{}}
	p := float64(train.P())
	known := map[sporf.Learner]float64{} // powers of a small p may round to the same d
	for i, power := range powers {
		for k := 1; k <= 5; k++ {
			l := sporf.Learner{Trees: trees, Candidates: int(math.Round(math.Pow(p, power))), Density: float64(k) / p, Seed: seed}
			e, ok := known[l]
			if !ok {
				model, err := l.Fit(ctx, train)
				if err != nil {
					return Result{}, err
				}
				e = eval.Error(must.Value(model.Predict(ctx, test)), test.Labels)
				known[l] = e
			}
			r.More[fmt.Sprintf("%s:%d", PowerNames[i], k)] = e
			r.Score = min(r.Score, e)
		}
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// SPORFRanks returns figure 6: the median over sets of the rank of each setting, by d as in
// [PowerNames] and λp from 1 to 5. Settings are ranked by error on each fold, 1 for the lowest, ties
// sharing the mean of their ranks; the ranks are averaged over a set's folds. It also returns
// the number of sets.
func SPORFRanks(records []Record) (median [5][5]float64, sets int) {
	ranks := map[string][]float64{} // of each set, summed over folds
	folds := map[string]float64{}
	for _, r := range records {
		var errors []float64
		for _, d := range PowerNames {
			for k := 1; k <= 5; k++ {
				errors = append(errors, r.More[fmt.Sprintf("%s:%d", d, k)])
			}
		}
		if ranks[r.Problem] == nil {
			ranks[r.Problem] = make([]float64, 25)
		}
		for i, rank := range eval.Ranks(errors) {
			ranks[r.Problem][i] += rank
		}
		folds[r.Problem]++
	}
	for i := range 25 {
		var column []float64
		for set, sum := range ranks {
			column = append(column, sum[i]/folds[set])
		}
		slices.Sort(column)
		n := len(column)
		median[i/5][i%5] = (column[(n-1)/2] + column[n/2]) / 2
	}
	return median, len(ranks)
}

// noiseSets are the sets of figure 7.
var noiseSets = []string{"seeds", "wine", "glass", "ecoli", "ionosphere", "vertebral_column_task_1", "zoo",
	"statlog_heart", "parkinsons", "image_segmentation", "hepatitis", "breast_cancer-wisconsin-diag"}

// The methods of figure 7. SPORF and F-RC are tuned without d = p², which is a million with 1000
// columns of noise.
var noiseMethods = []method{
	tunedRF,
	{"SPORF", func(p, _, trees int, seed uint64) []forest.Learner {
		return slices.DeleteFunc(sporf.Learner{Trees: trees, Seed: seed}.Grid(ofFeatures(p)),
			func(l forest.Learner) bool { return l.(sporf.Learner).Candidates > p })
	}},
	{"F-RC", func(p, _, trees int, seed uint64) []forest.Learner {
		return slices.DeleteFunc(sporf.FRC{Trees: trees, Seed: seed}.Grid(ofFeatures(p)),
			func(l forest.Learner) bool { return l.(sporf.FRC).Candidates > p })
	}},
	tunedCCF,
	{"RR-RF", func(p, _, trees int, seed uint64) []forest.Learner {
		if p > 1000 {
			return []forest.Learner{rotation.Random{Trees: min(trees, 25), NodeFeatures: int(math.Sqrt(float64(p))), Seed: seed}}
		}
		return rotation.Random{Trees: trees, Seed: seed}.Grid(ofFeatures(p))
	}},
}

// SPORFNoise returns figure 7: κ on the authors' folds with X = 0, 10, 100 and 1000 columns of standard
// Gaussian noise behind the features. κ is that of [eval.ChanceKappa] on the fold; a record's repeat is
// its fold. The paper has 105 sets, 500 trees and the grids of section 3.2. The paper's
// setting here has twelve small sets and 100 trees, compares settings with 50, and leaves out d = p²; with 1000
// columns RR-RF, whose rotations take p³ steps, has 25 trees and d = ⌊√p⌋ untuned. The fast setting has one set, one fold and 20 trees.
func SPORFNoise(paper bool) Experiment {
	e := Experiment{Name: "sporf-fig7-fast"}
	sets, folds, compare, trees := noiseSets[:1], 1, 20, 20
	columns := []int{0, 100}
	if paper {
		e.Name = "sporf-fig7-paper"
		sets, folds, compare, trees = noiseSets, 5, 50, 100
		columns = []int{0, 10, 100, 1000}
	}
	for _, x := range columns {
		for _, set := range sets {
			for _, m := range noiseMethods {
				for fold := range folds {
					seed := uint64(fold + 1)
					e.Runs = append(e.Runs, Run{Problem: set, Method: m.name, X: x, Repeat: fold + 1, Seed: seed,
						Do: func(ctx context.Context) (Result, error) {
							train, test, err := sporfFold(ctx, set, fold)
							if err != nil {
								return Result{}, err
							}
							// The two share columns, so both get the same noise in the same rows.
							train, test = noisy(train, x, 1), noisy(test, x, 1)
							start := time.Now()
							model, chosen, err := m.fit(ctx, train, compare, trees, seed)
							if err != nil {
								return Result{}, err
							}
							return Result{Score: eval.ChanceKappa(must.Value(model.Predict(ctx, test)), test.Labels), Setting: chosen, Seconds: time.Since(start).Seconds()}, nil
						}})
				}
			}
		}
	}
	return e
}

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
