package nb

import (
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

// comparisonCard returns the card of a comparison: its verdict, the losses as bars, and its table.
func comparisonCard(c *eval.Comparison) Card {
	_, verdict := c.Verdict()
	bars := Bars{Title: "Error rate in percent, lower is better", Format: "%5.1f"}
	unit := 100.0
	if c.Regression {
		bars.Title, bars.Format, unit = "Root mean squared error, lower is better", "%8.4g", 1
	}
	for i, m := range c.Contenders {
		bars.Names = append(bars.Names, plain.Short(m.Name, nameLength))
		bars.Values = append(bars.Values, unit*eval.Mean(c.Loss[i]))
	}
	table := tableOf(c.Table())
	table.Columns[0] = "method"
	return Card{"Comparison of methods", []Part{Text(verdict), bars, table}}
}

const meanSquared = "mean squared error"

// tuningCard returns the card of a tuning.
func tuningCard(t *eval.Tuning) Card {
	by := t.By
	if by == meanSquared {
		by = "root " + by
	}
	table := Table{Columns: []string{"learner", by, "standard error", "trees"}, Sorts: true,
		Note: "Bold, or with a star: the lowest " + by + "."}
	for i, loss := range t.Error {
		if math.IsNaN(loss) {
			continue
		}
		number, trees := fmt.Sprint(i), ""
		if t.Trees != nil {
			trees = fmt.Sprint(t.Trees[i])
		}
		if i == t.Best {
			number = "*" + number
		}
		stderr := t.StdErr[i]
		if root := math.Sqrt(loss); t.By == meanSquared && loss > 0 { // that of a root, by the delta method
			loss, stderr = root, stderr/(2*root)
		}
		table.Add(number, fmt.Sprintf("%.4g", loss), fmt.Sprintf("%.2g", stderr), trees)
	}
	return Card{"Tuning", []Part{table}}
}

// tableOf returns a table of cells, the names of the columns first.
func tableOf(cells [][]string) Table {
	return Table{Plain: true, Sorts: true, Columns: cells[0], Rows: cells[1:]}
}
