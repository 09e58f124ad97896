package grow

import (
	"errors"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

var (
	errNoTarget        = errors.New("the data have neither labels nor values to learn from")
	errNoWeight        = errors.New("every row has weight 0")
	errEntropyOfValues = errors.New("Entropy is for labels; the data have values: use SquaredError")
)

// mostTrees is the largest number of trees, which take 4 GB before they have any nodes.
const mostTrees = 1 << 24

// CheckTrees returns an error if a forest can't have so many trees.
func CheckTrees(trees int) error {
	if trees < 1 || trees > mostTrees {
		return fmt.Errorf("%d trees; want 1 to %d", trees, mostTrees)
	}
	return nil
}

func checkParams(params Params, d *datasets.Dataset) error {
	if d.N() == 0 {
		return d.Check()
	}
	if err := CheckTrees(params.Trees); err != nil {
		return err
	}
	if err := params.Sampling.CheckData(d); err != nil {
		return err
	}
	return checkGrowth(params.Growth, d)
}

func checkGrowth(g forest.Growth, d *datasets.Dataset) error {
	switch {
	case g.MaxDepth < 0 || g.MinSplit < 0 || g.MinLeaf < 0:
		return fmt.Errorf("MaxDepth %d, MinSplit %d, MinLeaf %d: want 0 or more", g.MaxDepth, g.MinSplit, g.MinLeaf)
	case g.Criterion > forest.SquaredError:
		return fmt.Errorf("Criterion %d; want Gini, Entropy or SquaredError", g.Criterion)
	case d.Labels != nil && g.Criterion == forest.SquaredError:
		return errors.New("SquaredError is for values; the data have labels: use Gini or Entropy")
	case d.Values != nil && g.Criterion == forest.Entropy:
		return errEntropyOfValues
	}
	return nil
}

// maxRows is the largest number of rows, since a tree may have a leaf for each row and
// its nodes are numbered by int32s.
const maxRows = 1 << 30

// Check returns an error if no tree can be trained on d: where [datasets.Dataset.Check], [datasets.Dataset.CheckFinite]
// or [CheckTarget] does, if d has neither labels nor values, or too many rows.
func Check(d *datasets.Dataset) error {
	if err := checkShape(d); err != nil {
		return err
	}
	if err := d.CheckFinite(); err != nil {
		return err
	}
	return CheckTarget(d)
}

// checkShape is Check without a look at cells and classes.
func checkShape(d *datasets.Dataset) error {
	if err := d.Check(); err != nil {
		return err
	}
	if d.Labels == nil && d.Values == nil {
		return errNoTarget
	}
	return checkRows(d.N())
}

func checkRows(n int) error {
	if n > maxRows {
		return fmt.Errorf("%d rows; a tree can be grown from at most %d", n, maxRows)
	}
	return nil
}

// checkCoefficients returns an error if n coefficients are too many for a tree, which
// numbers them by int32s.
func checkCoefficients(n int) error {
	if n > math.MaxInt32 {
		return fmt.Errorf("a tree has %d coefficients; want at most %d: limit its depth or draw sparser directions", n,
			math.MaxInt32)
	}
	return nil
}

// maxWeight is the largest total weight of rows: each can be drawn up to 65,535 times, and
// the weight of a leaf is a float32.
const maxWeight = math.MaxFloat32 / math.MaxUint16

// checkTotal returns an error if the sum of the weights is above maxWeight.
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

// checkRange returns an error if a value is NaN or too large for a float32.
func checkRange(values []float64) error {
	for i, v := range values {
		if !(math.Abs(v) <= math.MaxFloat32) {
			return fmt.Errorf("row %d has target %v; want at most ±%v: scale the values", i, v, math.MaxFloat32)
		}
	}
	return nil
}

// CheckTarget returns an error if all rows of d have weight 0, or if d has labels and all
// rows of positive weight have the same class or [datasets.Dataset.CheckLabels] returns an error. d must
// have passed [datasets.Dataset.Check].
func CheckTarget(d *datasets.Dataset) error {
	first := -1
	for i := range d.N() {
		if d.Weights != nil && d.Weights[i] == 0 {
			continue
		}
		if d.Labels == nil || first >= 0 && d.Labels[i] != d.Labels[first] {
			return d.CheckLabels()
		}
		if first < 0 {
			first = i
		}
	}
	if first < 0 {
		return errNoWeight
	}
	return fmt.Errorf("all %d rows have class %q; want at least two classes", d.N(), d.Classes[d.Labels[first]])
}

// maxClassWeights is the largest number of class weights in the mixed leaves of a tree: half a gigabyte.
const maxClassWeights = 1 << 27

// checkClassWeights returns an error if the mixed leaves of a tree hold too many class weights.
func checkClassWeights(n, classes int) error {
	if n > maxClassWeights {
		return fmt.Errorf("the mixed leaves of a tree hold more than %d weights of %d classes: put rare classes together, "+
			"or limit the depth", maxClassWeights, classes)
	}
	return nil
}
