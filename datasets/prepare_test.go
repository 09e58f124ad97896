package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// motley returns a table with a column of every kind, of n ≥ 60 rows in two classes.
func motley(n int) *Dataset {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	codes := func(k int) (cells []float32, names []string) {
		for c := range k {
			names = append(names, fmt.Sprintf("c%03d", c))
		}
		for i := range n {
			cells = append(cells, float32((i+rng.IntN(2))%k))
		}
		return cells, names
	}
	d := &Dataset{Name: "motley", Target: "y", Classes: []string{"n", "y"}}
	add := func(name string, cells []float32, categories []string) {
		d.Features = append(d.Features, Feature{Name: name, Categories: categories})
		d.Columns = append(d.Columns, cells)
	}
	number, wild, constant, empty, gaps := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32,
		n), make([]float32, n)
	for i := range n {
		d.Labels = append(d.Labels, int32(i%2))
		number[i] = float32(rng.NormFloat64())
		wild[i] = float32(math.Exp(4 * rng.NormFloat64()))
		constant[i], empty[i], gaps[i] = 7, nan32, number[i]
		if rng.IntN(10) < 2+5*(i%2) {
			gaps[i] = nan32
		}
	}
	add("number", number, nil)
	add("wild", wild, nil)
	add("constant", constant, nil)
	add("empty", empty, nil)
	add("gaps", gaps, nil)
	cells, names := codes(2)
	add("two", cells, names)
	cells, names = codes(4)
	add("four", cells, append(names, "never"))
	cells, _ = codes(3)
	add("age", cells, []string{"10-19", "<10", "20+"})
	cells, names = codes(45)
	add("many", cells, names)
	cells, _ = codes(1)
	add("one", cells, []string{"only", "never"})
	return d
}

func TestPrepareMakesColumnsOfEveryKind(t *testing.T) {
	d := motley(200)
	f := fit(t, Prepare{}, d)
	out := apply(t, f, d)
	want := []string{"number", "wild", "gaps", "gaps is missing", "two=c001", "four=c000", "four=c001", "four=c002",
		"four=c003", "age", "many|y"}
	if !slices.Equal(out.FeatureNames(), want) {
		t.Errorf("columns %q, want %q", out.FeatureNames(), want)
	}
	must.Do(out.CheckFinite())
	// All have mean 0 and, but for those with missing cells, variance 1; TargetEncoding's is
	// that of its training rows.
	training := must.Value(ApplyTraining(t.Context(), f, d))
	for j, name := range want {
		mean, squares := 0.0, 0.0
		for i := range d.N() {
			mean += float64(training.At(i, j)) / 200
			squares += float64(training.At(i, j)) * float64(training.At(i, j)) / 200
		}
		if math.Abs(mean) > 1e-5 || name != "gaps" && math.Abs(squares-1) > 1e-4 {
			t.Errorf("%s has mean %v and mean square %v", name, mean, squares)
		}
	}
}

// By hand: a binary column with a share of ¼ is (x − ¼)/√(3/16); intervals are 0, 1, 2 by
// their numbers.
func TestPrepareByHand(t *testing.T) {
	d := &Dataset{
		Features: []Feature{{Name: "b", Categories: []string{"f", "t", "u"}},
			{Name: "age", Categories: []string{"10-19", "<10", "20+"}}, {Name: "c", Categories: []string{"x", "y", "z"}}},
		Columns: [][]float32{{0, 0, 1, 0}, {0, 1, 2, 0}, {0, 0, 1, 2}},
		Values:  []float64{1, 2, 3, 4},
	}
	f := fit(t, Prepare{}, d)
	low, high := float32(-1/math.Sqrt(3)), float32(math.Sqrt(3))
	age := float32(math.Sqrt2) // mean 1, variance ½
	const names = "[b=t age c=x c=y c=z] "
	wantColumns(t, apply(t, f, d), names+fmt.Sprint([][]float32{{low, low, high, low}, {0, -age, age, 0}, {1, 1, -1, -1},
		{low, low, high, low}, {low, low, low, high}}))
	// Other categories in another order, and missing cells: all columns of a category
	// without training rows are at their mean.
	other := &Dataset{
		Features: []Feature{{Name: "b", Categories: []string{"t", "u", "v"}},
			{Name: "age", Categories: []string{"<10", "30-39"}}, {Name: "c", Categories: []string{"w", "z"}}},
		Columns: [][]float32{{0, 1, 2, nan32}, {0, 1, nan32, 0}, {0, 1, nan32, 0}},
	}
	wantColumns(t, apply(t, f, other), names+fmt.Sprint([][]float32{{high, 0, 0, 0}, {-age, 0, 0, -age}, {0, -1, 0, 0},
		{0, low, 0, 0}, {0, high, 0, 0}}))
}

// The shares of missing cells in two classes of 100 rows each, and whether χ² = n·φ² is above
// 3.841, the tabulated quantile of 95 %, by hand: for 12 and 22, φ² = 10²/(34·166) and χ² = 3.54;
// for 12 and 23, φ² = 11²/(35·165) and χ² = 4.19. (We take n − 1 = 199 instead of 200.)
func TestMissingCellsThatTellSomething(t *testing.T) {
	for _, c := range []struct {
		a, b int
		want bool
	}{{12, 22, false}, {12, 23, true}, {23, 12, true}, {88, 78, false}, {88, 77, true}, {0, 100, true}, {0, 0,
		false}, {100, 100, false}, {0, 9, false}, {0, 10, true}} {
		d := &Dataset{Features: []Feature{{Name: "x"}, {Name: "z"}}, Columns: newColumns(200, 2), Labels: make([]int32, 200),
			Classes: []string{"n", "y"}}
		for i := range 200 {
			d.Columns[1][i] = float32(i)
			d.Columns[0][i] = float32(i % 2)
			d.Labels[i] = int32(i / 100)
			if i%100 < []int{c.a, c.b}[i/100] {
				d.Columns[0][i] = nan32
			}
		}
		check := func(how string, d *Dataset, want bool) {
			t.Helper()
			out := apply(t, fit(t, Prepare{}, d), d)
			if got := slices.Contains(out.FeatureNames(), "x is missing"); got != want {
				t.Errorf("%d and %d missing cells, %s: an indicator: %v, want %v", c.a, c.b, how, got, want)
			}
		}
		check("classes", d, c.want)
		weighted := *d
		weighted.Weights = slices.Repeat([]float32{0.01}, 200)
		check("equal weights", &weighted, c.want)
		values := *d
		values.Labels, values.Classes, values.Values = nil, nil, make([]float64, 200)
		for i, y := range d.Labels {
			values.Values[i] = 1e6 + 10*float64(y)
		}
		// Values need five missing cells, not five expected in each class.
		check("values", &values, c.want || c.a == 0 && c.b == 9)
	}
}

// Where missing cells have nothing to do with the target, they get an indicator in at most
// about 5 % of tables.
func TestMissingCellsAtRandomHaveNoIndicator(t *testing.T) {
	const tables = 1000
	for _, classes := range []int{0, 2, 4} {
		found := 0
		for seed := range uint64(tables) {
			rng := rand.New(rand.NewPCG(seed, uint64(classes)))
			d := &Dataset{Features: []Feature{{Name: "x"}}, Columns: newColumns(80, 1)}
			for i := range 80 {
				d.Columns[0][i] = float32(i)
				if rng.IntN(3) == 0 {
					d.Columns[0][i] = nan32
				}
				if classes == 0 {
					d.Values = append(d.Values, rng.ExpFloat64())
				} else {
					d.Labels = append(d.Labels, int32(rng.IntN(classes)))
				}
			}
			for c := range classes {
				d.Classes = append(d.Classes, fmt.Sprint(c))
			}
			target := summarise(d)
			if target.missingTells(0) {
				found++
			}
		}
		// The standard deviation of the share of 1000 tables is 0.7 %.
		if share := float64(found) / tables; share > 0.07 || share < 0.02 {
			t.Errorf("%d classes: an indicator in %.3f of tables; want about 0.05", classes, share)
		}
	}
}

// A row of weight 0 is as if it weren't there, and the order in which categories are listed
// doesn't matter, but that a column of two has the indicator of the second.
func TestPrepareIgnoresRowsWithoutWeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := mixed(t)
		for range d.N() {
			d.Weights = append(d.Weights, float32(rapid.IntRange(0, 2).Draw(t, "weight")))
		}
		var rows []int32
		for i, w := range d.Weights {
			if w > 0 {
				rows = append(rows, int32(i))
			}
		}
		f, _, err := Prepare{}.Fit(t.Context(), d)
		g, _, gErr := Prepare{}.Fit(t.Context(), d.Subset(rows))
		if err != nil || gErr != nil {
			if (err == nil) != (gErr == nil) {
				t.Fatalf("error %v, without rows of weight 0 %v", err, gErr)
			}
			return
		}
		a, b := apply(t, f, d), apply(t, g, d)
		must.Do(a.CheckFinite())
		equalData(t, a, b)
	})
}

// Whatever cells new rows have, they become finite numbers, and a value that is above another
// isn't below it afterwards.
func TestPrepareKeepsOrderAndIsFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 400).Draw(t, "n")
		cell := rapid.OneOf(rapid.Float32Range(-3e38, 3e38), rapid.Float32Range(-2, 2),
			rapid.Map(rapid.IntRange(0, 3), func(v int) float32 { return float32(v) }))
		d := &Dataset{Features: []Feature{{Name: "x"}, {Name: "y"}}, Columns: newColumns(n, 2), Values: make([]float64, n)}
		d.Columns[1][0] = 1
		for i := range n {
			d.Columns[0][i] = cell.Draw(t, "x")
		}
		f := fit(t, Prepare{}, d)
		new := &Dataset{Features: d.Features, Columns: newColumns(20, 2)}
		for i := range 20 {
			new.Columns[0][i] = cell.Draw(t, "new x")
		}
		slices.Sort(new.Columns[0])
		new.Columns[1][3] = nan32
		out := must.Value(f.Apply(t.Context(), new))
		must.Do(out.CheckFinite())
		if out.P() == 2 && !slices.IsSorted(out.Columns[0]) {
			t.Fatalf("%v becomes %v", new.Columns[0], out.Columns[0])
		}
	})
}

// Normal quantiles from tables: those of 1/6, 1/2 and 5/6 are −0.9674, 0 and 0.9674.
func TestScores(t *testing.T) {
	d := &Dataset{Features: []Feature{{Name: "x"}}, Columns: [][]float32{{30, 10, nan32, 20}},
		Values: []float64{1, 2, 3, 4}}
	knots := d.knots(0)
	for i, want := range []float64{10, -0.967421566, 20, 0, 30, 0.967421566} {
		near(t, "value or normal score", float32(knots[i]), want)
	}
	near(t, "between", onLine(knots, 12.5), -0.75*0.967421566)
	near(t, "below", onLine(knots, -5), -0.967421566)
	near(t, "above", onLine(knots, 1e9), 0.967421566)
	if inf := float32(math.Inf(1)); onLine(knots, inf) != inf {
		t.Error("an infinite cell isn't noticed")
	}
	d.Weights = []float32{1, 2, 5, 1}
	for i, want := range []float64{-0.67448975, 0.31863936, 1.15034938} { // of 1/4, 5/8 and 7/8
		near(t, "normal score with weights", float32(d.knots(0)[2*i+1]), want)
	}
	heavy := &Dataset{Features: []Feature{{Name: "x"}, {Name: "uniform"}}, Columns: newColumns(30, 2),
		Values: make([]float64, 30)}
	for i := range 30 {
		heavy.Columns[0][i], heavy.Columns[1][i] = float32(i), float32(i)
	}
	heavy.Columns[0][29] = 1e6
	out := apply(t, fit(t, Prepare{}, heavy), heavy)
	if out.Columns[0][28]-out.Columns[0][0] < 2 || out.Columns[0][29] > 4 {
		t.Errorf("a column with an outlier becomes %v", out.Columns[0])
	}
	near(t, "a column without outliers, standardised", out.Columns[1][29]-out.Columns[1][0], 29/math.Sqrt((30*30-1)/12.))
}

// Two columns that differ by a little noise keep their scale: their difference is that of the standardised columns, and
// tells what the noise was. Columns that share an outlier only, or that lie on a curve, don't.
func TestColumnsOfOneScaleKeepIt(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(3, 4))
	d := &Dataset{Columns: newColumns(n, 5), Values: make([]float64, n)}
	for _, name := range []string{"size", "same size", "power", "outlier", "same outlier"} {
		d.Features = append(d.Features, Feature{Name: name})
	}
	for i := range n {
		size := math.Exp(2 * rng.NormFloat64())
		d.Columns[0][i] = float32(size)
		d.Columns[1][i] = float32(-3*size + 0.01*rng.NormFloat64())
		d.Columns[2][i] = float32(size * size * size)
		d.Columns[3][i], d.Columns[4][i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
	}
	d.Columns[3][7], d.Columns[4][7] = 1e4, 1e4
	out := apply(t, fit(t, Prepare{}, d), d)
	for j, keeps := range []bool{true, true, false, false, false} {
		mean, sd := stat.PopMeanStdDev(wide(d.Columns[j]), nil) // gonum v0.17.0
		kept := true
		for i, v := range out.Columns[j] {
			kept = kept && math.Abs(float64(v)-(float64(d.Columns[j][i])-mean)/sd) < 1e-3
		}
		if kept != keeps {
			t.Errorf("column %q is only standardised: %v, want %v", d.Features[j].Name, kept, keeps)
		}
	}
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	known := func(share float64) *Dataset { // with so many of the first column's cells known
		part := *d
		part.Columns = slices.Clone(d.Columns)
		part.Columns[0] = slices.Clone(d.Columns[0])
		for i := range n {
			if float64(i) >= share*n {
				part.Columns[0][i] = float32(math.NaN())
			}
		}
		return &part
	}
	for share, want := range map[float64]bool{0.4: false, 0.6: true} {
		part := known(share)
		knots := [][]float64{part.knots(0), part.knots(1)}
		if got := part.linear(0, 1, knots, rows); got != want {
			t.Errorf("%v of the rows known: linear %v, want %v", share, got, want)
		}
	}
	for i := range n {
		d.Weights = append(d.Weights, float32(1+i%3))
	}
	value := func(_ int, v float32) float64 { return float64(v) }
	want := stat.Correlation(wide(d.Columns[0]), wide(d.Columns[2]), wide(d.Weights)) // gonum v0.17.0
	near(t, "correlation", float32(d.correlation(0, 2, rows, value)), want)
}

// A column of many values has few knots, and the score of every value is near that by all.
func TestScoresOfManyValues(t *testing.T) {
	const n = 5000
	d := &Dataset{Features: []Feature{{Name: "x"}}, Columns: newColumns(n, 1), Values: make([]float64, n)}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		d.Columns[0][i] = float32(math.Exp(3 * rng.NormFloat64()))
	}
	knots := d.knots(0)
	if n := len(knots) / 2; n < 200 || n > mostKnots {
		t.Errorf("%d knots", n)
	}
	sorted := slices.Clone(d.Columns[0])
	slices.Sort(sorted)
	for i, v := range sorted {
		rank := 0.5 * math.Erfc(-float64(onLine(knots, v))/math.Sqrt2)
		if want := (float64(i) + 0.5) / n; math.Abs(rank-want) > 1.5/250 {
			t.Fatalf("value %d of %d has rank %v", i, n, rank)
		}
	}
}

// Codes of many categories would correlate with a target that they know nothing about, if
// training rows were encoded from themselves.
func TestPrepareDoesNotLeak(t *testing.T) {
	const n = 600
	rng := rand.New(rand.NewPCG(3, 4))
	d := &Dataset{Features: []Feature{{Name: "c"}}, Columns: newColumns(n, 1)}
	for c := range 200 {
		d.Features[0].Categories = append(d.Features[0].Categories, fmt.Sprint("c", c))
	}
	for i := range n {
		d.Columns[0][i] = float32(rng.IntN(200))
		d.Values = append(d.Values, rng.NormFloat64())
	}
	f := fit(t, Prepare{}, d)
	training := must.Value(ApplyTraining(t.Context(), f, d))
	correlation := func(x []float32) float64 {
		s := 0.0
		for i, v := range x {
			s += float64(v) * d.Values[i] / n
		}
		return s
	}
	if r := correlation(training.Columns[0]); r > 0.12 { // three standard deviations of a correlation by chance
		t.Errorf("training rows: a correlation of %v", r)
	}
	if r := correlation(apply(t, f, d).Columns[0]); r < 0.3 {
		t.Errorf("all rows alike: a correlation of %v; the test shows nothing", r)
	}
}

func TestIntervalPlaces(t *testing.T) {
	for _, c := range []struct {
		categories string
		want       []float64
	}{
		{"30-39|4-9|10-29", []float64{2, 0, 1}},
		{"10-20|20-30|0-10", []float64{1, 2, 0}},
		{">=70|<10|10 - 69.5", []float64{2, 0, 1}},
		{"-5--1|-1-3|3+", []float64{0, 1, 2}},
		{"0|1|2|3+", []float64{0, 1, 2, 3}},
		{"1|2|3", nil},              // numbers
		{"10-20|15-30", nil},        // overlap
		{"1-2|1-2 ", nil},           // the same
		{"3-1|5-9", nil},            // backwards, as in a date
		{"low|medium", nil},         // words
		{"10-19||20-29", nil},       // empty
		{"10-19|-|20-29", nil},      // no numbers
		{"10-19|+|NaN", nil},        // no numbers
		{"1-Inf|0", nil},            // not finite
		{"2019-05-01|2020-01", nil}, // dates
	} {
		if got := intervalPlaces(strings.Split(c.categories, "|")); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.categories, got, c.want)
		}
	}
}

func TestPrepareErrors(t *testing.T) {
	d := motley(60)
	changed := func(change func(d *Dataset)) *Dataset {
		c := *d
		c.Columns = slices.Clone(d.Columns)
		change(&c)
		return &c
	}
	for _, c := range []struct {
		d    *Dataset
		want string
	}{
		{changed(func(d *Dataset) { d.Labels = nil }), "no target to learn from"},
		{changed(func(d *Dataset) { d.Labels = d.Labels[1:] }), "59 labels"},
		{changed(func(d *Dataset) { d.Weights = make([]float32, 60) }), "0 of 60 rows have a weight above 0"},
		{changed(func(d *Dataset) { d.Weights = append(make([]float32, 59), 2) }), "1 of 60 rows have a weight"},
		{d.Select(2, 3, 9), "no column would be left that tells rows apart"},
		{changed(func(d *Dataset) {
			d.Columns[1] = slices.Clone(d.Columns[1])
			d.Columns[1][5] = float32(math.Inf(-1))
		}), `row 5, column "wild" is -Inf`},
	} {
		_, _, err := Prepare{}.Fit(t.Context(), c.d)
		readtest.WantError(t, err, "datasets: ", c.want)
	}
	f := fit(t, Prepare{}, d)
	_, err := f.Apply(t.Context(), d.Select(1, 0))
	readtest.WantError(t, err, "steps of data set \"motley\": the columns don't match")
}

// A column of heavy tails, too, is as if rows of weight 0 weren't there.
func TestPrepareOfHeavyTailsIgnoresRowsWithoutWeight(t *testing.T) {
	d := motley(200).Select(0, 1, 4, 5, 6, 7)
	spread := d.Columns[1]
	d.Features = append(d.Features, Feature{Name: "ten values of weight"})
	d.Columns = append(d.Columns, make([]float32, 200))
	var rows []int32
	for i := range 200 {
		d.Weights = append(d.Weights, float32(i%3))
		d.Columns[6][i] = float32(i)
		if i%3 > 0 {
			rows = append(rows, int32(i))
			d.Columns[6][i] = float32(max(0, i/2-90))
		}
	}
	f, g := fit(t, Prepare{}, d), fit(t, Prepare{}, d.Subset(rows))
	a := apply(t, f, d)
	equalData(t, a, apply(t, g, d))
	// Nine of the ten values are rare, so the kurtosis is 17.
	if mean, out := d.moments(6); math.Abs(float64(a.Columns[a.P()-1][199])-(9-mean)/out) > 1e-5 {
		t.Errorf("a column of ten values: %v, want it standardised", a.Columns[a.P()-1][199])
	}
	if out := slices.Max(a.Columns[1]); out > 4 {
		t.Errorf("a column of heavy tails, up to %v, has the score %v", slices.Max(spread), out)
	}
}

// columnsMade returns how many columns Prepare makes of one with 40 categories in n rows of
// the given number of classes.
func columnsMade(t *testing.T, n, classes int) int {
	d := &Dataset{Features: []Feature{{Name: "c"}, {Name: "x"}}, Columns: newColumns(n, 2), Labels: make([]int32, n)}
	for c := range 40 {
		d.Features[0].Categories = append(d.Features[0].Categories, fmt.Sprint("c", c))
	}
	for c := range classes {
		d.Classes = append(d.Classes, fmt.Sprint(c))
	}
	for i := range n {
		d.Columns[0][i], d.Columns[1][i], d.Labels[i] = float32(i%40), float32(i), int32(i%classes)
	}
	return apply(t, fit(t, Prepare{}, d), d).P() - 1
}

func TestPrepareOfManyCategories(t *testing.T) {
	for _, c := range []struct{ rows, classes, want int }{
		{49, 3, 40}, // few rows: indicators
		{50, 3, 2},  // the shares of two classes
		{60, 1, 0},  // one class
		{200, 40, 39},
		{200, 41, 40}, // not more indicators than shares
		{49, 1, 40},
	} {
		if got := columnsMade(t, c.rows, c.classes); got != c.want {
			t.Errorf("%d rows of %d classes: %d columns, want %d", c.rows, c.classes, got, c.want)
		}
	}
}

// Only the ratios of weights matter, for codes of categories by their targets, too.
func TestPrepareOfScaledWeights(t *testing.T) {
	d := motley(200)
	d.Features = append(d.Features, Feature{Name: "town"})
	d.Columns = append(d.Columns, make([]float32, 200))
	for c := range 40 {
		d.Features[d.P()-1].Categories = append(d.Features[d.P()-1].Categories, fmt.Sprint("t", c))
	}
	for i := range 200 {
		d.Columns[d.P()-1][i] = float32(i * i % 40)
		d.Weights = append(d.Weights, float32(i%4))
	}
	want := apply(t, fit(t, Prepare{}, d), d)
	for _, k := range []float32{1 << 12, 1.0 / (1 << 12)} { // without rounding
		scaled := *d
		scaled.Weights = nil
		for _, w := range d.Weights {
			scaled.Weights = append(scaled.Weights, k*w)
		}
		equalData(t, apply(t, fit(t, Prepare{}, &scaled), d), want)
	}
}

func BenchmarkPrepareFit(b *testing.B)   { benchmarkPrepare(b, true) }
func BenchmarkPrepareApply(b *testing.B) { benchmarkPrepare(b, false) }

// Of 10 columns and 100,000 rows.
func benchmarkPrepare(b *testing.B, fitting bool) {
	const n = 100000
	d := motley(n)
	t, _, err := Prepare{}.Fit(b.Context(), d)
	must.Do(err)
	b.SetBytes(int64(4 * n * d.P()))
	b.ReportAllocs()
	for b.Loop() {
		if fitting {
			_, _, err = Prepare{}.Fit(b.Context(), d)
		} else {
			_, err = t.Apply(b.Context(), d)
		}
		must.Do(err)
	}
}

func BenchmarkPrepareRow(b *testing.B) {
	d := motley(200)
	t := fit(b, Prepare{}, d).(*program)
	row, dst := d.Row(nil, 3), make([]float32, len(t.columns))
	b.ReportAllocs()
	for b.Loop() {
		must.Do(t.ApplyRow(dst, row))
	}
}
