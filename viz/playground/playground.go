// Package playground builds the playground's page: one HTML file that trains every method
// of the library, without a server and without fetching anything.
//
// The page holds the engine (package engine) as WebAssembly, compressed and as text. It is
// compiled by the Go command, from the sources beside this file, when a page is built for
// the first time, and kept in the user's cache folder under a hash of the sources and Go's
// version.
package playground

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/internal/cache"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string
	//go:embed page/worker.js
	workerJS string
	//go:embed page/engine.js
	engineJS string
	//go:embed page/state.js
	stateJS string
	//go:embed page/draw.js
	drawJS string
	//go:embed page/app.js
	appJS string
)

// A Start is what a page begins with. The zero value has nothing of its own.
type Start struct {
	State string `json:"state,omitempty"` // as in the page's address, without #
	Data  *Data  `json:"data,omitempty"`  // points beside those of simulated problems
}

// Data are labelled points in the plane.
type Data struct {
	Name     string       `json:"name"`
	Target   string       `json:"target"`
	Features [2]string    `json:"features"`
	Classes  []string     `json:"classes"`
	View     [4]float64   `json:"view"` // what the picture shows: x from View[0] to View[1], y from View[2] to View[3]
	Columns  [2][]float32 `json:"columns"`
	Labels   []int32      `json:"labels"`
}

// Write writes the page. If the engine has to be compiled first, which takes some seconds and up to a minute on a
// machine that hasn't compiled for WebAssembly before, report is called with a line about that; it may be nil. Write
// returns an error if the Go command is missing or can't compile the engine.
func Write(ctx context.Context, w io.Writer, start Start, report func(string)) error {
	if report == nil {
		report = func(string) {}
	}
	engine, glue, err := loadEngine(ctx, report)
	if err != nil {
		return fmt.Errorf("playground: %w", err)
	}
	own, err := json.Marshal(start)
	if err != nil {
		return fmt.Errorf("playground: %w", err)
	}
	script := "(() => {\n\"use strict\";\n" + engineJS + stateJS + drawJS + appJS + "})();\n"
	_, err = strings.NewReplacer(
		"{{style}}", pageCSS,
		"{{start}}", string(own), // Marshal writes < as \u003c
		"{{worker}}", glue+workerJS,
		"{{engine}}", base64.StdEncoding.EncodeToString(engine),
		"{{script}}", script,
	).WriteString(w, pageHTML)
	return err
}

// loadEngine returns the engine, compiled and compressed, and the script of Go's installation that runs it.
func loadEngine(ctx context.Context, report func(string)) (compressed []byte, glue string, err error) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return nil, "", errors.New("the page's engine is compiled by the Go command, which is not on the PATH: install " +
			"Go from https://go.dev/dl")
	}
	module, err := sources()
	if err != nil {
		return nil, "", err
	}
	out, err := exec.CommandContext(ctx, goCommand, "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return nil, "", fmt.Errorf("go env: %w", err)
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	script, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, "", fmt.Errorf("Go's installation lacks the script that runs WebAssembly: %w", err)
	}
	key, err := hashSources(module, version)
	if err != nil {
		return nil, "", err
	}
	cached, err := cachePath(key)
	if err != nil {
		return nil, "", err
	}
	compressed, err = os.ReadFile(cached)
	if errors.Is(err, fs.ErrNotExist) {
		compressed, err = compile(ctx, goCommand, module, cached, report)
	}
	return compressed, string(script), err
}

// sources returns the folder of the module that this file belongs to.
func sources() (string, error) {
	_, file, _, _ := runtime.Caller(0)
	module := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if _, err := os.Stat(filepath.Join(module, "go.mod")); err != nil {
		return "", fmt.Errorf("the sources of the library, from which the page's engine is compiled, are not where "+
			"this program was compiled: %w", err)
	}
	return module, nil
}

// engineFolders are the folders of the module whose packages the engine consists of.
var engineFolders = []string{"datasets", "forest", "internal", "sim", "viz/internal", "viz/playground"}

// hashSources returns a hash of all that the compiled engine depends on.
func hashSources(module, version string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, version)
	files := os.DirFS(module)
	for _, root := range append([]string{"go.mod", "go.sum"}, engineFolders...) {
		err := fs.WalkDir(files, root, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "testdata":
				return fs.SkipDir
			case entry.IsDir() || strings.HasSuffix(name, "_test.go") ||
				!slices.Contains([]string{".go", ".json", ".gz", ".mod", ".sum"}, path.Ext(name)):
				return nil
			}
			body, err := fs.ReadFile(files, name)
			fmt.Fprintf(h, "%s %d\n%s", name, len(body), body)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:32], nil
}

// cachePath returns where the engine of the given hash is kept.
func cachePath(key string) (string, error) {
	root, err := cache.Folder()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(root, "playground")
	return filepath.Join(folder, key+".wasm.gz"), os.MkdirAll(folder, 0o777)
}

// compile compiles the engine and keeps it, instead of those of other sources.
func compile(ctx context.Context, goCommand, module, cached string, report func(string)) ([]byte, error) {
	report("Compiling the playground's engine for the page. This is needed once, and takes up to a minute.")
	file, err := os.CreateTemp("", "playground-*.wasm")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	file.Close()
	cmd := exec.CommandContext(ctx, goCommand, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o",
		file.Name(), "./viz/playground/wasm")
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	cmd.WaitDelay = 200 * time.Millisecond // for the children of a command that was cancelled
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the engine doesn't compile: %w\n%s", err, out)
	}
	wasm, err := os.ReadFile(file.Name())
	if err != nil {
		return nil, err
	}
	var compressed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	z.Write(wasm)
	z.Close() // a buffer refuses nothing
	return compressed.Bytes(), keep(cached, compressed.Bytes())
}

// keep writes the engine to the cache, and removes those of other sources.
func keep(path string, compressed []byte) error {
	err := atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(compressed)
		return err
	})
	if err != nil {
		return err
	}
	folder, kept := filepath.Split(path)
	engines, err := fs.Glob(os.DirFS(folder), "*.wasm.gz")
	for _, name := range engines {
		if name != kept {
			os.Remove(filepath.Join(folder, name)) // another process may have removed it
		}
	}
	return err
}
