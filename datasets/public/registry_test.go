package public

import (
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

func TestList(t *testing.T) {
	list := List()
	if !slices.IsSortedFunc(list, func(a, b Info) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("not sorted")
	}
	for i, s := range list {
		if i > 0 && s.Name == list[i-1].Name {
			t.Errorf("%s twice", s.Name)
		}
		about := s.Title
		if s.Embedded { // and cited as the archive asks for
			about = "UCI Machine Learning Repository. https://doi.org/10.24432/C5"
		}
		if s.Title == "" || s.Licence == "" || !strings.Contains(s.Citation, about) ||
			!strings.Contains(s.Citation, s.Licence) {
			t.Errorf("%s: title %q, licence %q, citation %q", s.Name, s.Title, s.Licence, s.Citation)
		}
		regression := s.Task == "regression" && s.Classes == 0
		classification := s.Task == "classification" && s.Classes >= 2
		if regression == classification || s.N < 2 || s.P < 1 || s.Categorical > s.P || s.Missing >= s.N*s.P {
			t.Errorf("%s: %+v", s.Name, s)
		}
		if len(s.Files) == 0 {
			t.Errorf("%s has no files", s.Name)
		}
		for _, f := range s.Files {
			u, err := url.Parse(f.URL)
			if err != nil || u.Scheme != "https" || u.String() != f.URL || strings.ContainsAny(f.URL, " \t") {
				t.Errorf("%s: URL %q, %v", s.Name, f.URL, err)
			}
			if sum, err := hex.DecodeString(f.SHA256); err != nil || len(sum) != 32 || f.Bytes <= 0 {
				t.Errorf("%s: %+v", s.Name, f)
			}
		}
	}
	list[0].Files[0].URL = "changed"
	if List()[0].Files[0].URL == "changed" {
		t.Error("callers of List share its files")
	}
}

// The places that recipes name exist.
func TestRegistryRecipes(t *testing.T) {
	for _, s := range registry() {
		width := len(s.Recipe.Columns)
		places := slices.Concat(s.Recipe.Drop, s.Recipe.Categorical)
		for _, m := range s.Recipe.Merged {
			places = append(places, m.Into)
			for _, rule := range m.Rules {
				places = append(places, rule.Nonzero...)
			}
		}
		if !s.isIDX() {
			places = append(places, s.Recipe.Target)
		}
		for _, j := range places {
			if j < 0 || j >= width {
				t.Errorf("%s: column %d of %d", s.Name, j, width)
			}
		}
	}
}

// moreSets are the registered sets that sources.json of the data folder hasn't.
var moreSets = []string{"abalone-rings", "ailerons", "mnist", "mnist_full", "mnist_test"}

// The registry holds what the sources it was made from say.
func TestRegistrySources(t *testing.T) {
	b := must.Value(os.ReadFile(filepath.Join(readtest.DataDir(t), "sources.json")))
	type entry struct {
		Name, Title, Task string
		N, P, Classes     int
		Files             []sourceFile
	}
	var list []entry
	must.Do(json.Unmarshal(b, &list))
	sources := map[string]entry{}
	for _, s := range list {
		sources[s.Name] = s
	}
	for _, s := range registry() {
		if slices.Contains(moreSets, s.Name) {
			continue
		}
		got := entry{s.Name, s.Title, s.Task, s.N, s.P, s.Classes, s.Files}
		if want := sources[s.Name]; !reflect.DeepEqual(got, want) {
			t.Errorf("%+v; want %+v", got, want)
		}
	}
}
