package eval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The expected numbers are scikit-learn 1.9.1's, on the rows of [TestMetricsLikeScikitLearn] with the weights 0, 1, 2,
// 3, 0, …: roc_auc_score of each class that occurs.
func TestAUCLikeScikitLearn(t *testing.T) {
	proba := probabilities()
	weights := make([]float32, len(truth))
	two, isOne := make([][]float64, len(truth)), make([]int32, len(truth))
	for i, y := range truth {
		weights[i] = float32(i % 4)
		two[i] = []float64{1 - proba[i][1], proba[i][1]}
		if y == 1 {
			isOne[i] = 1
		}
	}
	for name, c := range map[string]struct{ got, want float64 }{
		"AUC": {AUC(proba, truth, nil),
			(0.49462365591397844 + 0.5413105413105413 + 0.4742857142857143 + 0.396011396011396) / 4},
		"AUC, weights": {AUC(proba, truth, weights),
			(0.484 + 0.49189814814814814 + 0.35444743935309975 + 0.4942233632862644) / 4},
		"AUC of two classes": {AUC(two, isOne, nil), 0.5413105413105413},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s = %v, want %v", name, c.got, c.want)
		}
	}
	if got := AUC(two[:1], isOne[:1], nil); !math.IsNaN(got) {
		t.Errorf("AUC of one class is %v, want NaN", got)
	}
}

// AUC counts pairs: those whose row of the class has the larger probability, and half of the equal ones.
func TestAUCIsAShareOfPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "rows")
		proba, truth, weights := make([][]float64, n), make([]int32, n), make([]float32, n)
		for i := range n {
			p := float64(rapid.IntRange(0, 8).Draw(t, "eighths")) / 8
			proba[i] = []float64{1 - p, p}
			truth[i] = int32(rapid.IntRange(0, 1).Draw(t, "class"))
			weights[i] = float32(rapid.IntRange(0, 3).Draw(t, "weight"))
		}
		var right, pairs float64
		for i := range n {
			for j := range n {
				if truth[i] == 1 && truth[j] == 0 {
					w := float64(weights[i] * weights[j])
					pairs += w
					switch {
					case proba[i][1] > proba[j][1]:
						right += w
					case proba[i][1] == proba[j][1]:
						right += w / 2
					}
				}
			}
		}
		got, want := AUC(proba, truth, weights), right/pairs
		if !(math.Abs(got-want) <= 1e-12) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("AUC %v, want %v", got, want)
		}
	})
}
