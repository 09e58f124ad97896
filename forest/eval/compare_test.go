package eval

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// compared returns the comparison of contenders with the given losses, of which the names of
// oblique ones begin with "o".
func compared(level, ratio float64, names []string, loss ...[]float64) *Comparison {
	c := &Comparison{Loss: loss, TestToTrain: ratio, Level: level, Rows: 100}
	others := make([]int, len(names)-1)
	for i, name := range names {
		c.Contenders = append(c.Contenders, Contender{Name: name, Oblique: strings.HasPrefix(name, "o")})
		if i > 0 {
			others[i-1] = i
		}
	}
	c.Differences = append([]Difference{{P: 1, Holm: 1}}, c.against(0, others)...)
	return c
}

// By baycomp 1.0.3, CorrelatedTTest(x, y, rope=0, runs=2): the posterior of the mean difference
// is Student's t with the corrected variance, so its quantiles are the interval's ends (by SciPy
// 1.17.1), and twice its smaller tail is the p-value.
func TestDifferenceLikeBaycomp(t *testing.T) {
	for _, test := range []struct{ level, low, high float64 }{
		{0.95, -0.041474779588750704, 0.007474779588750764},
		{0.99, -0.05216069081679929, 0.018160690816799354},
	} {
		got := compared(test.level, 0.25, []string{"x", "y"}, accuraciesX, accuraciesY).Differences[1]
		if math.Abs(got.Difference+0.017) > 1e-15 || math.Abs(got.StdErr*got.StdErr-0.00011705555555555521) > 1e-15 ||
			math.Abs(got.P-0.15056675279264398) > 1e-12 || got.Holm != got.P {
			t.Errorf("%+v", got)
		}
		if math.Abs(got.Interval.Low-test.low) > 1e-12 || math.Abs(got.Interval.High-test.high) > 1e-12 {
			t.Errorf("level %v: %v, want %v to %v", test.level, got.Interval, test.low, test.high)
		}
	}
}

// By p.adjust(p, "holm") of R 4.2.2, and by statsmodels 0.15.0.
func TestHolmLikeR(t *testing.T) {
	for _, test := range []struct{ p, want []float64 }{
		{[]float64{.01, .04, .03, .005}, []float64{.03, .06, .06, .02}},
		{[]float64{.2, .5, .04, .04, .9}, []float64{.6, 1, .2, .2, 1}},
		{[]float64{.03, .02}, []float64{.04, .04}},
		{[]float64{nan, .02}, []float64{nan, .04}},
		{[]float64{0, 0}, []float64{0, 0}},
		{nil, nil},
	} {
		got, _ := holm(test.p, 0)
		if !slices.EqualFunc(got, test.want, func(a, b float64) bool { return same(a, b) || math.Abs(a-b) < 1e-15 }) {
			t.Errorf("%v: %v, want %v", test.p, got, test.want)
		}
	}
}

// By SciPy 1.17.1, t.isf(p/2, degrees).
func TestStudentQuantileLikeSciPy(t *testing.T) {
	for _, test := range []struct{ degrees, p, want float64 }{
		{1, .05, 12.706204736174705}, {1, .05 / 3, 38.18845929702562}, {1, 1e-6, 636619.7723670577},
		{2, .05, 4.302652729749464}, {9, .05 / 3, 2.933324088373988}, {9, 1e-6, 11.636782027328891},
		{14, .05, 2.144786687917804}, {99, .05, 1.9842169515864176}, {99, 1e-6, 5.217164206649465},
	} {
		if got := studentQuantile(test.p, test.degrees); math.Abs(got/test.want-1) > 1e-9 {
			t.Errorf("%v degrees, p = %v: %v, want %v", test.degrees, test.p, got, test.want)
		}
	}
}

// lossTable draws losses of some methods on some splits, in steps that are sums of powers of two.
func lossTable(t *rapid.T) [][]float64 {
	methods, splits := rapid.IntRange(2, 5).Draw(t, "methods"), rapid.IntRange(2, 12).Draw(t, "splits")
	table := make([][]float64, methods)
	for m := range table {
		shift := rapid.IntRange(0, 40).Draw(t, "shift")
		for range splits {
			table[m] = append(table[m], float64(shift+rapid.IntRange(0, 16).Draw(t, "loss"))/64)
		}
	}
	return table
}

// The interval is centred on the difference, is wider the more is corrected for, holds the
// plain one, and excludes 0 if and only if Holm rejects. Swapping two methods mirrors it.
func TestIntervalsAgreeWithHolm(t *testing.T) {
	names := []string{"a", "o1", "o2", "o3", "o4"}
	rapid.Check(t, func(t *rapid.T) {
		loss := lossTable(t)
		level := rapid.SampledFrom([]float64{0.5, 0.9, 0.95, 0.99}).Draw(t, "level")
		c := compared(level, 0.25, names[:len(loss)], loss...)
		for m := 1; m < len(loss); m++ {
			d := c.Differences[m]
			plain := compared(level, 0.25, []string{"a", "b"}, loss[0], loss[m]).Differences[1]
			mirrored := compared(level, 0.25, []string{"b", "a"}, loss[m], loss[0]).Differences[1]
			if d.Holm < d.P || plain.Holm != plain.P || d.P != plain.P {
				t.Fatalf("%+v, alone %+v", d, plain)
			}
			if d.Interval.Low > plain.Interval.Low || d.Interval.High < plain.Interval.High {
				t.Fatalf("interval %v doesn't hold the plain %v", d.Interval, plain.Interval)
			}
			if mirrored.Difference != -plain.Difference || mirrored.P != plain.P ||
				mirrored.Interval.Low != -plain.Interval.High || mirrored.Interval.High != -plain.Interval.Low {
				t.Fatalf("%+v, swapped %+v", plain, mirrored)
			}
			excludes := d.Interval.Low > 0 || d.Interval.High < 0
			if excludes != (d.Holm <= 1-level) && math.Abs(d.Holm-(1-level)) > 1e-9 {
				t.Fatalf("%+v at level %v", d, level)
			}
			narrower := compared(level, 0.1, names[:len(loss)], loss...).Differences[m]
			if narrower.StdErr > d.StdErr {
				t.Fatalf("ratio 0.1: %+v, ratio 0.25: %+v", narrower, d)
			}
		}
	})
}

// around returns ten losses with the given mean, which deviate from it by ±by.
func around(mean, by float64, odd bool) []float64 {
	loss := make([]float64, 10)
	for i := range loss {
		loss[i] = mean + by
		if (i%2 == 1) != odd {
			loss[i] = mean - by
		}
	}
	return loss
}

// The ten differences have s = deviation·√(10/9), StdErr = s·√(1/10 + 1/4), and Student's t with 9
// degrees of freedom is beyond 2.262 with probability 0.05, beyond 2.685 with 0.025.
func TestVerdicts(t *testing.T) {
	rf := around(.25, 0, false)
	for _, test := range []struct {
		name  string
		names []string
		loss  [][]float64
		want  int
		text  string
	}{
		{"much better", []string{"RF", "o"}, [][]float64{rf, around(.18, .01, false)}, 1,
			"Slanted splits pay here: o errs on 18.0 % of the rows it hasn't seen, RF on 25.0 %. " +
				"That is 7.0 percentage points less (95 % interval: 5.6 to 8.4 percentage points less)."},
		{"worse", []string{"RF", "o"}, [][]float64{rf, around(.28, .01, false)}, -1,
			"That is 3.0 percentage points more (95 % interval: 1.6 to 4.4 percentage points more)."},
		{"as good", []string{"RF", "o"}, [][]float64{rf, around(.25, .003, false)}, -1,
			"The difference is between 0.4 less and 0.4 percentage points more"},
		{"unclear", []string{"RF", "o"}, [][]float64{rf, around(.24, .02, false)}, 0,
			"The difference is between 3.8 less and 1.8 percentage points more" +
				" (95 % interval). A difference would have to be about 2.8 percentage points to show with 100 rows."},
		{"one of two", []string{"RF", "o1", "o2"}, [][]float64{rf, around(.18, .01, false), around(.3, .01, true)}, 1,
			"5.3 to 8.7 percentage points less, allowing for 2 comparisons"},
		{"so are others", []string{"RF", "ET", "o"}, [][]float64{rf, around(.19, .02, false), around(.18, .02, true)}, 0,
			"o errs on 18.0 % of the rows it hasn't seen, ET on 19.0 %"},
		{"better than both", []string{"RF", "ET", "o"}, [][]float64{rf, around(.22, .003, false), around(.18, .003, true)}, 1,
			"ET on 22.0 %"},
		{"others are better", []string{"RF", "ET", "o"},
			[][]float64{rf, around(.15, .003, false), around(.18, .003, true)}, -1, "ET on 15.0 %"},
		{"no variation", []string{"RF", "o"}, [][]float64{rf, around(.125, 0, false)}, 0,
			"The difference is the same in all splits, so there is no interval."},
		{"one row in each split", []string{"RF", "o"},
			[][]float64{{3. / 15, 2. / 15, 7. / 15}, {2. / 15, 1. / 15, 6. / 15}}, 0,
			"The difference is the same in all splits, so there is no interval."},
		{"no other kind", []string{"RF", "ET"}, [][]float64{rf, rf}, 0, "No method of slanted"},
	} {
		got, text := compared(0.95, 0.25, test.names, test.loss...).Verdict()
		if got != test.want || !strings.Contains(text, test.text) {
			t.Errorf("%s: %d, %q; want %d, %q", test.name, got, text, test.want, test.text)
		}
	}
}

// alwaysClass predicts one class; alwaysValue one value.
func alwaysClass(k int) learnerFunc {
	return func(_ context.Context, train *datasets.Dataset) (*forest.Forest, error) {
		tree := forest.Tree{Classes: len(train.Classes), Nodes: []forest.Node{forest.ClassLeaf(int32(k), 1)}}
		return &forest.Forest{Features: train.FeatureNames(), Classes: train.Classes, Trees: []forest.Tree{tree}}, nil
	}
}

func alwaysValue(v float32) learnerFunc {
	return func(_ context.Context, train *datasets.Dataset) (*forest.Forest, error) {
		tree := forest.Tree{Nodes: []forest.Node{forest.ValueLeaf(v, 1)}}
		return &forest.Forest{Features: train.FeatureNames(), Trees: []forest.Tree{tree}}, nil
	}
}

// By hand: of the test rows, a predicts 2/3 wrongly in split 1 and 1/2 in split 2, b the others.
func TestCompareByHand(t *testing.T) {
	d, folds := fourAndFour()
	methods := []Contender{{Name: "a", Learner: alwaysClass(0)}, {Name: "b", Learner: alwaysClass(1), Oblique: true}}
	c := must.Value(Compare(t.Context(), methods, d, folds))
	if c.TestToTrain != 5./8 || c.Rows != 8 || c.Level != 0.95 || c.R2 != nil || c.Regression {
		t.Errorf("%+v", c)
	}
	for m, want := range [][]float64{{2. / 3, 1. / 2}, {1. / 3, 1. / 2}} {
		if !slices.EqualFunc(c.Loss[m], want, same) {
			t.Errorf("losses %v, want %v", c.Loss[m], want)
		}
	}
	// Differences −1/3 and 0 have mean −1/6 and variance 1/18.
	if got := c.Differences[1]; !same(got.Difference, -1./6) || !same(got.StdErr, math.Sqrt((1./2+5./8)/18)) {
		t.Errorf("%+v", got)
	}
	if base := c.Differences[0]; base != (Difference{P: 1, Holm: 1}) {
		t.Errorf("the baseline's difference from itself: %+v", base)
	}
	for _, want := range []string{"error %", "b", "41.67", "-16.67", "log loss"} {
		if !strings.Contains(c.String(), want) {
			t.Errorf("no %q in\n%s", want, c)
		}
	}
}

// By hand: test values 1, 3 and 5, 5; predictions 2 and 4. Errors 1, 1 and 3, 3 or 3, 1 and 1, 1.
func TestCompareValuesByHand(t *testing.T) {
	d := toy(nil, []float64{1, 3, 5, 9})
	folds := predefined{{Train: []int32{2, 3}, Test: []int32{0, 1}}, {Train: []int32{0, 1}, Test: []int32{2, 3}}}
	methods := []Contender{{Name: "two", Learner: alwaysValue(2)}, {Name: "four", Learner: alwaysValue(4)}}
	c := must.Value(Compare(t.Context(), methods, d, folds))
	for m, want := range [][]float64{{1, math.Sqrt(29)}, {math.Sqrt(5), math.Sqrt(13)}} {
		if !slices.EqualFunc(c.Loss[m], want, same) {
			t.Errorf("losses %v, want %v", c.Loss[m], want)
		}
	}
	for m, want := range [][]float64{{0, 1 - 29./4}, {1 - 5./1, 1 - 13./4}} { // variances 1 and 4
		if !slices.EqualFunc(c.R2[m], want, same) {
			t.Errorf("R² %v, want %v", c.R2[m], want)
		}
	}
	if !strings.Contains(c.String(), "RMSE") || !strings.Contains(c.String(), "R²") {
		t.Errorf("%s", c)
	}
}

// R² is not a number where the values don't vary, however they are rounded: the table has the mean of the other splits.
func TestCompareConstantValues(t *testing.T) {
	third := []int32{0, 1, 2}
	folds := predefined{{Train: []int32{3, 4, 5}, Test: third}, {Train: third, Test: []int32{3, 4, 5}}}
	for want, d := range map[string]*datasets.Dataset{
		"–":      toy(nil, []float64{0.1, 0.1, 0.1, 0.2, 0.2, 0.2}),
		"-0.375": toy(nil, []float64{0.1, 0.1, 0.1, 1, 2, 3}), // 1 − (0.25 + 0.25 + 2.25)/3/(2/3)
	} {
		same := []Contender{{Name: "a", Learner: alwaysValue(1.5)}, {Name: "b", Learner: alwaysValue(1.5)}}
		c := must.Value(Compare(t.Context(), same, d, folds))
		text := c.String()
		if !math.IsNaN(c.R2[0][0]) || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") ||
			!strings.Contains(text, "  "+want+" ") {
			t.Errorf("%v; want %s in\n%s", c.R2, want, c)
		}
	}
}

// All contenders see the same training rows, those that RepeatedKFold gives by default.
func TestCompareUsesTheSameSplits(t *testing.T) {
	d := toy(make([]int32, 40), nil)
	for i := range d.Labels {
		d.Labels[i] = int32(i % 2)
	}
	seen := map[string][]float32{}
	spy := func(name string) Contender {
		fit := func(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
			seen[name] = append(seen[name], train.Column(nil, 0)...)
			return oneLeaf(ctx, train)
		}
		return Contender{Name: name, Learner: learnerFunc(fit)}
	}
	c := must.Value(Compare(t.Context(), []Contender{spy("a"), spy("b")}, d, nil))
	if len(c.Loss[0]) != 10 || c.TestToTrain != 0.25 || len(seen["a"]) != 10*32 || !slices.Equal(seen["a"], seen["b"]) {
		t.Errorf("%d splits, ratio %v, %d and %d training rows",
			len(c.Loss[0]), c.TestToTrain, len(seen["a"]), len(seen["b"]))
	}
	if v, text := c.Verdict(); v != 0 {
		t.Errorf("%s", text)
	}
}

func TestCompareErrors(t *testing.T) {
	d := toy([]int32{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, nil)
	leaf := learnerFunc(oneLeaf)
	broken := learnerFunc(func(context.Context, *datasets.Dataset) (*forest.Forest, error) {
		return nil, errors.New("out of wood")
	})
	a, b := Contender{Name: "a", Learner: leaf}, Contender{Name: "b", Learner: leaf}
	for _, test := range []struct {
		contenders []Contender
		by         Splitter
		want       string
	}{
		{nil, nil, "at least two methods"},
		{[]Contender{a}, nil, "at least two methods"},
		{[]Contender{a, a}, nil, `two methods of the comparison are called "a"`},
		{[]Contender{a, {Name: "c"}}, nil, "method 2 of the comparison lacks"},
		{[]Contender{a, {Name: "c", Learner: broken}}, nil, "eval: c: eval: fold 1 of 10: out of wood"},
		{[]Contender{a, b}, RepeatedKFold(0, -1, 0), "-1 times"},
		{[]Contender{a, b}, RepeatedKFold(11, 0, 0), "11"},
		{[]Contender{a, b}, predefined{{Train: []int32{0}, Test: []int32{1}}}, "1 split"},
	} {
		_, err := Compare(t.Context(), test.contenders, d, test.by)
		readtest.WantError(t, err, test.want)
	}
}

// Every row is tested once a repetition, in folds with as many rows of each class, and repetitions differ.
func TestRepeatedKFold(t *testing.T) {
	d := toy([]int32{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, nil)
	folds := must.Value(RepeatedKFold(3, 2, 7).Folds(d))
	tested := make([]int, d.N())
	for _, f := range folds {
		for _, r := range f.Test {
			tested[r]++
		}
		if !slices.Equal(d.Subset(f.Test).ClassCounts(), []int{2, 2}) || len(f.Train) != 8 {
			t.Errorf("fold %v isn't stratified", f)
		}
	}
	if len(folds) != 6 || slices.Min(tested) != 2 || slices.Max(tested) != 2 ||
		slices.Equal(folds[0].Test, folds[3].Test) {
		t.Errorf("folds %v, in which rows are tested %v times", folds, tested)
	}
}
