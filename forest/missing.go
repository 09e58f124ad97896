package forest

import (
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
)

// Filled returns d, which has the forest's features, with the forest's Fills in place of missing cells, as splits of
// several features see it. It is d itself if no cell is missing. The forest must have Fills if one is.
func (f *Forest) Filled(d *datasets.Dataset) *datasets.Dataset {
	filled := d
	for j, column := range d.Columns {
		if !slices.ContainsFunc(column, missing) {
			continue
		}
		if filled == d {
			copied := *d
			filled, copied.Columns = &copied, slices.Clone(d.Columns)
		}
		if j >= len(f.Fills) {
			panic(fmt.Sprintf("forest: column %d has missing cells, and the forest has no number to fill them with", j))
		}
		filled.Columns[j] = make([]float32, len(column))
		fillMissing(filled.Columns[j], column, f.Fills[j])
	}
	return filled
}

// numbered returns d with the forest's numbers of categories; those that it hasn't are missing cells. It returns an
// error if a column is categorical and the feature isn't, or the other way round.
func (f *Forest) numbered(d *datasets.Dataset) (*datasets.Dataset, error) {
	numbered := d
	for j, feature := range d.Features {
		known := f.categories(j)
		switch {
		case (known == nil) != (feature.Categories == nil):
			return nil, fmt.Errorf("forest: %w: column %q has %d categories; the model was trained on %d (0 if it is numeric)",
				datasets.ErrSchema, feature.Name, len(feature.Categories), len(known))
		case slices.Equal(known, feature.Categories):
			continue
		}
		if numbered == d {
			copied := *d
			numbered, copied.Features, copied.Columns = &copied, slices.Clone(d.Features), slices.Clone(d.Columns)
		}
		numbers := make(map[string]float32, len(known))
		for c, name := range known {
			numbers[name] = float32(c)
		}
		column := slices.Clone(d.Columns[j])
		for i, v := range column {
			if missing(v) {
				continue
			}
			if c, ok := numbers[feature.Categories[int(v)]]; ok {
				column[i] = c
			} else {
				column[i] = float32(math.NaN())
			}
		}
		numbered.Features[j].Categories, numbered.Columns[j] = known, column
	}
	return numbered, nil
}

// fillMissing copies cells to dst, with fill in place of missing ones.
func fillMissing(dst, cells []float32, fill float32) {
	for i, v := range cells[:len(dst)] {
		if missing(v) {
			v = fill
		}
		dst[i] = v
	}
}

func missing(v float32) bool { return v != v }

// seen returns what a packed tree reads of a row, in the memory of dst: as the columns of a walker, the row, with
// −Inf for missing cells, and with the forest's Fills.
func (f *Forest) seen(dst, x []float32) []float32 {
	dst = append(append(append(dst[:0], x...), x...), x...)
	p := len(x)
	for j, v := range x {
		if missing(v) {
			dst[p+j], dst[2*p+j] = float32(math.Inf(-1)), f.Fills[j]
		}
	}
	return dst
}

// validateFills returns an error unless there are no Fills or finite ones of all features, and with them, if at all,
// Categories.
func (f *Forest) validateFills() error {
	if n := len(f.Fills); n > 0 && n != f.P() || n == 0 && f.Fills != nil {
		return fmt.Errorf("fills of %d features; want %d, or nil", n, f.P())
	}
	for j, v := range f.Fills {
		if !finite(v) {
			return fmt.Errorf("the fill of feature %d is %v; want a finite number", j, v)
		}
	}
	if n := len(f.Categories); n > 0 && (n != f.P() || f.Fills == nil) || n == 0 && f.Categories != nil {
		return fmt.Errorf("categories of %d features, and fills of %d; want both of %d, or nil", n, len(f.Fills), f.P())
	}
	return nil
}
