package figures

import (
	"fmt"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// A TAORow is a row of tables 2 to 5 of the TAO paper.
type TAORow struct {
	Table             int
	Data, Forest      string // such as "Letter" and "TAO-c"
	Trees, Depth      int
	Error, SD         float64 // test error and its standard deviation over 5 repeats, in percent; SD is 0 where none is printed
	Parameters, FLOPs float64
	Bounds            string // which numbers are upper bounds: none, "flops", or "both" for the parameters too
}

var taoColumns = []string{"table", "dataset", "forest", "trees", "depth", "error", "sd", "parameters", "flops", "bounds"}

// ReadTAOTables reads tables 2 to 5 of the TAO paper from a CSV file.
func ReadTAOTables(path string) ([]TAORow, error) {
	lines, err := readLines(path)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 || strings.Join(lines[0], ",") != strings.Join(taoColumns, ",") {
		return nil, fmt.Errorf("%s:1: want the columns %s", path, strings.Join(taoColumns, ", "))
	}
	var rows []TAORow
	for i, line := range lines[1:] {
		var numbers [7]float64
		for k, column := range []int{0, 3, 4, 5, 6, 7, 8} {
			if line[column] == "" && taoColumns[column] == "sd" {
				continue
			}
			if numbers[k], err = strconv.ParseFloat(line[column], 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %s: %w", path, i+2, taoColumns[column], err)
			}
		}
		rows = append(rows, TAORow{Table: int(numbers[0]), Data: line[1], Forest: line[2], Trees: int(numbers[1]), Depth: int(numbers[2]),
			Error: numbers[3], SD: numbers[4], Parameters: numbers[5], FLOPs: numbers[6], Bounds: line[9]})
	}
	return rows, nil
}

// A TAOResult is what [TAOTable2] measured for a published row, in the same units.
type TAOResult struct {
	Method            string // as in the records, such as "tao-c λ=1"
	Repeats           int
	Error, SD         float64 // SD is NaN with one repeat
	Parameters, FLOPs float64
}

// Ours returns the means of the records of [TAOTable2] that are of the row's data, forest, number
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
		result := TAOResult{Method: m.Method, Repeats: len(errors), Parameters: m.More["parameters"+suffix], FLOPs: m.More["flops"+suffix]}
		result.Error, result.SD = stat.MeanStdDev(errors, nil)
		results = append(results, result)
	}
	return results
}
