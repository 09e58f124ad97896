package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/viz"
)

// SizesFile has the sizes of all papers' data sets as our experiments have them; the method is the paper. The score is
// the number of rows, test rows included. More has the numbers of test rows, features, classes and missing cells.
const SizesFile = "sets-paper.csv"

// A SizesTable is a paper's table of data sets: numbers of ours, and the paper's in brackets where they differ.
type SizesTable struct {
	Of      Part   // the sizes of the paper's sets
	File    string // the printed table
	Columns []Size
}

// A Size is a number of a data set.
type Size struct {
	Name    string   // "rows" or a name in More
	Printed []string // the printed columns whose sum it is
}

// Table returns the table. The note says on how many sets a number differs, and which sets aren't there.
func (s SizesTable) Table(r *Results) viz.Table {
	printed, t := r.Printed(s.File), viz.Table{Columns: []string{"set"}}
	for _, c := range s.Columns {
		t.Columns = append(t.Columns, c.Name)
	}
	ours := map[string]Mean{}
	for _, m := range r.Means(s.Of) {
		ours[m.Problem] = m
	}
	differ, sets := make([]int, len(s.Columns)), 0
	var missing []string
	for _, set := range slices.Sorted(slices.Values(printed.Rows)) {
		m, ok := ours[set]
		if !ok {
			missing = append(missing, set)
			continue
		}
		row, other := []string{set}, 0
		for j, c := range s.Columns {
			our, their := c.of(m, printed)
			row = append(row, fmt.Sprint(our))
			if our != their {
				row[j+1] += fmt.Sprintf(" (%v)", their)
				differ[j]++
				other = 1
			}
		}
		sets += other
		t.Add(row...)
	}
	t.Note = fmt.Sprintf("The paper's number is in brackets where it differs, on %d of %d sets", sets, len(t.Rows))
	for j, n := range differ {
		t.Note += fmt.Sprintf(", %s on %d", s.Columns[j].Name, n)
	}
	t.Note += "."
	if len(missing) > 0 {
		t.Note += " Not here: " + strings.Join(missing, ", ") + "."
	}
	return t
}

// of returns our number of a set and the printed one.
func (s Size) of(m Mean, printed Printed) (ours, theirs float64) {
	for _, column := range s.Printed {
		theirs += printed.At(m.Problem, column).Value
	}
	if s.Name == "rows" {
		return m.Score.Value, theirs
	}
	return m.Measure(s.Name), theirs
}

// Differ finds on how many sets a number of ours differs from the printed one.
func (s SizesTable) Differ(column int) func(r *Results) Finding {
	return func(r *Results) Finding {
		n := 0.0
		for _, m := range r.Means(s.Of) {
			if ours, theirs := s.Columns[column].of(m, r.Printed(s.File)); ours != theirs {
				n++
			}
		}
		return Against(Exact(n), Exact(0))
	}
}
