package viz_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/obliqua-ml/obliqua/forest/sporf"
	"github.com/obliqua-ml/obliqua/sim"
	"github.com/obliqua-ml/obliqua/viz"
)

func ExampleFigure_Save() {
	train := sim.Trunk{Features: 2}.Sample(200, 1)
	model, err := sporf.Learner{Trees: 20}.Fit(context.Background(), train)
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "viz")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	chart := viz.DecisionRegions{Title: "Trunk, two features", Model: model, Data: train}
	fmt.Println(chart.Figure().Save(filepath.Join(dir, "trunk.svg")))
	// Output: <nil>
}

func ExampleGrid() {
	x := []float64{100, 1000, 10000}
	grid := viz.Grid{Title: "Error and time", Charts: []viz.Chart{
		viz.Curves{Title: "Error", X: "training rows", Y: "test error", LogX: true,
			Series: []viz.Series{{Name: "SPORF", X: x, Y: []float64{0.25, 0.08, 0.02}}},
			Levels: []viz.Level{{Y: 1.0 / 6, Name: "1/6"}}},
		viz.Curves{Title: "Time", X: "training rows", Y: "seconds", LogX: true,
			Series: []viz.Series{{Name: "SPORF", X: x, Y: []float64{0.01, 0.2, 3}}}},
	}}
	fmt.Println(grid.Figure().Alt)
	// Output:
	// Error
	// test error against training rows. SPORF: 0.25 at 100 to 0.02 at 10,000. Level 1/6: 0.1667.
	// Time
	// seconds against training rows. SPORF: 0.01 at 100 to 3 at 10,000.
}
