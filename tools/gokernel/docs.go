package main

import (
	"cmp"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A symbol is something with a name, as completion and documentation in a page need it: a package, what it exports, or
// a field or method of that.
type symbol struct {
	Kind string `json:"kind"` // of Jupyter's: module, function, class, constant, instance, property
	Text string `json:"text"` // its declaration, on a line
	Doc  string `json:"doc,omitempty"`
	// Type is that of a value or of a function's first result: the path of a package, a dot and a name, after [] for a
	// slice's element, or T for the type of a generic function's first argument.
	Type     string             `json:"type,omitempty"`
	More     []string           `json:"more,omitempty"`     // the types of a function's other results
	Embedded bool               `json:"embedded,omitempty"` // its members are those of what has it, too
	Members  map[string]*symbol `json:"members,omitempty"`
}

// documented returns the symbols of packages, by path: those that cells can import, and the main module's, whose types
// others may show.
func documented(packages []*listed) (map[string]*symbol, error) {
	found, names := map[string]*symbol{}, map[string]string{}
	for _, p := range packages {
		names[p.ImportPath] = p.Name
	}
	for _, p := range packages {
		if !importable(p) && (p.Module == nil || !p.Module.Main) {
			continue
		}
		r := reader{path: p.ImportPath, files: token.NewFileSet(), imports: map[string]string{}}
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(r.files, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			for _, spec := range file.Imports {
				to, _ := strconv.Unquote(spec.Path.Value)
				to = cmp.Or(p.ImportMap[to], to)
				name := names[to]
				if spec.Name != nil {
					name = spec.Name.Name
				}
				r.imports[name] = to
			}
			parsed = append(parsed, file)
		}
		d, err := doc.NewFromFiles(r.files, parsed, p.ImportPath)
		if err != nil {
			return nil, err
		}
		found[p.ImportPath] = r.read(d)
	}
	return found, nil
}

// A reader reads a package.
type reader struct {
	path    string
	files   *token.FileSet
	imports map[string]string // paths by name
	of      *doc.Package
}

func (r *reader) read(d *doc.Package) *symbol {
	r.of = d
	p := &symbol{Kind: "module", Text: "package " + d.Name, Doc: d.Synopsis(d.Doc), Members: map[string]*symbol{}}
	r.values(p, "const", "constant", d.Consts)
	r.values(p, "var", "instance", d.Vars)
	r.functions(p, d.Funcs)
	for _, t := range d.Types {
		spec := t.Decl.Specs[0].(*ast.TypeSpec)
		s := &symbol{Kind: "class", Doc: d.Synopsis(t.Doc), Members: map[string]*symbol{}}
		s.Text = "type " + t.Name
		switch e := spec.Type.(type) {
		case *ast.StructType:
			s.Text += " struct"
			r.fields(s, e.Fields, "property")
		case *ast.InterfaceType:
			s.Text += " interface"
			r.fields(s, e.Methods, "function")
		default:
			s.Text = "type " + r.line(spec)
			if spec.Assign.IsValid() {
				s.Type = r.typeOf(e, nil)
			}
		}
		r.functions(s, t.Methods)
		p.Members[t.Name] = s
		r.values(p, "const", "constant", t.Consts)
		r.values(p, "var", "instance", t.Vars)
		r.functions(p, t.Funcs)
	}
	return p
}

func (r *reader) functions(to *symbol, functions []*doc.Func) {
	for _, f := range functions {
		s := &symbol{Kind: "function", Doc: r.of.Synopsis(f.Doc)}
		s.Text = r.line(&ast.FuncDecl{Recv: f.Decl.Recv, Name: f.Decl.Name, Type: f.Decl.Type})
		s.Type, s.More = r.results(f.Decl.Type)
		to.Members[f.Name] = s
	}
}

func (r *reader) values(to *symbol, keyword, kind string, values []*doc.Value) {
	for _, v := range values {
		for _, spec := range v.Decl.Specs {
			spec := spec.(*ast.ValueSpec)
			said := cmp.Or(spec.Doc.Text(), spec.Comment.Text(), v.Doc)
			for i, name := range spec.Names {
				s := &symbol{Kind: kind, Text: keyword + " " + name.Name, Doc: r.of.Synopsis(said)}
				if spec.Type != nil {
					s.Text += " " + r.line(spec.Type)
					s.Type = r.typeOf(spec.Type, nil)
				}
				if i < len(spec.Values) {
					if literal, ok := spec.Values[i].(*ast.BasicLit); ok {
						s.Text += " = " + literal.Value
					}
				}
				if name.IsExported() {
					to.Members[name.Name] = s
				}
			}
		}
	}
}

// fields adds the fields of a struct or the methods of an interface.
func (r *reader) fields(to *symbol, list *ast.FieldList, kind string) {
	for _, f := range list.List {
		s := symbol{Kind: kind, Text: " " + r.line(f.Type), Type: r.typeOf(f.Type, nil)}
		s.Doc = r.of.Synopsis(cmp.Or(f.Doc.Text(), f.Comment.Text()))
		if method, ok := f.Type.(*ast.FuncType); ok && kind == "function" {
			s.Text = strings.TrimPrefix(s.Text, " func")
			s.Type, s.More = r.results(method)
		}
		for _, name := range f.Names {
			named := s
			named.Text = name.Name + s.Text
			to.Members[name.Name] = &named
		}
		if name := s.Type[strings.LastIndex(s.Type, ".")+1:]; f.Names == nil && name != "" {
			s.Text = s.Text[1:]
			s.Embedded = true
			to.Members[name] = &s
		}
	}
}

// results returns the types of a function's results: the first one's and, if there are more, the others'.
func (r *reader) results(f *ast.FuncType) (first string, more []string) {
	if f.Results == nil {
		return "", nil
	}
	var all []string
	for _, result := range f.Results.List {
		all = append(all, slices.Repeat([]string{r.typeOf(result.Type, f)}, max(1, len(result.Names)))...)
	}
	return all[0], all[1:]
}

// typeOf returns what the name of a type means; see [symbol]. It may be the first argument's of a function.
func (r *reader) typeOf(e ast.Expr, f *ast.FuncType) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return r.typeOf(e.X, f)
	case *ast.IndexExpr:
		return r.typeOf(e.X, f)
	case *ast.ArrayType:
		if element := r.typeOf(e.Elt, nil); element != "" {
			return "[]" + element
		}
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && r.imports[x.Name] != "" {
			return r.imports[x.Name] + "." + e.Sel.Name
		}
	case *ast.Ident:
		if f != nil && f.TypeParams != nil && f.Params.NumFields() > 0 {
			if first, ok := f.Params.List[0].Type.(*ast.Ident); ok && first.Name == e.Name {
				return "T"
			}
		}
		if e.IsExported() {
			return r.path + "." + e.Name
		}
	}
	return ""
}

// line prints a node on a line.
func (r *reader) line(node ast.Node) string {
	var b strings.Builder
	printer.Fprint(&b, r.files, node) // to memory
	return strings.Join(strings.Fields(b.String()), " ")
}
