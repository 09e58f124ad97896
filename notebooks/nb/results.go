package nb

import (
	"fmt"
	"math"
	"strconv"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/plain"
	"github.com/obliqua-ml/obliqua/viz"
)

// comparisonCard returns the card of a comparison: its verdict, the losses as bars, and its table.
func comparisonCard(c *eval.Comparison) Card {
	_, verdict := c.Verdict()
	bars := barPart{Title: "Error rate in percent, lower is better", Format: "%5.1f"}
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
	table.Note = "p is the probability of so large a difference if both methods were equally good, Holm's that with " +
		"allowance for the number of comparisons. Whether a model is good enough, and finds a rare class, nb.Score says."
	return Card{"Comparison of methods", []cardPart{textPart(verdict), bars, table}}
}

// evaluationCard returns the card of an evaluation: its verdict, measures, and the confusion of classes.
func evaluationCard(e *eval.Evaluation) Card {
	var facts factPart
	facts.add("rows", "%d", e.Test)
	if e.Confusion == nil {
		facts.add("root mean squared error", "%s", plain.Number(math.Sqrt(e.MSE), 4))
		facts.add("mean absolute error", "%s", plain.Number(e.MAE, 4))
		facts.add("R²", "%.3f", e.R2)
		return Card{"Predictions of new rows", []cardPart{facts, textPart(e.String())}}
	}
	facts.add("accuracy", "%.1f %%", 100*(1-e.Error))
	facts.add("area under the ROC curve", "%.3f (AUC: guessing has 0.5, perfect order 1)", e.AUC)
	facts.add("log loss", "%.3f (of the probabilities: lower is better)", e.LogLoss)
	facts.add("Brier score", "%.3f (likewise)", e.Brier)
	parts := []cardPart{facts, textPart(e.String()), confusionTable(e.Confusion)}
	if counts := e.Data.ClassCounts(); len(counts) == 2 {
		class := 1
		if 2*counts[0] < counts[1] { // the first one is what is looked for
			class = 0
		}
		parts = append(parts, thresholdTable(e.Thresholds(class)))
	}
	return Card{"Predictions of new rows", parts}
}

// thresholdTable returns a line for each price of a missed row of the class: the cheapest threshold, and what comes of
// it.
func thresholdTable(t eval.Thresholds) viz.Table {
	class := plain.Short(t.Class, nameLength)
	table := viz.Table{Title: "When to say " + class, Plain: true,
		Columns: []string{"a missed " + class + " costs", "take from", "rows taken", "found", "right", "saved"},
		Note: "A row is taken for " + class + " if its probability is at least the threshold in \"take from\". Found is " +
			"the share of the rows of " + class + " that are taken, right the share of the taken rows that are " + class + ". " +
			"Costs are in units of a row taken wrongly; saved is against the better of taking all rows and taking none. " +
			"Thresholds are the cheapest for these rows; on others they save a little less."}
	for _, missed := range []float64{0.5, 1, 2, 5, 10, 20, 50} {
		p := t.Cheapest(missed)
		from := "none"
		if p.Taken > 0 {
			from = thresholdText(t, p)
		}
		guess := min(t.Cost(eval.Threshold{}, missed), t.Cost(eval.Threshold{Taken: t.Rows, Found: t.Of}, missed))
		table.Add(fmt.Sprint(missed), from, fmt.Sprint(p.Taken), share(p.Found, t.Of), share(p.Found, p.Taken),
			fmt.Sprintf("%.4g", guess-t.Cost(p, missed)))
	}
	return table
}

// thresholdText returns the threshold with three decimals, or as many more as it needs to take the same rows. It is
// rounded down: rounded up it would leave out the rows that it is the probability of.
func thresholdText(t eval.Thresholds, p eval.Threshold) string {
	below := 0.0 // the next probability of a row
	for _, other := range t.Points {
		if other.At < p.At {
			below = other.At
			break
		}
	}
	for decimals := 3; decimals < 16; decimals++ {
		unit := math.Pow10(decimals)
		if v := math.Floor(p.At*unit) / unit; v > below && v <= p.At {
			return strconv.FormatFloat(v, 'f', decimals, 64)
		}
	}
	return strconv.FormatFloat(p.At, 'g', -1, 64)
}

// mostConfused is the most classes that a table of confusion has a column for.
const mostConfused = 12

// confusionTable returns a line for each true class: how often each class was predicted, its recall and precision.
func confusionTable(c *eval.Confusion) viz.Table {
	table := viz.Table{Columns: []string{"true class"}, Sorts: true, Plain: true,
		Note: "Columns of classes count predictions. Recall is " +
			"the share of the class's rows that are found, precision that of its predictions that are right."}
	columns := len(c.Classes)
	if columns > mostConfused {
		columns = 0
	}
	for _, name := range c.Classes[:columns] {
		table.Columns = append(table.Columns, plain.Short(name, nameLength))
	}
	table.Columns = append(table.Columns, "rows", "recall", "precision")
	for k, row := range c.Counts {
		line := []string{plain.Short(c.Classes[k], nameLength)}
		rows, said := 0, 0
		for p, n := range row {
			rows, said = rows+n, said+c.Counts[p][k]
			if p < columns {
				line = append(line, fmt.Sprint(n))
			}
		}
		table.Add(append(line, fmt.Sprint(rows), share(row[k], rows), share(row[k], said))...)
	}
	return table
}

// share returns a share of a number in percent, or a dash of none.
func share(of, n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(of)/float64(n))
}

const meanSquared = "mean squared error"

// tuningCard returns the card of a tuning.
func tuningCard(t *eval.Tuning) Card {
	by := t.By
	if by == meanSquared {
		by = "root " + by
	}
	fields, settings := differences(t.Learners)
	table := viz.Table{Columns: append(append([]string{"learner"}, fields...), by, "standard error", "trees"), Sorts: true,
		Note: "Bold, or with a star: the lowest " + by + "."}
	if len(t.Error) > 1 {
		table.Note += " It looks lower than it is, since it was chosen for that. nb.Score of rows that had no part in the " +
			"choice says how low it is."
	}
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
		line := []string{number}
		if fields != nil {
			line = append(line, settings[i]...)
		}
		table.Add(append(line, fmt.Sprintf("%.4g", loss), fmt.Sprintf("%.2g", stderr), trees)...)
	}
	return Card{"Tuning", []cardPart{table}}
}

// tableOf returns a table of cells, the names of the columns first.
func tableOf(cells [][]string) viz.Table {
	return viz.Table{Plain: true, Sorts: true, Columns: cells[0], Rows: cells[1:]}
}
