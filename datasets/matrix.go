package datasets

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// FromRows returns a data set of the given rows, which must have the same length,
// and of the target y, which has one element per row. A nil y makes an unlabelled
// data set:
//
//	FromRows[int](rows, nil)
//
// Strings and integers are classes, and float64 numbers the values of a regression.
// The columns are called x1, x2, … and the target y. NaN is a missing cell.
// Numbers are rounded to the nearest float32, relative to an offset if they would fall together otherwise (see
// [Scale]). Infinities are errors, as is a target that is NaN or infinite. Classes are sorted, by number if all are
// numbers and otherwise by bytes. The rows are copied.
func FromRows[Y string | int | int32 | float64](rows [][]float64, y []Y) (*Dataset, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("datasets: no rows")
	}
	p := len(rows[0])
	for i, row := range rows {
		if len(row) != p {
			return nil, fmt.Errorf("datasets: row %d has %d cells; row 0 has %d", i, len(row), p)
		}
	}
	return fromCells(len(rows), p, func(i, j int) float64 { return rows[i][j] }, y)
}

// FromMatrix is [FromRows] for the rows of m, such as gonum's mat.Matrix, which is copied.
func FromMatrix[Y string | int | int32 | float64](m interface {
	Dims() (r, c int)
	At(i, j int) float64
}, y []Y) (*Dataset, error) {
	n, p := m.Dims()
	return fromCells(n, p, m.At, y)
}

func fromCells[Y comparable](n, p int, at func(i, j int) float64, y []Y) (*Dataset, error) {
	if n < 1 || p < 1 {
		return nil, fmt.Errorf("datasets: %d rows of %d cells; want at least one of each", n, p)
	}
	if y != nil && len(y) != n {
		return nil, fmt.Errorf("datasets: %d labels for %d rows", len(y), n)
	}
	d := &Dataset{Features: numberedFeatures(p), Columns: newColumns(n, p)}
	noticed := make([]precision, p)
	for i := range n {
		for j, column := range d.Columns {
			v := at(i, j)
			if math.IsInf(v, 0) {
				return nil, fmt.Errorf("datasets: row %d, column %q is %v; want a finite number", i, d.Features[j].Name, v)
			}
			if column[i] = float32(v); float64(column[i]) != v && v == v {
				noticed[j].add(v)
			}
		}
	}
	for j := range noticed {
		if noticed[j].doubtful() {
			exact := make([]float64, n)
			for i := range exact {
				exact[i] = at(i, j)
			}
			d.setNumbers(j, exact)
		}
	}
	if err := setTarget(d, y); err != nil {
		return nil, err
	}
	return d, d.Check()
}

// setNumbers makes cells of the numbers of column j, and notes what cells can't hold.
func (d *Dataset) setNumbers(j int, numbers []float64) {
	f := &d.Features[j]
	var note string
	if d.Columns[j], f.Scale, note = Cells(numbers); note != "" {
		d.Notes = append(d.Notes, fmt.Sprintf("Column %q %s.", f.Name, note))
	}
}

func setTarget[Y comparable](d *Dataset, y []Y) error {
	if y == nil {
		return nil
	}
	d.Target = "y"
	if values, ok := any(y).([]float64); ok {
		d.Values = slices.Clone(values)
		return nil
	}
	c, codes := newCoder(nil), make(map[Y]int32)
	d.Labels = make([]int32, len(y))
	for i, class := range y {
		code, ok := codes[class]
		if !ok {
			var err error
			if code, err = c.code(fmt.Sprint(class)); err != nil {
				return fmt.Errorf("datasets: %w", err)
			}
			codes[class] = code
		}
		d.Labels[i] = code
	}
	d.Classes = c.recode(d.Labels)
	return nil
}

// numberedFeatures returns p numeric features x1, x2, ….
func numberedFeatures(p int) []Feature {
	features := make([]Feature, p)
	for j := range features {
		features[j].Name = "x" + strconv.Itoa(j+1)
	}
	return features
}

func newColumns(n, p int) [][]float32 {
	cells := make([]float32, n*p)
	columns := make([][]float32, p)
	for j := range columns {
		columns[j] = cells[j*n : (j+1)*n : (j+1)*n]
	}
	return columns
}
