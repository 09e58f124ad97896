package public

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/datasets/internal/readtest"

	"github.com/obliqua-ml/obliqua/internal/bounded"
)

// rawHost serves the original files that the data folder keeps, at the
// addresses of the public host.
func rawHost(t *testing.T, dir string) *httptest.Server {
	stored := map[string]string{}
	for _, s := range registry() {
		for _, f := range s.Files {
			stored[f.urlPath()] = filepath.Join(dir, "raw", cmp.Or(s.CellsOf, s.Name), path.Base(f.Path)+".gz")
		}
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := stored[r.URL.EscapedPath()]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write(gunzip(t, name))
	}))
	t.Cleanup(srv.Close)
	return srv
}

func gunzip(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func csvRows(t *testing.T, name string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(gunzip(t, name))).ReadAll()
	if err != nil {
		t.Fatal(name, err)
	}
	return rows
}

// Every registered set, downloaded and read by its recipe, is cell by cell what
// an independent converter made of it.
func TestRecipes(t *testing.T) {
	dir := readtest.DataDir(t)
	srv := rawHost(t, dir)
	l := testLoader(t, srv.URL)
	compared := 0
	for _, s := range registry() {
		if testing.Short() && s.Files[0].Bytes > 50_000 {
			continue
		}
		if s.isIDX() || s.Name == "ailerons" { // the folder hasn't their original files
			continue
		}
		d, err := l.cached(context.Background(), &s)
		if err != nil {
			t.Error(err)
			continue
		}
		checkInfo(t, &s, d)
		got := csvRows(t, filepath.Join(l.cache, "csv", s.Name+".csv.gz"))
		reference := filepath.Join(dir, "csv", cmp.Or(s.CellsOf, s.Name)+".csv.gz")
		if _, err := os.Stat(reference); errors.Is(err, fs.ErrNotExist) {
			t.Logf("%s has no reference", s.Name)
			continue
		}
		want := csvRows(t, reference)
		if s.CellsOf != "" {
			want[0][len(want[0])-1] = valueColumn
		}
		if diff := differ(got, want); diff != "" {
			t.Errorf("%s: %s", s.Name, diff)
		}
		compared++
	}
	t.Logf("%d of %d sets compared", compared, len(registry()))
	if compared == 0 {
		t.Error("no set has been compared")
	}
}

// checkInfo compares a data set with what the registry says of it.
func checkInfo(t *testing.T, s *source, d *datasets.Dataset) {
	t.Helper()
	if err := d.Check(); err != nil {
		t.Error(err)
	}
	categorical, missing := 0, 0
	for j, f := range d.Features {
		if f.Categories != nil {
			categorical++
		}
		for _, v := range d.Columns[j] {
			if v != v {
				missing++
			}
		}
	}
	if d.N() != s.N || d.P() != s.P || len(d.Classes) != s.Classes || categorical != s.Categorical ||
		missing != s.Missing {
		t.Errorf("%s: n %d, p %d, %d classes, %d categorical, %d missing; want %d, %d, %d, %d, %d", s.Name,
			d.N(), d.P(), len(d.Classes), categorical, missing, s.N, s.P, s.Classes, s.Categorical, s.Missing)
	}
	if (s.Task == "regression") != (d.Values != nil) || (s.Task == "classification") != (d.Labels != nil) ||
		d.Name != s.Name {
		t.Errorf("%s: name %q, %d values, %d labels for %s", s.Name, d.Name, len(d.Values), len(d.Labels), s.Task)
	}
}

// differ describes the first difference of two tables: numbers to 1e-9 relative,
// everything else exactly.
func differ(got, want [][]string) string {
	if len(got) != len(want) {
		return strconv.Itoa(len(got)) + " rows; want " + strconv.Itoa(len(want))
	}
	for i := range want {
		if len(got[i]) != len(want[i]) {
			return "row " + strconv.Itoa(i) + " has another width"
		}
		for j := range want[i] {
			if !sameCell(got[i][j], want[i][j]) {
				return "row " + strconv.Itoa(i) + ", column " + want[0][j] + ": " + got[i][j] + "; want " + want[i][j]
			}
		}
	}
	return ""
}

func sameCell(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
}

// The steps of recipes, one by one.
func TestRecipeOps(t *testing.T) {
	rules := []struct {
		Nonzero []int
		Label   string
	}{{[]int{0, 1}, "both"}, {[]int{1}, "b"}, {nil, "else"}}
	for i, c := range []struct {
		columns string // of the file
		target  int
		text    string
		op      recipeOp
		want    string // canonical CSV, rows separated by semicolons
	}{
		{"a b y", 2, "1 2 x\n3 4 z", recipeOp{Op: "concat"}, "a,b,class;1,2,x;3,4,z"},
		{"a y", 1, "1 x\n2 y\n3 z\n4 w", recipeOp{Op: "rows", From: 1, To: 3}, "a,class;2,y;3,z"},
		{"a b y", 2, "1 ? x\n? 4 z", recipeOp{Op: "drop_missing", Columns: []int{1}}, "a,b,class;,4,z"},
		{"a y", 1, "1 x.\n2 y", recipeOp{Op: "strip_target_suffix", Suffix: "."}, "a,class;1,x;2,y"},
		{"a b y", 2, "1,5 2 x", recipeOp{Op: "decimal_comma", Columns: []int{0}}, "a,b,class;1.5,2,x"},
		{"s y", 1, "ac1 x", recipeOp{Op: "split_chars", Names: []string{"p", "q", "r"}}, "p,q,r,class;a,c,v1,x"},
		{"a b", -1, "1 2\n3 4\n5 6", recipeOp{Op: "target_from_row_block", Size: 2}, "a,b,class;1,2,0;3,4,0;5,6,1"},
		// ln(1000 · 1) = 6.9078, ln(1000 · 2) = 7.6009; an upper bound belongs to its bin
		{"a y", 1, "1 1\n2 2\n3 .001", recipeOp{Op: "target_bins", Transform: "ln(1000*x)", Upper: []float64{0, 7},
			Labels: []string{"low", "mid", "high"}}, "a,class;1,mid;2,high;3,low"},
		{"a b c y", 3, "1 1 5 x\n0 2 6 x\n1 0 7 y", recipeOp{Op: "merge_indicators", Columns: []int{0, 1}, Name: "m",
			Rules: rules},
			"m,c,class;both,5,x;b,6,x;else,7,y"},
	} {
		r := recipe{Format: "whitespace", Columns: strings.Fields(c.columns), Target: c.target, Missing: []string{"?"},
			Ops: []recipeOp{c.op}}
		if c.op.Op == "merge_indicators" {
			r.Categorical = []int{0}
		}
		table := strings.Split(c.want, ";")
		s := &source{Info: Info{Task: "classification", N: len(table) - 1, P: strings.Count(table[0], ",")},
			Files:  make([]sourceFile, 1),
			Recipe: r}
		rows, err := s.table(t.Context(), [][]byte{[]byte(c.text)})
		if err != nil {
			t.Errorf("case %d: %v", i, err)
			continue
		}
		for k, row := range rows {
			table[k] = strings.Join(row, ",")
		}
		if got := strings.Join(table, ";"); got != c.want {
			t.Errorf("case %d: %q; want %q", i, got, c.want)
		}
	}
}

// A file that does not fit its recipe gives an error that says where.
func TestRecipeErrors(t *testing.T) {
	for i, c := range []struct {
		text string
		r    recipe
		want []string
	}{
		{"1 x\n1 2 x", recipe{Columns: []string{"a", "y"}, Target: 1}, []string{"file.data", "row 2", "3 fields", "want 2"}},
		{"1 x\nq x", recipe{Columns: []string{"a", "y"}, Target: 1}, []string{"file.data", "row 2", `"a"`, `"q"`}},
		{"1 x\n2 ?", recipe{Columns: []string{"a", "y"}, Target: 1, Missing: []string{"?"}}, []string{"row 2", "no target"}},
		{"1 x", recipe{Columns: []string{"a", "y"}, Target: 1}, []string{"1 rows of 1 features", "want 2 of 1"}},
		{"1 x\n2 x", recipe{Columns: []string{"a", "y"}, Target: 1}, []string{"1 classes", "want 2"}},
		{"1 x\xff", recipe{Columns: []string{"a", "y"}, Target: 1}, []string{"UTF-8"}},
		{"not a gzip file", recipe{Gzip: true}, []string{"gzip"}},
		{`1,"x`, recipe{Format: "csv", Delimiter: ",", Columns: []string{"a", "y"}, Target: 1}, []string{"row 1", "quote"}},
		{`1,"x"y`, recipe{Format: "csv", Delimiter: ",", Columns: []string{"a", "y"}, Target: 1}, []string{"row 1", "quote"}},
		{"@relation r\n1,x", recipe{Format: "arff"}, []string{"@data"}},
		{"1 x", recipe{Format: "xml"}, []string{`"xml"`}},
		{"1 x", recipe{Columns: []string{"a", "y"}, Target: 1, Ops: []recipeOp{{Op: "rows", To: 2}}},
			[]string{"rows", "0 to 2 of 1"}},
		{"1 x", recipe{Columns: []string{"a", "y"}, Target: 1, Ops: []recipeOp{{Op: "frob"}}}, []string{"frob"}},
	} {
		if c.r.Format == "" {
			c.r.Format = "whitespace"
		}
		s := &source{Info: Info{Task: "classification", N: 2, P: 1, Classes: 2}, Files: []sourceFile{{Path: "dir/file.data"}},
			Recipe: c.r}
		_, err := s.table(t.Context(), [][]byte{[]byte(c.text)})
		if err == nil {
			t.Errorf("case %d: no error", i)
			continue
		}
		readtest.WantError(t, err, c.want...)
	}
}

// An ARFF file with everything in it that registered files have.
func TestRecipeARFF(t *testing.T) {
	const text = "\ufeff% a comment, {\r\n@relation r\r\n\r\n@ATTRIBUTE a {its, x y,2}\r\n@attribute n REAL\r\n" +
		"@attribute class {no,yes}\r\n@DATA\r\n% more\r\n\tits, 1 ,no\r\n 2,?,yes\r\nx y,-2e3, yes"
	s := &source{Info: Info{Task: "classification", N: 3, P: 2, Classes: 2}, Files: make([]sourceFile, 1), Recipe: recipe{
		Format: "arff", Comment: "%", Columns: []string{"a", "n",
			"class"}, Target: 2, Categorical: []int{0}, Missing: []string{"?"}}}
	rows, err := s.table(t.Context(), [][]byte{[]byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"a", "n", "class"}, {"its", "1", "no"}, {"v2", "", "yes"}, {"x y", "-2e3", "yes"}}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("%q; want %q", rows, want)
	}
	s.Recipe.Categorical = nil
	s.Recipe.Ops = []recipeOp{{Op: "nominal_index", Columns: []int{0}}}
	rows, err = s.table(t.Context(), [][]byte{[]byte(text)})
	if err != nil || rows[1][0] != "0" || rows[2][0] != "2" || rows[3][0] != "1" {
		t.Errorf("by place: %q, %v", rows, err)
	}
}

// Whatever an original file holds, reading it by any recipe gives an error or a table.
func FuzzRecipe(f *testing.F) {
	for k, text := range []string{"1,2,u\n3,4,v\n", "1 2 u\n\n3 4\nv\n",
		"@attribute a {x,y}\n@attribute b real\n@attribute y {u,v}\n@data\nx,2,u\ny,?,v\n", "1\t\"2\n\"\tu\n"} {
		f.Add([]byte(text), uint8(k))
		f.Add(readtest.Gzipped(f, []byte(text)), uint8(k|4))
	}
	f.Fuzz(func(t *testing.T, b []byte, kind uint8) {
		if len(b) > 1<<16 && kind&4 != 0 {
			return // what a download unpacks to isn't limited, since its checksum is known
		}
		s := source{Info: Info{Task: "classification"}, Files: []sourceFile{{Path: "f"}},
			Recipe: recipe{Format: []string{"csv", "whitespace", "arff", "tsv"}[kind&3],
				Delimiter: []string{",", " ", ",", "\t"}[kind&3], Columns: []string{"a", "b", "y"}, Target: 2,
				Categorical: []int{0, 2}, Missing: []string{"?"}, Gzip: kind&4 != 0}}
		if kind&8 != 0 {
			s.Recipe.Ops = append(s.Recipe.Ops, recipeOp{Op: "records_end_at_blank_line"})
		}
		if kind&16 != 0 {
			s.Recipe.Ops = append(s.Recipe.Ops, recipeOp{Op: "drop_missing", Columns: []int{0}},
				recipeOp{Op: "decimal_comma", Columns: []int{1}})
		}
		bounded.Read(t, len(b), func() { _, _ = s.table(t.Context(), [][]byte{b}) })
	})
}
