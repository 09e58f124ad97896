package learners

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// The sources of the packages in forest say which exported types have a method Fit.
func TestAll(t *testing.T) {
	var want []string
	files := must.Value(filepath.Glob(filepath.Join("..", "..", "forest", "*", "*.go")))
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file := must.Value(parser.ParseFile(token.NewFileSet(), path, must.Value(os.ReadFile(path)), 0))
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Name.Name != "Fit" {
				continue
			}
			if of, ok := fn.Recv.List[0].Type.(*ast.Ident); ok && of.IsExported() {
				want = append(want, file.Name.Name+"."+of.Name)
			}
		}
	}
	slices.Sort(want)
	var got []string
	for _, l := range All() {
		got = append(got, fmt.Sprintf("%T", l))
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("All in learners.go lacks %s; docs/architecture.md, \"Adding a method\", says what else lists it", name)
		}
	}
	if !t.Failed() && !slices.Equal(got, want) {
		t.Errorf("All has\n%v; want the order\n%v", got, want)
	}
}
