package datasets

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

func TestCheckSize(t *testing.T) {
	d := &Dataset{Name: "vast"}
	for _, c := range []struct {
		rows, columns int
		want          string
	}{
		{1<<31 - 1, 1<<31 - 1, ""},
		{1 << 31, 1, `data set "vast" has 2147483648 rows; at most 2147483647 can be indexed`},
		{1, 1 << 31, `data set "vast" has 2147483648 columns; at most 2147483647 can be indexed`},
	} {
		readtest.WantResult(t, d.checkSize(c.rows, c.columns), c.want)
	}
}

// The error is that of the first column, whichever core finds one first.
func TestCheckFiniteNamesTheFirstFault(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(7))
	const n, p = 30000, 100
	d := &Dataset{Features: make([]Feature, p), Columns: make([][]float32, p)}
	for j := range d.Columns {
		d.Features[j].Name = fmt.Sprint("x", j)
		d.Columns[j] = make([]float32, n)
	}
	must.Do(d.CheckFinite())
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	d.Columns[97][5] = nan
	d.Columns[41][20000], d.Columns[41][29999] = inf, nan
	d.Features[60].Categories = []string{"a"}
	for range 20 {
		readtest.WantError(t, d.CheckFinite(), `row 20000, column "x41" is -Inf`)
	}
	d.Columns[41][20000] = 1
	if err := d.CheckFinite(); !errors.Is(err, ErrMissing) ||
		!strings.Contains(err.Error(), `row 29999, column "x41": missing cell`) {
		t.Errorf("error %v", err)
	}
	d.Columns[41][29999] = 1
	readtest.WantError(t, d.CheckFinite(), `"x60" is categorical`)
	d.Features[60].Categories = nil
	readtest.WantError(t, d.CheckFinite(), `row 5, column "x97"`)
}

// These once panicked in a goroutine that checked columns, which ended the process.
func TestCheckFiniteOfNoTable(t *testing.T) {
	two := [][]float32{{1, 2}, {3, 4}}
	names := []Feature{{Name: "a"}, {Name: "b"}}
	for _, test := range []struct {
		d    *Dataset
		want string
	}{
		{&Dataset{}, "no columns"},
		{&Dataset{Columns: two}, "2 columns but 0 features"},
		{&Dataset{Columns: two, Features: names[:1]}, "2 columns but 1 features"},
		{&Dataset{Columns: two[:1], Features: names}, "1 columns but 2 features"},
		{&Dataset{Columns: [][]float32{{1, 2}, {3}}, Features: names}, `column "b" has 1 rows, column "a" has 2`},
		{&Dataset{Columns: two, Features: names, Rows: []int32{0, 2}}, "row 1 refers to row 2; the columns have 2 rows"},
		{&Dataset{Columns: two, Features: names, Rows: []int32{-1}}, "row 0 refers to row -1"},
	} {
		readtest.WantError(t, test.d.CheckFinite(), test.want)
	}
	if err := (&Dataset{Columns: two, Features: names, Rows: []int32{}}).CheckFinite(); err != nil {
		t.Errorf("no rows: %v", err)
	}
}

func TestWeightClasses(t *testing.T) {
	d := &Dataset{Features: []Feature{{Name: "a"}}, Columns: [][]float32{{1, 2, 3}}, Labels: []int32{0, 1, 1},
		Classes: []string{"n", "y"}}
	if got, want := d.WeightClasses(2, 0.5).Weights, []float32{2, 0.5, 0.5}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	d.Weights = []float32{3, 4, 0}
	if got, want := d.WeightClasses(2, 0.5).Weights, []float32{6, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !slices.Equal(d.Weights, []float32{3, 4, 0}) {
		t.Errorf("the data's own weights are now %v", d.Weights)
	}
	readtest.WantPanic(t, "datasets: 1 weights for 2 classes", func() { d.WeightClasses(1) })
}

// What comes with an error that nobody looked at is nil.
func TestNilDataset(t *testing.T) {
	var d *Dataset
	for _, call := range []func(){
		func() { d.N() }, func() { d.P() }, func() { d.Check() }, func() { d.CheckFinite() }, func() { d.Subset(nil) },
		func() { d.Schema() }, func() { KFold{}.Folds(d) }, func() { Prepare{}.Fit(t.Context(), d) },
	} {
		readtest.WantPanic(t, "datasets: the data set is nil", call)
	}
	readtest.WantPanic(t, "datasets: the reader is nil", func() { CSV{}.Read(t.Context(), nil, "table") })
}

func TestFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for n := range 40 {
		for _, fill := range []float32{0, -3, math.MaxFloat32, -math.MaxFloat32} {
			cells := slices.Repeat([]float32{fill}, n)
			if !finite(cells) {
				t.Errorf("%d cells of %v are finite", n, fill)
			}
			for i := range cells {
				for _, v := range []float32{nan, inf, -inf} {
					cells[i] = v
					if finite(cells) {
						t.Errorf("%d cells of %v, number %d being %v, are not finite", n, fill, i, v)
					}
				}
				cells[i] = fill
			}
			if n > 1 {
				cells[0], cells[n-1] = inf, -inf
				if finite(cells) {
					t.Errorf("infinite cells that cancel are not finite")
				}
			}
		}
	}
}

func TestText(t *testing.T) {
	d := &Dataset{Features: []Feature{{Name: "a"}, {Name: "b", Categories: []string{"red", "blue"}}},
		Columns: [][]float32{{1234567, 0.1, float32(math.NaN())}, {1, 0, float32(math.NaN())}}, Rows: []int32{2, 1, 0}}
	var got []string
	for i := range 3 {
		got = append(got, d.Text(i, 0), d.Text(i, 1))
	}
	if want := []string{"?", "?", "0.1", "red", "1234567", "blue"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDatasetString(t *testing.T) {
	d := &Dataset{Name: "iris", Target: "species", Classes: []string{"a", "b", "c"}, Labels: []int32{0, 1},
		Features: make([]Feature, 1), Columns: [][]float32{{1, 2}}}
	for want, d := range map[string]*Dataset{`iris: 2 rows, 1 columns, 3 classes of "species"`: d,
		`table: 2 rows, 0 columns, values of "y"`: {Target: "y", Values: []float64{1, 2}},
		"table: 0 rows, 0 columns, no target":     {}} {
		if got := d.String(); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
}
