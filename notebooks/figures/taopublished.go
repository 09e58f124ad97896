package figures

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

// A TAOResult is what taoTable2 measured for a published row, in the same units.
type TAOResult struct {
	Method            string // as in the records, such as "tao-c λ=1"
	Repeats           int
	Error, SD         float64 // SD is NaN with one repeat
	Parameters, FLOPs float64
}

// Ours returns the means of the records of taoTable2 that are of the row's data, forest, number
// of trees and depth, one for each λ, in their order.
func (r TAORow) Ours(records []Record) []TAOResult {
	var results []TAOResult
	for _, m := range Means(records) {
		base, _, _ := strings.Cut(m.Method, " ")
		tao, x, suffix := strings.HasPrefix(base, "tao"), r.Trees, ""
		if base == "cart" {
			x = 1
		}
		if tao {
			x, suffix = r.Depth, fmt.Sprintf(".%d.40", r.Trees)
		}
		if m.Problem != strings.ToLower(r.Data) || base != strings.ToLower(r.Forest) || m.X != x {
			continue
		}
		var errors []float64
		for _, o := range records {
			e, ok := o.Score, !tao
			if tao {
				e, ok = o.More["test"+suffix]
			}
			if ok && o.Problem == m.Problem && o.Method == m.Method && o.X == m.X {
				errors = append(errors, 100*e)
			}
		}
		if len(errors) == 0 {
			continue
		}
		result := TAOResult{Method: m.Method, Repeats: len(errors), Parameters: m.More["parameters"+suffix],
			FLOPs: m.More["flops"+suffix]}
		result.Error, result.SD = stat.MeanStdDev(errors, nil)
		results = append(results, result)
	}
	return results
}
