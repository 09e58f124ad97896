package paper

import (
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/viz"
)

// A Beside sets a printed table and ours side by side: a row a set, and two columns a method. The best method of a
// row is bold, of the paper's numbers and of ours. A mark follows our number if it disagrees with the paper's, as
// [Sign.Verdict] says. The last row has means over the rows with both numbers, or where units differ by
// row the geometric mean of ours divided by the paper's.
type Beside struct {
	Title, Note string
	Row         string // what a row is, such as "set"
	Rows        []string
	Columns     []string
	Ours, Paper func(row, column string) Number // None where there is no such number
	Places      int                             // decimals
	Apart       string                          // a row that the last one leaves out
	Units       bool                            // units differ by row: three digits, and quotients in the last row
	Best        func([]float64) float64         // floats.Max or floats.Min; nil marks none
}

// Mark follows a number of ours that differs from the paper's.
const Mark = " ≠"

// Table returns the table.
func (b Beside) Table() viz.Table {
	t := viz.Table{Title: b.Title, Note: b.Note, Columns: []string{b.Row}}
	for _, column := range b.Columns {
		t.Columns = append(t.Columns, column+"|paper", column+"|here")
	}
	sums := make([][2][]float64, len(b.Columns)) // the paper's and ours of the rows with both
	for _, row := range b.Rows {
		paper, ours := b.row(row, b.Paper), b.row(row, b.Ours)
		cells := []string{row}
		for j := range b.Columns {
			p, o := paper[j], ours[j]
			cells = append(cells, b.bold(paper, j)+b.text(p), b.bold(ours, j)+b.text(o))
			if Same.Verdict(Finding{Difference: o.Minus(p)}) == Disagrees {
				cells[len(cells)-1] += Mark
			}
			if both := p.Value + o.Value; both == both && row != b.Apart {
				sums[j][0], sums[j][1] = append(sums[j][0], p.Value), append(sums[j][1], o.Value)
			}
		}
		t.Add(cells...)
	}
	if len(b.Rows) > 1 {
		t.Add(b.last(sums)...)
	}
	return t
}

// last returns the last row: means, or of different units the geometric mean of ours divided by the paper's.
func (b Beside) last(sums [][2][]float64) []string {
	row := []string{"mean"}
	if slices.Contains(b.Rows, b.Apart) {
		row[0] = "mean without " + b.Apart
	}
	if b.Units {
		row[0] = "here / paper"
	}
	for _, sum := range sums {
		if !b.Units {
			row = append(row, Decimals(eval.Mean(sum[0]), b.Places), Decimals(eval.Mean(sum[1]), b.Places))
			continue
		}
		var logs []float64
		for i, paper := range sum[0] {
			if q := math.Log(sum[1][i] / paper); !math.IsInf(q, 0) {
				logs = append(logs, q)
			}
		}
		row = append(row, "", Decimals(math.Exp(eval.Mean(logs)), 2))
	}
	return row
}

func (b Beside) text(n Number) string {
	if b.Units {
		return short(n)
	}
	return n.Text(b.Places)
}

func (b Beside) row(row string, of func(row, column string) Number) (numbers []Number) {
	for _, column := range b.Columns {
		numbers = append(numbers, of(row, column))
	}
	return numbers
}

// bold returns what begins a bold cell if the number is the best of its row, or as good.
func (b Beside) bold(row []Number, j int) string {
	var values []float64
	for _, n := range row {
		if !math.IsNaN(n.Value) {
			values = append(values, n.Value)
		}
	}
	if b.Best == nil || len(values) < 2 || row[j].Value != b.Best(values) {
		return ""
	}
	return "*"
}

// Distances draws our numbers less the paper's against the paper's: a panel a column. X and y are the names of the
// axes.
func (b Beside) Distances(x, y string) viz.Chart {
	all := viz.SmallMultiples{Columns: 2}
	for _, column := range b.Columns {
		_, theirs, more := b.both(column)
		if len(more) == 0 {
			continue
		}
		all.Panels = append(all.Panels, viz.Curves{Title: column, X: x, Y: y,
			Series: []viz.Series{{Name: "a " + b.Row, X: theirs, Y: more, Points: true}},
			Levels: []viz.Level{{Y: 0, Name: "equal"}}})
	}
	return all
}

// Difference finds the mean difference of a column of ours from the paper's, over the rows with both numbers. The
// standard error is that over rows.
func (b Beside) Difference(column string) Finding {
	ours, theirs, _ := b.both(column)
	return Paired(ours, theirs)
}

// both returns the numbers of the rows with both, and ours less the paper's.
func (b Beside) both(column string) (ours, theirs, differences []float64) {
	for _, row := range b.Rows {
		o, t := b.Ours(row, column).Value, b.Paper(row, column).Value
		if d := o - t; !math.IsNaN(d) {
			ours, theirs, differences = append(ours, o), append(theirs, t), append(differences, d)
		}
	}
	return ours, theirs, differences
}

// AbsoluteDifferences returns how far ours are from the paper's, of the rows with both numbers.
func (b Beside) AbsoluteDifferences(column string) (distances []float64) {
	_, _, differences := b.both(column)
	for _, d := range differences {
		distances = append(distances, math.Abs(d))
	}
	return distances
}
