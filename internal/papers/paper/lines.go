package paper

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

// A Line is a line of a CSV file whose first line names the columns.
type Line struct {
	columns []string
	cells   []string
	place   string // path and number
	err     error  // the first of Text and Number
}

// eachLine reads the CSV file at path and calls do for each line but the first. It returns the first error, which names
// file, line and column.
func eachLine(path string, do func(l *Line)) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return parseLines(path, data, nil, do)
}

// parseLines is [eachLine] for the contents of the file at path. It returns an error if columns isn't nil and the file
// has other columns.
func parseLines(path string, data []byte, columns []string, do func(l *Line)) error {
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(lines) > 0 && columns != nil && !slices.Equal(lines[0], columns) {
		return fmt.Errorf("%s:1: columns %s; want %s", path, strings.Join(lines[0], ","), strings.Join(columns, ","))
	}
	for i := 1; i < len(lines); i++ {
		l := Line{columns: lines[0], cells: lines[i], place: fmt.Sprintf("%s:%d", path, i+1)}
		if do(&l); l.err != nil {
			return l.err
		}
	}
	return nil
}

// Text returns the cell of a column.
func (l *Line) Text(column string) string {
	j := slices.Index(l.columns, column)
	if j < 0 {
		l.err = cmp.Or(l.err, fmt.Errorf("%s: no column %s", l.place, column))
		return ""
	}
	return l.cells[j]
}

// Number returns the number in a column.
func (l *Line) Number(column string) float64 {
	return parsed(l, column, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
}

// parsed returns what parse makes of the cell of a column.
func parsed[T any](l *Line, column string, parse func(text string) (T, error)) T {
	v, err := parse(l.Text(column))
	if err != nil {
		l.err = cmp.Or(l.err, fmt.Errorf("%s: %s: %w", l.place, column, err))
	}
	return v
}
