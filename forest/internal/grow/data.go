package grow

import (
	"math"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/internal/prepared"
	"github.com/obliqua-ml/obliqua/internal/groups"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// data holds the features of the training rows, which all trees and workers share.
type data struct {
	columns [][]float32
	rows    []int32 // as in Dataset: nil for all rows in order
	n       int
	groups  []int32 // by row, numbered from 0 in the order of their first rows; nil if rows have none
	units   int     // how many groups there are, or else rows

	extent  []float32 // by column: the largest absolute value
	whole   []bool    // by column: whether all values are whole numbers
	levels  []levels  // by column: its values, if they are whole numbers in a small range
	fills   []float32 // by column: what stands for missing cells; nil if there are none
	missing []bool    // by column: whether cells are missing; nil if there are none

	categories [][]string // by column, nil for a numeric one; nil if all are

	bytes []byte // the cells row by row, if all are whole numbers from 0 to 255 and the copy pays off
}

// prepare checks the parameters and the data and returns the table with its target prepared.
func prepare(d *datasets.Dataset, params Params) (*table, error) {
	if err := checkParams(params, d); err != nil {
		return nil, err
	}
	table, err := prepared.Of(params.Options.Prepared, d, func() (*table, error) { return prepareTable(d) })
	if err != nil {
		return nil, err
	}
	if table.data.missing != nil && !params.Raw {
		return nil, d.CheckFinite()
	}
	own := *table
	own.target.prepare(params)
	return &own, nil
}

// A table is what follows from the training data alone.
type table struct {
	data   *data
	target Target    // not yet prepared for any parameters
	base   []float64 // what the target's values are relative to; see Relative
}

func prepareTable(d *datasets.Dataset) (*table, error) {
	if err := checkShape(d); err != nil {
		return nil, err
	}
	x := &data{columns: d.Columns, rows: d.Rows, n: d.N()}
	x.groups, x.units = groups.Number(d.Groups, x.n)
	for j, f := range d.Features {
		if f.Categories == nil {
			continue
		}
		if x.categories == nil {
			x.categories = make([][]string, len(x.columns))
		}
		x.categories[j] = f.Categories
	}
	if !x.scanColumns() || x.categories != nil {
		if err := d.CheckCells(); err != nil {
			return nil, err
		}
		x.fillColumns(d)
	}
	t := Target{labels: d.Labels, values: d.Values, weights: RowWeights(d)}
	if d.Labels != nil {
		t.classes = len(d.Classes)
	}
	if err := checkTotal(t.weights); err != nil {
		return nil, err
	}
	if err := checkRange(t.values); err != nil {
		return nil, err
	}
	if err := CheckTarget(d); err != nil {
		return nil, err
	}
	var base []float64
	t.values, base = Relative(t.values, t.weights)
	return &table{x, t, base}, nil
}

// MeanWeight returns the mean of the weights that are above 0, 1 if rows have none. Methods that compare sums of
// weights with a constant multiply it by this, so that weights that are all k times as large give the same trees.
func MeanWeight(d *datasets.Dataset) float64 {
	if d.Weights == nil {
		return 1
	}
	var total, n float64
	for _, w := range d.Weights {
		if w > 0 {
			total += float64(w)
			n++
		}
	}
	return total / n
}

// RowWeights returns the weights of rows, nil if all are 1.
func RowWeights(d *datasets.Dataset) []float64 {
	if d.Weights == nil {
		return nil
	}
	w := make([]float64, d.N())
	for i := range w {
		w[i] = Weight(d, int32(i))
	}
	return w
}

// Weight returns the weight of row i.
func Weight(d *datasets.Dataset, i int32) float64 {
	if d.Weights == nil {
		return 1
	}
	return float64(d.Weights[i])
}

// scanColumns sets extent, whole, levels and, if they pay off, bytes. It returns false if
// a cell is missing or infinite.
func (x *data) scanColumns() bool {
	p := len(x.columns)
	x.extent, x.whole, x.levels = make([]float32, p), make([]bool, p), make([]levels, p)
	parallel.For(p, func(j int) {
		x.extent[j], x.whole[j] = x.scanColumn(j)
		x.findLevels(j)
	})
	for _, v := range x.extent {
		if !finite(v) {
			return false
		}
	}
	if p >= minByteFeatures && x.rows == nil && x.n*p >= copyData {
		x.packBytes()
	}
	return true
}

// minByteFeatures is the number of features from which rows of bytes pay off. With fewer
// features they save few cache lines.
const minByteFeatures = 64

// packBytes sets x.bytes if all cells are whole numbers from 0 to 255, as in images. It
// takes a quarter of the data's memory. Copying a node's cells from it touches a few cache
// lines for each row, copying them from the columns one for each cell.
func (x *data) packBytes() {
	for j, v := range x.extent {
		if v > math.MaxUint8 || !x.whole[j] {
			return
		}
	}
	p := len(x.columns)
	const block = 64 // rows at a time, so that the cells written stay in cache
	rows := make([]byte, x.n*p)
	var negative atomic.Bool
	parallel.For((x.n+block-1)/block, func(k int) {
		if negative.Load() {
			return
		}
		lo := k * block
		for j, col := range x.columns {
			for i, v := range col[lo:min(lo+block, x.n)] {
				if v < 0 {
					negative.Store(true)
				}
				rows[(lo+i)*p+j] = byte(v)
			}
		}
	})
	if !negative.Load() {
		x.bytes = rows
	}
}

// scanColumn returns the largest absolute value of column j, and whether all values are
// whole numbers.
func (x *data) scanColumn(j int) (extent float32, whole bool) {
	var largest uint32 // bits without the sign sort as absolute values do, then infinity and NaN
	whole = true
	if x.rows == nil {
		for _, v := range x.columns[j] {
			largest = max(largest, math.Float32bits(v)&^(1<<31))
			whole = whole && v == float32(int32(v))
		}
	}
	for _, r := range x.rows {
		v := x.columns[j][r]
		largest = max(largest, math.Float32bits(v)&^(1<<31))
		whole = whole && v == float32(int32(v))
	}
	return math.Float32frombits(largest), whole
}

// levels is the range of a column whose values are whole numbers: low, low + 1, …,
// low + count − 1. count is 0 if the column has other values or more than maxLevels levels.
type levels struct {
	low   float32
	count int
}

// maxLevels is the largest number of levels for which nodes are searched over the whole
// range of the column, without computing the range within the node.
const maxLevels = 32

// findLevels sets the levels of column j.
func (x *data) findLevels(j int) {
	if !x.whole[j] || x.extent[j] > maxLevels || x.n == 0 {
		return
	}
	low, high := x.extent[j], -x.extent[j]
	missing := x.missing != nil && x.missing[j]
	see := func(v float32) {
		if !missing || v != x.fills[j] {
			low, high = min(low, v), max(high, v)
		}
	}
	if x.rows == nil {
		for _, v := range x.columns[j] {
			see(v)
		}
	}
	for _, r := range x.rows {
		see(x.columns[j][r])
	}
	if missing { // a level below and one above are for their rows
		low, high = low-1, high+1
	}
	if high-low < maxLevels {
		x.levels[j] = levels{low, int(high-low) + 1}
	}
}
