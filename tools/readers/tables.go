package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
)

// A meantTable is what is meant by a file that tables.py has made.
type meantTable struct {
	Separator  string `json:"separator"`
	Regression bool   `json:"regression"`
	Group      string `json:"group"`
	Columns    []struct {
		Name  string `json:"name"`
		Kind  string `json:"kind"`
		Cells []any  `json:"cells"`
	} `json:"columns"`
}

// differences counts cells of files.
type differences struct {
	tables, cells        int // that are read
	silent, noted        int // cells that differ without a word, and in columns of which a note says how they are read
	refused              int // cells of files that are an error
	refusedTables        int
	examples, complaints []string
}

// compareTables reads the files in a folder and compares their cells with what is meant.
func compareTables(folder string, out io.Writer) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return err
	}
	var all differences
	for _, path := range paths {
		if err := all.add(path); err != nil {
			return err
		}
	}
	for _, example := range append(all.examples, all.complaints...) {
		fmt.Fprintln(out, example)
	}
	fmt.Fprintf(out, "%d tables, %d cells read: %d differ silently (%.2f %%), %d with a note; %d tables (%d cells) are errors\n",
		all.tables, all.cells, all.silent, 100*float64(all.silent)/float64(all.cells), all.noted, all.refusedTables, all.refused)
	return nil
}

func (all *differences) add(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var meant meantTable
	if err := json.Unmarshal(b, &meant); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	cells := len(meant.Columns) * len(meant.Columns[0].Cells)
	name := strings.TrimSuffix(path, ".json") + ".csv"
	d, err := datasets.ReadCSV(context.Background(), name, datasets.CSV{Comma: rune(meant.Separator[0]), Regression: meant.Regression, Group: meant.Group})
	if err != nil {
		all.refused += cells
		all.refusedTables++
		all.complaints = append(all.complaints, err.Error())
		return nil
	}
	all.tables++
	all.cells += cells
	places := map[string]int{}
	for j, f := range d.Features {
		places[f.Name] = j
	}
	for _, c := range meant.Columns {
		j, isFeature := places[c.Name]
		wrong, example := 0, ""
		groups := map[any]any{} // number of each text
		most := mostRounded(c.Cells)
		for i, want := range c.Cells {
			got := any(nil)
			switch {
			case i >= d.N():
			case c.Name == d.Target && d.Values != nil:
				got = d.Values[i]
			case c.Name == d.Target:
				got = d.Classes[d.Labels[i]]
			case c.Kind == "group":
				if got = float64(d.Groups[i]); groups[want] == nil {
					groups[want] = float64(len(groups))
				}
				want = groups[want]
			case isFeature:
				got = cellOf(d, i, j)
			}
			if c.Kind == "key" && !isFeature || equal(got, want, most) {
				continue
			}
			if wrong++; example == "" {
				example = fmt.Sprintf("%s, column %q, row %d: %v, meant is %v; notes %q", name, c.Name, i, got, want, d.Notes)
			}
		}
		switch {
		case wrong == 0:
		case strings.Contains(strings.Join(d.Notes, " "), fmt.Sprintf("Column %q", c.Name)):
			all.noted += wrong
			all.examples = append(all.examples, "noted: "+example)
		default:
			all.silent += wrong
			all.examples = append(all.examples, "SILENT: "+example)
		}
	}
	return nil
}

// cellOf returns a cell as JSON has it: a number, a text, or nil if it is missing.
func cellOf(d *datasets.Dataset, i, j int) any {
	v, f := d.At(i, j), d.Features[j]
	switch {
	case v != v:
		return nil
	case f.Categories != nil:
		return f.Categories[int(v)]
	}
	return f.Scale.Value(v)
}

// mostRounded returns by how much the numbers among cells may be rounded: as float32 are, or if they are whole and lie
// close together, as float32 relative to an offset are.
func mostRounded(cells []any) float64 {
	low, high, whole := math.Inf(1), math.Inf(-1), true
	for _, cell := range cells {
		if v, ok := cell.(float64); ok {
			low, high, whole = min(low, v), max(high, v), whole && v == math.Trunc(v)
		}
	}
	if whole && low < high && high-low < high/1000 {
		return 6e-8 * (high - low)
	}
	return 6e-8 * max(1, -low, high)
}

// equal compares cells; numbers may differ by most.
func equal(got, want any, most float64) bool {
	a, number := got.(float64)
	b, both := want.(float64)
	if number && both {
		return math.Abs(a-b) <= most
	}
	return got == want
}
