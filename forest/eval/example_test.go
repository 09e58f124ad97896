package eval_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
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

// Loss is the error; Summary takes any other quantity.
func ExampleScores_Summary() {
	ctx := context.Background()
	glass, err := public.Load(ctx, "glass")
	if err != nil {
		log.Fatal(err)
	}
	folds := datasets.KFold{K: 5, Stratified: true, Seed: 1}
	scores, err := eval.CrossValidate(ctx, rf.Learner{Trees: 100, Seed: 1}, glass, folds)
	if err != nil {
		log.Fatal(err)
	}
	kappa, stderr := scores.Summary(func(s eval.Score) float64 { return s.Kappa })
	fmt.Printf("Cohen's kappa %.3f ± %.3f\n", kappa, stderr)
	logLoss, stderr := scores.Summary(func(s eval.Score) float64 { return s.LogLoss })
	fmt.Printf("log loss      %.3f ± %.3f\n", logLoss, stderr)
	// Output:
	// Cohen's kappa 0.698 ± 0.035
	// log loss      0.745 ± 0.197
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
	ctx := context.Background()
	folds := datasets.KFold{K: 3, Stratified: true, Seed: 1}
	var axis, slanted []float64 // the error on each set
	for _, name := range []string{"balance-scale", "banknote", "glass", "iris", "statlog-vehicle", "wine"} {
		d, err := public.Load(ctx, name)
		if err != nil {
			log.Fatal(err)
		}
		a, err := eval.CrossValidate(ctx, rf.Learner{Trees: 30, Seed: 1}, d, folds)
		if err != nil {
			log.Fatal(err)
		}
		b, err := eval.CrossValidate(ctx, sporf.Learner{Trees: 30, Seed: 1}, d, folds)
		if err != nil {
			log.Fatal(err)
		}
		errorA, _ := a.Loss()
		errorB, _ := b.Loss()
		axis, slanted = append(axis, errorA), append(slanted, errorB)
	}
	fmt.Printf("random forest %.3f\n", axis)
	fmt.Printf("SPORF         %.3f\n", slanted)
	fmt.Printf("p = %.2f\n", eval.Wilcoxon(axis, slanted))
	// Output:
	// random forest [0.181 0.009 0.243 0.080 0.257 0.017]
	// SPORF         [0.066 0.001 0.294 0.067 0.229 0.034]
	// p = 0.34
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

// Bagged trees have less variance than one tree, and so a smaller effect of it on the error. The
// Bayes error of this problem is known.
func ExampleJamesDecomposition() {
	ctx := context.Background()
	problem := sim.Twonorm{}
	test := problem.Sample(500, 0)
	posterior := make([][]float64, test.N())
	for i := range posterior {
		posterior[i] = problem.Bayes().Posterior(test.Row(nil, i))
	}
	for _, learner := range []forest.Learner{rf.CART{}, rf.Learner{Trees: 50}} {
		var predictions [][]int32
		for seed := range uint64(20) {
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
		j := eval.JamesDecomposition(predictions, posterior)
		fmt.Printf("%-10T error %.4f = Bayes %.4f + systematic effect %.4f + variance effect %.4f\n",
			learner, j.Error, j.Bayes, j.SystematicEffect, j.VarianceEffect)
	}
	// Output:
	// rf.CART    error 0.1619 = Bayes 0.0278 + systematic effect 0.0115 + variance effect 0.1226
	// rf.Learner error 0.0514 = Bayes 0.0278 + systematic effect 0.0027 + variance effect 0.0209
}
