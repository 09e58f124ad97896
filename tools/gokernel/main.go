// Gokernel builds a Go kernel that runs in a page of a web browser, without a server.
//
//	go run ./tools/gokernel build [-packages p1,p2] [-files p1,p2] [-warm CODE] [-hints FILE] OUT [NOTEBOOK.ipynb...]
//
// OUT receives static files. Cells can import the packages named, those that the cells of
// the notebooks import, and all that these import. The packages may be of any module: those
// that go list finds in the current folder. Without -packages and notebooks, the notebooks
// are those below notebooks. FILE has sentences that stand below errors; see package hints.
// Cells can read the files that match the patterns -files: docs/a.csv as ../docs/a.csv.
//
// # How it works
//
// A page makes a GoKernel (page/kernel.js), which keeps what cells have declared and the files
// that they have written. Its first worker (page/worker.js) keeps Go's compiler and linker, which
// are ordinary Go programs, as compiled WebAssembly modules, and runs them on files in memory
// (page/files.js). A cell goes through four programs:
//
//  1. split (package cells) makes main.go of the cell and of what cells before it have declared.
//  2. compile reads it and the export data of the packages that it imports.
//  3. link reads the object that comes out, and those of all packages that are linked.
//  4. The program runs in a worker of its own (page/cell.js), so it can be ended at any time,
//     while the compiler stays as it is. The first worker, too, is ended if a cell is
//     interrupted while it compiles; another gets the modules.
//
// While the first worker compiles, one of its own (page/objects.js) unpacks what the linker will read.
//
// Build splits each package's archive into export data and objects, which are loaded when a
// cell first needs them, as are files. Every file is compressed, and named by the hash of its contents:
// the browser keeps it, and loads after an update what has changed. The worker uses no contents
// but those of the name. Compiler, linker, packages and wasm_exec.js are those of the Go that
// builds, so they fit each other. Compiler and linker lack what they have for other processors.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/ipynb"
	"github.com/obliqua-ml/obliqua/internal/parallel"
	"github.com/obliqua-ml/obliqua/tools/gokernel/cells"
	"github.com/obliqua-ml/obliqua/tools/hints"
)

//go:embed page
var page embed.FS

func main() {
	flags := flag.NewFlagSet("gokernel build", flag.ExitOnError)
	packages := flags.String("packages", "", "the packages that cells can import, separated by commas")
	warm := flags.String("warm", "%%\nfmt.Println()", "a cell that is built when the kernel has started")
	files := flags.String("files", "", "patterns of files that cells can read, separated by commas")
	table := flags.String("hints", "", "a file with sentences to stand below errors")
	if len(os.Args) < 2 || os.Args[1] != "build" {
		fmt.Fprintln(os.Stderr, "usage: gokernel build [flags] OUT [NOTEBOOK.ipynb...]")
		os.Exit(2)
	}
	flags.Parse(os.Args[2:])
	if err := build(*packages, *files, *warm, *table, flags.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "gokernel:", err)
		os.Exit(1)
	}
}

// An index says what the files of a kernel are.
type index struct {
	Lang     string            `json:"lang"`  // the version of the language
	Tools    map[string]string `json:"tools"` // hashes by name
	Packages []*entry          `json:"packages"`
	Files    map[string]string `json:"files"` // hashes by path, for a cell whose folder is /notebook
	Warm     string            `json:"warm"`
	Hints    string            `json:"hints"` // as package hints reads them
	Docs     string            `json:"docs"`  // the hash of the packages' symbols; see documented
}

// An entry is a package. One without a name can't be imported by cells.
type entry struct {
	Path    string `json:"path"`
	Name    string `json:"name,omitempty"`
	Exports string `json:"exports"` // hashes
	Objects string `json:"objects"`
	Imports []int  `json:"imports"` // positions in the list of packages
}

// A listed is a package that go list has found.
type listed struct {
	ImportPath, Name, Dir, Export string
	Standard                      bool
	GoFiles, Imports              []string
	ImportMap                     map[string]string
	Module                        *struct {
		Path, Version, Dir string
		Main               bool
	}
}

func build(names, files, warm, hintsFile string, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("want a folder to write to")
	}
	out, notebooks := args[0], args[1:]
	comma := func(r rune) bool { return r == ',' }
	roots := strings.FieldsFunc(names, comma)
	if len(args) == 1 && names == "" {
		err := filepath.WalkDir("notebooks", func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".ipynb") {
				notebooks = append(notebooks, path)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	table := []byte{}
	if hintsFile != "" {
		var err error
		if table, err = os.ReadFile(hintsFile); err != nil {
			return err
		}
		if _, err := hints.Read(string(table)); err != nil {
			return err
		}
	}
	imported, err := imports(notebooks)
	if err != nil {
		return err
	}
	roots = append(roots, imported...)
	if len(roots) == 0 {
		return fmt.Errorf("the notebooks import no packages")
	}
	temporary, err := os.MkdirTemp("", "gokernel")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	if err := os.MkdirAll(filepath.Join(out, "data"), 0o777); err != nil {
		return err
	}

	fmt.Println("Building the compiler and the linker for WebAssembly (a minute or two, the first time)")
	env, err := golang("env", "GOVERSION", "GOROOT")
	if err != nil {
		return err
	}
	version, goroot, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	replaced, err := overlay(goroot, temporary)
	if err != nil {
		return err
	}
	_, err = golang("build", "-trimpath", "-ldflags=-s -w", "-overlay", replaced, "-o", temporary, "cmd/compile",
		"cmd/link", "github.com/obliqua-ml/obliqua/tools/gokernel/split")
	if err != nil {
		return err
	}
	x := index{Lang: regexp.MustCompile(`^go1\.\d+`).FindString(version), Tools: map[string]string{},
		Files: map[string]string{}, Warm: warm, Hints: string(table)}
	for _, tool := range []string{"compile", "link", "split"} {
		b, err := os.ReadFile(filepath.Join(temporary, tool))
		if err != nil {
			return err
		}
		if x.Tools[tool], err = write(out, b); err != nil {
			return err
		}
	}

	for pattern := range strings.FieldsFuncSeq(files, comma) {
		found, err := filepath.Glob(pattern)
		if err != nil || found == nil {
			return fmt.Errorf("no file matches %s", pattern)
		}
		for _, file := range found {
			b, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if x.Files["/"+filepath.ToSlash(file)], err = write(out, b); err != nil {
				return err
			}
		}
	}

	fmt.Printf("Compiling %d packages and what they import\n", len(roots))
	compiled := []string{"-export", "-deps", "-trimpath", "-gcflags=all=-dwarf=false", "runtime"}
	packages, err := list(append(compiled, roots...)...)
	if err != nil {
		return err
	}
	packages = slices.DeleteFunc(packages, func(p *listed) bool { return p.Export == "" }) // unsafe
	slices.SortFunc(packages, preferred)
	position := map[string]int{}
	for i, p := range packages {
		position[p.ImportPath] = i
	}
	for _, p := range packages {
		e := &entry{Path: p.ImportPath, Imports: []int{}}
		if importable(p) {
			e.Name = p.Name
		}
		for _, path := range p.Imports {
			if i, ok := position[cmp.Or(p.ImportMap[path], path)]; ok {
				e.Imports = append(e.Imports, i)
			}
		}
		x.Packages = append(x.Packages, e)
	}
	err = parallel.Errors(len(packages), func(i int) error { return x.Packages[i].write(out, packages[i].Export) })
	if err != nil {
		return err
	}
	symbols, err := documented(packages)
	if err != nil {
		return err
	}
	b, err := json.Marshal(symbols)
	if err != nil {
		return err
	}
	if x.Docs, err = write(out, b); err != nil {
		return err
	}
	if err := licences(out, goroot, packages); err != nil {
		return err
	}
	scripts, err := os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "wasm_exec.js"), scripts, 0o666); err != nil {
		return err
	}
	for _, name := range []string{"kernel.js", "worker.js", "objects.js", "cell.js", "files.js", "load.js",
		"complete.js"} {
		b, err := page.ReadFile("page/" + name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name), b, 0o666); err != nil {
			return err
		}
	}
	if b, err = json.Marshal(x); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "index.json"), b, 0o666)
}

// golang runs the go command for WebAssembly and returns what it prints.
func golang(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	b, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	return b, nil
}

func list(args ...string) ([]*listed, error) {
	fields := "-json=ImportPath,Name,Dir,Export,Standard,GoFiles,Imports,ImportMap,Module"
	b, err := golang(append([]string{"list", fields}, args...)...)
	if err != nil {
		return nil, err
	}
	var found []*listed
	for d := json.NewDecoder(bytes.NewReader(b)); ; {
		p := new(listed)
		if err := d.Decode(p); err == io.EOF {
			return found, nil
		} else if err != nil {
			return nil, err
		}
		found = append(found, p)
	}
}

var hidden = regexp.MustCompile(`(^|/)(internal|vendor)(/|$)`)

func importable(p *listed) bool {
	return p.Name != "main" && !hidden.MatchString(p.ImportPath)
}

// preferred orders packages with the same name: the main module's come before Go's, and these before others. The new
// math/rand comes before the old one.
func preferred(a, b *listed) int {
	rank := func(p *listed) int {
		switch {
		case p.Module != nil && p.Module.Main:
			return 0
		case p.ImportPath == "math/rand/v2":
			return 1
		case p.Standard:
			return 2
		}
		return 3
	}
	return cmp.Or(rank(a)-rank(b), len(a.ImportPath)-len(b.ImportPath), cmp.Compare(a.ImportPath, b.ImportPath))
}

// imports returns what the cells of notebooks import of the main module and of Go.
func imports(notebooks []string) ([]string, error) {
	if len(notebooks) == 0 {
		return nil, nil
	}
	packages, err := list("./...", "std")
	if err != nil {
		return nil, err
	}
	packages = slices.DeleteFunc(packages, func(p *listed) bool { return !importable(p) })
	slices.SortFunc(packages, preferred)
	var candidates []cells.Package
	for _, p := range packages {
		candidates = append(candidates, cells.Package{Path: p.ImportPath, Name: p.Name})
	}
	var found []string
	for _, path := range notebooks {
		code, err := codeCells(path)
		if err != nil {
			return nil, err
		}
		var session cells.Session
		for i, c := range code {
			if program, err := session.Add(i+1, string(c.Source), candidates); err == nil {
				found = append(found, program.Imports...)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// codeCells returns the code cells of a notebook.
func codeCells(path string) ([]ipynb.Cell, error) {
	all, err := ipynb.Read(path)
	return slices.DeleteFunc(all, func(c ipynb.Cell) bool { return c.Type != "code" }), err
}

// write writes a file that is named by its hash, and returns the hash.
func write(out string, data []byte) (string, error) {
	hash := fmt.Sprintf("%x", sha256.Sum256(data))[:20]
	name := filepath.Join(out, "data", hash+".bin")
	if _, err := os.Stat(name); err == nil {
		return hash, nil
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	w.Write(data) // to memory
	w.Close()
	return hash, os.WriteFile(name, b.Bytes(), 0o666)
}

// write splits an archive into export data, for the compiler, and objects, for the linker,
// which reads no more of the export data than their first line.
func (e *entry) write(out, archive string) error {
	b, err := os.ReadFile(archive)
	if err != nil {
		return err
	}
	const magic = "!<arch>\n"
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	exports, objects := []byte(magic), []byte(magic)
	for ok && len(rest) > 0 {
		var size int
		if len(rest) < 60 {
			return fmt.Errorf("%s is no archive of a package", archive)
		}
		if _, err := fmt.Sscan(string(rest[48:58]), &size); err != nil || len(rest) < 60+size {
			return fmt.Errorf("%s is no archive of a package", archive)
		}
		member := rest[:60+size+size&1]
		rest = rest[len(member):]
		if !bytes.HasPrefix(member, []byte("__.PKGDEF ")) {
			objects = append(objects, member...)
			continue
		}
		exports = append(exports, member...)
		line, _, _ := bytes.Cut(member[60:], []byte("\n"))
		line = append(slices.Clone(line), '\n')
		objects = fmt.Appendf(objects, "%s%-10d%s%s", member[:48], len(line), member[58:60], line)
		if len(line)%2 == 1 {
			objects = append(objects, 0)
		}
	}
	if e.Exports, err = write(out, exports); err != nil {
		return err
	}
	e.Objects, err = write(out, objects)
	return err
}

var licence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents)`)

// licences writes the licences of Go and of all modules to a file.
func licences(out, root string, packages []*listed) error {
	titles := map[string]string{} // what the folders are part of
	for _, p := range packages {
		top, title := root, "Go"
		if p.Module != nil {
			top, title = p.Module.Dir, p.Module.Path+" "+p.Module.Version
		}
		titles[top] = title
		for dir := p.Dir; len(dir) > len(top); dir = filepath.Dir(dir) {
			titles[dir] = title
		}
	}
	var b bytes.Buffer
	for _, dir := range slices.Sorted(maps.Keys(titles)) {
		files, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, file := range files {
			if file.IsDir() || !licence.MatchString(file.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, file.Name()))
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "==== %s, %s of %s\n\n%s\n\n", titles[dir], file.Name(), filepath.Base(dir), text)
		}
	}
	return os.WriteFile(filepath.Join(out, "LICENCES.txt"), b.Bytes(), 0o666)
}
