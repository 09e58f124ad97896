// Package guess reads tables of which only the file and the target are known, and guesses the rest.
package guess

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/doubts"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// classLimit is the largest number of different whole numbers that are taken for classes.
const classLimit = 20

// Read reads the rows with a target from a CSV file, and the columns that may predict it. Notes of the data set say
// what was assumed or left out. The options are [datasets.ReadCSV]'s; without a Target it is the last column. Classes
// and Like aren't used.
//
// The target is a value if Regression is set, or if it is numeric and has a fraction or more than 20 different values.
// A number in Categorical is a class. Rows without a target are left out. So are columns that no method can learn from:
// columns of one value or none, columns that number the rows, and columns of texts, such as names, that are different
// in most rows.
//
// Errors name the fault, and list the columns of the file or the files of the folder.
func Read(ctx context.Context, path string, o datasets.CSV) (*datasets.Dataset, error) {
	var t table
	target, regression := o.Target, o.Regression
	o.NoTarget, o.Regression, o.Classes, o.Like = true, false, nil, nil
	all, err := datasets.ReadCSV(ctx, path, o)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("guess: there is no file %s; %s", path, neighbours(path))
	}
	if err != nil {
		return nil, err
	}
	if all.Target != "" { // which Target may call by its number in the file
		target = all.Target
	} else if target == "" {
		target = all.Features[all.P()-1].Name
		t.note("No target was named; it is the last column, %q.", target)
	}
	if j := slices.Index(all.FeatureNames(), target); j >= 0 && !regression {
		regression = isMeasured(all.Features[j], all.Columns[j])
	}
	d, err := all.WithTarget(target, regression)
	if err != nil {
		return nil, fmt.Errorf("guess: %s: %w", path, err)
	}
	if lost := all.N() - d.N(); lost > 0 {
		t.note("%d of %d rows have no target and are left out.", lost, all.N())
	}
	if err := t.choose(all, d); err != nil {
		return nil, fmt.Errorf("guess: %s: %w", path, err)
	}
	if d.Values != nil && !slices.ContainsFunc(d.Values, func(v float64) bool { return v != math.Trunc(v) }) {
		t.note("%q is a number: this is regression. If its numbers are classes, set Categorical: []string{%[1]q}.", target)
	}
	if j := slices.Index(all.FeatureNames(), target); j >= 0 && all.Features[j].Categories == nil && len(d.Classes) > 2 {
		t.note("%q has %d different whole numbers, which are taken for classes. If they are amounts, such as counts, set "+
			"Regression: true.", target, len(d.Classes))
	}
	if n := repeated(t.data); 100*n > d.N() {
		t.note("%d rows repeat an earlier one, the target included. Where one is tested and its like was trained on, "+
			"errors look too small.", n)
	}
	t.data.Notes = append(slices.Clip(t.data.Notes), t.notes...)
	return t.data, nil
}

// A table is being read.
type table struct {
	data  *datasets.Dataset
	notes []string // what was assumed or left out, a sentence each
}

// note notes what was assumed or left out.
func (t *table) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// neighbours says which tables are in the folder of a file that doesn't exist.
func neighbours(path string) string {
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Sprintf("there is no folder %s either", folder)
	}
	var names []string
	for _, e := range entries {
		if strings.Contains(strings.ToLower(e.Name()), ".csv") {
			names = append(names, e.Name())
		}
	}
	switch {
	case len(names) == 0:
		return fmt.Sprintf("the folder %s has no file whose name ends in .csv", folder)
	case len(names) > 5:
		return fmt.Sprintf("the folder %s has %s and %d more", folder, strings.Join(names[:5], ", "), len(names)-5)
	}
	return fmt.Sprintf("the folder %s has %s", folder, strings.Join(names, ", "))
}

// isMeasured reports whether a column holds measured numbers rather than classes.
func isMeasured(f datasets.Feature, cells []float32) bool {
	if f.Categories != nil {
		return false
	}
	known := distinct(cells)
	fraction := func(cell float32) bool {
		v := f.Scale.Value(cell)
		return v != math.Trunc(v)
	}
	return len(known) > classLimit || slices.ContainsFunc(known, fraction)
}

// distinct returns the different cells that aren't missing, ascending.
func distinct(cells []float32) []float32 {
	known := slices.DeleteFunc(slices.Clone(cells), func(v float32) bool { return v != v })
	slices.Sort(known)
	return slices.Compact(known)
}

// choose leaves out the columns of d that can't predict. d has the rows of all that have a target.
func (t *table) choose(all, d *datasets.Dataset) error {
	names, kinds, kindsLeft := all.FeatureNames(), doubts.Columns(all), doubts.Columns(d)
	var kept, left, constant []int
	for j, f := range d.Features {
		i := slices.Index(names, f.Name)
		switch kind := kinds[i]; {
		case kind == doubts.Constant || kind == doubts.Counted || kind == doubts.Identifiers:
			left = append(left, i)
		case kindsLeft[j] == doubts.Constant: // in the rows that have a target
			constant = append(constant, j)
		default:
			kept = append(kept, j)
		}
	}
	if len(kept) == 0 {
		return errors.New("no column is left to predict from: all are constant, count rows or name them")
	}
	t.data = d.Select(kept...)
	for _, of := range []*datasets.Dataset{all.Select(left...), d.Select(constant...)} {
		of.Labels, of.Classes, of.Values, of.Notes = nil, nil, nil, nil // of the columns alone
		for _, why := range doubts.Of(of) {
			t.note("Left out: %s", why)
		}
	}
	return nil
}

// repeated returns how many rows equal an earlier one in all cells and the target.
func repeated(d *datasets.Dataset) int {
	seen := make(map[string]bool, d.N())
	var row []float32
	var key []byte
	for i := range d.N() {
		row = d.Row(row, i)
		key = must.Value(binary.Append(key[:0], binary.LittleEndian, row))
		if d.Labels != nil {
			key = must.Value(binary.Append(key, binary.LittleEndian, d.Labels[i]))
		} else {
			key = must.Value(binary.Append(key, binary.LittleEndian, d.Values[i]))
		}
		seen[string(key)] = true
	}
	return d.N() - len(seen)
}
