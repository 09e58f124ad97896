package old

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A publishedLine is a line of a table that a paper printed, or of a result file.
type publishedLine struct {
	columns []string
	cells   []string
	place   string // path and number
	err     error  // the first of number
}

// eachLine reads a CSV file whose first line names the columns. It calls do for each other line, and returns the first
// error, which names file, line and column.
func eachLine(path string, do func(l *publishedLine)) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return parseLines(path, data, nil, do)
}

// parseLines is eachLine for the contents of the file at path. Columns are those that it must have; nil means any.
func parseLines(path string, data []byte, columns []string, do func(l *publishedLine)) error {
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(lines) > 0 && columns != nil && !slices.Equal(lines[0], columns) {
		return fmt.Errorf("%s:1: columns %s; want %s", path, strings.Join(lines[0], ","), strings.Join(columns, ","))
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
	return parsed(l, column, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
}

// parsed returns what parse makes of the cell of a column.
func parsed[T any](l *publishedLine, column string, parse func(text string) (T, error)) T {
	v, err := parse(l.text(column))
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
