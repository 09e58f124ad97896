package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/naming"
)

// dropIndexes leaves out columns that a program wrote for the numbers or names of rows, if another feature is left.
func (t *csvTable) dropIndexes() {
	if t.Like != nil || t.declared {
		return
	}
	left := 0
	for j := range t.columns {
		if t.columns[j].role <= categorical && j != t.group {
			left++
		}
	}
	for j := range t.columns {
		if c := &t.columns[j]; t.indexes[j] && c.role == guessed && left > 1 && c.isKey() {
			c.role = dropped
			left--
			t.note(j, "numbers or names the rows, and is left out")
		}
	}
}

// isKey reports whether all cells differ, and are texts or whole numbers.
func (c *csvColumn) isKey() bool {
	sorted := slices.Sorted(slices.Values(c.cells))
	if slices.ContainsFunc(sorted, func(v float32) bool { return v != v || !isWhole(v) }) {
		return false
	}
	return len(slices.Compact(sorted)) == len(c.cells)
}

// totals are how the last row of a table begins that has sums or means of the others, in lower case.
var totals = []string{"total", "totals", "total:", "grand total", "sum", "subtotal", "summe", "gesamt", "insgesamt",
	"average", "mean", "mittelwert", "totaal", "totale", "suma", "somme", "итого"}

func isTotal(s string) bool { return slices.Contains(totals, strings.ToLower(s)) }

// dropTotal leaves out the last row if it begins with the word for a total, which no other row of the column has.
func (t *csvTable) dropTotal() {
	last := t.rows - 1
	if last == 0 || t.declared {
		return
	}
	j := 0
	for ; j < len(t.columns); j++ {
		c := &t.columns[j]
		mayHold := c.role <= numeric || c.role == categorical && t.Like != nil && j != t.group
		if mayHold && c.isNew(last) && isTotal(c.coder.names[len(c.coder.names)-1]) {
			break
		}
	}
	if j == len(t.columns) {
		return
	}
	t.note(j, fmt.Sprintf("has %s in the last row, which is left out",
		naming.Clip(t.columns[j].coder.names[len(t.columns[j].coder.names)-1])))
	t.columns[j].counts[textCell]--
	t.total = true
	t.cutLast()
}

// cutLast leaves out the last row, which columns that aren't read again no longer have.
func (t *csvTable) cutLast() {
	last := t.rows - 1
	for k := range t.columns {
		c := &t.columns[k]
		if c.isNew(last) {
			c.coder.removeLast()
			if c.role <= numeric && len(c.coder.names) == 0 {
				c.coder = nil // all other cells are missing
			}
		}
		if len(c.cells) > last {
			c.cells = c.cells[:last]
		}
		if exact, ok := t.exact[k]; ok {
			t.exact[k] = exact[:last]
		}
	}
	if t.values != nil {
		t.values = t.values[:last]
	}
	t.rows = last
}

// isNew reports whether a row of a column of texts has the one that came last, and no other row has it.
func (c *csvColumn) isNew(row int) bool {
	if c.coder == nil || len(c.coder.names) <= c.coder.given || row >= len(c.cells) {
		return false
	}
	code := float32(len(c.coder.names) - 1)
	return slices.Index(c.cells, code) == row
}

// checkTarget returns an error if the target, which nobody named, counts the rows.
func (t *csvTable) checkTarget() error {
	if t.Target != "" || t.declared || t.Like != nil {
		return nil
	}
	for j := range t.columns {
		c := &t.columns[j]
		var numbers []float64
		switch c.role {
		case valueTarget:
			numbers = slices.Clone(t.values)
		case classTarget:
			if len(c.coder.names) < t.rows {
				continue
			}
			for _, name := range c.coder.names {
				numbers = append(numbers, parsed(name))
			}
		default:
			continue
		}
		slices.Sort(numbers)
		if n := len(numbers); n >= fewestCounted && countsFrom(numbers, math.Trunc(numbers[0])) {
			return fmt.Errorf("the last column, %s, counts the rows and would be the target; set Target, or NoTarget",
				naming.Clip(t.names[j]))
		}
	}
	return nil
}

const fewestCounted = 10 // rows of which a column that counts them is noticed

// countsFrom reports whether sorted numbers are first, first + 1, …
func countsFrom(numbers []float64, first float64) bool {
	for k, v := range numbers {
		if v != first+float64(k) {
			return false
		}
	}
	return true
}
