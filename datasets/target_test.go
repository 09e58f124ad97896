package datasets

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

func near(t *testing.T, what string, got float32, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 1e-6 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// By hand: red has rows 0, 1, 2 and blue row 3; row 4 is missing. TestStepsByDefinition checks more codes.
func TestTargetEncodingByHand(t *testing.T) {
	d := &Dataset{
		Features: []Feature{{Name: "colour", Categories: []string{"red", "blue", "green"}}, {Name: "size"}},
		Columns:  [][]float32{{0, 0, 0, 1, nan32}, {5, 6, 7, 8, 9}},
		Labels:   []int32{1, 1, 0, 0, 1}, Classes: []string{"n", "y"},
	}
	f := fit(t, TargetEncoding{MinRows: 2, Smoothing: 1, Folds: 1}, d)
	out := must.Value(f.Apply(t.Context(), d))
	if want := []string{"colour|y", "size"}; !slices.Equal(out.FeatureNames(), want) || out.Features[0].Categories != nil {
		t.Errorf("columns %q, want %q", out.FeatureNames(), want)
	}
	const prior = 3. / 5
	near(t, "a number", out.Columns[1][2], 7)
	other := &Dataset{Features: []Feature{{Name: "colour", Categories: []string{"violet", "green", "red"}},
		{Name: "size"}}, Columns: [][]float32{{0, 1, 2}, {1, 1, 1}}}
	out = must.Value(f.Apply(t.Context(), other))
	near(t, "unseen", out.Columns[0][0], prior)
	near(t, "listed without a row", out.Columns[0][1], prior)
	lambda := 1 / (1 + math.Exp(2-3))
	near(t, "red by name", out.Columns[0][2], lambda*2/3+(1-lambda)*prior)
	training := must.Value(ApplyTraining(t.Context(), f, d))
	if out, _ = f.Apply(t.Context(), d); !reflect.DeepEqual(training.Columns, out.Columns) {
		t.Error("with one fold, training rows are encoded in another way")
	}
}

func TestTargetEncodingOfValuesAndClasses(t *testing.T) {
	d := &Dataset{
		Features: []Feature{{Name: "c", Categories: []string{"a", "b"}}},
		Columns:  [][]float32{{0, 0, 1}},
		Values:   []float64{1, 4, 10}, Weights: []float32{2, 1, 1},
	}
	out := must.Value(ApplyTraining(t.Context(), fit(t, TargetEncoding{MinRows: 3, Smoothing: 1, Folds: 1}, d), d))
	const prior = (2*1 + 4 + 10) / 4.
	near(t, "mean of a, of weight 3", out.Columns[0][0], 0.5*2+0.5*prior)
	if out.Features[0].Name != "c|mean" {
		t.Errorf("column %q", out.Features[0].Name)
	}
	d.Values, d.Weights, d.Labels, d.Classes = nil, nil, []int32{0, 2, 1}, []string{"k", "l", "m"}
	out = must.Value(ApplyTraining(t.Context(), fit(t, TargetEncoding{Folds: 1}, d), d))
	weak := 1 / (1 + math.Exp(-(2-20)/10.))
	near(t, "share of m in a", out.Columns[1][0], weak*0.5+(1-weak)/3)
}

// With folds, a training row's code is that of an encoding fitted to the other folds, and
// so doesn't change with the row's own target, or with those of its group.
func TestTargetEncodingDoesNotLeak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 40).Draw(t, "n")
		d := &Dataset{Features: []Feature{{Name: "c", Categories: []string{"a", "b", "c"}}}, Columns: newColumns(n, 1),
			Classes: []string{"n", "y"}}
		for i := range n {
			d.Columns[0][i] = float32(rapid.IntRange(0, 2).Draw(t, "cell"))
			d.Labels = append(d.Labels, int32(rapid.IntRange(0, 1).Draw(t, "label")))
		}
		if rapid.Bool().Draw(t, "grouped") {
			if d.Groups = drawGroups(t, n); different(d.Groups) < 2 {
				t.Skip("one group")
			}
		}
		e := TargetEncoding{Folds: rapid.IntRange(2, min(n, 6)).Draw(t, "folds"), Seed: rapid.Uint64().Draw(t, "seed"),
			MinRows: 2, Smoothing: 1}
		before := encodedTraining(t, e, d)
		i := rapid.IntRange(0, n-1).Draw(t, "row")
		changed := *d
		changed.Labels = slices.Clone(d.Labels)
		for k := range n {
			if k == i || d.Groups != nil && d.Groups[k] == d.Groups[i] {
				changed.Labels[k] = 1 - d.Labels[k]
			}
		}
		if after := encodedTraining(t, e, &changed); after[i] != before[i] {
			t.Fatalf("row %d is encoded as %v, and with another target as %v", i, before[i], after[i])
		}
		// The fold of row i, by brute force: the rows whose code another target of row i
		// leaves alone, if they have its category. An encoding of all others gives its code.
		fold := splitting{n, e.Folds, e.Seed}.foldOf(d)
		var rest []int32
		for k := range n {
			if fold[k] != fold[i] {
				rest = append(rest, int32(k))
			}
		}
		one := e
		one.Folds = 1
		out := apply(t, fit(t, one, d.Subset(rest)), d)
		if math.Abs(float64(out.Columns[0][i]-before[i])) > 1e-6 {
			t.Fatalf("row %d is encoded as %v, by the other folds as %v", i, before[i], out.Columns[0][i])
		}
	})
}

func encodedTraining(t *rapid.T, e TargetEncoding, d *Dataset) []float32 {
	return must.Value(ApplyTraining(context.Background(), fit(t, Steps{e}, d), d)).Columns[0]
}

func TestTargetEncodingErrors(t *testing.T) {
	d := colours()
	labelled := *d
	labelled.Labels, labelled.Classes = []int32{0, 1, 0, 1, 0}, []string{"n", "y"}
	one := labelled
	one.Labels, one.Classes = make([]int32, 5), []string{"n"}
	weightless := labelled
	weightless.Weights = []float32{1, 0, 0, 0, 0}
	for _, c := range []struct {
		e    TargetEncoding
		d    *Dataset
		want string
	}{
		{TargetEncoding{}, d, "no target to learn from"},
		{TargetEncoding{}, &one, "one class"},
		{TargetEncoding{MinRows: -1}, &labelled, "MinRows -1"},
		{TargetEncoding{Smoothing: math.NaN()}, &labelled, "Smoothing NaN"},
		{TargetEncoding{Folds: -1}, &labelled, "-1 folds"},
		{TargetEncoding{Folds: 6}, &labelled, "6 folds of 5 rows"},
		{TargetEncoding{Folds: 5}, &weightless, "a fold leaves no rows of weight"},
	} {
		_, _, err := c.e.Fit(t.Context(), c.d)
		readtest.WantError(t, err, c.want)
	}
	f := fit(t, TargetEncoding{Folds: 2}, &labelled)
	_, err := ApplyTraining(t.Context(), f, labelled.Subset([]int32{1}))
	readtest.WantError(t, err, "want the training data, of 5 rows")
}
