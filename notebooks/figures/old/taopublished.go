package old

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// A TAORow is a row of tables 2 to 5 of the TAO paper.
type TAORow struct {
	Table             int
	Data, Forest      string // such as "Letter" and "TAO-c"
	Trees, Depth      int
	Error, SD         float64 // test error and its standard deviation over 5 repeats, in percent; SD may be 0, for none
	Parameters, FLOPs float64
	Bounds            string // which numbers are upper bounds: none, "flops", or "both" for the parameters too
}

// ReadTAOTables reads tables 2 to 5 of the TAO paper from a CSV file.
func ReadTAOTables(path string) (rows []TAORow, err error) {
	err = eachLine(path, func(l *publishedLine) {
		r := TAORow{Table: int(l.number("table")), Data: l.text("dataset"), Forest: l.text("forest"),
			Trees: int(l.number("trees")), Depth: int(l.number("depth")), Error: l.number("error"),
			Parameters: l.number("parameters"), FLOPs: l.number("flops"), Bounds: l.text("bounds")}
		if l.text("sd") != "" {
			r.SD = l.number("sd")
		}
		rows = append(rows, r)
	})
	return rows, err
}

// Ours returns the means of the records of taoTable2 that are of the row's data, forest, number of trees and depth, in
// the same units, one for each λ, in their order. Forest is the method of the records, such as "tao-c λ=1". SD is NaN
// with one repeat.
func (r TAORow) Ours(records []Record) (rows []TAORow) {
	x, suffix := r.Trees, ""
	if r.Forest == "CART" {
		x = 1
	}
	tao := strings.HasPrefix(r.Forest, "TAO")
	if tao {
		x, suffix = r.Depth, fmt.Sprintf(".%d.40", r.Trees)
	}
	var of []Record
	for _, o := range records {
		forest, _, _ := strings.Cut(o.Method, " ")
		test, measured := o.More["test"+suffix]
		if o.Problem == strings.ToLower(r.Data) && forest == strings.ToLower(r.Forest) && o.X == x && (measured || !tao) {
			if tao {
				o.Score = test
			}
			o.Score *= 100
			of = append(of, o)
		}
	}
	_, groups := grouped(of, Record.group)
	for _, m := range Means(of) {
		var errors []float64
		for _, o := range groups[group{m.Problem, m.Method, m.X}] {
			errors = append(errors, o.Score)
		}
		row := TAORow{Table: r.Table, Data: r.Data, Forest: m.Method, Trees: r.Trees, Depth: r.Depth,
			Parameters: m.More["parameters"+suffix], FLOPs: m.More["flops"+suffix]}
		row.Error, row.SD = stat.MeanStdDev(errors, nil)
		rows = append(rows, row)
	}
	return rows
}
