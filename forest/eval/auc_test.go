package eval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The expected numbers are scikit-learn 1.9.1's on the rows of [TestMetricsLikeScikitLearn]: roc_auc_score of each
// class that occurs.
func TestAUCLikeScikitLearn(t *testing.T) {
	proba := probabilities()
	two, isOne := make([][]float64, len(truth)), make([]int32, len(truth))
	for i, y := range truth {
		two[i] = []float64{1 - proba[i][1], proba[i][1]}
		if y == 1 {
			isOne[i] = 1
		}
	}
	for name, c := range map[string]struct{ got, want float64 }{
		"AUC": {AUC(proba, truth),
			(0.49462365591397844 + 0.5413105413105413 + 0.4742857142857143 + 0.396011396011396) / 4},
		"AUC of two classes": {AUC(two, isOne), 0.5413105413105413},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s = %v, want %v", name, c.got, c.want)
		}
	}
	if got := AUC(two[:1], isOne[:1]); !math.IsNaN(got) {
		t.Errorf("AUC of one class is %v, want NaN", got)
	}
	if got := AUC(append(two[:2:2], []float64{math.NaN(), math.NaN()}), []int32{0, 1, 1}); !math.IsNaN(got) {
		t.Errorf("AUC with a row whose probabilities aren't known is %v, want NaN", got)
	}
}

// AUC counts pairs: those whose row of the class has the larger probability, and half of the equal ones.
func TestAUCIsAShareOfPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "rows")
		proba, truth := make([][]float64, n), make([]int32, n)
		for i := range n {
			p := float64(rapid.IntRange(0, 8).Draw(t, "eighths")) / 8
			proba[i] = []float64{1 - p, p}
			truth[i] = int32(rapid.IntRange(0, 1).Draw(t, "class"))
		}
		var right, pairs float64
		for i := range n {
			for j := range n {
				if truth[i] == 1 && truth[j] == 0 {
					pairs++
					switch {
					case proba[i][1] > proba[j][1]:
						right++
					case proba[i][1] == proba[j][1]:
						right += 0.5
					}
				}
			}
		}
		got, want := AUC(proba, truth), right/pairs
		if !(math.Abs(got-want) <= 1e-12) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("AUC %v, want %v", got, want)
		}
	})
}
