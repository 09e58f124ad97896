package quantile_test

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/quantile"
	"github.com/obliqua-ml/obliqua/forest/rf"
)

// Values between x and x + 1: the interval follows both the line and the width of the band.
func Example() {
	rng := forest.NewRand(1)
	train := &datasets.Dataset{Target: "y", Features: []datasets.Feature{{Name: "x"}}, Columns: make([][]float32, 1)}
	for range 2000 {
		x := 10 * rng.Float64()
		train.Columns[0] = append(train.Columns[0], float32(x))
		train.Values = append(train.Values, x+rng.Float64())
	}
	ctx := context.Background()
	model, err := rf.Learner{Growth: forest.Growth{MinLeaf: 20}}.Fit(ctx, train)
	if err != nil {
		fmt.Println(err)
		return
	}
	quantiles, err := quantile.Fit(ctx, model, train)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows := &datasets.Dataset{Features: train.Features, Columns: [][]float32{{2, 5}}}
	intervals, err := quantiles.Intervals(ctx, rows, 0.8)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, v := range intervals {
		fmt.Printf("x = %v: from %.1f to %.1f\n", rows.Columns[0][i], v.Low, v.High)
	}
	// Output:
	// x = 2: from 2.1 to 2.9
	// x = 5: from 5.1 to 5.8
}
