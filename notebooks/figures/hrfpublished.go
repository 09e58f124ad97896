package figures

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
)

// ReadTable reads a published table of numbers from a CSV file, whose first column has
// data sets and whose first line names the others: its cells by set and column.
func ReadTable(path string) (map[string]map[string]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	cells := map[string]map[string]float64{}
	for i, line := range lines[min(1, len(lines)):] {
		row := map[string]float64{}
		for j, name := range lines[0][1:] {
			if row[name], err = strconv.ParseFloat(line[j+1], 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %s: %w", path, i+2, name, err)
			}
		}
		cells[line[0]] = row
	}
	return cells, nil
}
