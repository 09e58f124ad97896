package figures

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// WithBaselines returns the rows of table D.1 on which each of some methods of other
// libraries has been measured on all four folds, with these methods' cells added: Tuned is
// the mean of κ over folds, Hindsight NaN. rows are those of [Compare], and published those
// of [ReadTableD1]. Sets of baselines are called fd_ and the row's name.
func WithBaselines(rows, published []Row, baselines []PredictionMean, methods ...string) []Row {
	const folds = 4
	measured := map[[2]string]PredictionMean{}
	for _, m := range baselines {
		measured[[2]string{m.Set, m.Method}] = m
	}
	var all []Row
	for _, r := range rows {
		p := slices.IndexFunc(published, func(p Row) bool { return p.Set == r.Set })
		if p < 0 {
			continue
		}
		cells, complete := maps.Clone(r.Cells), true
		for _, name := range methods {
			m := measured[[2]string{"fd_" + r.Set, name}]
			complete = complete && m.Splits == folds
			cells[name] = Cell{Tuned: m.Kappa, Hindsight: math.NaN(), Published: published[p].Cells[name].Published}
		}
		if complete {
			all = append(all, Row{r.Set, cells})
		}
	}
	return all
}

// A SupportCell is a method's part of a row of table 2 of the GRAF paper, in per cent. Size is the size of
// the choice, of the support vectors for SVM; NaN stands for what the table doesn't have.
type SupportCell struct{ Size, Overlap, Accuracy float64 }

// supportColumns are the columns of a method in the file of table 2: its size, overlap and
// accuracy; GRAF and SVIS choose as many rows as there are support vectors.
var supportColumns = map[string][3]string{
	"SVM":  {"svs_pct", "", "svm_accuracy_pct"},
	"GRAF": {"svs_pct", "graf_overlap_pct", "graf_accuracy_pct"},
	"SVIS": {"svs_pct", "svis_overlap_pct", "svis_accuracy_pct"},
	"NPPS": {"npps_size_pct", "npps_overlap_pct", "npps_accuracy_pct"},
}

// ReadSupportTable reads the published table 2 of the GRAF paper from a CSV file: cells by set, then
// by method, which is SVM, GRAF, SVIS or NPPS.
func ReadSupportTable(path string) (map[string]map[string]SupportCell, error) {
	lines, err := readLines(path)
	if err != nil {
		return nil, err
	}
	table := map[string]map[string]SupportCell{}
	for i, line := range lines[min(1, len(lines)):] {
		number := func(column string) (float64, error) {
			if column == "" {
				return math.NaN(), nil
			}
			j := slices.Index(lines[0], column)
			if j < 0 {
				return 0, fmt.Errorf("%s: no column %s", path, column)
			}
			v, err := strconv.ParseFloat(line[j], 64)
			if err != nil {
				return 0, fmt.Errorf("%s:%d: %s: %w", path, i+2, column, err)
			}
			return v, nil
		}
		cells := map[string]SupportCell{}
		for method, columns := range supportColumns {
			var v [3]float64
			for k, column := range columns {
				if v[k], err = number(column); err != nil {
					return nil, err
				}
			}
			cells[method] = SupportCell{v[0], v[1], v[2]}
		}
		table[line[0]] = cells
	}
	return table, nil
}

// CubeRecords returns Cohen's kappa of predictions on hypercubes, whose sets are called cube/, the
// problem, a slash and the number of features, as records like those of [GRAFCubes]. It leaves out
// other sets.
func CubeRecords(predictions []Prediction) []Record {
	var records []Record
	for _, p := range predictions {
		parts := strings.Split(p.Set, "/")
		if len(parts) != 3 || parts[0] != "cube" {
			continue
		}
		features, err := strconv.Atoi(parts[2])
		if err != nil {
			continue
		}
		records = append(records, Record{
			Run:    Run{Problem: parts[1], Method: p.Method, X: features, Repeat: p.Repeat, Seed: uint64(p.Repeat)},
			Result: Result{Score: p.Kappa()},
		})
	}
	return records
}
