package sim_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/forest/tao"
	"github.com/obliqua-ml/obliqua/sim"
)

// How near forests come to the best possible classifier, whose error is known.
func Example() {
	ctx := context.Background()
	problem := sim.Trunk{Features: 10}
	train, test := problem.Sample(300, 1), problem.Sample(5000, 2)
	fmt.Printf("best possible %.3f\n", problem.Bayes().Error())
	for _, learner := range []forest.Learner{
		sporf.Learner{Trees: 50, Seed: 1},
		rf.Learner{Trees: 50, Seed: 1},
	} {
		model, err := learner.Fit(ctx, train)
		if err != nil {
			log.Fatal(err)
		}
		labels, err := model.Predict(ctx, test)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-13T %.3f\n", learner, eval.Error(labels, test.Labels))
	}
	// Output:
	// best possible 0.044
	// sporf.Learner 0.052
	// rf.Learner    0.072
}

// The Bayes rule's error on a sample is near what it says.
func ExampleTrunk_Bayes() {
	problem := sim.Trunk{Features: 10}
	test := problem.Sample(10000, 1)
	best := make([]int32, test.N())
	for i := range best {
		best[i] = problem.Bayes().Class(test.Row(nil, i))
	}
	fmt.Printf("on %d rows %.3f\n", test.N(), eval.Error(best, test.Labels))
	fmt.Printf("expected      %.3f\n", problem.Bayes().Error())
	// Output:
	// on 10000 rows 0.042
	// expected      0.044
}

// Some problems stand for themselves: another seed draws another problem, so rows for
// testing are split off the same sample.
func ExampleHypercube_Sample() {
	d := sim.Hypercube{Features: 4, Multiclass: true}.Sample(1000, 1)
	fmt.Println(d.FeatureNames(), d.Classes, d.ClassCounts())
	// Output: [x1 x2 x3 x4] [0 1 2 3 4] [63 250 374 251 62]
}

// An exclusive or, turned against the axes, on which no split helps alone. CART separates
// the training rows with many splits. Three are enough; TAO needs a few more, because
// a tree that begins with three ends in a worse local optimum with some seeds.
func ExampleXOR() {
	ctx := context.Background()
	problem := sim.XOR{Cells: 2, Degrees: 30}
	train, test := problem.Sample(500, 1), problem.Sample(5000, 2)
	for _, learner := range []forest.Learner{
		rf.CART{},
		tao.Learner{Trees: 1, Depth: 4, Sampling: forest.AllRows},
	} {
		model, err := learner.Fit(ctx, train)
		if err != nil {
			log.Fatal(err)
		}
		labels, err := model.Predict(ctx, test)
		if err != nil {
			log.Fatal(err)
		}
		few, exact := model.Size().Leaves < 10, eval.Error(labels, test.Labels) < 0.02
		fmt.Printf("%-11T fewer than 10 leaves: %-5v  error below 0.02: %v\n", learner, few, exact)
	}
	// Output:
	// rf.CART     fewer than 10 leaves: false  error below 0.02: false
	// tao.Learner fewer than 10 leaves: true   error below 0.02: true
}

// Three problems, and the least error of any classifier. In the last one the clusters lie along a feature that says
// nothing about the class, which misleads splits between clusters.
func ExampleGaussianClasses() {
	narrow := [][]float64{{1, 0}, {0, 0.0625}}
	wide := [][]float64{{4, 0}, {0, 4}}
	for _, problem := range []struct {
		what       string
		components []sim.Gaussian
	}{
		{"equal covariances", nil},
		{"unequal covariances", []sim.Gaussian{{Class: 0, Mean: []float64{0, 0}},
			{Class: 1, Mean: []float64{0, 0}, Covariance: wide}}},
		{"clusters that mislead", []sim.Gaussian{
			{Class: 0, Mean: []float64{-5, -0.5}, Covariance: narrow}, {Class: 1, Mean: []float64{-5, 0.5}, Covariance: narrow},
			{Class: 0, Mean: []float64{5, -0.5}, Covariance: narrow}, {Class: 1, Mean: []float64{5, 0.5}, Covariance: narrow},
		}},
	} {
		best := sim.GaussianClasses{Components: problem.components}.Bayes().Error()
		fmt.Printf("%s: error at least %.2f\n", problem.what, best)
	}
	// Output:
	// equal covariances: error at least 0.02
	// unequal covariances: error at least 0.26
	// clusters that mislead: error at least 0.02
}

// Rows that are left out of a sample of rows have rows of their group in it, so out-of-bag errors are those of known
// groups. With Dataset.Groups samples are of groups, and the errors are those of new ones.
func ExampleRandomIntercepts() {
	ctx := context.Background()
	problem := sim.RandomIntercepts{} // groups of ten rows
	grouped, test := problem.Sample(1000, 1), problem.Sample(20_000, 2)
	plain := *grouped
	plain.Groups = nil
	learner := rf.Learner{Trees: 200, Seed: 1}
	for _, train := range []*datasets.Dataset{&plain, grouped} {
		model, err := learner.Fit(ctx, train)
		if err != nil {
			log.Fatal(err)
		}
		oob, err := model.OutOfBag(ctx, train)
		if err != nil {
			log.Fatal(err)
		}
		labels, err := model.Predict(ctx, test)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%3d groups: out-of-bag error %.2f, on new groups %.2f\n", model.Groups, oob.Error(),
			eval.Error(labels, test.Labels))
	}
	fmt.Printf("best possible on new groups: %.2f\n", problem.Bayes().Error())
	// Output:
	//   0 groups: out-of-bag error 0.09, on new groups 0.38
	// 100 groups: out-of-bag error 0.38, on new groups 0.38
	// best possible on new groups: 0.31
}
