// Goimports stands in for goimports where the Go kernel looks for it. It adds the imports
// of this repository's packages to a cell's program, and leaves the rest to the real
// goimports.
//
//	goimports -w main.go
//
// The real one finds these packages too, but searches all downloaded modules for them,
// which takes half a second a cell and more where more is downloaded. A package of the
// same name elsewhere can't be taken for ours.
//
// It belongs into the folder .lab/bin of the repository. The real goimports is in
// .lab/deps.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/obliqua-ml/obliqua"

func main() {
	err := run(os.Args[1:])
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		os.Exit(exit.ExitCode()) // it has said why
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "goimports:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	lab := filepath.Dir(filepath.Dir(program))
	if len(args) > 0 {
		if err := addImports(args[len(args)-1], filepath.Dir(lab)); err != nil {
			return err
		}
	}
	real := exec.Command(filepath.Join(lab, "deps", "goimports"), args...)
	real.Stdin, real.Stdout, real.Stderr = os.Stdin, os.Stdout, os.Stderr
	return real.Run()
}

// addImports adds the imports of the repository at root that a Go file needs. It leaves a
// file with a syntax error alone; the real goimports reports it.
func addImports(file, root string) error {
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	ours, err := packages(root)
	if err != nil {
		return err
	}
	if added := withImports(source, ours); added != nil {
		return os.WriteFile(file, added, 0o666)
	}
	return nil
}

// packages returns the packages below root that a cell may import: import paths by name. Of two with the same name the
// first counts, such as the learner forest/tao before the figures of its paper.
func packages(root string) (map[string]string, error) {
	found := map[string]string{}
	last := "" // the folder of the file before
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if name != "." && (strings.HasPrefix(base, ".") || base == "internal" || base == "testdata" || base == "tools") {
				return fs.SkipDir
			}
			return nil
		}
		folder := path.Dir(name)
		if folder == last || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		last = folder
		clause, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.PackageClauseOnly)
		if err != nil || clause.Name.Name == "main" {
			return nil // the compiler will say what is wrong
		}
		if found[clause.Name.Name] == "" {
			found[clause.Name.Name] = path.Join(module, folder)
		}
		return nil
	})
	return found, err
}

// withImports returns the source with imports of those packages that it uses and doesn't
// import, or nil if there are none. A package is used where a selector such as viz.Show begins
// with a name that nothing in the file declares.
func withImports(source []byte, packages map[string]string) []byte {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, 0)
	if err != nil {
		return nil
	}
	unresolved := map[*ast.Ident]bool{}
	for _, identifier := range file.Unresolved {
		unresolved[identifier] = true
	}
	wanted := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok && unresolved[x] && packages[x.Name] != "" {
				wanted[packages[x.Name]] = true
			}
		}
		return true
	})
	for _, spec := range file.Imports {
		imported := strings.Trim(spec.Path.Value, "`\"")
		delete(wanted, imported)
		if spec.Name != nil {
			delete(wanted, packages[spec.Name.Name])
		} else {
			delete(wanted, packages[path.Base(imported)])
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	end := files.Position(file.Name.End()).Offset // of the package clause
	added := slices.Clone(source[:end])
	for _, importPath := range slices.Sorted(maps.Keys(wanted)) {
		added = fmt.Appendf(added, "\nimport %q", importPath)
	}
	return append(added, source[end:]...)
}
