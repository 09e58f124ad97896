package public

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

func gunzip(b []byte) []byte {
	return must.Value(io.ReadAll(must.Value(gzip.NewReader(bytes.NewReader(b)))))
}

func writeGzip(t *testing.T, path, text string) {
	t.Helper()
	must.Do(errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(path, readtest.Gzipped(t, []byte(text)), 0o644)))
}

// loads compares a set with a text: the target with its classes, labels and values, and each column.
func loads(t *testing.T, name, want string) {
	t.Helper()
	d := must.Value(Load(t.Context(), name))
	got := fmt.Sprintf("%q of %q: %v %v\n", d.Target, d.Classes, d.Labels, d.Values)
	for j, f := range d.Features {
		got += fmt.Sprintf("%q of %q: %v\n", f.Name, f.Categories, d.Columns[j])
	}
	if got != want || d.Name != name {
		t.Errorf("%s: %s\nwant %s: %s", d.Name, got, name, want)
	}
}

func TestLoadLocal(t *testing.T) {
	one, two := t.TempDir(), filepath.Join(t.TempDir(), "a[folder")
	t.Setenv("OBLIQUA_DATA", one+string(os.PathListSeparator)+two)
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	writeGzip(t, filepath.Join(two, "csv", "mine.csv.gz"), "a,s,class\n1,NA,x\n,v2,y\n")
	writeGzip(t, filepath.Join(two, "plain.csv.gz"), "a,target\n1,0.5\n2,-3\n")
	writeGzip(t, filepath.Join(two, "sporf", "data", "letter.csv.gz"), "1,2,0\n3,4,1\n")
	writeGzip(t, filepath.Join(one, "iris.csv.gz"), "a,class\n1,first\n2,second\n")
	writeGzip(t, filepath.Join(two, "iris.csv.gz"), "a,class\n1,third\n2,fourth\n")
	writeGzip(t, filepath.Join(one, "wrong.csv.gz"), "a,price\n1,2\n")

	for name, want := range map[string]string{
		"mine":         "\"class\" of [\"x\" \"y\"]: [0 1] []\n\"a\" of []: [1 NaN]\n\"s\" of [\"NA\" \"v2\"]: [0 1]\n",
		"plain":        "\"target\" of []: [] [0.5 -3]\n\"a\" of []: [1 2]\n",
		"iris":         "\"class\" of [\"first\" \"second\"]: [0 1] []\n\"a\" of []: [1 2]\n", // from the first folder
		"sporf/letter": "\"x3\" of [\"0\" \"1\"]: [0 1] []\n\"x1\" of []: [1 3]\n\"x2\" of []: [2 4]\n",
	} {
		loads(t, name, want)
	}
	_, err := Load(t.Context(), "wrong")
	readtest.WantError(t, err, filepath.Join(one, "wrong.csv.gz"), `"price"`, `"class"`, `"target"`)
	_, err = Load(t.Context(), "sporf/lettre")
	readtest.WantError(t, err, `"sporf/letter"`)
	for _, name := range []string{"", "csv/mine", "../mine", "sporf/../plain", `csv\mine`} {
		_, err = Load(t.Context(), name)
		readtest.WantError(t, err, fmt.Sprintf("unknown data set %q", name), "nearest")
		if !errors.Is(err, ErrUnknownSet) {
			t.Errorf("%v is not ErrUnknownSet", err)
		}
	}
}

// A regression whose cells are those of another set is read from that set's file, unless
// it has a file of its own.
func TestLoadLocalCells(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("OBLIQUA_DATA", dir)
	write := func(name, text string) { writeGzip(t, filepath.Join(dir, "csv", name+".csv.gz"), text) }
	const columns = "\"sex\" of [\"M\"]: [0 NaN]\n\"length\" of []: [0.5 0.25]\n"
	write("abalone", "sex,length,class\nM,0.5,15\n,0.25,7\n")
	loads(t, "abalone-rings", "\"target\" of []: [] [15 7]\n"+columns)
	loads(t, "abalone", "\"class\" of [\"7\" \"15\"]: [1 0] []\n"+columns)
	write("abalone-rings", "sex,length,target\nM,0.5,1.5\n,0.25,1\n")
	loads(t, "abalone-rings", "\"target\" of []: [] [1.5 1]\n"+columns)
}

// Load reads a file in blocks: it allocates less than the length of the unpacked text.
func TestLoadInBlocks(t *testing.T) {
	dir := t.TempDir()
	const n, zeros = 1 << 15, 1 << 10
	text := "a,class\n" + strings.Repeat("1."+strings.Repeat("0", zeros)+",yes\n", n)
	writeGzip(t, filepath.Join(dir, "long.csv.gz"), text)
	l := testLoader(t, "")
	l.dirs = []string{dir}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d, err := l.load(t.Context(), "long")
	runtime.ReadMemStats(&after)
	must.Do(err)
	if d.N() != n || d.P() != 1 || d.At(n-1, 0) != 1 {
		t.Errorf("%d rows of %d features", d.N(), d.P())
	}
	if got := after.TotalAlloc - before.TotalAlloc; got >= uint64(len(text)) {
		t.Errorf("%d bytes were allocated for a text of %d", got, len(text))
	}
}

// All parts of a set have the same categorical columns, even where one of them
// has only missing cells.
func TestLoadTestPart(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("OBLIQUA_DATA", dir)
	writeGzip(t, filepath.Join(dir, "csv", "annealing_test.csv.gz"), "family,width,class\n,,1\n,3,2\n")
	d := must.Value(Load(t.Context(), "annealing_test"))
	if d.Features[0].Categories == nil || d.Features[1].Categories != nil {
		t.Errorf("features: %+v", d.Features)
	}
}

func TestLoadErrors(t *testing.T) {
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	t.Setenv("OBLIQUA_DATA", "")
	_, err := Load(t.Context(), "irsi")
	readtest.WantError(t, err, `"irsi"`, `"iris"`)
	if n := strings.Count(err.Error(), `"`); n != 8 {
		t.Errorf("not the asked name and three others: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Load(ctx, "iris"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "nowhere")
	t.Setenv("OBLIQUA_DATA", missing)
	_, err = Load(t.Context(), "iris")
	readtest.WantError(t, err, "OBLIQUA_DATA", missing)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v is not os.ErrNotExist", err)
	}
}

// Every file of the data folder can be loaded by name.
func TestLoadAll(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 26 MB")
	}
	dir := readtest.DataDir(t)
	t.Setenv("OBLIQUA_CACHE", filepath.Join(t.TempDir(), "must not be made"))
	paths, _ := filepath.Glob(filepath.Join(dir, "sporf", "data", "*.csv.gz"))
	for i, path := range paths {
		paths[i] = "sporf/" + strings.TrimSuffix(filepath.Base(path), ".csv.gz")
	}
	sets, _ := filepath.Glob(filepath.Join(dir, "csv", "*.csv.gz"))
	for _, path := range sets {
		paths = append(paths, strings.TrimSuffix(filepath.Base(path), ".csv.gz"))
	}
	for _, name := range paths {
		d := must.Value(Load(t.Context(), name))
		if d.Name != name || d.Check() != nil {
			t.Errorf("%s: name %q, %v", name, d.Name, d.Check())
		}
		if strings.HasPrefix(name, "sporf/") && (d.CheckFinite() != nil || d.Classes[0] != "0") {
			t.Errorf("%s: %v, classes %q", name, d.CheckFinite(), d.Classes)
		}
	}
	t.Logf("%d sets", len(paths))
	if _, err := os.Stat(os.Getenv("OBLIQUA_CACHE")); err == nil {
		t.Error("the cache has been used")
	}
}
