package grow

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// data is the training data as the engine wants them, shared by all workers.
type data struct {
	columns [][]float32
	rows    []int32 // as in Dataset: nil for all rows in order
	n       int
	classes int       // 0 for regression
	labels  []int32   // classification
	values  []float64 // regression
	weights []float64 // nil if every row weighs 1

	extent []float32 // largest absolute value by column
	whole  []bool    // whether a column holds whole numbers only
	bytes  []byte    // the cells row by row, if all are whole numbers from 0 to 255 and they are many

	// xlogx[k] is k·ln k for every count that can occur; only for Entropy
	// without weights.
	xlogx []float64
}

var (
	errNoTarget = errors.New("the data have neither labels nor values to learn from")
	errNoWeight = errors.New("every row has weight 0")
)

func newData(d *datasets.Dataset, params Params) (*data, error) {
	if params.Trees < 1 {
		return nil, fmt.Errorf("%d trees; want 1 or more", params.Trees)
	}
	if err := checkGrowth(params.Growth, d); err != nil {
		return nil, err
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	if d.Labels == nil && d.Values == nil {
		return nil, errNoTarget
	}
	if err := CheckRows(d.N()); err != nil {
		return nil, err
	}
	x := &data{columns: d.Columns, rows: d.Rows, n: d.N(), labels: d.Labels, values: d.Values}
	if !x.lookAtCells(d) {
		if err := d.CheckFinite(); err != nil {
			return nil, err
		}
	}
	if d.Labels != nil {
		x.classes = len(d.Classes)
	}
	x.weights = weights(d, params.Growth.ClassWeights)
	if err := checkTotal(x.weights); err != nil {
		return nil, err
	}
	if err := checkRange(d.Values); err != nil {
		return nil, err
	}
	if err := x.checkTarget(d); err != nil {
		return nil, err
	}
	if params.Growth.Criterion == forest.Entropy && x.weights == nil {
		m := int(math.Ceil(max(1, params.Sampling.Fraction) * float64(x.n)))
		x.xlogx = make([]float64, m+2)
		for k := 2; k < len(x.xlogx); k++ {
			x.xlogx[k] = float64(k) * math.Log(float64(k))
		}
	}
	return x, nil
}

func checkGrowth(g forest.Growth, d *datasets.Dataset) error {
	switch {
	case g.MaxDepth < 0 || g.MinSplit < 0 || g.MinLeaf < 0:
		return fmt.Errorf("MaxDepth %d, MinSplit %d, MinLeaf %d: want 0 or more", g.MaxDepth, g.MinSplit, g.MinLeaf)
	case d.Labels != nil && g.Criterion == forest.SquaredError:
		return errors.New("SquaredError is for values; the data have labels: use Gini or Entropy")
	case d.Values != nil && g.Criterion == forest.Entropy:
		return errors.New("Entropy is for labels; the data have values: use SquaredError")
	case d.Values != nil && g.ClassWeights != nil:
		return errors.New("ClassWeights are for labels; the data have values")
	case g.ClassWeights != nil && len(g.ClassWeights) != len(d.Classes):
		return fmt.Errorf("%d ClassWeights for %d classes", len(g.ClassWeights), len(d.Classes))
	}
	for c, w := range g.ClassWeights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("class %q has weight %v; want a finite number, 0 or more", d.Classes[c], w)
		}
	}
	return nil
}

// weights returns the product of row and class weights, nil if all are 1.
func weights(d *datasets.Dataset, class []float64) []float64 {
	if d.Weights == nil && class == nil {
		return nil
	}
	w := make([]float64, d.N())
	for i := range w {
		w[i] = 1
		if d.Weights != nil {
			w[i] = float64(d.Weights[i])
		}
		if class != nil {
			w[i] *= class[d.Labels[i]]
		}
	}
	return w
}

// maxRows is how many leaves a tree can have whose nodes an int32 numbers.
const maxRows = 1 << 30

// CheckRows wants no more than maxRows rows.
func CheckRows(n int) error {
	if n > maxRows {
		return fmt.Errorf("%d rows; a tree can be grown from at most %d", n, maxRows)
	}
	return nil
}

// checkCoefficients wants a tree's pool whose places an int32 numbers.
func checkCoefficients(n int) error {
	if n > math.MaxInt32 {
		return fmt.Errorf("a tree has %d coefficients; want at most %d: limit its depth or draw sparser directions", n, math.MaxInt32)
	}
	return nil
}

// maxWeight is the largest total weight: a row can be drawn 65,535 times, and a
// leaf's weight is a float32.
const maxWeight = math.MaxFloat32 / math.MaxUint16

// checkTotal wants weights whose sum a leaf can hold.
func checkTotal(weights []float64) error {
	var total float64
	for _, w := range weights {
		total += w
	}
	if total > maxWeight {
		return fmt.Errorf("the weights add up to %.3g; want at most %.3g: scale them", total, float64(maxWeight))
	}
	return nil
}

// checkRange wants values that a float32, and so a leaf, can hold.
func checkRange(values []float64) error {
	for i, v := range values {
		if math.Abs(v) > math.MaxFloat32 {
			return fmt.Errorf("row %d has target %v; want at most ±%v: scale the values", i, v, math.MaxFloat32)
		}
	}
	return nil
}

// checkTarget wants a row with weight and, for classification, two classes.
func (x *data) checkTarget(d *datasets.Dataset) error {
	first := -1
	for i := range x.n {
		if x.weights != nil && x.weights[i] == 0 {
			continue
		}
		if x.classes == 0 || first >= 0 && x.labels[i] != x.labels[first] {
			return nil
		}
		if first < 0 {
			first = i
		}
	}
	if first < 0 {
		return errNoWeight
	}
	return fmt.Errorf("all %d rows have class %q; want at least two classes", x.n, d.Classes[x.labels[first]])
}

// lookAtCells learns of every column what directions can be made of it. It
// reports whether all are numbers, neither infinite nor missing.
func (x *data) lookAtCells(d *datasets.Dataset) bool {
	x.extent, x.whole = make([]float32, len(x.columns)), make([]bool, len(x.columns))
	var wg sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				j := int(next.Add(1)) - 1
				if j >= len(x.columns) {
					return
				}
				if d.Features[j].Categories == nil {
					x.extent[j], x.whole[j] = x.lookAtColumn(j)
				} else {
					x.extent[j] = float32(math.Inf(1))
				}
			}
		})
	}
	wg.Wait()
	for _, v := range x.extent {
		if !finite(v) {
			return false
		}
	}
	if p := len(x.columns); p >= bytesFeatures && x.rows == nil && x.n*p >= farData {
		x.packBytes()
	}
	return true
}

// bytesFeatures is the number of features from which rows of bytes pay: with
// few, the columns of a node are as near.
const bytesFeatures = 64

// packBytes sets x.bytes if all cells are whole numbers from 0 to 255, as those
// of images are. A quarter of the data's size again, it lets a node's cells be
// copied by rows: a few cache lines a row, not one a cell.
func (x *data) packBytes() {
	for j, v := range x.extent {
		if v > math.MaxUint8 || !x.whole[j] {
			return
		}
	}
	p := len(x.columns)
	rows := make([]byte, x.n*p)
	var negative atomic.Bool
	var wg sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			const few = 64 // rows at a time, so that what is written stays in cache
			for !negative.Load() {
				lo := int(next.Add(few)) - few
				if lo >= x.n {
					return
				}
				for j, col := range x.columns {
					for i, v := range col[lo:min(lo+few, x.n)] {
						if v < 0 {
							negative.Store(true)
						}
						rows[(lo+i)*p+j] = byte(v)
					}
				}
			}
		})
	}
	wg.Wait()
	if !negative.Load() {
		x.bytes = rows
	}
}

func (x *data) lookAtColumn(j int) (extent float32, whole bool) {
	var largest uint32 // bits are in order of value, the infinite and missing ones last
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
