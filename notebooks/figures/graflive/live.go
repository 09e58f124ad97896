// Package graflive draws figure 12 of the GRAF paper from forests that are trained in the cell.
package graflive

import (
	"fmt"
	"slices"

	"github.com/obliqua-ml/obliqua/internal/papers/graf"
	"github.com/obliqua-ml/obliqua/notebooks/nb"
	runs "github.com/obliqua-ml/obliqua/tools/experiments/graf"
	"github.com/obliqua-ml/obliqua/viz"
)

// Maps draws the sensitivity of rows, and a quarter of them kept in three ways. It ends the cell at an error.
func Maps() viz.Chart {
	grid := viz.Grid{Columns: 4, Width: 240, Height: 260}
	for i, p := range graf.Patterns {
		train, s, err := runs.Sensitivities(nb.Context(), p, 200, 1)
		nb.Must(err)
		grid.Charts = append(grid.Charts, viz.SensitivityMap{Title: fmt.Sprintf("%c: %s", 'a'+i, p.Name), Data: train,
			Sensitivity: s.Scores})
		for _, selection := range slices.Backward(graf.Selections) {
			kept := nb.Value(s.Approximate(0.25, selection.By, 1))
			grid.Charts = append(grid.Charts, viz.Scatter{Title: selection.Name + "25%", Data: train, Rows: kept.Rows,
				Equal: true})
		}
	}
	return grid
}
