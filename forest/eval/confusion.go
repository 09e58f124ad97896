package eval

import (
	"fmt"
	"text/tabwriter"

	"github.com/obliqua-ml/obliqua/internal/plain"
)

// A Confusion counts rows by true and predicted class.
type Confusion struct {
	Classes []string
	Counts  [][]int // Counts[t][p] rows of class t are predicted to be p; classes × classes
}

// NewConfusion returns the confusion matrix of predictions over the given classes. It
// panics if a label isn't an index of classes, or if the slices differ in length.
func NewConfusion(pred, truth []int32, classes []string) *Confusion {
	mustMatch(len(pred), len(truth))
	counts := make([][]int, len(classes))
	for c := range counts {
		counts[c] = make([]int, len(classes))
	}
	for i, y := range truth {
		if y < 0 || pred[i] < 0 || int(max(y, pred[i])) >= len(classes) {
			panic(fmt.Sprintf("eval: row %d has class %d, predicted %d; there are %d classes", i, y, pred[i], len(classes)))
		}
		counts[y][pred[i]]++
	}
	return &Confusion{classes, counts}
}

// String returns the matrix as a table with a line for each true class.
func (c *Confusion) String() string {
	rows := [][]string{{"truth \\ predicted"}}
	for t, counts := range c.Counts {
		name := plain.Text(c.Classes[t])
		rows[0] = append(rows[0], name)
		row := []string{name}
		for _, n := range counts {
			row = append(row, fmt.Sprint(n))
		}
		rows = append(rows, row)
	}
	return table(tabwriter.AlignRight, rows)
}
