package nb

import (
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/plain"
)

// scoresCard returns the card of a cross-validation.
func scoresCard(s eval.Scores) Card {
	of := "Error rate"
	if s.Regression {
		of = "Mean squared error"
	}
	loss, err := s.Loss()
	return Card{"Cross-validation", []Part{
		Text(fmt.Sprintf("%s %.4g ± %.2g, the mean of %d folds and its standard error.", of, loss, err, len(s.Folds))),
		tableOf(s.Table())}}
}

// comparisonCard returns the card of a comparison: its verdict, the losses as bars, and its table.
func comparisonCard(c *eval.Comparison) Card {
	_, verdict := c.Verdict()
	bars := Bars{Title: "Error rate in percent, lower is better", Format: "%.1f"}
	unit := 100.0
	if c.Regression {
		bars.Title, bars.Format, unit = "Root mean squared error, lower is better", "%.4g", 1
	}
	for i, m := range c.Contenders {
		bars.Names = append(bars.Names, plain.Short(m.Name, nameLength))
		bars.Values = append(bars.Values, unit*eval.Mean(c.Loss[i]))
	}
	table := tableOf(c.Table())
	table.Columns[0] = "method"
	return Card{"Comparison of methods", []Part{Text(verdict), bars, table}}
}

// tuningCard returns the card of a tuning.
func tuningCard(t *eval.Tuning) Card {
	table := Table{Columns: []string{"learner", t.By, "standard error"}, sorts: true}
	if t.Trees != nil {
		table.Columns = append(table.Columns, "trees")
	}
	for i, loss := range t.Error {
		if math.IsNaN(loss) {
			continue
		}
		row := []string{fmt.Sprint(i), fmt.Sprintf("%.4g", loss), fmt.Sprintf("%.2g", t.StdErr[i])}
		if t.Trees != nil {
			row = append(row, fmt.Sprint(t.Trees[i]))
		}
		if i == t.Best {
			row[0] = "*" + row[0]
		}
		table.Add(row...)
	}
	return Card{"Tuning", []Part{
		Text(fmt.Sprintf("Of %d learners that were tried, number %d has the lowest %s.", len(table.Rows), t.Best, t.By)),
		table}}
}

// tableOf returns a table of cells, the names of the columns first.
func tableOf(cells [][]string) Table {
	return Table{Plain: true, sorts: true, Columns: cells[0], Rows: cells[1:]}
}
