package paper

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Printed is a table that a paper printed: numbers by row and column.
type Printed struct {
	Rows, Columns []string
	cells         map[[2]string]Number
}

// At returns a cell. It is None if the paper left it empty or has no such row or column.
func (p Printed) At(row, column string) Number {
	if n, ok := p.cells[[2]string{row, column}]; ok {
		return n
	}
	return None
}

// errorOf ends the name of a column of standard errors or deviations: "RF ±" belongs to the column "RF".
const errorOf = " ±"

// ReadPrinted reads a printed table from a CSV file. The first column names the rows, and the first line the columns.
// A column called "RF ±" has the errors of the column "RF". A column whose first cell is text is left out. Cells that
// are empty or NaN are None, and the digits of a cell say how it was rounded. Errors name file, line and column.
func ReadPrinted(path string) (Printed, error) {
	p := Printed{cells: map[[2]string]Number{}}
	err := eachLine(path, func(l *Line) {
		row := l.cells[0]
		p.Rows = append(p.Rows, row)
		if len(p.Rows) == 1 {
			p.Columns = numbered(l)
		}
		for _, column := range p.Columns {
			n := parsed(l, column, number)
			if slices.Contains(l.columns, column+errorOf) && n.Value == n.Value {
				n.StdErr = parsed(l, column+errorOf, number).Value
			}
			p.cells[[2]string{row, column}] = n
		}
	})
	return p, err
}

// numbered returns the columns of numbers, but for those of errors.
func numbered(l *Line) (columns []string) {
	for j, column := range l.columns {
		if _, err := number(l.cells[j]); j > 0 && err == nil && !strings.HasSuffix(column, errorOf) {
			columns = append(columns, column)
		}
	}
	return columns
}

// number parses a printed number. The empty text is None.
func number(text string) (Number, error) {
	if text == "" || text == "NaN" {
		return None, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	digits, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	_, decimals, _ := strings.Cut(digits, ".")
	ten, _ := strconv.Atoi(exponent)
	return Number{Value: v, StdErr: math.NaN(), Rounding: 0.5 * math.Pow(10, float64(ten-len(decimals)))}, err
}

// Points returns the points of a figure that a paper's authors have published, from a CSV file in testdata with the
// columns figure, problem, method, x, score and stderr, which may be empty.
func (r *Results) Points(file, figure string) (points Means) {
	r.fail(eachLine(filepath.Join(r.Root, "testdata", file), func(l *Line) {
		if l.Text("figure") != figure {
			return
		}
		m := Mean{Cell: Cell{l.Text("problem"), l.Text("method"), parsed(l, "x", strconv.Atoi)},
			Score: parsed(l, "score", number)}
		m.Score.StdErr = parsed(l, "stderr", number).Value
		points = append(points, m)
	}))
	return points
}
