package public

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/bounded"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// rawHost serves the original files that the data folder keeps, each gzipped, at the addresses of the public host.
func rawHost(t *testing.T, dir string) *httptest.Server {
	stored := map[string]string{}
	for _, s := range registry() {
		for _, f := range s.Files {
			stored[f.urlPath()] = filepath.Join(dir, "raw", cmp.Or(s.CellsOf, s.Name), path.Base(f.Path)+".gz")
		}
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := os.ReadFile(stored[r.URL.EscapedPath()])
		if err != nil {
			t.Error(err)
			http.NotFound(w, r)
			return
		}
		w.Write(gunzip(b))
	}))
	t.Cleanup(srv.Close)
	return srv
}

// Every registered set, downloaded and read by its recipe, is the one that an independent converter made.
func TestRecipes(t *testing.T) {
	dir := readtest.DataDir(t)
	l := testLoader(t, rawHost(t, dir).URL)
	reference := &loader{dirs: []string{dir}}
	for _, s := range registry() {
		if testing.Short() && s.Files[0].Bytes > 50_000 {
			continue
		}
		if s.isIDX() || s.Name == "ailerons" { // the folder hasn't their original files
			continue
		}
		got := must.Value(l.cached(t.Context(), &s))
		checkInfo(t, &s, got)
		sameData(t, got, must.Value(reference.load(t.Context(), s.Name)))
	}
}

// sameData compares data sets, in which missing cells equal each other. What reading has noted may differ.
func sameData(t *testing.T, got, want *datasets.Dataset) {
	t.Helper()
	same := func(a, b float32) bool { return a == b || a != a && b != b }
	for j := range want.Columns {
		if !slices.EqualFunc(got.Columns[j], want.Columns[j], same) {
			t.Errorf("%s: column %q differs", got.Name, got.Features[j].Name)
		}
	}
	if !reflect.DeepEqual(got.Features, want.Features) ||
		!reflect.DeepEqual(got.Classes, want.Classes) || !reflect.DeepEqual(got.Labels, want.Labels) ||
		!reflect.DeepEqual(got.Values, want.Values) || got.Name != want.Name || got.Target != want.Target {
		t.Errorf("%s differs from %s", got.Name, want.Name)
	}
}

// checkInfo compares a data set with what the registry says of it.
func checkInfo(t *testing.T, s *source, d *datasets.Dataset) {
	t.Helper()
	must.Do(d.Check())
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
	got := []int{d.N(), d.P(), len(d.Classes), categorical, missing}
	if want := []int{s.N, s.P, s.Classes, s.Categorical, s.Missing}; !reflect.DeepEqual(got, want) {
		t.Errorf("%s: n, p, classes, categorical, missing are %v; want %v", s.Name, got, want)
	}
	if (s.Task == "regression") != (d.Values != nil) || d.Name != s.Name || d.Target != s.targetColumn() {
		t.Errorf("%s: name %q, target %q, %d values for %s", s.Name, d.Name, d.Target, len(d.Values), s.Task)
	}
}

// What recipes do, one by one, and errors of files that don't fit.
func TestConvert(t *testing.T) {
	smoker := recipe{Columns: []string{"a", "b", "c"}, Categorical: []int{0}}
	const merged = `[{"into": 0, "rules": [{"nonzero": [0, 1], "label": "both"}, {"nonzero": [1], "label": "b"}]}]`
	must.Do(json.Unmarshal([]byte(merged), &smoker.Merged))
	for _, c := range []struct {
		file string
		r    recipe
		want string // CSV, or what the error says
	}{
		{"1 x\n\n 3\t\ty", recipe{}, "1,x\n3,y\n"},
		{"\ufeffh\n1;\"x;\"\r\n3; y\r\n", recipe{Delimiter: ";", Header: 1}, "1,x;\n3,y\n"},
		{"% a\n@ATTRIBUTE b\n@DATA\n% d\n1,x", recipe{Delimiter: ",", Comment: "%@"}, "1,x\n"},
		{"2 x\n2.0 y\nz w\n? v", recipe{Categorical: []int{0}, Missing: []string{"?"}}, "v2,x\nv2,y\nz,w\n?,v\n"},
		{"? x\n2 ?", recipe{Missing: []string{"?"}}, "?,x\n"},
		{"? x\n2 y", recipe{Missing: []string{"?"}, Complete: true}, "2,y\n"},
		{"1 x\n2 y\n3 z", recipe{Rows: 2}, "1,x\n2,y\n"},
		{"x ac1", recipe{Columns: []string{"y", "p", "q", "r"}, Letters: true, Categorical: []int{3}}, "x,a,c,v1\n"},
		{"0 1\n0 1.5\n0 2.1", recipe{Bins: []float64{1, 2}}, "0,1\n0,2\n0,3\n"}, // a bound belongs to its bin
		{"1 1 x\n0 2 y", smoker, "both,1,x\nb,2,y\n"},

		{"1 0 x", smoker, "row 1: no rule holds"},
		{"1 x\n1 2 x", recipe{}, "row 2: 3 cells; want 2"},
		{"1 x", recipe{Bins: []float64{1}}, `row 1: strconv.ParseFloat: parsing "x"`},
		{"not a gzip file", recipe{Gzip: true}, "gzip"},
		{`1,"x`, recipe{Delimiter: ","}, "quote"},
		{`1,"x"y`, recipe{Delimiter: ","}, "quote"},
	} {
		if c.r.Columns == nil {
			c.r.Columns = []string{"a", "y"}
		}
		if c.r.Target = len(c.r.Columns) - 1; c.r.Letters {
			c.r.Target = 0
		}
		var got bytes.Buffer
		w := csv.NewWriter(&got)
		err := c.r.convert(t.Context(), []byte(c.file), w)
		if w.Flush(); err != nil {
			readtest.WantError(t, err, c.want)
		} else if got.String() != c.want {
			t.Errorf("%q is read as %q; want %q", c.file, got.String(), c.want)
		}
	}
}

// A set that hasn't the registered size is refused.
func TestParseSize(t *testing.T) {
	s := &source{Info: Info{Name: "s", Task: "classification", N: 2, P: 1, Classes: 2}, Files: make([]sourceFile, 1),
		Recipe: recipe{Columns: []string{"a", "y"}, Target: 1}}
	for _, text := range []string{"1 x", "1 x\n2 x", "1 x\n2 y\n3 y"} {
		_, err := s.parse(t.Context(), [][]byte{[]byte(text)})
		readtest.WantError(t, err, "want 2, 1 and 2")
	}
	must.Value(s.parse(t.Context(), [][]byte{[]byte("1 x\n2 y")}))
}

// Whatever an original file holds, reading it by any recipe gives an error or a table.
func FuzzRecipe(f *testing.F) {
	for k, text := range []string{"1,2,u\n3,4,v\n", "1 2 u\n\n3 4\nv\n", "@data\nx,2,u\ny,?,v\n", "1\t\"2\n\"\tu\n"} {
		f.Add([]byte(text), uint8(k))
		f.Add(readtest.Gzipped(f, []byte(text)), uint8(k|4))
	}
	f.Fuzz(func(t *testing.T, b []byte, kind uint8) {
		if len(b) > 1<<16 && kind&4 != 0 {
			return // what a download unpacks to isn't limited, since its checksum is known
		}
		s := source{Info: Info{Task: "classification"}, Files: []sourceFile{{Path: "f"}},
			Recipe: recipe{Delimiter: []string{",", "", ";", "\t"}[kind&3], Comment: "@", Columns: []string{"a", "b", "y"},
				Target: 2, Categorical: []int{0}, Missing: []string{"?"}, Gzip: kind&4 != 0, Complete: kind&8 != 0,
				Letters: kind&16 != 0}}
		bounded.Read(t, len(b), func() { _, _ = s.parse(t.Context(), [][]byte{b}) })
	})
}
