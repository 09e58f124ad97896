package datasets

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/internal/nearest"
)

// Record returns the cells of one row of a table with this schema, in its order, from values
// by column name, as encoding/json decodes an object: float64, int or [json.Number] for a numeric
// column, or a text for a date, the name of a category for a categorical one. A column that
// is null or left out is missing (NaN). It returns an error that names the column if a value is of another kind, a
// number isn't finite in float32, or a category isn't one of the schema's, and if there is no
// such column. The target may be there and is ignored.
//
// A forest.Predictor takes such rows, so that a program can predict what it receives as JSON.
func (s *Schema) Record(cells map[string]any) ([]float32, error) {
	known := make(map[string]bool, len(s.Features)+1)
	known[s.Target] = true
	row := make([]float32, len(s.Features))
	for j, f := range s.Features {
		known[f.Name] = true
		v, err := f.cell(cells[f.Name])
		if err != nil {
			return nil, fmt.Errorf("datasets: column %q: %w", f.Name, err)
		}
		row[j] = v
	}
	for name := range cells {
		if !known[name] {
			return nil, fmt.Errorf("datasets: %w: no column %q; the nearest are %s", ErrSchema, name,
				nearest.Names(namesOf(s.Features), name))
		}
	}
	return row, nil
}

// cell returns a value of the column as a cell.
func (f *Feature) cell(value any) (float32, error) {
	if value == nil {
		return float32(math.NaN()), nil
	}
	if f.Categories != nil {
		text, ok := value.(string)
		if !ok {
			return 0, fmt.Errorf("%v is not a text; want one of its categories", value)
		}
		code := slices.Index(f.Categories, text)
		if code < 0 {
			return 0, fmt.Errorf("unknown category %q; the nearest are %s", text, nearest.Names(f.Categories, text))
		}
		return float32(code), nil
	}
	var number float64
	layout, isDate := f.Scale.Layout()
	switch v := value.(type) {
	case string:
		day, ok := dayOf(layout, v)
		if !isDate || !ok {
			return 0, fmt.Errorf("%q is not a %s", v, map[bool]string{true: "date as " + layout, false: "number"}[isDate])
		}
		number = day
	case float64:
		number = v
	case int:
		number = float64(v)
	case json.Number:
		parsed, err := v.Float64()
		if err != nil {
			return 0, fmt.Errorf("%q is not a number", v)
		}
		number = parsed
	default:
		return 0, fmt.Errorf("%q is not a number", fmt.Sprint(value))
	}
	if cell := f.Scale.Cell(number); !math.IsInf(float64(cell), 0) && cell == cell {
		return cell, nil
	}
	return 0, fmt.Errorf("%v is not a finite number of 32 bits", number)
}
