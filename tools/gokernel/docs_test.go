package main

import (
	"go/importer"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestSymbols compares the symbols of packages with what the type checker finds in them.
func TestSymbols(t *testing.T) {
	packages, err := list("-deps", "net/url", "../../notebooks/nb", "../../forest/grow")
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := documented(packages)
	if err != nil {
		t.Fatal(err)
	}
	source := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for _, path := range []string{"net/url", "io", "strings", "errors"} {
		checked, err := source.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][]string{}
		for _, name := range checked.Scope().Names() {
			object := checked.Scope().Lookup(name)
			if !object.Exported() {
				continue
			}
			want[name] = nil
			if _, ok := object.(*types.TypeName); ok {
				want[name] = members(object.Type().(*types.Named))
			}
		}
		got := map[string][]string{}
		for name, s := range symbols[path].Members {
			got[name] = slices.Sorted(maps.Keys(s.Members))
		}
		if !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	const module = "github.com/obliqua-ml/obliqua/"
	nb := symbols[module+"notebooks/nb"].Members
	for _, c := range []struct{ got, want string }{
		{nb["Fit"].Text, "func Fit(learner forest.Learner, train *datasets.Dataset) *forest.Forest"},
		{nb["Fit"].Type, module + "forest.Forest"},
		{nb["Value"].Type, "T"},
		{nb["Must"].Type, ""},
		{strings.Join(nb["Split"].More, " "), module + "datasets.Dataset"},
		{symbols["strings"].Members["Clone"].Doc, "Clone returns a fresh copy of s."},
		{symbols["net/url"].Members["User"].Type, "net/url.Userinfo"},
		{symbols["net/url"].Members["URL"].Members["User"].Text, "User *Userinfo"},
		{symbols["io"].Members["Writer"].Members["Write"].Text, "Write(p []byte) (n int, err error)"},
		{symbols["io"].Members["SeekStart"].Text, "const SeekStart = 0"},
		{symbols["io"].Members["SeekStart"].Doc, "seek relative to the origin of the file"},
		{symbols[module+"forest/grow"].Members["Node"].Type, module + "forest/internal/grow.Node"},
		{symbols["io"].Members["ReadWriter"].Members["Reader"].Type, "io.Reader"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	for path := range symbols {
		if strings.HasPrefix(path, "internal/") {
			t.Errorf("%s can't be imported, and no cell sees its types", path)
		}
	}
}

// members returns the names that a type offers: methods, fields and what an interface embeds.
func members(t *types.Named) []string {
	names := map[string]bool{}
	for m := range t.Methods() {
		names[m.Name()] = m.Exported()
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			names[f.Name()] = f.Exported()
		}
	case *types.Interface:
		for m := range u.ExplicitMethods() {
			names[m.Name()] = m.Exported()
		}
		for e := range u.EmbeddedTypes() {
			if named, ok := e.(*types.Named); ok {
				names[named.Obj().Name()] = true
			}
		}
	}
	maps.DeleteFunc(names, func(_ string, exported bool) bool { return !exported })
	return slices.Sorted(maps.Keys(names))
}
