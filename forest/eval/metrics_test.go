package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// The expected numbers are scikit-learn 1.9.1's, on these rows:
//
//	import sklearn.metrics as m
//	kw = dict(average="macro", zero_division=0)
//	P = dict(y_proba=np.array(counts) / 20, labels=range(5))
//	m.accuracy_score(truth, pred), m.cohen_kappa_score(truth, pred)
//	m.precision_score(truth, pred, **kw), m.recall_score(truth, pred, **kw), m.f1_score(truth, pred, **kw)
//	m.log_loss(truth, **P), m.brier_score_loss(truth, scale_by_half=False, **P)
//	m.confusion_matrix(truth, pred)
//
// Class 3 is never predicted and class 4 never true.
var (
	truth = []int32{
		1, 2, 3, 3, 0, 0, 3, 3, 0, 1, 3, 1, 1, 3, 1, 1, 2, 2, 0, 0,
		3, 3, 3, 2, 3, 1, 1, 3, 0, 1, 0, 1, 3, 0, 1, 1, 3, 0, 2, 1,
	}
	pred = []int32{
		2, 2, 0, 0, 4, 2, 0, 0, 0, 4, 0, 1, 1, 0, 2, 2, 2, 2, 0, 0,
		4, 0, 0, 2, 1, 1, 1, 1, 0, 2, 4, 0, 0, 2, 1, 1, 4, 4, 1, 1,
	}

	counts = [][5]float64{
		{0, 0, 20, 0, 0}, {0, 0, 20, 0, 0}, {10, 7, 0, 1, 2}, {0, 5, 7, 4, 4}, {1, 0, 1, 12, 6},
		{9, 6, 0, 1, 4}, {0, 19, 1, 0, 0}, {0, 1, 12, 4, 3}, {0, 9, 9, 2, 0}, {4, 0, 0, 12, 4},
		{2, 0, 3, 1, 14}, {5, 10, 2, 3, 0}, {5, 4, 0, 10, 1}, {2, 3, 7, 0, 8}, {2, 15, 3, 0, 0},
		{1, 2, 14, 2, 1}, {0, 1, 7, 12, 0}, {7, 0, 0, 12, 1}, {2, 4, 0, 7, 7}, {0, 13, 5, 0, 2},
		{2, 1, 15, 1, 1}, {6, 5, 0, 0, 9}, {0, 1, 11, 1, 7}, {10, 1, 2, 2, 5}, {2, 3, 12, 0, 3},
		{5, 7, 8, 0, 0}, {0, 0, 8, 0, 12}, {0, 13, 3, 4, 0}, {1, 0, 1, 0, 18}, {3, 3, 11, 3, 0},
		{0, 1, 0, 11, 8}, {3, 1, 0, 2, 14}, {1, 0, 0, 5, 14}, {2, 13, 5, 0, 0}, {0, 13, 3, 3, 1},
		{1, 7, 12, 0, 0}, {3, 0, 10, 0, 7}, {9, 2, 8, 0, 1}, {0, 9, 1, 10, 0}, {0, 1, 4, 11, 4},
	}

	// m.mean_absolute_error(b, a) and so on.
	a = []float64{6.63, 3.22, 5.32, 2.86, -1.32, 3.98, 2.16, 0.08, 4.57, 3.57, 1.95, 4.74}
	b = []float64{1.26, 4.29, 1.12, 4.07, 0.8, 5.98, 3.51, 5.87, 1.36, 2.05, 4.68, -2.49}
)

func probabilities() [][]float64 {
	var proba [][]float64
	for _, row := range counts {
		for c := range row {
			row[c] /= 20
		}
		proba = append(proba, row[:])
	}
	return proba
}

func TestMetricsLikeScikitLearn(t *testing.T) {
	for name, c := range map[string]struct{ got, want float64 }{
		"Error":     {Error(pred, truth), 0.625},
		"Kappa":     {Kappa(pred, truth), 0.22720247295208662},
		"Precision": {Precision(pred, truth), 0.27714285714285714},
		"Recall":    {Recall(pred, truth), 0.3565811965811966},
		"F1":        {F1(pred, truth), 0.29797101449275365},
		"LogLoss":   {LogLoss(probabilities(), truth), 12.114375785853646},
		"Brier":     {Brier(probabilities(), truth), 1.13725},
		"MAE":       {MAE(a, b), 3.15},
		"MSE":       {MSE(a, b), 13.772266666666667},
		"R2":        {R2(a, b), -1.4621851201664624},
	} {
		if math.Abs(c.got-c.want) > 1e-12*max(1, math.Abs(c.want)) {
			t.Errorf("%s = %v, want %v", name, c.got, c.want)
		}
	}
	confusion := NewConfusion(pred, truth, []string{"a", "b", "c", "d", "e"})
	want := [][]int{{4, 0, 2, 0, 3}, {1, 7, 4, 0, 1}, {0, 1, 4, 0, 0}, {9, 2, 0, 0, 2}, {0, 0, 0, 0, 0}}
	if !slices.EqualFunc(confusion.Counts, want, slices.Equal[[]int]) {
		t.Errorf("confusion matrix %v, want %v", confusion.Counts, want)
	}
}

// spread returns predictions and truth whose confusion matrix is given.
func spread(matrix [][]int) (pred, truth []int32) {
	for t, row := range matrix {
		for p, n := range row {
			for range n {
				pred, truth = append(pred, int32(p)), append(truth, int32(t))
			}
		}
	}
	return pred, truth
}

func TestKappaByHand(t *testing.T) {
	for i, c := range []struct {
		matrix        [][]int
		kappa, chance float64
	}{
		// Accuracy 0.7; by chance 0.5·0.6 + 0.5·0.4 = 0.5. Largest class 0.5.
		{[][]int{{20, 5}, {10, 15}}, 0.4, 0.4},
		// Accuracy 0.6; by chance 0.6·0.7 + 0.4·0.3 = 0.54. Largest class 0.6.
		{[][]int{{45, 15}, {25, 15}}, 0.06 / 0.46, 0},
		// Accuracy 0.7; by chance 0.5·0.6 + 0.3·0.3 + 0.2·0.1 = 0.41. Largest
		// class 0.5.
		{[][]int{{44, 5, 1}, {7, 20, 3}, {9, 5, 6}}, (0.7 - 0.41) / 0.59, 0.4},
		{[][]int{{3, 0}, {0, 8}}, 1, 1},
		// Everything wrong: by chance 0.5·0.5 + 0.5·0.5.
		{[][]int{{0, 5}, {5, 0}}, -1, -1},
		// A constant prediction is as good as chance.
		{[][]int{{7, 0, 0}, {2, 0, 0}, {1, 0, 0}}, 0, 0},
	} {
		pred, truth := spread(c.matrix)
		if got := Kappa(pred, truth); math.Abs(got-c.kappa) > 1e-12 {
			t.Errorf("%d: Kappa = %v, want %v", i, got, c.kappa)
		}
		if got := ChanceKappa(pred, truth); math.Abs(got-c.chance) > 1e-12 {
			t.Errorf("%d: ChanceKappa = %v, want %v", i, got, c.chance)
		}
	}
}

func drawLabels(t *rapid.T) (pred, truth []int32) {
	n := rapid.IntRange(1, 30).Draw(t, "n")
	label := rapid.Int32Range(0, 4)
	return rapid.SliceOfN(label, n, n).Draw(t, "pred"), rapid.SliceOfN(label, n, n).Draw(t, "truth")
}

func same(x, y float64) bool { return math.Abs(x-y) < 1e-12 || math.IsNaN(x) && math.IsNaN(y) }

// TestNamesDontMatter gives the classes other numbers, with gaps, of which a large one takes no memory, and expects
// the same value of every metric of labels.
func TestNamesDontMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pred, truth := drawLabels(t)
		names := rapid.Permutation([]int32{0, 1, 2, 3, 4, 5, 6, math.MaxInt32}).Draw(t, "names")
		rename := func(labels []int32) []int32 {
			renamed := make([]int32, len(labels))
			for i, y := range labels {
				renamed[i] = names[y]
			}
			return renamed
		}
		for i, metric := range []func(pred, truth []int32) float64{Error, Kappa, ChanceKappa, Precision, Recall, F1} {
			if got, want := metric(rename(pred), rename(truth)), metric(pred, truth); !same(got, want) {
				t.Errorf("metric %d: %v, want %v", i, got, want)
			}
		}
	})
}

func TestUndefined(t *testing.T) {
	one := []int32{2, 2, 2}
	for name, got := range map[string]float64{
		"Error of nothing":         Error(nil, nil),
		"Kappa of nothing":         Kappa(nil, nil),
		"ChanceKappa of nothing":   ChanceKappa(nil, nil),
		"F1 of nothing":            F1(nil, nil),
		"LogLoss of nothing":       LogLoss(nil, nil),
		"Brier of nothing":         Brier(nil, nil),
		"MSE of nothing":           MSE(nil, nil),
		"MAE of nothing":           MAE(nil, nil),
		"R2 of nothing":            R2(nil, nil),
		"Kappa of one class":       Kappa(one, one),
		"ChanceKappa of one class": ChanceKappa([]int32{0, 1, 2}, one),
		"R2 where nothing varies":  R2([]float64{1, 2, 3}, []float64{0.1, 0.1, 0.1}),
		"StdErr of one number":     second(MeanStdErr([]float64{1})),
		"mean of nothing":          first(MeanStdErr(nil)),
		"James of no rows":         JamesDecomposition([][]int32{{}}, nil).Bias,
		"James of no models":       JamesDecomposition(nil, [][]float64{{1}}).Bias,
		"bias of one model":        bias([][]int32{{0, 1}}, []int32{0, 0}),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s is %v, want NaN", name, got)
		}
	}
	if got := Kappa(one, []int32{0, 0, 0}); got != 0 {
		t.Errorf("Kappa of two constants is %v, want 0", got)
	}
}

func bias(predictions [][]int32, truth []int32) float64 {
	bias2, _, _ := KohaviWolpert(predictions, truth)
	return bias2
}

func first(x, _ float64) float64  { return x }
func second(_, x float64) float64 { return x }

func TestMisuse(t *testing.T) {
	two, three := []int32{0, 1}, []int32{0, 1, 0}
	misuses := map[string]func(){
		"NewConfusion":  func() { NewConfusion(two, three, []string{"a", "b"}) },
		"no class":      func() { NewConfusion(two, two, []string{"a"}) },
		"negative":      func() { Kappa([]int32{-1, 0}, two) },
		"LogLoss":       func() { LogLoss([][]float64{{1, 0}}, two) },
		"Brier":         func() { Brier([][]float64{{1, 0}}, two) },
		"probabilities": func() { LogLoss([][]float64{{1}, {1}}, two) },
		"KohaviWolpert": func() { KohaviWolpert([][]int32{two, three}, two) },
		"Friedman":      func() { FriedmanTest([][]float64{{1, 2}, {1}}) },
		"Wilcoxon":      func() { Wilcoxon(a, a[1:]) },
		"pairwise":      func() { PairwiseWilcoxon([][]float64{{1, 2}, {1}}) },
		"t-test":        func() { ResampledTTest([]float64{1}, nil, 1) },
		"a ratio below": func() { ResampledTTest(nil, nil, -1) },
		"no ratio":      func() { ResampledTTest(nil, nil, nan) },
		"one method":    func() { Nemenyi(1, 10, 0.05) },
		"no sets":       func() { Nemenyi(3, 0, 0.05) },
		"level 0":       func() { Nemenyi(3, 10, 0) },
		"a rank of NaN": func() { Cliques([]float64{1, nan}, 1) },
		"no difference": func() { Cliques([]float64{1}, nan) },
		"rows of James": func() { JamesDecomposition([][]int32{{0}}, [][]float64{{1}, {1}}) },
		"classes":       func() { JamesDecomposition([][]int32{{1}}, [][]float64{{1}}) },
		"below classes": func() { JamesDecomposition([][]int32{{-1}}, [][]float64{{1}}) },
		"no bins":       func() { Calibration(binary([]float64{0.5}), []int32{0}, 1, 0, false) },
		"many bins":     func() { Calibration(binary([]float64{0.5}), []int32{0}, 1, 1<<40, false) },
		"thresholds of class 1": func() {
			(&Evaluation{Data: &datasets.Dataset{Classes: []string{"a"}}}).Thresholds(1)
		},
		"losses of no rows": func() { Assess(&datasets.Dataset{Labels: two, Classes: []string{"a", "b"}}, a, nil) },
		"losses without a target": func() {
			Assess(&datasets.Dataset{Columns: [][]float32{{1}}}, []float64{1}, nil)
		},
		"values of no rows": func() {
			Assess(&datasets.Dataset{Values: []float64{1}}, []float64{1}, &forest.OutOfBag{})
		},
		"class 2":  func() { Calibration(binary([]float64{0.5}), []int32{0}, 2, 1, false) },
		"above 1":  func() { Calibration(binary([]float64{1.5}), []int32{0}, 1, 1, false) },
		"no truth": func() { Calibration(binary([]float64{0.5}), nil, 1, 1, false) },
	}
	for i, metric := range []func(pred, truth []int32) float64{Error, Kappa, ChanceKappa, Precision, Recall, F1} {
		misuses[fmt.Sprint("labels, metric ", i)] = func() { metric(two, three) }
	}
	for i, metric := range []func(pred, truth []float64) float64{MAE, MSE, R2} {
		misuses[fmt.Sprint("values, metric ", i)] = func() { metric(a, a[1:]) }
	}
	for name, f := range misuses {
		t.Run(name, func(t *testing.T) { readtest.WantPanic(t, "eval: ", f) })
	}
}

func TestMeanStdErr(t *testing.T) {
	mean, std := stat.MeanStdDev(a, nil)
	gotMean, gotErr := MeanStdErr(a)
	if want := stat.StdErr(std, float64(len(a))); !same(gotMean, mean) || !same(gotErr, want) {
		t.Errorf("MeanStdErr = %v, %v; gonum has %v, %v", gotMean, gotErr, mean, want)
	}
}

func TestConfusionEscapesClasses(t *testing.T) {
	c := NewConfusion([]int32{0}, []int32{0}, []string{"a\tb\n", "\x1b[2J"})
	got := c.String()
	if !strings.Contains(got, `a\tb\n`) || !strings.Contains(got, `\x1b[2J`) || strings.Count(got, "\n") != 3 {
		t.Errorf("%q", got)
	}
}

func TestMedianByHand(t *testing.T) {
	x := []float64{5, 1, 3, 10}
	if Median(x) != 4 || Median(x[:3]) != 3 || x[0] != 5 || !math.IsNaN(Median(nil)) ||
		!math.IsNaN(Median([]float64{1, math.NaN()})) {
		t.Errorf("medians %v, %v of %v", Median(x), Median(x[:3]), x)
	}
}
