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

func checkParams(params Params, d *datasets.Dataset) error {
	if params.Trees < 1 {
		return fmt.Errorf("%d trees; want 1 or more", params.Trees)
	}
	if err := params.Sampling.Check(); err != nil {
		return err
	}
	return checkGrowth(params.Growth, d)
}

func checkGrowth(g forest.Growth, d *datasets.Dataset) error {
	switch {
	case g.MaxDepth < 0 || g.MinSplit < 0 || g.MinLeaf < 0:
		return fmt.Errorf("MaxDepth %d, MinSplit %d, MinLeaf %d: want 0 or more", g.MaxDepth, g.MinSplit, g.MinLeaf)
	case d.Labels != nil && g.Criterion == forest.SquaredError:
		return errors.New("SquaredError is for values; the data have labels: use Gini or Entropy")
	case d.Values != nil && g.Criterion == forest.Entropy:
		return errEntropyOfValues
	}
	return nil
}

// maxRows is how many leaves a tree can have whose nodes an int32 numbers.
const maxRows = 1 << 30

// CheckRows returns an error if there are more rows than a tree can have leaves.
func CheckRows(n int) error {
	if n > maxRows {
		return fmt.Errorf("%d rows; a tree can be grown from at most %d", n, maxRows)
	}
	return nil
}

// checkCoefficients returns an error if an int32 can't number a tree's coefficients.
func checkCoefficients(n int) error {
	if n > math.MaxInt32 {
		return fmt.Errorf("a tree has %d coefficients; want at most %d: limit its depth or draw sparser directions", n, math.MaxInt32)
	}
	return nil
}

// maxWeight is the largest total weight: a row can be drawn 65,535 times, and a
// leaf's weight is a float32.
const maxWeight = math.MaxFloat32 / math.MaxUint16

// checkTotal returns an error if a leaf can't hold the sum of the weights.
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

// checkRange returns an error if a value is not a number or a leaf can't hold it.
func checkRange(values []float64) error {
	for i, v := range values {
		if !(math.Abs(v) <= math.MaxFloat32) {
			return fmt.Errorf("row %d has target %v; want at most ±%v: scale the values", i, v, math.MaxFloat32)
		}
	}
	return nil
}

// CheckTarget returns an error if all rows of d have weight 0, or if d has labels and
// those with weight are of one class. Weights nil are all 1. d must have passed
// [datasets.Dataset.Check].
func CheckTarget(d *datasets.Dataset, weights []float64) error {
	first := -1
	for i := range d.N() {
		if weights != nil && weights[i] == 0 {
			continue
		}
		if d.Labels == nil || first >= 0 && d.Labels[i] != d.Labels[first] {
			return nil
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
