package datasets

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/obliqua-ml/obliqua/internal/naming"
)

// WithTarget returns d with one of its columns as the target, without the rows in which that is missing. It may be
// called by name, or by "#k", counted from 1. For regression the column must be numeric. Otherwise its categories or,
// of a numeric column, its different numbers become the classes. Classes that don't occur are dropped. A target that d
// has already is dropped.
//
// It is for tables that are read before it is known what to predict, with [CSV.NoTarget]. The
// values of a numeric target are then those of float32. WithTarget returns an error if d is
// invalid (see [Dataset.Check]), has no such column, or no row or no column is left.
func (d *Dataset) WithTarget(column string, regression bool) (*Dataset, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	names := d.FeatureNames()
	place := make(map[string]int, len(names))
	for j, name := range slices.Backward(names) {
		place[name] = j // of several columns of a name the first
	}
	j, err := naming.Find(names, place, column)
	if err != nil {
		return nil, fmt.Errorf("datasets: target: %w", err)
	}
	if d.P() == 1 {
		return nil, fmt.Errorf("datasets: %q is the only column, so none is left to predict from", names[j])
	}
	if regression && d.Features[j].Categories != nil {
		return nil, fmt.Errorf(
			"datasets: column %q is categorical; a target of regression must be numeric",
			d.Features[j].Name,
		)
	}
	cells := d.Column(nil, j)
	var known []int32
	for i, v := range cells {
		if v == v { // not NaN
			known = append(known, int32(i))
		}
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("datasets: all cells of column %q are missing", d.Features[j].Name)
	}
	bare := *d
	bare.Features = slices.Delete(slices.Clone(d.Features), j, j+1)
	bare.Columns = slices.Delete(slices.Clone(d.Columns), j, j+1)
	bare.Labels, bare.Classes, bare.Values = nil, nil, nil
	out := &bare
	if len(known) < len(cells) {
		out = out.Subset(known)
	}
	out.Target = d.Features[j].Name
	if regression {
		out.Values = make([]float64, len(known))
		for i, r := range known {
			out.Values[i] = d.Features[j].Scale.Value(cells[r])
		}
		return out, nil
	}
	out.Labels, out.Classes = classesOf(cells, known, d.Features[j])
	for _, note := range out.noteClasses() {
		out.Notes = append(slices.Clip(out.Notes), fmt.Sprintf("Column %q %s.", out.Target, note))
	}
	return out, nil
}

// groupsOf returns the groups of rows with the given cells in a column.
func (d *Dataset) groupsOf(column string, cells []float32) ([]int32, error) {
	rows, number := make([]int32, len(cells)), map[float32]int32{}
	for i, v := range cells {
		if !(v > -naming.MaxCategories && v < naming.MaxCategories) {
			return nil, d.errorf(": row %d of column %q, which has the groups, is %v; want no missing cell, and numbers below "+
				"2²⁴ unless the column is categorical", i, column, v)
		}
		if _, ok := number[v]; !ok {
			number[v] = int32(len(number))
		}
		rows[i] = number[v]
	}
	return rows, nil
}

// classesOf returns the labels of the given rows of a column, and the names of the classes in
// ascending order of the column's numbers or codes.
func classesOf(cells []float32, rows []int32, f Feature) (labels []int32, classes []string) {
	var different []float32
	for _, r := range rows {
		different = append(different, cells[r])
	}
	slices.Sort(different)
	different = slices.Compact(different)
	for _, v := range different {
		switch {
		case f.Categories != nil:
			classes = append(classes, f.Categories[int(v)])
		case f.Scale.Offset != 0 || f.Scale.Step != 0:
			classes = append(classes, strconv.FormatFloat(f.Scale.Value(v), 'g', -1, 64))
		default:
			classes = append(classes, strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
	}
	labels = make([]int32, len(rows))
	for i, r := range rows {
		place, _ := slices.BinarySearch(different, cells[r])
		labels[i] = int32(place)
	}
	return labels, classes
}
