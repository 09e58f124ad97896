package datasets

import (
	"bytes"
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
	"strconv"
	"strings"
	"testing"
)

// recipeData returns the first folder of OBLIQUA_DATA, or skips the test.
func recipeData(t *testing.T) string {
	dirs := filepath.SplitList(os.Getenv("OBLIQUA_DATA"))
	if len(dirs) == 0 {
		t.Skip("OBLIQUA_DATA is not set")
	}
	return dirs[0]
}

// rawHost serves the original files that the data folder keeps, at the
// addresses of the public host.
func rawHost(t *testing.T, dir string) *httptest.Server {
	stored := map[string]string{}
	for _, s := range registry() {
		for _, f := range s.Files {
			stored[f.urlPath()] = filepath.Join(dir, "raw", s.Name, path.Base(f.Path)+".gz")
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
	dir := recipeData(t)
	srv := rawHost(t, dir)
	l := testLoader(t, srv.URL)
	compared := 0
	for _, s := range registry() {
		d, err := l.load(context.Background(), s.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		checkInfo(t, &s, d)
		got := csvRows(t, filepath.Join(l.cache, "csv", s.Name+".csv.gz"))
		reference := filepath.Join(dir, "csv", s.Name+".csv.gz")
		if _, err := os.Stat(reference); errors.Is(err, fs.ErrNotExist) {
			t.Logf("%s has no reference", s.Name)
			continue
		}
		if diff := differ(got, csvRows(t, reference)); diff != "" {
			t.Errorf("%s: %s", s.Name, diff)
		}
		compared++
	}
	t.Logf("%d of %d sets compared", compared, len(registry()))
	if compared < 120 {
		t.Errorf("only %d sets have been compared", compared)
	}
}

// checkInfo compares a data set with what the registry says of it.
func checkInfo(t *testing.T, s *source, d *Dataset) {
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
	if d.N() != s.N || d.P() != s.P || len(d.Classes) != s.Classes || categorical != s.Categorical || missing != s.Missing {
		t.Errorf("%s: n %d, p %d, %d classes, %d categorical, %d missing; want %d, %d, %d, %d, %d", s.Name,
			d.N(), d.P(), len(d.Classes), categorical, missing, s.N, s.P, s.Classes, s.Categorical, s.Missing)
	}
	if (s.Task == "regression") != (d.Values != nil) || (s.Task == "classification") != (d.Labels != nil) || d.Name != s.Name {
		t.Errorf("%s: name %q, %d values, %d labels for %s", s.Name, d.Name, len(d.Values), len(d.Labels), s.Task)
	}
}

// differ tells the first difference of two tables: numbers to 1e-9 relative,
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

var _ = strings.Cut
