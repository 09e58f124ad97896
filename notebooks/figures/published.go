package figures

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
)

// A publishedLine is a line of a table that a paper printed.
type publishedLine struct {
	columns []string
	cells   []string
	place   string // path and number
	err     error  // the first of number
}

// eachLine reads a CSV file whose first line names the columns. It calls do for each other line, and returns the first
// error, which names file, line and column.
func eachLine(path string, do func(l *publishedLine)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for i := 1; i < len(lines); i++ {
		l := publishedLine{columns: lines[0], cells: lines[i], place: fmt.Sprintf("%s:%d", path, i+1)}
		if do(&l); l.err != nil {
			return l.err
		}
	}
	return nil
}

// text returns the cell of a column.
func (l *publishedLine) text(column string) string {
	j := slices.Index(l.columns, column)
	if j < 0 {
		l.err = cmp.Or(l.err, fmt.Errorf("%s: no column %s", l.place, column))
		return ""
	}
	return l.cells[j]
}

// number returns the number of a column.
func (l *publishedLine) number(column string) float64 {
	text := l.text(column)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		l.err = cmp.Or(l.err, fmt.Errorf("%s: %s: %w", l.place, column, err))
	}
	return v
}

// ReadTable reads a published table of numbers from a CSV file, whose first column has data sets and whose first line
// names the others: its cells by set and column, but for empty ones. If columns are named it reads only these. Errors
// name file, line and column.
func ReadTable(path string, columns ...string) (map[string]map[string]float64, error) {
	table := map[string]map[string]float64{}
	err := eachLine(path, func(l *publishedLine) {
		names := columns
		if names == nil {
			names = l.columns[1:]
		}
		row := map[string]float64{}
		for _, name := range names {
			if l.text(name) != "" {
				row[name] = l.number(name)
			}
		}
		table[l.cells[0]] = row
	})
	return table, err
}
