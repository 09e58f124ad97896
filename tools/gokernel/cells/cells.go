// Package cells makes programs of the cells of a notebook, as the Go kernel GoNB does.
//
// What a cell declares stays, by name, for the cells after it; a new declaration of a name
// takes the place of the old one. The function main doesn't stay, and neither does what
// follows the line %% and becomes its body. Functions whose names begin with init_ become
// functions init. Packages that a cell uses are imported, and those that it imports and
// doesn't use are not.
//
// Every declaration begins with a comment of the form /*line Cell[3]:2:1*/, so the
// compiler's errors and the traces of panics name a cell, its line and its column.
package cells

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// A Session is what the cells that ran have left behind. Its zero value is a new notebook.
// It can be kept as JSON.
type Session struct {
	Imports      []Import
	Declarations []Declaration
	Cells        map[int]string    // their sources, for errors to quote from
	Env          map[string]string // variables that %env has set
}

// An Import is one that a cell has spelt out.
type Import struct {
	Name string // what stands for the package; or _ or .
	Path string
	Text string
}

// A Declaration is the text of a function, of a type, of variables that are set together,
// or of constants that are counted together. It is cut at the names that it declares:
// Parts[0], Names[0], Parts[1], and so on.
type Declaration struct {
	Names []string // a method's is that of its type, ~ and its own
	Parts []string
}

// A Package can be imported by cells.
type Package struct{ Path, Name string }

// A Program is what a cell becomes. One without a source has nothing to compile.
type Program struct {
	Source  string
	Imports []string // paths
	Args    []string
	Stdout  string // what the cell's commands print
	Stderr  string
}

// Add adds a cell, and returns the program that its execution runs. Of packages with the same
// name, the first is meant. After an error, or if the program doesn't compile, the session
// before is the one to go on with. An error in the cell's text is an [Errors].
func (s *Session) Add(id int, source string, packages []Package) (*Program, error) {
	if s.Cells == nil {
		s.Cells, s.Env = map[int]string{}, map[string]string{}
	}
	s.Cells[id] = source
	p := &Program{}
	code, err := s.commands(p, source)
	if err != nil || strings.TrimSpace(code) == "" {
		return p, err
	}
	// The package clause takes a line, so a cell's first line is the second.
	code = "package main\n" + code
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", code, parser.ParseComments|parser.SkipObjectResolution)
	if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
		found := s.errors()
		for i, e := range list {
			if i > 0 && e.Pos.Line-1 > strings.Count(source, "\n")+1 {
				break // what comes of the brace that ends main
			}
			found.add(id, e.Pos.Line-1, e.Pos.Column, e.Msg)
		}
		return nil, found
	}
	main := "func main() { flag.Parse() }"
	offset := func(p token.Pos) int { return files.PositionFor(p, false).Offset }
	cut := func(keyword string, node ast.Node, names ...*ast.Ident) Declaration {
		at := files.PositionFor(node.Pos(), false)
		d := Declaration{}
		part, from := fmt.Sprintf("%s/*line Cell[%d]:%d:%d*/", keyword, id, at.Line-1, at.Column), at.Offset
		for _, name := range names {
			d.Names = append(d.Names, name.Name)
			d.Parts = append(d.Parts, part+code[from:offset(name.Pos())])
			part, from = "", offset(name.End())
		}
		d.Parts = append(d.Parts, part+code[from:offset(node.End())])
		return d
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			function := cut("", d, d.Name)
			if d.Recv != nil && len(d.Recv.List) > 0 {
				function.Names[0] = receiver(d.Recv.List[0].Type) + "~" + d.Name.Name
			} else if d.Name.Name == "main" {
				main = function.text()
				continue
			}
			s.declare(function)
		case *ast.GenDecl:
			if d.Tok == token.CONST {
				var names []*ast.Ident
				for _, spec := range d.Specs {
					names = append(names, spec.(*ast.ValueSpec).Names...)
				}
				s.declare(cut("", d, names...))
				continue
			}
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ImportSpec:
					s.importing(spec, cut("import ", spec).text(), packages)
				case *ast.TypeSpec:
					s.declare(cut("type ", spec, spec.Name))
				case *ast.ValueSpec:
					s.declare(cut("var ", spec, spec.Names...))
				}
			}
		}
	}
	return p, s.compose(p, main, packages)
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	for {
		switch t := e.(type) {
		case *ast.StarExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		case *ast.Ident:
			return t.Name
		default:
			return "?" // the compiler will say what is wrong
		}
	}
}

// declare adds a declaration. Its names are blank in older ones; those that lose all of theirs go.
func (s *Session) declare(d Declaration) {
	s.forget(d.Names...)
	s.Declarations = append(s.Declarations, d)
	slices.SortStableFunc(s.Declarations, func(a, b Declaration) int { return slices.Compare(a.Names, b.Names) })
}

func (s *Session) forget(names ...string) (found bool) {
	s.Declarations = slices.DeleteFunc(s.Declarations, func(old Declaration) bool {
		changed, left := false, false
		for i, name := range old.Names {
			if name != "_" && slices.Contains(names, name) {
				old.Names[i] = "_"
				changed = true
			}
			left = left || old.Names[i] != "_"
		}
		found = found || changed
		return changed && !left
	})
	return found
}

func (d Declaration) text() string {
	var b strings.Builder
	for i, part := range d.Parts {
		b.WriteString(part)
		if i == len(d.Names) {
			break
		}
		_, name, isMethod := strings.Cut(d.Names[i], "~")
		switch {
		case isMethod:
			b.WriteString(name)
		case strings.HasPrefix(d.Names[i], "init_"):
			b.WriteString("init")
		default:
			b.WriteString(d.Names[i])
		}
	}
	return b.String() + "\n"
}

func (s *Session) importing(spec *ast.ImportSpec, text string, packages []Package) {
	added := Import{Path: strings.Trim(spec.Path.Value, "`\""), Text: text}
	if spec.Name != nil {
		added.Name = spec.Name.Name
	} else if i := slices.IndexFunc(packages, func(p Package) bool { return p.Path == added.Path }); i >= 0 {
		added.Name = packages[i].Name
	} else {
		added.Name = path.Base(added.Path)
	}
	s.Imports = slices.DeleteFunc(s.Imports, func(old Import) bool {
		return old.Name == added.Name && (old.Path == added.Path || added.Name != "_" && added.Name != ".")
	})
	s.Imports = append(s.Imports, added)
	slices.SortFunc(s.Imports, func(a, b Import) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path))
	})
}

// compose writes the program.
func (s *Session) compose(p *Program, main string, packages []Package) error {
	var body strings.Builder
	for _, d := range s.Declarations {
		body.WriteString(d.text())
	}
	body.WriteString(main)
	used, err := selected(body.String())
	if err != nil {
		return err
	}
	var imports strings.Builder
	missing := s.errors()
	for _, i := range s.Imports {
		if i.Name != "_" && i.Name != "." && !used[i.Name] {
			continue
		}
		delete(used, i.Name)
		imports.WriteString(i.Text)
		p.Imports = append(p.Imports, i.Path)
		if !slices.ContainsFunc(packages, func(p Package) bool { return p.Path == i.Path }) {
			missing.parse(fmt.Sprintf("%s: package %s is not among those of this page",
				i.Text[strings.Index(i.Text, "Cell["):strings.Index(i.Text, "*/")], i.Path))
		}
	}
	if len(missing.found) > 0 {
		return missing
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if i := slices.IndexFunc(packages, func(p Package) bool { return p.Name == name }); i >= 0 {
			fmt.Fprintf(&imports, "import %q\n", packages[i].Path)
			p.Imports = append(p.Imports, packages[i].Path)
		}
	}
	p.Source = "package main\n" + imports.String() + body.String() + "\n"
	return nil
}

// selected returns the names before a dot that nothing in the program's body declares.
func selected(body string) (map[string]bool, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+body, 0)
	if err != nil && file == nil {
		return nil, err
	}
	unresolved := map[*ast.Ident]bool{}
	for _, name := range file.Unresolved {
		unresolved[name] = true
	}
	found := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok && unresolved[x] {
				found[x.Name] = true
			}
		}
		return true
	})
	return found, nil
}
