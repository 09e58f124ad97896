package eval_test

import (
	"context"
	"fmt"
	"log"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/forest/sporf"
)

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
