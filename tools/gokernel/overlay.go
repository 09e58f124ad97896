package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// overlay writes to a folder what the go command needs to build Go's compiler and linker for WebAssembly alone: most of
// them is for other processors. It returns the file for the flag -overlay. The files are those where the others are
// chosen, by a switch or in a map of their names, whose cases and entries are left out.
func overlay(goroot, folder string) (string, error) {
	replaced := map[string]string{}
	for i, name := range []string{"compile/main.go", "compile/internal/ssa/config.go", "link/main.go"} {
		name = filepath.Join(goroot, "src", "cmd", name)
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		leaveOut(file)
		replaced[name] = filepath.Join(folder, strconv.Itoa(i)+".go")
		to, err := os.Create(replaced[name])
		if err != nil {
			return "", err
		}
		if err := printer.Fprint(to, files, file); err != nil {
			return "", err
		}
		if err := to.Close(); err != nil {
			return "", err
		}
	}
	b, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	name := filepath.Join(folder, "overlay.json")
	return name, os.WriteFile(name, b, 0o666)
}

var others = strings.Fields("386 amd64 arm arm64 loong64 mips mipsle mips64 mips64le ppc64 ppc64le riscv64 s390x")

// leaveOut removes from a file what switches and maps have for other processors than wasm, and the imports that nothing
// needs then. Switches without a case for wasm stay as they are.
func leaveOut(file *ast.File) {
	isOther := func(e ast.Expr) bool {
		literal, ok := e.(*ast.BasicLit)
		return ok && slices.Contains(others, strings.Trim(literal.Value, `"`))
	}
	isWasm := func(s ast.Stmt) bool {
		return slices.ContainsFunc(s.(*ast.CaseClause).List, func(e ast.Expr) bool {
			literal, ok := e.(*ast.BasicLit)
			return ok && literal.Value == `"wasm"`
		})
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			n.Elts = slices.DeleteFunc(n.Elts, func(e ast.Expr) bool {
				entry, ok := e.(*ast.KeyValueExpr)
				return ok && isOther(entry.Key)
			})
		case *ast.SwitchStmt:
			if !slices.ContainsFunc(n.Body.List, isWasm) {
				break
			}
			n.Body.List = slices.DeleteFunc(n.Body.List, func(s ast.Stmt) bool {
				list := s.(*ast.CaseClause).List
				return list != nil && !slices.ContainsFunc(list, func(e ast.Expr) bool { return !isOther(e) })
			})
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	for _, d := range file.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			d.Specs = slices.DeleteFunc(d.Specs, func(s ast.Spec) bool {
				name, _ := strconv.Unquote(s.(*ast.ImportSpec).Path.Value)
				return !used[path.Base(name)]
			})
		}
	}
}
