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
		filled.Columns[j] = make([]float32, len(column))
		fillMissing(filled.Columns[j], column, f.Fills[j])
	}
	return filled
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

// validateFills returns an error unless there are no Fills or finite ones of all features.
func (f *Forest) validateFills() error {
	if n := len(f.Fills); n > 0 && n != f.P() || n == 0 && f.Fills != nil {
		return fmt.Errorf("fills of %d features; want %d, or nil", n, f.P())
	}
	for j, v := range f.Fills {
		if !finite(v) {
			return fmt.Errorf("the fill of feature %d is %v; want a finite number", j, v)
		}
	}
	return nil
}
