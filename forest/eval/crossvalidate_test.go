package eval

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// A learnerFunc is a learner made of a function.
type learnerFunc func(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error)

func (f learnerFunc) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	return f(ctx, train)
}

// oneLeaf returns a forest of one leaf with the class counts, or the mean value, of
// the training rows.
func oneLeaf(_ context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	model := &forest.Forest{Features: train.FeatureNames(), Classes: train.Classes}
	tree := forest.Tree{Classes: len(train.Classes)}
	var mean float32
	for _, v := range train.Values {
		mean += float32(v) / float32(len(train.Values))
	}
	leaf := forest.ValueLeaf(mean, 0)
	if train.Labels != nil {
		var dist []float32
		for _, count := range train.ClassCounts() {
			dist = append(dist, float32(count))
		}
		leaf = tree.DistLeaf(dist, 0)
	}
	tree.Nodes = []forest.Node{leaf}
	model.Trees = []forest.Tree{tree}
	return model, nil
}

func toy(labels []int32, values []float64) *datasets.Dataset {
	n := max(len(labels), len(values))
	d := &datasets.Dataset{
		Features: []datasets.Feature{{Name: "row"}},
		Columns:  [][]float32{make([]float32, n)},
		Labels:   labels,
		Values:   values,
	}
	for i := range n {
		d.Columns[0][i] = float32(i)
	}
	if labels != nil {
		d.Classes = []string{"a", "b"}
	}
	return d
}

// fourAndFour returns eight rows and two folds of four training rows.
func fourAndFour() (*datasets.Dataset, predefined) {
	return toy([]int32{0, 0, 0, 1, 0, 1, 1, 1}, nil), predefined{
		{Train: []int32{0, 1, 2, 3}, Test: []int32{4, 5, 6}}, // trained on 3 a, 1 b
		{Train: []int32{4, 5, 6, 7}, Test: []int32{0, 3}},    // trained on 1 a, 3 b
	}
}

func TestCrossValidateByHand(t *testing.T) {
	d, folds := fourAndFour()
	scores := must.Value(CrossValidate(t.Context(), learnerFunc(oneLeaf), d, folds))
	if len(scores.Folds) != 2 || scores.Regression {
		t.Fatalf("scores %+v, want two folds of classification", scores)
	}
	// Fold 1 predicts a, with probability 3/4, where the truth is a, b, b;
	// fold 2 predicts b, with probability 3/4, where it is a, b.
	log := func(hits, misses float64) float64 {
		return (hits*math.Log(4./3) + misses*math.Log(4)) / (hits + misses)
	}
	for f, want := range []Score{
		{Train: 4, Test: 3, Error: 2. / 3, ChanceKappa: 1 - (2./3)/(1./3), F1: 0.25,
			LogLoss: log(1, 2), Brier: (0.125 + 2*1.125) / 3},
		{Train: 4, Test: 2, Error: 0.5, F1: 1. / 3, LogLoss: log(1, 1), Brier: 1.25 / 2},
	} {
		got := scores.Folds[f]
		for _, c := range [][2]float64{
			{got.Error, want.Error}, {got.Kappa, want.Kappa}, {got.ChanceKappa, want.ChanceKappa}, {got.F1, want.F1},
			{got.LogLoss, want.LogLoss}, {got.Brier, want.Brier}, {float64(got.Train), float64(want.Train)},
			{float64(got.Test), float64(want.Test)}, {got.MAE, nan}, {got.MSE, nan},
		} {
			if math.Abs(c[0]-c[1]) > 1e-6 || math.IsNaN(c[0]) != math.IsNaN(c[1]) {
				t.Errorf("fold %d: got %+v, want %+v", f+1, got, want)
				break
			}
		}
	}
	mean, stderr := scores.Loss()
	if !same(mean, 7./12) || !same(stderr, 1./12) {
		t.Errorf("error %v ± %v, want 7/12 ± 1/12", mean, stderr)
	}
}

func TestCrossValidateRegressionByHand(t *testing.T) {
	d := toy(nil, []float64{1, 3, 5, 9})
	folds := predefined{
		{Train: []int32{0, 1}, Test: []int32{2, 3}}, // predicts 2: errors 3, 7
		{Train: []int32{2, 3}, Test: []int32{0}},    // predicts 7: error 6
	}
	scores := must.Value(CrossValidate(t.Context(), learnerFunc(oneLeaf), d, folds))
	mae, _ := scores.Summary(func(s Score) float64 { return s.MAE })
	mse, stderr := scores.Loss()
	if mae != 5.5 || mse != (29.+36)/2 || !same(stderr, 3.5) || !math.IsNaN(scores.Folds[0].Error) {
		t.Errorf("MAE %v, MSE %v ± %v, want 5.5, 32.5 ± 3.5; folds %+v", mae, mse, stderr, scores.Folds)
	}
}

func TestCrossValidateProgress(t *testing.T) {
	var last, calls int
	ctx := forest.WithProgress(t.Context(), func(done, total int) {
		if calls++; done != calls || total != 12 {
			t.Errorf("progress %d of %d, want %d of 12", done, total, calls)
		}
		last = done
	})
	learner := learnerFunc(func(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
		for tree := range 4 {
			forest.Progress(ctx)(tree+1, 4)
		}
		return oneLeaf(ctx, train)
	})
	if _, err := CrossValidate(ctx, learner, toy(make([]int32, 9), nil), datasets.KFold{K: 3}); err != nil || last != 12 {
		t.Errorf("progress ends at %d, error %v", last, err)
	}
}

func TestCrossValidateFails(t *testing.T) {
	d := toy(make([]int32, 9), nil)
	broken := errors.New("broken")
	calls := 0
	breaks := learnerFunc(func(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
		if calls++; calls == 2 {
			return nil, broken
		}
		return oneLeaf(ctx, train)
	})
	_, err := CrossValidate(t.Context(), breaks, d, datasets.KFold{K: 3})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "fold 2 of 3") || calls != 2 {
		t.Errorf("error %v after %d folds, want that fold 2 of 3 is broken", err, calls)
	}

	ctx, cancel := context.WithCancel(t.Context())
	calls = 0
	_, err = CrossValidate(ctx, learnerFunc(func(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
		calls++
		cancel()
		return oneLeaf(ctx, train)
	}), d, datasets.KFold{K: 3})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("error %v after %d folds, want to stop after one", err, calls)
	}

	if _, err = CrossValidate(t.Context(), learnerFunc(oneLeaf), toy(nil, nil), datasets.KFold{K: 3}); err == nil {
		t.Error("no error without a target")
	}
	if _, err = CrossValidate(t.Context(), learnerFunc(oneLeaf), d, datasets.KFold{K: 100}); err == nil {
		t.Error("no error with more folds than rows")
	}
}

func TestPredefined(t *testing.T) {
	d := toy(make([]int32, 4), nil)
	good := predefined{{Train: []int32{0, 1, 1}, Test: []int32{3}}}
	folds, err := good.Folds(d)
	if err != nil || !reflect.DeepEqual(folds, []datasets.Fold(good)) {
		t.Errorf("folds %v, error %v", folds, err)
	}
	for _, c := range []struct {
		folds predefined
		want  string
	}{
		{nil, "no predefined folds"},
		{predefined{good[0], {Train: []int32{0}}}, "fold 2 has 1 training and 0 test rows"},
		{predefined{{Test: []int32{0}}}, "fold 1 has 0 training"},
		{predefined{{Train: []int32{4}, Test: []int32{0}}}, "row 4; the data have 4 rows"},
		{predefined{{Train: []int32{0}, Test: []int32{-1}}}, "row -1"},
		{predefined{{Train: []int32{0, 2}, Test: []int32{1, 2}}}, "row 2 among both"},
	} {
		_, err := c.folds.Folds(d)
		readtest.WantError(t, err, c.want)
	}
}

func TestScoresString(t *testing.T) {
	s := Scores{Regression: true, Folds: []Score{
		{MAE: 1, MSE: 2, R2: 0.5, Fit: time.Second, Predict: time.Millisecond},
		{MAE: 3, MSE: 2, R2: 0.25, Fit: 2 * time.Second, Predict: time.Millisecond},
	}}
	const want = "" +
		"  fold     MAE    RMSE      R²   fit s  predict s\n" +
		"     1  1.0000  1.4142  0.5000  1.0000     0.0010\n" +
		"     2  3.0000  1.4142  0.2500  2.0000     0.0010\n" +
		"  mean  2.0000  1.4142  0.3750  1.5000     0.0010\n" +
		"  s.e.  1.0000  0.0000  0.1250  0.5000     0.0000\n"
	if got := s.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	s.Regression = false
	head, _, _ := strings.Cut(s.String(), "\n")
	if !slices.Equal(strings.Fields(head), strings.Fields("fold error kappa F1 AUC log loss Brier fit s predict s")) {
		t.Errorf("columns %q", head)
	}
}

// TestCrossValidateSteps centres a column by the mean of the training rows,
// 3.5, and splits it at 0. Centred by the mean of the test rows, or not at all,
// some row of class 0 would be on the wrong side.
func TestCrossValidateSteps(t *testing.T) {
	d := toy([]int32{0, 0, 0, 0, 1, 1, 1}, nil)
	folds := predefined{{Train: []int32{3, 4}, Test: []int32{0, 1, 2, 5}}}
	atZero := learnerFunc(func(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
		if got := train.Column(nil, 0); train.At(0, 0) != -0.5 || train.At(1, 0) != 0.5 {
			t.Errorf("training cells %v, want -0.5 and 0.5", got)
		}
		return rf.CART{}.Fit(ctx, train)
	})
	var seen [][]float32
	scores := must.Value(CrossValidate(t.Context(), atZero, d, folds, centre{&seen}, centre{&seen}))
	if scores.Folds[0].Error != 0 {
		t.Errorf("error %v, want 0", scores.Folds[0].Error)
	}
	// The second step is fitted to what the first one made of the training rows.
	if want := [][]float32{{3, 4}, {-0.5, 0.5}}; !reflect.DeepEqual(seen, want) {
		t.Errorf("steps were fitted to %v, want %v", seen, want)
	}
	_, err := CrossValidate(t.Context(), atZero, d, folds, datasets.Impute{}, noStep{})
	readtest.WantError(t, err, "fold 1 of 1: no step")
}

// A centre subtracts the mean of the first column, and records what it was fitted to.
type centre struct{ seen *[][]float32 }

func (c centre) Fit(ctx context.Context, train *datasets.Dataset) (datasets.Transform, *datasets.Dataset, error) {
	cells := slices.Clone(train.Column(nil, 0))
	*c.seen = append(*c.seen, cells)
	var mean float32
	for _, v := range cells {
		mean += v / float32(len(cells))
	}
	made, err := minus(mean).Apply(ctx, train)
	return minus(mean), made, err
}

type minus float32

func (m minus) Apply(_ context.Context, d *datasets.Dataset) (*datasets.Dataset, error) {
	moved := *d
	moved.Columns = [][]float32{slices.Clone(d.Columns[0])}
	for i := range moved.Columns[0] {
		moved.Columns[0][i] -= float32(m)
	}
	return &moved, nil
}

type noStep struct{}

func (noStep) Fit(context.Context, *datasets.Dataset) (datasets.Transform, *datasets.Dataset, error) {
	return nil, nil, errors.New("no step")
}
