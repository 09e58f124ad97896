package columnar_test

import (
	"context"
	"encoding/json"
	"errors"
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
			if base, _, _ := strings.Cut(name, "."); d.Name != base {
				t.Errorf("%s: the name is %q", name, d.Name)
			}
			if d.N() != want.Rows || d.P() != len(want.Columns) || d.Labels != nil || d.Values != nil {
				t.Errorf("%s: %d × %d; want %d × %d without a target", name, d.N(), d.P(), want.Rows, len(want.Columns))
				continue
			}
			for j, number := range want.Columns {
				column := e.Columns[number]
				f := d.Features[j]
				if f.Name != column.Name || !slices.Equal(f.Categories, column.Categories) ||
					(f.Categories == nil) != (column.Categories == nil) {
					t.Errorf("%s: column %d is %q; want %q", name, j, f, column.Name)
					continue
				}
				compare(t, name+": "+f.Name, d.Columns[j], column.Cells)
			}
		}
	}
}

func compare(t *testing.T, what string, got []float32, want []*float32) {
	t.Helper()
	for i, w := range want {
		v := float32(math.NaN())
		if w != nil {
			v = *w
		}
		if math.Float32bits(got[i]) != math.Float32bits(v) && (v == v || got[i] == got[i]) {
			t.Errorf("%s: row %d is %v; want %v", what, i, got[i], v)
			return
		}
	}
}

// The frame is written out in write.py.
func TestPandas(t *testing.T) {
	nan := float32(math.NaN())
	for _, name := range []string{"pandas.parquet", "pandas.feather"} {
		d := must.Value(read("testdata/"+name, columnar.Options{}))
		want := []datasets.Feature{
			{Name: "size", Categories: []string{"s", "m", "l", "xl"}}, // ordered, one unused
			{Name: "colour", Categories: []string{"blue", "green", "red"}},
			{Name: "year", Categories: []string{"2019", "2020"}},
			{Name: "count"},
		}
		for j, cells := range [][]float32{{0, 2, 1, nan}, {2, 0, 2, 0}, {1, 0, 1, 0}, {1, 2, nan, 4}} {
			if f := d.Features[j]; f.Name != want[j].Name || !slices.Equal(f.Categories, want[j].Categories) {
				t.Errorf("%s: column %d is %q; want %q", name, j, f, want[j])
			}
			if !sameCells(d.Columns[j], cells) {
				t.Errorf("%s: %s is %v; want %v", name, want[j].Name, d.Columns[j], cells)
			}
		}
		if d.P() != 4 || d.Target != "bought" || !slices.Equal(d.Classes, []string{"false", "true"}) ||
			!slices.Equal(d.Labels, []int32{1, 0, 1, 1}) {
			t.Errorf("%s: %d columns, target %q, classes %q, labels %v", name, d.P(), d.Target, d.Classes, d.Labels)
		}
		index := must.Value(read("testdata/"+name, columnar.Options{Target: "__index_level_0__", Regression: true,
			Drop: []string{"#1"}}))
		if !slices.Equal(index.Values, []float64{4, 2, 7, 5}) || index.P() != 4 || index.Features[3].Name != "bought" ||
			!slices.Equal(index.Columns[3], []float32{1, 0, 1, 1}) {
			t.Errorf("%s: the index as target is %v, the features %q", name, index.Values, index.Features)
		}
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
