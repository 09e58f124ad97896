package inspect_test

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/forest/inspect"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/sim"
)

// The rows that matter most to a forest lie near the boundary, here the edge of a
// disc in a ring.
func ExampleSensitivity() {
	rings := sim.Circles{Rings: 2}
	train := rings.Sample(2000, 1)
	model, err := rf.Learner{Trees: 100, Seed: 1}.Fit(context.Background(), train)
	if err != nil {
		fmt.Println(err)
		return
	}
	scores, err := inspect.Sensitivity(context.Background(), model, train)
	if err != nil {
		fmt.Println(err)
		return
	}
	near := func(by inspect.Selection) float64 {
		rows, err := scores.Approximate(0.25, by, 1)
		if err != nil {
			fmt.Println(err)
			return 0
		}
		n := 0.0
		for i := range rows.N() {
			if rings.BoundaryDistance(rows.Row(nil, i)) <= 0.1 {
				n++
			}
		}
		return n / float64(rows.N())
	}
	fmt.Printf("near the boundary: %.2f of the most sensitive quarter\n", near(inspect.ByRank))
	fmt.Printf("                   %.2f of a random one\n", near(inspect.Uniformly))
	// Output:
	// near the boundary: 0.51 of the most sensitive quarter
	//                    0.20 of a random one
}

// The means of the two classes are 2/√j apart in feature j.
func ExamplePermutationImportance() {
	problem := sim.Trunk{Features: 5}
	train, test := problem.Sample(1000, 1), problem.Sample(1000, 2)
	model, err := rf.Learner{Trees: 100, Seed: 1}.Fit(context.Background(), train)
	if err != nil {
		fmt.Println(err)
		return
	}
	importance, err := inspect.PermutationImportance(context.Background(), model, test, nil, 5, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for j, mean := range importance.Mean {
		fmt.Printf("%s: error up by %.3f ± %.3f\n", test.Features[j].Name, mean, importance.StdErr[j])
	}
	// Output:
	// x1: error up by 0.174 ± 0.004
	// x2: error up by 0.042 ± 0.003
	// x3: error up by 0.038 ± 0.003
	// x4: error up by 0.020 ± 0.004
	// x5: error up by 0.015 ± 0.002
}
