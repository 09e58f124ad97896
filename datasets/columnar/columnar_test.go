package columnar_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/columnar"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// read reads a file of testdata by its extension.
func read(path string, o columnar.Options) (*datasets.Dataset, error) {
	if filepath.Ext(path) == ".parquet" {
		return columnar.ReadParquet(context.Background(), path, o)
	}
	return columnar.ReadArrow(context.Background(), path, o)
}

var nan = float32(math.NaN())

// An expectation is what write.py says that the files hold.
type expectation struct {
	Columns []struct {
		Name       string
		Categories []string
		Cells      []*float32 // nil where missing
	}
	Files map[string]struct {
		Rows    int
		Columns []int
	}
}

func expected(t *testing.T) (e expectation) {
	must.Do(json.Unmarshal(must.Value(os.ReadFile("testdata/expected.json")), &e))
	return e
}

// What pyarrow 26.0.1 has written is read to the last bit, on one core and on several.
func TestReadsWhatPyarrowWrites(t *testing.T) {
	e := expected(t)
	if len(e.Files) < 20 {
		t.Fatalf("%d files are expected; want 20 or more", len(e.Files))
	}
	for _, procs := range []int{1, 4} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		for name, want := range e.Files {
			d := must.Value(read(filepath.Join("testdata", name), columnar.Options{NoTarget: true}))
			text := fmt.Sprintf("%q, %d rows: \"\" of [], [] []\n", strings.TrimSuffix(name, filepath.Ext(name)), want.Rows)
			for _, number := range want.Columns {
				column := e.Columns[number]
				cells := make([]float32, len(column.Cells))
				for i, cell := range column.Cells {
					cells[i] = nan
					if cell != nil {
						cells[i] = *cell
					}
				}
				text += shownColumn(datasets.Feature{Name: column.Name, Categories: column.Categories}, cells[:d.N()])
			}
			wantShown(t, d, text)
		}
	}
}

// shown returns a table as text.
func shown(d *datasets.Dataset) string {
	text := fmt.Sprintf("%q, %d rows: %q of %q, %v %v\n", d.Name, d.N(), d.Target, d.Classes, d.Labels, d.Values)
	for j, f := range d.Features {
		text += shownColumn(f, d.Columns[j])
	}
	return text
}

func shownColumn(f datasets.Feature, cells []float32) string {
	if f.Categories == nil {
		return fmt.Sprintf("%q: %v\n", f.Name, cells)
	}
	return fmt.Sprintf("%q of %q: %v\n", f.Name, f.Categories, cells)
}

func wantShown(t *testing.T, d *datasets.Dataset, want string) {
	t.Helper()
	if got := shown(d); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The frame is written out in write.py.
func TestPandas(t *testing.T) {
	for _, name := range []string{"pandas.parquet", "pandas.feather"} {
		d := must.Value(read("testdata/"+name, columnar.Options{}))
		wantShown(t, d, `"pandas", 4 rows: "bought" of ["false" "true"], [1 0 1 1] []
"size" of ["s" "m" "l" "xl"]: [0 2 1 NaN]
"colour" of ["blue" "green" "red"]: [2 0 2 0]
"year" of ["2019" "2020"]: [1 0 1 0]
"count": [1 2 NaN 4]
`) // sizes are ordered, one unused
		index := must.Value(read("testdata/"+name, columnar.Options{Target: "__index_level_0__", Regression: true,
			Drop: []string{"#1"}}))
		wantShown(t, index, `"pandas", 4 rows: "__index_level_0__" of [], [] [4 2 7 5]
"colour" of ["blue" "green" "red"]: [2 0 2 0]
"year" of ["2019" "2020"]: [1 0 1 0]
"count": [1 2 NaN 4]
"bought": [1 0 1 1]
`)
	}
}

// oddDays are the days since 1970 that write.py writes in columns of odd.
var oddDays = map[string][]float64{"date": {1, 2}, "date64": {0, 1}, "stamp": {1.0 / 86_400_000, 2.0 / 86_400_000},
	"zoned": {1.0 / 86_400_000_000, 2.0 / 86_400_000_000}}

// A column of any of these types, unless it has dates, must be dropped; see odd in write.py.
func TestTypesThatAreRefused(t *testing.T) {
	for name, odd := range map[string][]string{
		"odd.parquet":   {"time", "time64", "duration", "fixed", "list", "struct", "map", "fixedlist"},
		"odd.arrow":     {"time", "time64", "duration", "fixed", "list", "struct", "map", "fixedlist", "dates"},
		"int96.parquet": {"stamp"},
	} {
		path := "testdata/" + name
		if name != "int96.parquet" { // dates are columns
			odd = append(odd, "date", "date64", "stamp", "zoned")
		}
		d := must.Value(read(path, columnar.Options{Drop: odd}))
		if names := d.FeatureNames(); !slices.Equal(names, []string{"x"}) || d.Target != "y" {
			t.Errorf("%s: columns %q, target %q", name, names, d.Target)
		}
		for _, column := range odd {
			rest := slices.DeleteFunc(slices.Clone(odd), func(s string) bool { return s == column })
			if days, ok := oddDays[column]; ok && name != "int96.parquet" {
				d := must.Value(read(path, columnar.Options{Drop: rest}))
				f, cells := d.Features[len(d.Features)-1], d.Columns[len(d.Features)-1]
				if _, isDate := f.Scale.Layout(); f.Name != column || !isDate || len(d.Notes) != 1 {
					t.Errorf("%s, %s: %+v, notes %q", name, column, f, d.Notes)
				}
				for i, want := range days {
					if got := f.Scale.Value(cells[i]); math.Abs(got-want) > 1e-7*want {
						t.Errorf("%s, %s: day %v; want %v", name, column, got, want)
					}
				}
			} else {
				_, err := read(path, columnar.Options{Drop: rest})
				wantError(t, name, err, path, `column "`+column+`" is `, "Drop")
			}
			_, err := read(path, columnar.Options{Target: column, Drop: rest})
			wantError(t, name, err, path, `column "`+column+`" is `)
			schema := &datasets.Schema{Features: []datasets.Feature{{Name: "x"}}, Target: "y", Classes: []string{"a", "b"}}
			if _, err := read(path, columnar.Options{Like: schema}); err != nil {
				t.Errorf("%s: columns that a schema hasn't: %v", name, err)
			}
		}
	}
}

// wantError wants an error with all of the texts.
func wantError(t *testing.T, what string, err error, texts ...string) {
	t.Helper()
	t.Log(what)
	readtest.WantError(t, err, append(texts, "columnar: ")...)
}

func TestFilesThatAreRefused(t *testing.T) {
	for name, texts := range map[string][]string{
		"empty.parquet":      {"there are no rows"},
		"empty.arrow":        {"there are no rows"},
		"nocolumns.parquet":  {"there are no columns"},
		"twice.parquet":      {`columns 1 and 2 are both called "a"`},
		"twice.arrow":        {`columns 1 and 2 are both called "a"`},
		"infinite.parquet":   {`row 2, column "x": `, "infinite"},
		"infinite.arrow":     {`row 2, column "x": `, "infinite"},
		"latin.parquet":      {`row 1, column "x": `, `"\xff" is not UTF-8`},
		"latin.arrow":        {`row 1, column "x": `, `"\xff" is not UTF-8`},
		"nulltarget.parquet": {`row 1, column "y": the target is missing`},
		"nulltarget.arrow":   {`row 1, column "y": the target is missing`},
		"feather1.feather":   {"Feather version 1"},
	} {
		_, err := read("testdata/"+name, columnar.Options{})
		wantError(t, name, err, append(texts, "testdata/"+name)...)
	}
	for _, read := range []func(context.Context, string, columnar.Options) (*datasets.Dataset, error){columnar.ReadArrow,
		columnar.ReadParquet} {
		if _, err := read(t.Context(), "testdata/none", columnar.Options{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file that isn't there: %v", err)
		}
		_, err := read(t.Context(), "testdata", columnar.Options{})
		wantError(t, "a folder", err)
	}
}
