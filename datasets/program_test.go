package datasets

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// A sheet is a table as a person sees it: its cells are float64, string or, if missing, nil.
type sheet struct {
	features []Feature
	rows     [][]any
}

func sheetOf(d *Dataset) sheet {
	s := sheet{features: d.Features}
	for i := range d.N() {
		row := make([]any, d.P())
		for j, f := range d.Features {
			switch v := d.At(i, j); {
			case v != v:
			case f.Categories != nil:
				row[j] = f.Categories[int(v)]
			default:
				row[j] = float64(v)
			}
		}
		s.rows = append(s.rows, row)
	}
	return s
}

// A remaking is what a step makes of a column: columns, and what their cells become.
type remaking struct {
	features []Feature
	cells    func(cell any) []any
}

// remade applies the remakings, one for each column.
func (s sheet) remade(by []remaking) sheet {
	var made sheet
	for _, r := range by {
		made.features = append(made.features, r.features...)
	}
	for _, row := range s.rows {
		var out []any
		for j, cell := range row {
			out = append(out, by[j].cells(cell)...)
		}
		made.rows = append(made.rows, out)
	}
	return made
}

// learned returns what a step learns of a column of training data, by the definitions in the steps' documentation.
func learned(step Step, f Feature, cells []any, weights []float64, labels []int32) remaking {
	var numbers, numberWeights []float64
	for i, c := range cells {
		if v, ok := c.(float64); ok {
			numbers, numberWeights = append(numbers, v), append(numberWeights, weights[i])
		}
	}
	same := remaking{[]Feature{f}, func(c any) []any { return []any{c} }}
	numeric := []Feature{{Name: f.Name}}
	switch step := step.(type) {
	case OneHot:
		if f.Categories == nil {
			return same
		}
		var r remaking
		for _, c := range f.Categories {
			r.features = append(r.features, Feature{Name: f.Name + "=" + c})
		}
		r.cells = func(cell any) (out []any) {
			for _, c := range f.Categories {
				switch cell {
				case nil:
					out = append(out, nil)
				case any(c):
					out = append(out, 1.)
				default:
					out = append(out, 0.)
				}
			}
			return out
		}
		return r
	case Ordinal:
		if f.Categories == nil {
			return same
		}
		return remaking{numeric, func(cell any) []any {
			if cell == nil {
				return []any{nil}
			}
			return []any{float64(slices.Index(f.Categories, cell.(string)))}
		}}
	case Impute:
		var fill any = stat.Mean(numbers, numberWeights) // gonum v0.17.0
		if f.Categories != nil {
			most := 0.
			for _, c := range f.Categories {
				total := 0.
				for i, cell := range cells {
					if cell == any(c) {
						total += weights[i]
					}
				}
				if total > most {
					fill, most = c, total
				}
			}
		}
		return remaking{[]Feature{f}, func(cell any) []any {
			if cell == nil {
				return []any{fill}
			}
			return []any{cell}
		}}
	case Standardise:
		if f.Categories != nil {
			return same
		}
		mean, variance := 0., 1.
		if len(numbers) > 0 {
			mean, variance = stat.PopMeanVariance(numbers, numberWeights)
			if slices.Min(numbers) == slices.Max(numbers) {
				mean, variance = numbers[0], 1
			}
		}
		return remaking{numeric, func(cell any) []any {
			if cell == nil {
				return []any{nil}
			}
			return []any{(cell.(float64) - mean) / math.Sqrt(variance)}
		}}
	case TargetEncoding:
		if f.Categories == nil {
			return same
		}
		mean := func(class int32, of func(cell any) bool) (share, n float64) {
			for i, cell := range cells {
				if of(cell) {
					n += weights[i]
					if labels[i] == class {
						share += weights[i]
					}
				}
			}
			return share / n, n
		}
		return remaking{[]Feature{{Name: f.Name + "|l"}, {Name: f.Name + "|m"}}, func(cell any) (out []any) {
			for class := range int32(2) {
				code, _ := mean(class+1, func(any) bool { return true })
				if y, n := mean(class+1, func(c any) bool { return c == cell }); cell != nil && n > 0 {
					lambda := 1 / (1 + math.Exp(-(n-step.MinRows)/step.Smoothing))
					code = lambda*y + (1-lambda)*code
				}
				out = append(out, code)
			}
			return out
		}}
	}
	panic(fmt.Sprintf("%T", step))
}

// Steps make what their definitions say of any table, and of its rows one by one the same bits.
func TestStepsByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		train := mixed(t)
		for j := range train.Features {
			train.Features[j].Name = fmt.Sprint("x", j)
		}
		for range train.N() {
			train.Weights = append(train.Weights, float32(rapid.IntRange(1, 3).Draw(t, "weight")))
		}
		steps := rapid.SliceOfN(rapid.SampledFrom([]Step{
			OneHot{}, Ordinal{}, Impute{}, Standardise{}, TargetEncoding{MinRows: 2, Smoothing: 1.5, Folds: 1},
		}), 1, 4).Draw(t, "steps")
		fitted, made, err := Steps(steps).Fit(context.Background(), train)
		if err != nil {
			t.Skip(err)
		}
		other := train.Subset(rapid.SliceOfN(rapid.Int32Range(0, int32(train.N()-1)), 1, 12).Draw(t, "rows"))
		var order []string
		if k := slices.IndexFunc(other.Features, func(f Feature) bool { return len(f.Categories) > 1 }); k >= 0 {
			other.Features, other.Columns = slices.Clone(other.Features), slices.Clone(other.Columns)
			order = slices.Clone(other.Features[k].Categories)
			slices.Reverse(order)
			other.Columns[k] = slices.Clone(other.Columns[k])
			for i, v := range other.Columns[k] {
				other.Columns[k][i] = float32(len(order)-1) - v
			}
			other.Features[k].Categories = order
		}
		want, sheet := sheetOf(train), sheetOf(other)
		weights := wide(train.Weights)
		for _, step := range steps {
			by := make([]remaking, len(want.features))
			for j, f := range want.features {
				var cells []any
				for _, row := range want.rows {
					cells = append(cells, row[j])
				}
				by[j] = learned(step, f, cells, weights, train.Labels)
			}
			want, sheet = want.remade(by), sheet.remade(by)
		}
		sameSheet(t, sheetOf(made), want)
		table := must.Value(fitted.Apply(context.Background(), other))
		sameSheet(t, sheetOf(table), sheet)
		rows(t, fitted, train)
	})
}

// sameSheet compares names and cells, which may differ by rounding relative to the largest number.
func sameSheet(t *rapid.T, got, want sheet) {
	t.Helper()
	for j, f := range want.features {
		if got.features[j].Name != f.Name || got.features[j].kind() != f.kind() || len(got.features) != len(want.features) {
			t.Fatalf("columns %q, want %q", got.features, want.features)
		}
	}
	for i := range want.rows {
		for j, w := range want.rows[i] {
			g := got.rows[i][j]
			a, numberA := g.(float64)
			b, numberB := w.(float64)
			if numberA && numberB && math.Abs(a-b) <= 1e-4*max(1, math.Abs(b)) {
				continue
			}
			if g != w {
				t.Fatalf("row %d, column %q is %v, want %v", i, want.features[j].Name, g, w)
			}
		}
	}
}

// rows compares ApplyRow with Apply.
func rows(t rapid.TB, fitted Transform, d *Dataset) {
	t.Helper()
	table := must.Value(fitted.Apply(context.Background(), d))
	got := make([]float32, table.P())
	for i := range d.N() {
		must.Do(fitted.(*program).ApplyRow(got, d.Row(nil, i)))
		if want := table.Row(nil, i); !same(got, want) {
			t.Fatalf("row %d becomes %v, in a table %v", i, got, want)
		}
	}
}

func TestApplyRow(t *testing.T) {
	d := motley(200)
	f := fit(t, Prepare{}, d).(*program)
	row, dst := d.Row(nil, 3), make([]float32, len(f.columns))
	if n := testing.AllocsPerRun(20, func() {
		must.Do(f.ApplyRow(dst, row))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for _, c := range []struct {
		dst, row []float32
		want     string
	}{
		{dst, row[1:], "a row of 9 cells for 11; the steps make 11 columns of 10"},
		{dst[1:], row, "a row of 10 cells for 10; the steps make 11 columns of 10"},
		{dst, slices.Replace(slices.Clone(row), 6, 7, 5), `of column "four", is 5; want a code of one of its 5 categories`},
		{dst, slices.Replace(slices.Clone(row), 6, 7, 0.5), `of column "four", is 0.5; want a code`},
	} {
		readtest.WantError(t, f.ApplyRow(c.dst, c.row), c.want)
	}
}

// A step of its own program, by hand: an income is capped at 10 and halved, an age is left out, and towns get a number.
func TestNewTransform(t *testing.T) {
	before := []Feature{{Name: "age"}, {Name: "income"}, {Name: "town", Categories: []string{"A", "B"}}}
	f := must.Value(NewTransform(before, []Column{
		{"income", 1, []Op{{Do: "line", Numbers: []float64{0, 0, 10, 10}}, {Do: "scale", Numbers: []float64{0, 2}}}},
		{"town", 2, []Op{{Do: "codes", Numbers: []float64{5, 6, 7}}}},
		{"no income", 1, []Op{{Do: "missing"}}},
		{"B", 2, []Op{{Do: "fill", Numbers: []float64{1}}, {Do: "is", Numbers: []float64{1}}}},
		{"same town", 2, nil},
	}))
	d := &Dataset{Features: before, Columns: [][]float32{{1, 2, 3}, {30, nan32, 4}, {0, 1, nan32}}}
	for _, f := range []Transform{f, marshalled(t, f)} {
		wantColumns(t, apply(t, f, d),
			"[income town no income B same town] [[5 NaN 2] [5 6 7] [0 1 0] [0 1 1] [0 1 NaN]]")
	}
	for _, c := range []struct {
		from int
		ops  []Op
		want string
	}{
		{3, nil, "made from column 3 of 3"},
		{-1, nil, "made from column -1 of 3"},
		{0, []Op{{Do: "log"}}, `operation "log"; want one of ["is" "missing"`},
		{0, []Op{op(opCodes, 1)}, "can't follow on a column that is numeric"},
		{2, []Op{op(opCodes, 1, 2)}, `"codes" with 2 numbers can't follow`},
		{2, []Op{op(opScale, 1, 2)},
			"on a column that is categorical, of 2 categories"},
		{2, []Op{op(opNumber), op(opNumber)},
			`"number" with 0 numbers can't follow on a column that is numeric`},
		{2, []Op{op(opFill, 2)}, `"fill" with 1 numbers can't follow`},
		{0, []Op{op(opScale, 1, 0)}, "a scale above 0"},
		{0, []Op{op(opLine, 1, 0)}, "with 2 numbers can't follow"},
		{0, []Op{op(opLine, 1, 0, 1, 2)}, "ascending x"},
		{0, []Op{op(opFill, math.Inf(1))}, "want finite numbers"},
	} {
		_, err := NewTransform(before, []Column{{"c", c.from, c.ops}})
		readtest.WantError(t, err, c.want)
	}
	if _, err := NewTransform(before, nil); err == nil {
		t.Error("no columns: no error")
	}
}

// Transforms are joined only if one was fitted on what the other makes.
func TestThen(t *testing.T) {
	d := colours()
	p, made, err := Impute{}.Fit(t.Context(), d)
	must.Do(err)
	q := fit(t, OneHot{}, made)
	want := apply(t, q, apply(t, p, d))
	for _, c := range []struct {
		t      Transform
		joined bool
	}{{Then(p, q), true}, {Then(Then(foreign{}, p), q), false}, {Then(p, Then(foreign{}, q)), false}} {
		if got := apply(t, c.t, d); !reflect.DeepEqual(got, want) {
			t.Errorf("%T makes %+v, want %+v", c.t, got, want)
		}
		if _, ok := c.t.(*program); ok != c.joined {
			t.Errorf("%T, want one program: %v", c.t, c.joined)
		}
	}
	if _, err := Then(nil, p).Apply(t.Context(), d); err == nil {
		t.Error("a nil transform: no error")
	}
}
