package rules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// Only these files may decode split numbers and kinds of leaf, so that a new kind is added
// there and nowhere else. Tests are exempt.
var (
	splitFile = filepath.Join("forest", "pool.go")
	leafFile  = filepath.Join("forest", "leaf.go")
)

// Other files may copy a Node's Split, set it, and hand it to a function. They may
// not compare it, calculate with it, index by it, switch over it or convert it, nor
// write a number for it.
func TestSplitNumbersAreDecodedInOneFile(t *testing.T) {
	for _, path := range sources(t) {
		for _, fault := range decodedSplits(t, path, nil) {
			t.Errorf("%s: decodes a split number; ask forest.Pool or forest.Node", fault)
		}
	}
}

// In package forest only leaf.go may tell kinds of leaf apart. Other packages may read the
// kind that forest.Tree.Leaf returns, but not convert it to a node's number.
func TestLeafKindsAreDecodedInOneFile(t *testing.T) {
	for _, path := range sources(t) {
		if strings.HasSuffix(path, leafFile) {
			continue
		}
		inForest := filepath.Dir(path) == filepath.Join(root, "forest")
		files := token.NewFileSet()
		ast.Inspect(parse(t, files, path, nil), func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && inForest && leafKinds[id.Name] {
				t.Errorf("%s: names a kind of leaf; use the functions of leaf.go", files.Position(id.Pos()))
			}
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 && !inForest {
				id, isName := call.Fun.(*ast.Ident)
				kind, isKind := call.Args[0].(*ast.SelectorExpr)
				if isName && isKind && numeric[id.Name] && leafKinds[kind.Sel.Name] {
					t.Errorf("%s: makes a number of a kind of leaf; use forest.ClassLeaf and its like", files.Position(id.Pos()))
				}
			}
			return true
		})
	}
}

var leafKinds = map[string]bool{"LeafClass": true, "LeafDist": true, "LeafValue": true, "LeafLinear": true}

// The rule finds violations, and nothing else.
func TestRuleOfSplitNumbers(t *testing.T) {
	for code, want := range map[string]int{
		"n.Split < p":                         1,
		"_ = n.Split - p":                     1,
		"_ = int(n.Split)":                    1,
		"use[n.Split]++":                      1,
		"switch n.Split { }":                  1,
		"_ = Node{Split: 3}":                  1,
		"_ = Node{Split: int32(p+k)}":         1,
		"n.Split += 2":                        1,
		"n.Split = m.Split":                   0,
		"_ = Node{Split: pool.Add(fn)}":       0,
		"_ = pool.At(n.Split)":                0,
		"_ = strings.Split(a, b)":             0,
		"train, test := fold.Split(d)":        0,
		"for range strings.Split(a, b)[0] {}": 0,
	} {
		if got := len(decodedSplits(t, "code.go", "package x\nfunc f() {\n"+code+"\n}")); got != want {
			t.Errorf("%s: %d faults; want %d", code, got, want)
		}
	}
}

// sources returns the Go files of the repository that aren't tests.
func sources(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != root && strings.HasPrefix(name, ".") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func parse(t *testing.T, files *token.FileSet, path string, source any) *ast.File {
	return must.Value(parser.ParseFile(files, path, source, parser.SkipObjectResolution))
}

// decodedSplits returns the positions in a file that break the rule.
func decodedSplits(t *testing.T, path string, source any) (faults []string) {
	if strings.HasSuffix(path, splitFile) || strings.HasSuffix(path, leafFile) {
		return nil
	}
	files := token.NewFileSet()
	check := func(e ast.Expr) {
		if s, ok := e.(*ast.SelectorExpr); ok && s.Sel.Name == "Split" {
			faults = append(faults, files.Position(s.Pos()).String())
		}
	}
	ast.Inspect(parse(t, files, path, source), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			check(n.X)
			check(n.Y)
		case *ast.IndexExpr:
			check(n.Index)
		case *ast.SwitchStmt:
			check(n.Tag)
		case *ast.IncDecStmt:
			check(n.X)
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				check(n.Lhs[0])
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && len(n.Args) == 1 && numeric[id.Name] {
				check(n.Args[0])
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Split" && written(n.Value) {
				faults = append(faults, files.Position(n.Pos()).String())
			}
		}
		return true
	})
	return faults
}

var numeric = map[string]bool{"int": true, "int32": true, "int64": true, "uint32": true, "uint64": true,
	"float64": true, "string": true}

// written reports whether a value is a literal number or calculated.
func written(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit, *ast.BinaryExpr, *ast.UnaryExpr:
		return true
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return ok && numeric[id.Name]
	}
	return false
}
