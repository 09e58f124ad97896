// Command registry writes the files of package public, registry.json and the folder embedded, from the project's data
// folder. There, sources.json has the origin of each set and how to read its original files, INDEX.csv has counts, and
// the folder csv has the cells. A few sets that sources.json hasn't are in more.go.
//
//	OBLIQUA_DATA=folder go generate ./datasets/public
package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

// A from is an entry of sources.json.
type from struct {
	Name, Title, Task              string
	N, P, Classes                  int
	Papers                         []string
	Files                          []file
	Compression, Format, Delimiter string
	HeaderLines                    int `json:"header_lines"`
	Comment                        string
	Columns                        []string
	Target                         struct{ Index *int }
	Dropped                        []struct{ Index int }
	Categorical                    []int
	Missing                        []string
	Ops                            []json.RawMessage
	Licence, Note                  string
}

// A to is an entry of registry.json, which datasets/public/registry.go reads.
type to struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Task        string   `json:"task"`
	N           int      `json:"n"`
	P           int      `json:"p"`
	Classes     int      `json:"classes,omitempty"`
	Categorical int      `json:"categorical,omitempty"`
	Missing     int      `json:"missing,omitempty"`
	Papers      []string `json:"papers,omitempty"`
	Licence     string   `json:"licence"`
	Cite        string   `json:"cite,omitempty"`
	Note        string   `json:"note,omitempty"`
	CellsOf     string   `json:"cellsOf,omitempty"`
	Files       []file   `json:"files"`
	Recipe      recipe   `json:"recipe"`
}

type file struct {
	Repo   string `json:"repo"`
	Commit string `json:"commit"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

type recipe struct {
	Gzip        bool              `json:"gzip,omitempty"`
	Format      string            `json:"format"`
	Delimiter   string            `json:"delimiter,omitempty"`
	Header      int               `json:"header,omitempty"`
	Comment     string            `json:"comment,omitempty"`
	Columns     []string          `json:"columns,omitempty"`
	Target      int               `json:"target"`
	Drop        []int             `json:"drop,omitempty"`
	Categorical []int             `json:"categorical,omitempty"`
	Missing     []string          `json:"missing,omitempty"`
	Ops         []json.RawMessage `json:"ops,omitempty"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 || os.Getenv("OBLIQUA_DATA") == "" {
		log.Fatal("usage: OBLIQUA_DATA=folder registry datasets/public")
	}
	if err := write(os.Args[1], os.Getenv("OBLIQUA_DATA")); err != nil {
		log.Fatal(err)
	}
}

// write writes the files of package public into folder, from the data folder dir.
func write(folder, dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, "sources.json"))
	if err != nil {
		return err
	}
	var sources []from
	if err := json.Unmarshal(b, &sources); err != nil {
		return fmt.Errorf("sources.json: %w", err)
	}
	counts, err := index(filepath.Join(dir, "INDEX.csv"))
	if err != nil {
		return err
	}
	var out bytes.Buffer // a line a set
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	var sets []to
	for _, s := range sources {
		sets = append(sets, convert(s, counts[s.Name]))
	}
	if sets, err = withMore(sets); err != nil {
		return err
	}
	for _, s := range sets {
		if err := enc.Encode(s); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "registry.json"), out.Bytes(), 0o644); err != nil {
		return err
	}
	return writeEmbedded(filepath.Join(folder, "embedded"), dir, counts)
}

// A count holds what only INDEX.csv says of a set. A set that isn't in it has neither
// categories nor missing cells (the tests of public check that).
type count struct {
	categorical, missing int
	sha256               string // of the canonical CSV
}

func index(path string) (map[string]count, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	at := map[string]int{}
	for j, name := range rows[0] {
		at[name] = j
	}
	counts := map[string]count{}
	for i, r := range rows[1:] {
		c := count{sha256: r[at["sha256"]]}
		numbers := r[at["p_cat"]] + " " + r[at["n_missing"]]
		if _, err := fmt.Sscan(numbers, &c.categorical, &c.missing); err != nil {
			return nil, fmt.Errorf("%s: row %d: p_cat and n_missing are %q; want integers", path, i+2, numbers)
		}
		counts[r[at["name"]]] = c
	}
	return counts, nil
}

func convert(s from, c count) to {
	t := to{
		Name: s.Name, Title: s.Title, Task: s.Task, N: s.N, P: s.P, Classes: s.Classes,
		Categorical: c.categorical, Missing: c.missing,
		Papers: s.Papers, Licence: s.Licence, Note: s.Note, Files: s.Files,
		Recipe: recipe{
			Gzip: s.Compression == "gzip", Format: s.Format, Header: s.HeaderLines, Comment: s.Comment,
			Columns: s.Columns, Target: -1, Categorical: s.Categorical, Missing: s.Missing, Ops: s.Ops,
		},
	}
	if s.Target.Index != nil {
		t.Recipe.Target = *s.Target.Index
	}
	if s.Format != "whitespace" && s.Format != "arff" {
		t.Recipe.Delimiter = s.Delimiter
	}
	for _, d := range s.Dropped {
		t.Recipe.Drop = append(t.Recipe.Drop, d.Index)
	}
	for _, e := range embeddedSets {
		if e.name == s.Name {
			t.Cite, t.Licence = e.cite(), embeddedLicence
		}
	}
	return t
}
