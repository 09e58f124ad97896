package figures

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A Cell is the κ of a method on a set of table D.1.
type Cell struct {
	Tuned     float64 // ours, tuned within each fold
	Hindsight float64 // ours, with the setting that is best on the test parts
	Published float64
}

// Cells are the cells of a row, by method.
type Cells map[string]Cell

// A Row is a row of table D.1.
type Row struct {
	Set   string
	Cells Cells
}

// readLines reads the lines of a CSV file.
func readLines(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return lines, nil
}

// ReadTableD1 reads the published κ of table D.1 from a CSV file. It has a column
// "dataset", and for each method one whose name ends in "_kappa". The row of averages is
// left out.
func ReadTableD1(path string) ([]Row, error) {
	lines, err := readLines(path)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, line := range lines[min(1, len(lines)):] {
		row := Row{Cells: Cells{}}
		for j, name := range lines[0] {
			method, ok := strings.CutSuffix(name, "_kappa")
			switch {
			case name == "dataset":
				row.Set = line[j]
			case ok:
				kappa, err := strconv.ParseFloat(line[j], 64)
				if err != nil {
					return nil, fmt.Errorf("%s:%d: %s: %w", path, i+2, name, err)
				}
				row.Cells[method] = Cell{Tuned: math.NaN(), Hindsight: math.NaN(), Published: kappa}
			}
		}
		if row.Set != "AVERAGE" {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// ReadTableC1 reads the number of rows of each set of table C.1 from the columns
// "dataset" and "n_samples" of a CSV file.
func ReadTableC1(path string) (map[string]int, error) {
	lines, err := readLines(path)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: no header", path)
	}
	name, n := slices.Index(lines[0], "dataset"), slices.Index(lines[0], "n_samples")
	if name < 0 || n < 0 {
		return nil, fmt.Errorf("%s: no columns dataset and n_samples", path)
	}
	rows := map[string]int{}
	for i, line := range lines[1:] {
		if rows[line[name]], err = strconv.Atoi(line[n]); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+2, err)
		}
	}
	return rows, nil
}

// Compare returns the published rows for which all our methods have results, in the
// same order, with these results filled in.
func Compare(means []Mean, published []Row) []Row {
	here := map[string]Cells{}
	for _, m := range means {
		if here[m.Problem] == nil {
			here[m.Problem] = Cells{}
		}
		here[m.Problem][m.Method] = Cell{Tuned: m.Mean, Hindsight: m.More["best"]}
	}
	var rows []Row
	for _, p := range published {
		if len(here[p.Set]) != len(tableD1) {
			continue
		}
		row := Row{Set: p.Set, Cells: Cells{}}
		for _, m := range tableD1 {
			c := here[p.Set][m.name]
			c.Published = p.Cells[m.name].Published
			row.Cells[m.name] = c
		}
		rows = append(rows, row)
	}
	return rows
}

// Difference returns the means over rows of our κ minus the published κ and of the
// difference's absolute value: tuned, and in hindsight.
func Difference(rows []Row, method string) (tuned, hindsight [2]float64) {
	for _, r := range rows {
		c := r.Cells[method]
		for k, d := range []float64{c.Tuned - c.Published, c.Hindsight - c.Published} {
			to := [2]*[2]float64{&tuned, &hindsight}[k]
			to[0] += d / float64(len(rows))
			to[1] += math.Abs(d) / float64(len(rows))
		}
	}
	return tuned, hindsight
}

// Scores returns a score for each row and method, as [eval.FriedmanTest] takes them.
func Scores(rows []Row, methods []string, of func(method string, c Cell) float64) [][]float64 {
	scores := make([][]float64, len(rows))
	for i, r := range rows {
		for _, name := range methods {
			scores[i] = append(scores[i], of(name, r.Cells[name]))
		}
	}
	return scores
}
