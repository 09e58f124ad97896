package playground

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// element returns the text of the page's element with an id.
func element(t *testing.T, page, id string) string {
	t.Helper()
	m := regexp.MustCompile(`(?s)<script[^>]* id="` + id + `">(.*?)</script>`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no element %q", id)
	}
	return m[1]
}

func TestWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for WebAssembly")
	}
	t.Setenv("OBLIQUA_CACHE", t.TempDir())
	start := Start{State: "problem=data", Data: &Data{Name: "</script><b>", Features: [2]string{"{{script}}", "b"},
		Classes: []string{"0", "1"},
		Columns: [2][]float32{{1.5, 0.1}, {2, 3}}, Labels: []int32{0, 1}}}
	var reports []string
	write := func() string {
		var page bytes.Buffer
		must.Do(Write(context.Background(), &page, start,
			func(line string) { reports = append(reports, line) }))
		return page.String()
	}
	page := write()
	if len(reports) != 1 {
		t.Errorf("the first page reported %q; want one line", reports)
	}
	if write() != page || len(reports) != 1 {
		t.Errorf("the second page differs or was compiled anew; reports %q", reports)
	}
	var got Start
	if err := json.Unmarshal([]byte(element(t, page, "start")), &got); err != nil || got.Data.Name != start.Data.Name ||
		!slices.Equal(got.Data.Columns[0], start.Data.Columns[0]) {
		t.Errorf("the page starts with %+v, %v", got, err)
	}
	if n := strings.Count(page, "{{"); n != 1 { // the name of the feature
		t.Errorf("%d braces are left", n)
	}
	checkEngine(t, element(t, page, "engine"))
}

// checkEngine: the engine is WebAssembly, and holds no path of this machine.
func checkEngine(t *testing.T, text string) {
	compressed := must.Value(base64.StdEncoding.DecodeString(text))
	z := must.Value(gzip.NewReader(bytes.NewReader(compressed)))
	wasm, err := io.ReadAll(z)
	if err != nil || !bytes.HasPrefix(wasm, []byte("\x00asm")) {
		t.Fatalf("no WebAssembly: %v", err)
	}
	here := must.Value(filepath.Abs("page"))
	for _, path := range []string{filepath.Dir(here), os.Getenv("HOME") + "/"} {
		if len(path) > 1 && bytes.Contains(wasm, []byte(path)) {
			t.Errorf("the engine holds the path %s", path)
		}
	}
	if len(compressed) > 3<<20 {
		t.Errorf("the engine has %d bytes, compressed; want at most 3 MB", len(compressed))
	}
}

// TestNothingFromElsewhere: the page's sources name no address that a browser would fetch.
func TestNothingFromElsewhere(t *testing.T) {
	address := regexp.MustCompile(`https?://[^"'\s]+|(src|href)="[^"]*"|@import|url\([^)]*\)`)
	allowed := []string{`href="data:,"`, "http://www.w3.org/2000/svg"}
	for _, source := range []string{pageHTML, pageCSS, workerJS, engineJS, stateJS, drawJS, appJS} {
		for _, found := range address.FindAllString(source, -1) {
			if !slices.Contains(allowed, found) {
				t.Errorf("the page names %s", found)
			}
		}
	}
}

func TestWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := Write(context.Background(), io.Discard, Start{}, nil)
	readtest.WantError(t, err, "install Go")
}

// TestHashOfSources: another file, name or version is another engine; a test isn't part of it.
func TestHashOfSources(t *testing.T) {
	module := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(module, name)
		must.Do(os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(os.WriteFile(path, []byte(text), 0o666))
	}
	put("go.mod", "module m")
	put("go.sum", "")
	for _, folder := range engineFolders {
		put(folder+"/a.go", "package a")
	}
	seen := map[string]string{}
	hash := func(what, version string) {
		h := must.Value(hashSources(module, version))
		if other, ok := seen[h]; ok {
			t.Errorf("%s: the same hash as %s", what, other)
		}
		seen[h] = what
	}
	hash("at first", "go1")
	hash("another version", "go2")
	put("forest/a.go", "package b")
	hash("another text", "go1")
	put("forest/b.go", "")
	hash("another file", "go1")
	put("forest/embedded.json", "{}")
	hash("embedded data", "go1")
	before := len(seen)
	put("forest/a_test.go", "package b")
	put("forest/testdata/x.go", "package x")
	if h, err := hashSources(module, "go1"); err != nil || seen[h] != "embedded data" || len(seen) != before {
		t.Errorf("tests changed the hash: %v", err)
	}
}

// The engines of other sources are removed, whatever the folder is called.
func TestKeepReplacesOthers(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a[folder")
	must.Do(os.Mkdir(folder, 0o700))
	for _, name := range []string{"old.wasm.gz", "new.wasm.gz"} {
		must.Do(keep(filepath.Join(folder, name), []byte(name)))
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 || left[0].Name() != "new.wasm.gz" {
		t.Errorf("%v, error %v; want new.wasm.gz alone", left, err)
	}
}
