package eval

import (
	"cmp"
	"slices"
)

// AUC returns the area under the ROC curve: the probability that a random row of a class has a larger probability of it
// than a random row of the other classes, where equal ones count half. With two classes it is the second class's, with
// more the mean over the classes that rows have. proba has a slice of class probabilities for each row. weights has the
// rows' weights, nil if they are equal. AUC is NaN if all rows of positive weight are of one class, and panics where
// [LogLoss] does.
func AUC(proba [][]float64, truth []int32, weights []float32) float64 {
	mustMatch(len(proba), len(truth))
	if weights != nil {
		mustMatch(len(weights), len(truth))
	}
	classes := 0
	if len(proba) > 0 {
		classes = len(proba[0])
	}
	first := 0
	if classes == 2 {
		first = 1
	}
	for i, y := range truth {
		probability(proba, i, y) // panics unless there is one
	}
	var areas []float64
	for class := first; class < classes; class++ {
		if area := auc(proba, truth, weights, int32(class)); area == area {
			areas = append(areas, area)
		}
	}
	return Mean(areas)
}

// auc returns the area of a class against the others, NaN if there are no rows on one side.
func auc(proba [][]float64, truth []int32, weights []float32, class int32) float64 {
	rows := make([]int, len(truth))
	for i := range rows {
		rows[i] = i
	}
	slices.SortFunc(rows, func(i, j int) int { return cmp.Compare(proba[i][class], proba[j][class]) })
	var below, ranked, inside, outside float64 // below: weight of other classes with a smaller probability
	for lo := 0; lo < len(rows); {
		hi := lo
		var in, out float64 // of the rows with this probability
		for ; hi < len(rows) && proba[rows[hi]][class] == proba[rows[lo]][class]; hi++ {
			w := 1.0
			if weights != nil {
				w = float64(weights[rows[hi]])
			}
			if truth[rows[hi]] == class {
				in += w
			} else {
				out += w
			}
		}
		ranked += float64(in * (below + float64(out/2)))
		below += out
		inside, outside = inside+in, outside+out
		lo = hi
	}
	return ranked / (inside * outside)
}
