package inspect

import (
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/forest"
)

// MeanFeatureDepths returns the mean over trees of each feature's depth. That is the least
// depth of a split that uses the feature, 0 at the root. If no split does, it is the depth
// of the tree's deepest split plus beta (Kim, Kim and Kim, Heterogeneous Random Forest,
// eq. 1); in a tree without splits it is beta.
func MeanFeatureDepths(f *forest.Forest, beta int) []float64 {
	mean, depths := make([]float64, f.P()), make([]int32, f.P())
	for i := range f.Trees {
		unused := max(0, f.Trees[i].FeatureDepths(depths)) + beta
		for j, d := range depths {
			if d < 0 {
				d = int32(unused)
			}
			mean[j] += float64(d)
		}
	}
	for j := range mean {
		mean[j] /= float64(len(f.Trees))
	}
	return mean
}

// dominance returns the dominance of each of p features in a tree (HRF, eq. 4): M* + 1 − d
// for a feature whose least depth is d, and 0 for one that the tree doesn't use. M* is the depth of the deepest split
// or else, as in the paper, the largest d.
func dominance(t *forest.Tree, p int, deepestSplit bool) []float64 {
	depths := make([]int32, p)
	most := t.FeatureDepths(depths)
	if !deepestSplit {
		most = -1
		for _, d := range depths {
			most = max(most, int(d))
		}
	}
	dominances := make([]float64, p)
	for j, d := range depths {
		if d >= 0 {
			dominances[j] = float64(most + 1 - int(d))
		}
	}
	return dominances
}

// ChiSquare returns the χ² statistic of homogeneity of a table with rows a and b, such as
// the dominances of two trees, and its degrees of freedom: the number of columns that
// aren't 0 in both rows, minus 1. Both are 0 if a row is all 0.
func ChiSquare(a, b []float64) (x float64, df int) {
	if len(a) != len(b) {
		panic(fmt.Sprintf("inspect: a table with rows of %d and %d numbers", len(a), len(b)))
	}
	sumA, sumB, columns := 0.0, 0.0, 0
	for j := range a {
		sumA += a[j]
		sumB += b[j]
		if a[j]+b[j] > 0 {
			columns++
		}
	}
	if sumA == 0 || sumB == 0 {
		return 0, 0
	}
	for j := range a {
		if column := a[j] + b[j]; column > 0 {
			ea, eb := column*sumA/(sumA+sumB), column*sumB/(sumA+sumB)
			x += (a[j]-ea)*(a[j]-ea)/ea + (b[j]-eb)*(b[j]-eb)/eb
		}
	}
	return x, columns - 1
}

// Dissimilarity returns the dissimilarity of two trees with dominances a and b (HRF, eq.
// 5): the statistic of [ChiSquare], transformed to a standard normal one by the
// approximation of Wilson and Hilferty, so that values with different degrees of freedom
// can be compared. It is NaN if there are no degrees of freedom.
func Dissimilarity(a, b []float64) float64 {
	x, df := ChiSquare(a, b)
	if df == 0 {
		return math.NaN()
	}
	v := 2 / (9 * float64(df))
	return (math.Cbrt(x/float64(df)) - (1 - v)) / math.Sqrt(v)
}

// A Diversity measures how different the trees of a forest are in the features that they
// use near their roots.
type Diversity struct {
	// Dissimilarity is the mean of [Dissimilarity] over pairs of trees, as in the HRF
	// paper. Larger is more diverse. It grows with the dominances, so deeper trees seem
	// more different.
	Dissimilarity float64

	// Distance is the mean over pairs of trees of the total variation distance of their
	// dominances, each tree's divided by their sum: 0 for equal dominances, 1 for trees
	// that share no feature. It doesn't grow with the depth of trees.
	Distance float64

	Pairs     int // pairs of trees that the means are over
	Undefined int // pairs left out of both means: a tree has no split, or both use only the same single feature
}

// TreeDiversity returns the diversity of the trees of a forest, in time proportional to the
// number of pairs. Both means are NaN if no pair is defined. A feature's dominance in a tree is M* + 1 − d, where d is
// the least depth of a split that uses it, and 0 if none does. M* is the largest d, as in the HRF paper or, if
// deepestSplit is set, the depth of the tree's deepest split.
func TreeDiversity(f *forest.Forest, deepestSplit bool) Diversity {
	dominances := make([][]float64, len(f.Trees))
	for i := range f.Trees {
		dominances[i] = dominance(&f.Trees[i], f.P(), deepestSplit)
	}
	var d Diversity
	for i, a := range dominances {
		for _, b := range dominances[:i] {
			ds := Dissimilarity(a, b)
			if math.IsNaN(ds) {
				d.Undefined++
				continue
			}
			d.Pairs++
			d.Dissimilarity += ds
			d.Distance += distance(a, b)
		}
	}
	d.Dissimilarity /= float64(d.Pairs)
	d.Distance /= float64(d.Pairs)
	return d
}

// distance returns the total variation distance of two rows, each divided by its sum.
func distance(a, b []float64) float64 {
	sumA, sumB := 0.0, 0.0
	for j := range a {
		sumA += a[j]
		sumB += b[j]
	}
	sum := 0.0
	for j := range a {
		sum += math.Abs(a[j]/sumA - b[j]/sumB)
	}
	return float64(sum / 2)
}
