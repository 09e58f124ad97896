package rules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inexact matches functions of package math, and methods of math/rand's generators, whose last bits depend on the
// processor.
var inexact = regexp.MustCompile(`^(Acosh?|Asinh?|Atan[2h]?|Cbrt|Cosh?|Erf(c|inv|cinv)?|Exp(2|m1)?|L?[Gg]amma|Hypot|` +
	`[JY][01n]|Log(10|1p|2)?|Pow|Sin(h|cos)?|Tanh?|NormFloat64|ExpFloat64)$`)

// notInModels matches packages from which no part of a model comes but by exact functions.
var notInModels = regexp.MustCompile(`^forest/(eval|inspect)/`)

// harmless are uses that no model depends on.
var harmless = map[string]string{
	"forest/shap/quadrature.go Cos":    "where an iteration begins",
	"forest/internal/grow/axes.go Pow": "rounded to a number of features",
}

// Models are the same bytes on every processor, so what fits them uses internal/portable.
func TestModelsArePortable(t *testing.T) {
	used := map[string]bool{}
	for _, top := range []string{"forest", "datasets"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			name = filepath.ToSlash(name)
			if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || notInModels.MatchString(name) {
				return nil
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			for _, spec := range file.Imports {
				if strings.HasPrefix(spec.Path.Value, `"gonum.org/`) {
					t.Errorf("%s imports %s, whose sums depend on the processor; see forest/internal/dense", name, spec.Path.Value)
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				use, _ := n.(*ast.SelectorExpr)
				if use == nil || !inexact.MatchString(use.Sel.Name) {
					return true
				}
				if of, _ := use.X.(*ast.Ident); strings.HasSuffix(use.Sel.Name, "Float64") || of != nil && of.Name == "math" {
					used[name+" "+use.Sel.Name] = true
					if harmless[name+" "+use.Sel.Name] == "" {
						t.Errorf("%s: the last bits of %s depend on the processor; see internal/portable",
							set.Position(n.Pos()), use.Sel.Name)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for what := range harmless {
		if !used[what] {
			t.Errorf("%s isn't used any more", what)
		}
	}
}
