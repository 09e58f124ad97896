package inspect

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest"
)

// MeanFeatureDepths returns, for each feature, the mean over trees of its depth: the least
// depth of a split that uses it, 0 at the root, or if a tree doesn't use it, the depth of
// the tree's deepest split + beta (Kim, Kim and Kim, Heterogeneous Random Forest, eq. 1).
// A tree without splits gives all features the depth beta.
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

// A Reach says what is the largest depth M* that a feature's dominance counts from.
type Reach uint8

const (
	// DeepestFeature is the largest depth of a feature that the tree uses, which is how
	// the HRF paper puts it.
	DeepestFeature Reach = iota

	// DeepestSplit is the depth of the tree's deepest split.
	DeepestSplit
)

// Dominance returns the dominance of each of p features in a tree (HRF, eq. 4): M* + 1 −
// d for a feature whose least depth is d, 0 for one that the tree doesn't use.
func Dominance(t *forest.Tree, p int, reach Reach) []float64 {
	depths := make([]int32, p)
	most := t.FeatureDepths(depths)
	if reach == DeepestFeature {
		most = -1
		for _, d := range depths {
			most = max(most, int(d))
		}
	}
	dominance := make([]float64, p)
	for j, d := range depths {
		if d >= 0 {
			dominance[j] = float64(most + 1 - int(d))
		}
	}
	return dominance
}

// ChiSquare returns the χ² statistic of homogeneity of two rows of dominances, as a table
// of two rows, and its degrees of freedom: the number of columns that aren't 0 in both,
// less one. It is 0 with no degrees of freedom if a row is all 0.
func ChiSquare(a, b []float64) (x float64, df int) {
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

// Dissimilarity returns the dissimilarity of two trees from their dominances (HRF, eq. 5):
// the χ² statistic, as the standard normal number that Wilson and Hilferty's approximation
// makes of it, so that different degrees of freedom compare. It is NaN without degrees of
// freedom.
func Dissimilarity(a, b []float64) float64 {
	x, df := ChiSquare(a, b)
	if df == 0 {
		return math.NaN()
	}
	v := 2 / (9 * float64(df))
	return (math.Cbrt(x/float64(df)) - (1 - v)) / math.Sqrt(v)
}

// A Diversity sums up how different the trees of a forest are, by which features they use
// near their roots.
type Diversity struct {
	// Dissimilarity is the mean of [Dissimilarity] over pairs of trees, as in the HRF
	// paper. Larger is more diverse. The statistic grows with the rows' totals, so deeper
	// trees seem more different.
	Dissimilarity float64

	// Distance is the mean over pairs of half the sum of absolute differences of the two
	// trees' dominances, each divided by its sum: 0 for trees alike, 1 for trees that share
	// no feature. It doesn't depend on how deep trees are.
	Distance float64

	Pairs     int // pairs of trees that the means are over
	Undefined int // pairs that are left out: a tree has no split, or both use only the same single feature
}

// TreeDiversity returns the diversity of the trees of a forest. It takes time in proportion
// to the number of pairs. Without a defined pair both means are NaN.
func TreeDiversity(f *forest.Forest, reach Reach) Diversity {
	dominances := make([][]float64, len(f.Trees))
	for i := range f.Trees {
		dominances[i] = Dominance(&f.Trees[i], f.P(), reach)
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

// distance is the total variation of two rows, each divided by its sum.
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
	return sum / 2
}
