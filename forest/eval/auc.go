package eval

// AUC returns the area under the ROC curve: the probability that a random row of a class has a larger probability of it
// than a random row of the other classes, where equal ones count half. With two classes it is the second class's, with
// more the mean over the classes that rows have. proba has a slice of class probabilities for each row. AUC is NaN if
// all rows are of one class or a probability is NaN, and panics where [LogLoss] does.
func AUC(proba [][]float64, truth []int32) float64 {
	mustMatch(len(proba), len(truth))
	for i, y := range truth {
		if p := probability(proba, i, y); p != p {
			return nan
		}
	}
	classes, class := 0, 0
	if len(proba) > 0 {
		classes = len(proba[0])
	}
	if classes == 2 {
		class = 1
	}
	var areas []float64
	for ; class < classes; class++ {
		if area := thresholds(proba, truth, class).area(); area == area {
			areas = append(areas, area)
		}
	}
	return Mean(areas)
}

// area returns the area under the ROC curve, NaN if there are no rows on one side.
func (t Thresholds) area() float64 {
	others, pairs, before := t.Rows-t.Of, 0.0, Threshold{}
	for _, p := range t.Points {
		// Rows of the class come before the other rows that aren't taken, and equal those that this threshold takes.
		behind := float64(2*others-(p.Taken-p.Found)-(before.Taken-before.Found)) / 2
		pairs += float64(float64(p.Found-before.Found) * behind)
		before = p
	}
	return pairs / float64(t.Of*others)
}
