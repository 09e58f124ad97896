package public

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// An Info describes a registered public data set.
type Info struct {
	Name  string // that [Load] takes
	Title string

	Task        string // "classification" or "regression"
	N           int    // rows
	P           int    // features
	Categorical int    // features that are categorical
	Classes     int    // classes; 0 for regression
	Missing     int    // missing cells

	Embedded bool     // the set is part of this package, so [Load] needs no network for it
	Papers   []string // papers that use the set: "sporf", "hrf", "tao", "thesis"
	Licence  string   // as far as it is known
	Citation string   // creators as far as they are known, title, archive, the copy that Load reads, licence
	Note     string   // how the set differs from its description in papers; may be empty

	// The original files, in the order in which they are read, pinned by their checksums.
	Files []struct {
		URL    string
		SHA256 string // of the bytes as downloaded, in hexadecimal
		Bytes  int64
	}
}

// List returns the registered data sets, which are embedded in this package or
// which [Load] can download, sorted by name.
func List() []Info {
	list := make([]Info, len(registry()))
	for i, s := range registry() {
		list[i] = s.info()
	}
	return list
}

// A source is a line of the registry.
type source struct {
	Info           // but for Embedded, Citation and Files
	Cite    string // creators, title, archive and DOI; empty where they aren't known for certain
	CellsOf string // for a regression: the set with the same cells, whose classes are the values; may be empty
	Files   []sourceFile
	Recipe  recipe
}

type sourceFile struct {
	Repo, Commit, Path string
	SHA256             string
	Bytes              int64
}

// The registry is kept by hand, a set a line. Tests compare it with the lists and tables of the project's data folder.
//
//go:embed registry.json
var registryJSON []byte

// registry is parsed on first use, since most programs that import this package
// never use it.
var registry = sync.OnceValue(func() []source {
	var list []source
	for line := range bytes.Lines(registryJSON) {
		var s source
		if err := json.Unmarshal(line, &s); err != nil {
			panic(fmt.Sprintf("datasets: registry line %d: %v", len(list)+1, err))
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b source) int { return strings.Compare(a.Name, b.Name) })
	return list
})

// lookup returns the registered source of that name, or nil.
func lookup(name string) *source {
	list := registry()
	i := slices.IndexFunc(list, func(s source) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &list[i]
}

func (s *source) info() Info {
	i := s.Info
	i.Embedded, i.Citation, i.Papers = s.embedded(), s.citation(), slices.Clone(s.Papers)
	i.Files = slices.Grow(i.Files, len(s.Files))[:len(s.Files)]
	for k, f := range s.Files {
		i.Files[k].URL, i.Files[k].SHA256, i.Files[k].Bytes = publicHost+f.urlPath(), f.SHA256, f.Bytes
	}
	return i
}

// citation includes the creators only if they are known for certain, which they
// aren't for most sets.
func (s *source) citation() string {
	work := cmp.Or(s.Cite, s.Title)
	if s.Cite == "" && strings.HasPrefix(s.Licence, "UCI") {
		work += ". UCI Machine Learning Repository"
	}
	f := s.Files[0]
	return fmt.Sprintf("%s. Copy read: github.com/%s at %.12s. Licence: %s.", work, f.Repo, f.Commit, s.Licence)
}

// publicHost serves the files of public repositories at a given commit.
const publicHost = "https://raw.githubusercontent.com"

func (f sourceFile) urlPath() string {
	u := url.URL{Path: "/" + f.Repo + "/" + f.Commit + "/" + f.Path}
	return u.EscapedPath()
}
