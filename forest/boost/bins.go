package boost

import (
	"cmp"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// Cells of rows of positive weight are counted into bins. Those of a feature hold about as many rows each, or a value
// each if there are few, and are the same in all nodes and trees. Each category of a feature has one, and so do missing
// cells.

const (
	maxBins    = 256
	binRows    = 8       // of the table, for a bin of a feature
	sortedRows = 1 << 16 // largest number of rows that a feature's bins are chosen by
)

// A step is what a row adds to a total.
type step struct{ gradient, weight float64 }

// A total is what some rows have in sum.
type total struct {
	gradient, weight float64
	rows             int64
}

func (t *total) add(s *total) {
	t.gradient += s.gradient
	t.weight += s.weight
	t.rows += s.rows
}

func (t *total) take(s *step) {
	t.gradient += s.gradient
	t.weight += s.weight
	t.rows++
}

func (t *total) subtract(s *total) {
	t.gradient -= s.gradient
	t.weight -= s.weight
	t.rows -= s.rows
}

// A histogram has the totals of bins.
type histogram [maxBins]total

// A binned is a table of the bins of cells.
type binned struct {
	codes    [][]uint32 // by four features and row: their bins, the first in the lowest bits
	features []bins
}

// bins are those of a feature. Only a number's have extremes.
type bins struct {
	count     int
	missing   int       // the last bin, of missing cells; 0 if there is none
	low, high []float32 // by bin: the smallest and the largest value
	of        []uint8   // by category: its bin
}

// newBinned returns the bins of columns, or some of them if the call is cancelled. categories is nil or, by column, nil
// for a numeric one. weights are nil or those of the rows.
func newBinned(call parallel.Call, columns [][]float32, categories [][]string, weights []float32) *binned {
	p, n := len(columns), len(columns[0])
	b := &binned{make([][]uint32, (p+3)/4), make([]bins, p)}
	parallel.For(len(b.codes), func(group int) {
		b.codes[group] = make([]uint32, n)
		for j := 4 * group; j < min(4*group+4, p) && !parallel.Cancelled(call); j++ {
			if categories != nil && categories[j] != nil {
				b.features[j] = encodeCategories(b.codes[group], columns[j], weights, len(categories[j]), j%4*8)
			} else {
				b.features[j] = encode(call, b.codes[group], columns[j], weights, j%4*8)
			}
		}
	})
	return b
}

// weightless reports whether row i has weight 0.
func weightless(weights []float32, i int) bool { return weights != nil && weights[i] == 0 }

// encode chooses the bins of a column, and adds them to the codes, shifted to the left, unless the call is cancelled.
func encode(call parallel.Call, codes []uint32, column, weights []float32, shift int) (b bins) {
	present, most := column, maxBins
	if slices.Contains(weights, 0) {
		present = nil
		for i, v := range column {
			if weights[i] > 0 {
				present = append(present, v)
			}
		}
	}
	if slices.ContainsFunc(present, missing) {
		present, most = slices.DeleteFunc(slices.Clone(present), missing), maxBins-1
	}
	cuts := cuts(present, most)
	b.low, b.high = slices.Repeat([]float32{math.MaxFloat32}, maxBins), slices.Repeat([]float32{-math.MaxFloat32}, maxBins)
	last := 0
	for i, v := range column {
		if i%blockRows == 0 && parallel.Cancelled(call) {
			return b
		}
		if missing(v) || weightless(weights, i) {
			continue
		}
		k := 0 // how many cuts are below v
		for step := maxBins / 2; step > 0; step /= 2 {
			if v > cuts[k+step-1] {
				k += step
			}
		}
		codes[i] |= uint32(k) << shift
		b.low[k], b.high[k], last = min(b.low[k], v), max(b.high[k], v), max(last, k)
	}
	b.low, b.high, b.count = b.low[:last+1], b.high[:last+1], last+1
	if most < maxBins {
		b.count, b.missing = last+2, last+1
		for i, v := range column {
			if missing(v) {
				codes[i] |= uint32(b.missing) << shift
			}
		}
	}
	return b
}

func missing(v float32) bool { return v != v }

// encodeCategories gives the categories with the most rows a bin each, and the others one together. It adds the bins to
// the codes, shifted to the left.
func encodeCategories(codes []uint32, column, weights []float32, categories, shift int) bins {
	rows, order := make([]int, categories), make([]int, categories)
	for i, v := range column {
		if !missing(v) && !weightless(weights, i) {
			rows[int(v)]++
		}
	}
	for c := range order {
		order[c] = c
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[b], rows[a]) })
	last := min(categories, maxBins-1)
	b := bins{count: last + 1, missing: last, of: make([]uint8, categories)}
	for k, c := range order {
		b.of[c] = uint8(min(k, last-1))
	}
	for i, v := range column {
		k := uint8(last)
		if !missing(v) {
			k = b.of[int(v)]
		}
		codes[i] |= uint32(k) << shift
	}
	return b
}

// cuts returns the largest values of the bins of a column except the last, and then the largest number. There are at
// most most bins.
func cuts(column []float32, most int) (cuts [maxBins - 1]float32) {
	m := min(len(column), sortedRows)
	values := make([]float32, m)
	for i := range values {
		values[i] = column[i*len(column)/m]
	}
	slices.Sort(values)
	if m > maxBins {
		most = min(max(m/binRows, 32), most)
	}
	each := len(slices.Compact(slices.Clone(values))) <= most
	k, begin := 0, 0
	for i := 1; i < m; i++ {
		if values[i-1] < values[i] && (each || (i-begin)*(most-k) >= m-begin) {
			cuts[k], begin = values[i-1], i
			k++
		}
	}
	for ; k < len(cuts); k++ {
		cuts[k] = math.MaxFloat32
	}
	return cuts
}

// fill adds rows to the histograms of four features. Four at a time hide the time between additions to one bin.
func fill(h *[4]histogram, codes []uint32, rows []int32, steps []step) {
	for _, r := range rows {
		code, s := codes[r], &steps[r]
		h[0][uint8(code)].take(s)
		h[1][uint8(code>>8)].take(s)
		h[2][uint8(code>>16)].take(s)
		h[3][uint8(code>>24)].take(s)
	}
}

// A scratch is what one goroutine searches sums with.
type scratch struct {
	exact      bool // whether the table has at most maxBins rows of positive weight
	values     []float32
	codes      []uint32 // of four sums, by row of the table
	histograms [4]histogram
	keys, tmp  []uint64
}

// project sets values to those of a function, and a byte of the codes to their bins. It returns the number of bins,
// which are of equal width or, for tables of at most maxBins rows, of a value each.
func (s *scratch) project(fn *forest.Function, columns [][]float32, rows []int32, shift int) int {
	s.values = grow.Sized(s.values, len(rows))
	forest.Project(fn, s.values, columns, rows)
	if shift == 0 {
		for _, r := range rows {
			s.codes[r] = 0
		}
	}
	low, high := kernel.Extremes(s.values)
	count := min(max(len(rows)/4, 16), maxBins/2)
	scale := (float32(count) - 0.5) / (high - low) // less than count, so that rounding never yields it
	if !(scale > 0 && scale <= math.MaxFloat32) {
		return 0 // all are equal, or too large
	}
	if s.exact {
		return s.rank(rows, shift)
	}
	for i, v := range s.values {
		s.codes[rows[i]] |= uint32(int32((v-low)*scale)) << shift
	}
	return count
}

// rank makes a bin of each value.
func (s *scratch) rank(rows []int32, shift int) int {
	s.keys, s.tmp = grow.Sized(s.keys, len(rows)), grow.Sized(s.tmp, len(rows))
	for i, v := range s.values {
		s.keys[i] = grow.NewKey(v, uint32(rows[i]))
	}
	keys, k := grow.SortKeys(s.keys, s.tmp), 0
	for i, key := range keys {
		if i > 0 && key>>32 != keys[i-1]>>32 {
			k++
		}
		s.codes[uint32(key)] |= uint32(k) << shift
	}
	return k + 1
}

// threshold returns the middle between the values in bins up to at and those above.
func (s *scratch) threshold(rows []int32, at int) float32 {
	below, above := float32(math.Inf(-1)), float32(math.Inf(1))
	for i, v := range s.values {
		if s.codes[rows[i]] <= uint32(at) {
			below = max(below, v)
		} else {
			above = min(above, v)
		}
	}
	return grow.Midpoint(below, above)
}
