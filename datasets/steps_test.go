package datasets

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// colours is a data set of one categorical and one numeric column, with
// missing cells in both.
func colours() *Dataset {
	return &Dataset{
		Name:     "colours",
		Features: []Feature{{Name: "colour", Categories: []string{"red", "green", "blue"}}, {Name: "size"}},
		Columns:  [][]float32{{2, 0, nan32, 2, 1}, {1, 2, 6, nan32, 100}},
	}
}

// others is a data set of the same columns, with other categories.
func others() *Dataset {
	return &Dataset{
		Name:     "other",
		Features: []Feature{{Name: "colour", Categories: []string{"blue", "pink", "red"}}, {Name: "size"}},
		Columns:  [][]float32{{0, 1, 2, nan32}, {0, 0, 0, 0}},
	}
}

// A tester is a testing.TB or a rapid.T.
type tester interface{ Context() context.Context }

func fit(t tester, s Step, train *Dataset) Transform {
	f, _, err := s.Fit(t.Context(), train)
	must.Do(err)
	return f
}

func apply(t tester, f Transform, d *Dataset) *Dataset {
	out := must.Value(f.Apply(t.Context(), d))
	must.Do(out.Check())
	return out
}

// wantColumns compares the names and the cells of all columns.
func wantColumns(t *testing.T, d *Dataset, want string) {
	t.Helper()
	columns := make([][]float32, d.P())
	for j := range columns {
		columns[j] = d.Column(nil, j)
	}
	if got := fmt.Sprint(d.FeatureNames(), " ", columns); got != want {
		t.Errorf("columns %s; want %s", got, want)
	}
}

// What TestStepsByDefinition doesn't see: other lists of categories, ties, and columns that are shared.
func TestOneHot(t *testing.T) {
	d := colours()
	f := fit(t, OneHot{}, d.Subset([]int32{0, 1}))
	if &apply(t, f, d).Columns[3][0] != &d.Columns[1][0] {
		t.Error("the numeric column was copied")
	}
	wantColumns(t, apply(t, f, others().Subset([]int32{0, 1, 2})),
		"[colour=red colour=green colour=blue size] [[0 0 1] [0 0 0] [1 0 0] [0 0 0]]")
}

func TestOrdinal(t *testing.T) {
	f := fit(t, Ordinal{}, colours())
	other := others()
	wantColumns(t, apply(t, f, other.Subset([]int32{2, 0, 3})), "[colour size] [[0 2 NaN] [0 0 0]]")
	_, err := f.Apply(t.Context(), other)
	readtest.WantError(t, err, `datasets: Ordinal of data set "other": row 1, column "colour": "pink" is not one of `+
		`the 3 categories it was fitted on`)
}

func TestImpute(t *testing.T) {
	d := colours()
	// Blue and red once each, of which red is listed first.
	f := fit(t, Impute{}, d.Subset([]int32{0, 1, 2}))
	wantColumns(t, apply(t, f, d), "[colour size] [[2 0 0 2 1] [1 2 6 3 100]]")
	if d.At(2, 0) == d.At(2, 0) {
		t.Error("the data set itself was changed")
	}
	whole := &Dataset{Features: d.Features, Columns: [][]float32{{2, 0}, {1, 2}}}
	out := apply(t, f, whole)
	if &out.Columns[0][0] != &whole.Columns[0][0] || &out.Columns[1][0] != &whole.Columns[1][0] {
		t.Error("columns were copied that miss nothing")
	}
	// A data set whose list of categories lacks the one to fill in.
	other := &Dataset{
		Features: []Feature{{Name: "colour", Categories: []string{"pink"}}, {Name: "size"}},
		Columns:  [][]float32{{0, nan32}, {0, 0}},
	}
	out = apply(t, f, other)
	wantColumns(t, out, "[colour size] [[0 1] [0 0]]")
	if got := out.Features[0].Categories; !slices.Equal(got, []string{"pink", "red"}) {
		t.Errorf("categories %q", got)
	}
}

func wide(a []float32) []float64 {
	b := make([]float64, len(a))
	for i, v := range a {
		b[i] = float64(v)
	}
	return b
}

func TestNoSteps(t *testing.T) {
	if d := colours(); apply(t, fit(t, Steps{}, d), d) != d {
		t.Error("no steps changed the data set")
	}
}

func TestStandardiseSpecialColumns(t *testing.T) {
	d := &Dataset{
		Features: []Feature{{Name: "constant"}, {Name: "empty"}},
		Columns:  [][]float32{{0.1, 0.1, 0.1, 0.1}, {nan32, nan32, nan32, 7}},
	}
	f := fit(t, Standardise{}, d.Subset([]int32{0, 1, 2}))
	wantColumns(t, apply(t, f, d), "[constant empty] [[0 0 0 0] [NaN NaN NaN 7]]")
}

// Rows of weight 0 are ignored: without this one, the column is constant.
func TestStandardiseWeightless(t *testing.T) {
	d := &Dataset{Features: []Feature{{Name: "a"}}, Columns: [][]float32{{3, 3, 9}}, Weights: []float32{1, 2, 0}}
	wantColumns(t, apply(t, fit(t, Standardise{}, d), d), "[a] [[0 0 6]]")
}

func TestStepErrors(t *testing.T) {
	d := colours()
	numbers := d.Select(1)
	empty := &Dataset{Features: []Feature{{Name: "k", Categories: []string{}}}, Columns: [][]float32{{nan32}}}
	unlearnt := d.Subset([]int32{0, 3})
	infinite := &Dataset{Features: []Feature{{Name: "x"}}, Columns: [][]float32{{1, float32(math.Inf(1))}}}
	for _, s := range []Step{OneHot{}, Ordinal{}, Impute{}, Standardise{}, Steps{Ordinal{}, Impute{}}} {
		_, _, err := s.Fit(t.Context(), &Dataset{})
		readtest.WantError(t, err, "data set has no columns")
		f := fit(t, s, d)
		renamed := d.Select(0, 1)
		renamed.Features[1].Name = "weight"
		retyped := d.Select(0, 1)
		retyped.Features[0].Categories = nil
		for _, test := range []struct {
			d    *Dataset
			want string
		}{
			{numbers, "1 columns; they were fitted on 2"},
			{renamed, `column 1 is "weight"; they were fitted on "size"`},
			{retyped, `column "colour" is numeric; they were fitted on a column that is categorical`},
			{d.Select(), `data set "colours" has no columns`},
		} {
			_, err := f.Apply(t.Context(), test.d)
			readtest.WantError(t, err, test.want)
			if errors.Is(err, ErrSchema) != (test.d.P() > 0) {
				t.Errorf("%T: %v wraps ErrSchema: %v", s, err, errors.Is(err, ErrSchema))
			}
		}
	}
	for _, test := range []struct {
		s    Step
		d    *Dataset
		want string
	}{
		{OneHot{}, empty, "datasets: OneHot of data set: no column would be left that tells rows apart"},
		{Impute{}, empty, `datasets: Impute of data set: column "k" has no value to learn from; drop it`},
		{Impute{}, unlearnt.Subset([]int32{1}), `datasets: Impute of data set "colours": column "size" has no value ` +
			`to learn from; drop it`},
		{Impute{}, infinite, `datasets: Impute of data set: the mean of column "x" is +Inf; want a finite number`},
		{Standardise{}, infinite, `datasets: Standardise of data set: column "x" has mean +Inf and standard deviation ` +
			`NaN; want finite numbers`},
		{Steps{OneHot{}, Impute{}}, d.Subset([]int32{2}),
			`datasets: Impute of data set "colours": column "colour=red" has no value to learn from; drop it`},
	} {
		_, _, err := test.s.Fit(t.Context(), test.d)
		readtest.WantError(t, err, test.want)
	}
}

func TestCheckCodes(t *testing.T) {
	for _, bad := range []float32{-1, 3, 0.5, float32(math.Inf(1)), float32(math.Inf(-1))} {
		d := colours()
		d.Columns[0][3] = bad
		err := d.Check()
		readtest.WantError(t, err, `cell 3 of column "colour" is `)
	}
	must.Do(colours().Check())
}

// By hand: mean 0.5 and standard deviation 0.5, so 3e38 would be 6e38, more than a float32 holds.
func TestStandardiseKeepsCellsFinite(t *testing.T) {
	d := &Dataset{Features: []Feature{{Name: "x"}}, Columns: [][]float32{{0, 1}}}
	inf := float32(math.Inf(-1))
	far := &Dataset{Features: d.Features, Columns: [][]float32{{3e38, -3e38, 1, inf}}}
	wantColumns(t, apply(t, fit(t, Standardise{}, d), far), "[x] [[3.4028235e+38 -3.4028235e+38 1 -Inf]]")
}
