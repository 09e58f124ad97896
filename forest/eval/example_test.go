package eval_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/ccf"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/sim"
)

// The steps are fitted to the training rows of each fold, so that nothing of the test rows
// gets into the model.
func ExampleCrossValidate() {
	ctx := context.Background()
	applications, err := public.Load(ctx, "credit-approval") // has missing cells and categories
	if err != nil {
		log.Fatal(err)
	}
	learner := rf.Learner{Trees: 100, Seed: 1}
	folds := datasets.KFold{K: 5, Stratified: true, Seed: 1}
	scores, err := eval.CrossValidate(ctx, learner, applications, folds, datasets.Impute{}, datasets.OneHot{})
	if err != nil {
		log.Fatal(err)
	}
	for i, fold := range scores.Folds {
		fmt.Printf("fold %d: %d of %d rows wrong\n", i+1, int(fold.Error*float64(fold.Test)+0.5), fold.Test)
	}
	mean, stderr := scores.Loss()
	fmt.Printf("error %.3f ± %.3f\n", mean, stderr)
	// Output:
	// fold 1: 17 of 138 rows wrong
	// fold 2: 20 of 138 rows wrong
	// fold 3: 15 of 138 rows wrong
	// fold 4: 19 of 138 rows wrong
	// fold 5: 17 of 138 rows wrong
	// error 0.128 ± 0.006
}

// Learners of any kind are compared by their out-of-bag errors, or by folds where a splitter
// is given.
func ExampleTune() {
	ctx := context.Background()
	vehicles, err := public.Load(ctx, "statlog-vehicle")
	if err != nil {
		log.Fatal(err)
	}
	learners := []forest.Learner{
		rf.Learner{Trees: 25, Seed: 1},
		rf.ExtraTrees{Trees: 25, Seed: 1},
		sporf.Learner{Trees: 25, Seed: 1},
	}
	folds := datasets.KFold{K: 3, Stratified: true, Seed: 1}
	tuning, err := eval.Tune(ctx, learners, vehicles, folds)
	if err != nil {
		log.Fatal(err)
	}
	for i, learner := range learners {
		fmt.Printf("%-13T error %.3f ± %.3f\n", learner, tuning.Error[i], tuning.StdErr[i])
	}
	fmt.Printf("best: %T\n", learners[tuning.Best])
	// Output:
	// rf.Learner    error 0.260 ± 0.010
	// rf.ExtraTrees error 0.246 ± 0.010
	// sporf.Learner error 0.225 ± 0.010
	// best: sporf.Learner
}

// One row in five is of the second class, and half of those are found. Accuracy hides
// that.
func ExampleKappa() {
	truth := []int32{0, 0, 0, 0, 0, 0, 0, 0, 1, 1}
	pred := []int32{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}
	fmt.Printf("accuracy     %.3f\n", 1-eval.Error(pred, truth))
	fmt.Printf("Cohen's κ    %.3f\n", eval.Kappa(pred, truth))
	fmt.Printf("chance κ     %.3f\n", eval.ChanceKappa(pred, truth))
	fmt.Printf("F1           %.3f\n", eval.F1(pred, truth))
	// Output:
	// accuracy     0.900
	// Cohen's κ    0.615
	// chance κ     0.500
	// F1           0.804
}

// Rows are true classes, columns predicted ones.
func ExampleNewConfusion() {
	truth := []int32{0, 0, 0, 1, 1, 2}
	pred := []int32{0, 0, 1, 1, 1, 0}
	fmt.Print(eval.NewConfusion(pred, truth, []string{"cat", "dog", "fox"}))
	// Output:
	// truth \ predicted  cat  dog  fox
	//                 cat    2    1    0
	//                 dog    0    2    0
	//                 fox    1    0    0
}

// Both forecasts are right once and wrong once; the cautious one pays less for it.
func ExampleLogLoss() {
	truth := []int32{0, 1}
	bold := [][]float64{{0.99, 0.01}, {0.99, 0.01}}
	cautious := [][]float64{{0.6, 0.4}, {0.6, 0.4}}
	fmt.Printf("bold:     log loss %.3f, Brier %.3f\n", eval.LogLoss(bold, truth), eval.Brier(bold, truth))
	fmt.Printf("cautious: log loss %.3f, Brier %.3f\n", eval.LogLoss(cautious, truth), eval.Brier(cautious, truth))
	// Output:
	// bold:     log loss 2.308, Brier 0.980
	// cautious: log loss 0.714, Brier 0.520
}

// Does SPORF have lower errors than a random forest? Over these six sets the difference
// may be chance.
func ExampleWilcoxon() {
	axis := []float64{0.181, 0.009, 0.243, 0.080, 0.257, 0.017} // the error on each set
	slanted := []float64{0.066, 0.001, 0.294, 0.067, 0.229, 0.034}
	fmt.Printf("p = %.2f\n", eval.Wilcoxon(axis, slanted))
	// Output: p = 0.34
}

// Three methods on eight data sets. They differ, and the pairs tell which.
func ExampleFriedmanTest() {
	methods := []string{"CART", "random forest", "SPORF"}
	accuracy := [][]float64{
		{0.781, 0.830, 0.947}, // balance-scale
		{0.980, 0.990, 0.999}, // banknote
		{0.931, 0.967, 0.971}, // breast-cancer-wisc
		{0.815, 0.865, 0.864}, // credit-approval
		{0.701, 0.804, 0.748}, // glass
		{0.960, 0.960, 0.960}, // iris
		{0.706, 0.740, 0.777}, // statlog-vehicle
		{0.915, 0.977, 0.960}, // wine
	}
	friedman := eval.FriedmanTest(accuracy)
	for j, method := range methods {
		fmt.Printf("%-13s mean rank %.2f\n", method, friedman.Ranks[j])
	}
	fmt.Printf("they differ: p = %.3f\n", friedman.P)
	better := eval.PairwiseWilcoxon(accuracy)
	fmt.Printf("random forest beats CART: p = %.3f\n", better[0][1])
	fmt.Printf("SPORF beats random forest: p = %.3f\n", better[1][2])
	// Output:
	// CART          mean rank 2.88
	// random forest mean rank 1.62
	// SPORF         mean rank 1.50
	// they differ: p = 0.005
	// random forest beats CART: p = 0.016
	// SPORF beats random forest: p = 0.688
}

// Averaging many trees takes variance away and leaves the bias: ten models of each method,
// trained on different samples.
func ExampleKohaviWolpert() {
	ctx := context.Background()
	problem := sim.Trunk{Features: 10}
	test := problem.Sample(500, 0)
	for _, learner := range []forest.Learner{rf.CART{}, rf.Learner{Trees: 50}} {
		var predictions [][]int32
		for seed := range uint64(10) {
			model, err := learner.Fit(ctx, problem.Sample(200, seed+1))
			if err != nil {
				log.Fatal(err)
			}
			labels, err := model.Predict(ctx, test)
			if err != nil {
				log.Fatal(err)
			}
			predictions = append(predictions, labels)
		}
		bias2, variance, wrong := eval.KohaviWolpert(predictions, test.Labels)
		fmt.Printf("%-10T bias² %.3f, variance %.3f, error %.3f\n", learner, bias2, variance, wrong)
	}
	// Output:
	// rf.CART    bias² 0.133, variance 0.159, error 0.155
	// rf.Learner bias² 0.120, variance 0.057, error 0.091
}

// Ten splits into four fifths for training and one for testing: the difference is less certain than the
// paired t-test says, which has p = 0.016.
func ExampleResampledTTest() {
	x := []float64{.81, .79, .84, .80, .83, .78, .82, .85, .79, .80}
	y := []float64{.78, .80, .80, .79, .80, .77, .80, .81, .80, .79}
	r := eval.ResampledTTest(x, y, 1./4)
	fmt.Printf("%.3f ± %.3f, p = %.2f\n", r.Difference, r.StdErr, r.P)
	// Output: 0.017 ± 0.011, p = 0.15
}

// Which of four methods differ on 14 data sets (Demšar 2006, section 3.2.3)?
func ExampleNemenyi() {
	methods := []string{"C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"}
	ranks := []float64{3.143, 2.000, 2.893, 1.964}
	difference := eval.Nemenyi(len(methods), 14, 0.1)
	fmt.Printf("critical difference %.2f\n", difference)
	for _, group := range eval.Cliques(ranks, difference) {
		fmt.Print("no difference:")
		for _, j := range group {
			fmt.Printf(" %s", methods[j])
		}
		fmt.Println()
	}
	// Output:
	// critical difference 1.12
	// no difference: C4.5+m+cf C4.5+m C4.5+cf
	// no difference: C4.5+cf C4.5
}

// Three models of two rows. The second row is of class 0 with probability 0.4, but the models say so more often.
func ExampleJamesDecomposition() {
	predictions := [][]int32{{0, 0}, {0, 1}, {1, 0}}
	posterior := [][]float64{{0.9, 0.1}, {0.4, 0.6}}
	j := eval.JamesDecomposition(predictions, posterior)
	fmt.Printf("error %.3f = Bayes %.3f + systematic effect %.3f + variance effect %.3f\n",
		j.Error, j.Bayes, j.SystematicEffect, j.VarianceEffect)
	// Output: error 0.450 = Bayes 0.250 + systematic effect 0.100 + variance effect 0.100
}

// Do oblique splits pay on the silhouettes of vehicles?
func ExampleCompare() {
	ctx := context.Background()
	vehicles, err := public.Load(ctx, "statlog-vehicle")
	if err != nil {
		panic(err)
	}
	comparison, err := eval.Compare(ctx, []eval.Contender{
		{Name: "random forest", Learner: rf.Learner{Trees: 20}}, // the baseline
		{Name: "CCF", Learner: ccf.Learner{Trees: 20}, Oblique: true},
	}, vehicles, nil)
	if err != nil {
		panic(err)
	}
	verdict, sentence := comparison.Verdict()
	fmt.Println(verdict > 0)
	fmt.Println(strings.ReplaceAll(sentence, ". That", ".\nThat"))
	// Output:
	// true
	// Slanted splits pay here: CCF errs on 18.9 % of the rows it hasn't seen, random forest on 26.0 %.
	// That is 7.1 percentage points less (95 % interval: 3.5 to 10.8 percentage points less).
}

// The grid of the SPORF paper. All settings begin with a few trees, one ends with all. A tree
// takes about as long as it has candidates at a node.
func ExampleRace() {
	ctx := context.Background()
	scales, err := public.Load(ctx, "balance-scale")
	if err != nil {
		log.Fatal(err)
	}
	grid := sporf.Learner{Seed: 1}.Grid(scales)
	withTrees := func(l forest.Learner, trees int) forest.Learner {
		setting := l.(sporf.Learner)
		setting.Trees = trees
		return setting
	}
	race, err := eval.Race(ctx, grid, withTrees, 100, scales, eval.RaceOptions{
		First: 10,
		Cost:  func(i int) float64 { return float64(grid[i].(sporf.Learner).Candidates) },
	})
	if err != nil {
		log.Fatal(err)
	}
	best := grid[race.Best].(sporf.Learner)
	fmt.Printf("of %d settings, %d candidates with density %.2f; error %.3f\n",
		len(grid), best.Candidates, best.Density, race.Error[race.Best])
	grown := 0
	for _, trees := range race.Trees {
		grown += trees
	}
	fmt.Printf("%d trees; %d were grown, not %d\n", len(race.Model.Trees), grown, 100*len(grid))
	// Output:
	// of 20 settings, 4 candidates with density 1.00; error 0.027
	// 100 trees; 330 were grown, not 2000
}
