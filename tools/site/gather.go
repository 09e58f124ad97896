package main

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const repository = "https://github.com/obliqua-ml/obliqua"

// A site is the sources of the site, by their path in it, and where each comes from.
type site struct {
	root      fs.FS // the repository
	folder    string
	pages     map[string]string  // path in the repository, of a file or a package, to path in the site
	files     map[string]bool    // files in the repository that pages may show or offer
	notebooks map[string]exhibit // by path in the repository
	runs      map[string]string  // notebooks that JupyterLite runs: path in the repository to path in JupyterLite
	bare      bool               // notebooks have no outputs, and Jupyter's anchors
}

// elsewhere has the notebooks that JupyterLite doesn't run, and why.
var elsewhere = map[string]string{
	"notebooks/cluster.ipynb":    "starts other programs",
	"notebooks/playground.ipynb": "has Go's tools build a page",
	"notebooks/serving.ipynb":    "sends requests to a server",
}

// runnable returns the notebooks that JupyterLite runs.
func (s *site) runnable() map[string]string {
	runs := map[string]string{}
	for _, p := range s.glob(notebookPatterns...) {
		if elsewhere[p] == "" {
			runs[p] = strings.TrimPrefix(p, "notebooks/")
		}
	}
	return runs
}

var notebookPatterns = []string{"notebooks/*.ipynb", "notebooks/lessons/*.ipynb", "notebooks/lessons/solutions/*.ipynb"}

// lite writes the notebooks that JupyterLite runs into folder, without outputs. Links to what JupyterLite doesn't have
// lead to the repository on GitHub.
func lite(root, folder string) error {
	s := &site{root: os.DirFS(root), folder: folder, notebooks: map[string]exhibit{}, bare: true}
	s.pages = s.runnable()
	for from := range s.pages {
		if err := s.page(from); err != nil {
			return err
		}
	}
	return nil
}

// gather writes the sources of the site of the repository at root into folder.
func gather(root, folder string) error {
	s := &site{root: os.DirFS(root), folder: folder, files: map[string]bool{}, notebooks: map[string]exhibit{},
		pages: map[string]string{"README.md": "index.md", "CHANGELOG.md": "CHANGELOG.md"}}
	s.runs = s.runnable()
	notebooks, err := s.list()
	if err != nil {
		return err
	}
	for _, from := range slices.Sorted(maps.Keys(s.pages)) {
		if err := s.page(from); err != nil {
			return err
		}
	}
	for file := range s.files {
		if err := s.copy(file, file); err != nil {
			return err
		}
	}
	if err := s.copy("tools/site/playground.md", "playground.md"); err != nil {
		return err
	}
	if err := s.packages(); err != nil {
		return err
	}
	return s.gallery(notebooks)
}

// packages writes the page that lists the packages, each with the first sentence of its
// documentation.
func (s *site) packages() error {
	var list, contents strings.Builder
	list.WriteString("# Packages\n\nEvery package, and what it is for.\n\n| package | |\n| --- | --- |\n")
	contents.WriteString("\n```{toctree}\n:hidden:\n\n")
	for _, name := range slices.Sorted(maps.Keys(s.pages)) {
		page, ok := strings.CutPrefix(s.pages[name], "api/")
		if !ok {
			continue
		}
		b, err := os.ReadFile(filepath.Join(s.folder, "api", page))
		if err != nil {
			return err
		}
		about := firstSentence.FindStringSubmatch(string(b))
		if about == nil {
			return fmt.Errorf("site: %s has no sentence that begins with Package", s.pages[name])
		}
		sentence := strings.Join(strings.Fields(about[1]), " ")
		fmt.Fprintf(&list, "| [%s](%s) | %s |\n", name, page, strings.ReplaceAll(sentence, "(<#", "(<"+page+"#"))
		fmt.Fprintf(&contents, "%s <%s>\n", name, strings.TrimSuffix(page, ".md"))
	}
	contents.WriteString("```\n")
	return s.write("api/index.md", []byte(list.String()+contents.String()))
}

// firstSentence matches the first sentence of a package's documentation.
var firstSentence = regexp.MustCompile(`(?m)^Package \S+ ([^.]*(?:\.\S[^.]*)*\.)(?:\s|$)`)

// list finds what the site is made of, and returns the paths of the notebooks.
func (s *site) list() (notebooks []string, err error) {
	notebooks = s.glob(notebookPatterns...)
	for _, p := range append(s.glob("docs/*.md", "docs/results/*.md"), notebooks...) {
		s.pages[p] = p
	}
	for _, p := range s.glob("docs/*.png", "docs/results/*") {
		if s.pages[p] == "" {
			s.files[p] = true
		}
	}
	// gomarkdoc has written a file a package, under the package's path.
	api := filepath.Join(s.folder, "api")
	err = fs.WalkDir(os.DirFS(api), ".", func(p string, d fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(p, ".md"); ok && p != "index.md" {
			s.pages[name] = "api/" + p
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("site: %s has no documentation of packages; run gomarkdoc first", api)
	}
	return notebooks, err
}

// glob returns the files of the repository that match a pattern.
func (s *site) glob(patterns ...string) (files []string) {
	for _, pattern := range patterns {
		found, _ := fs.Glob(s.root, pattern) // an error is one of the pattern
		files = append(files, found...)
	}
	return files
}

// page writes one page, with the links that its place in the site needs.
func (s *site) page(from string) error {
	to := s.pages[from]
	if strings.HasPrefix(to, "api/") {
		return s.packagePage(from)
	}
	b, err := fs.ReadFile(s.root, from)
	if err != nil {
		return err
	}
	if path.Ext(from) == ".ipynb" {
		if b, err = s.notebook(from, b); err != nil {
			return err
		}
		return s.write(to, b)
	}
	text, err := s.relink(from, string(b))
	if err != nil {
		return err
	}
	if from == "README.md" {
		contents, err := fs.ReadFile(s.root, "tools/site/contents.md")
		if err != nil {
			return err
		}
		// The site has the playground itself.
		text = strings.ReplaceAll(text, "(notebooks/playground.ipynb)", "(playground.md)") + string(contents)
	}
	return s.write(to, []byte(text))
}

// packagePage adds links between packages to what gomarkdoc wrote: it leaves [forest.Learner]
// in the documentation of another package as text.
func (s *site) packagePage(name string) error {
	file := filepath.Join(s.folder, s.pages[name])
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := otherPackage.ReplaceAllStringFunc(string(b), func(m string) string {
		parts := otherPackage.FindStringSubmatch(m)
		for to, page := range s.pages {
			if strings.HasPrefix(page, "api/") && path.Base(to) == parts[1] {
				link := between(s.pages[name], page)
				// Of constants and errors that are declared together only the first has an anchor.
				other, _ := os.ReadFile(filepath.Join(s.folder, page))
				if strings.Contains(string(other), `<a name="`+parts[2]+`">`) {
					link += "#" + parts[2]
				}
				return fmt.Sprintf("[%s.%s](<%s>)", parts[1], parts[2], link)
			}
		}
		return m
	})
	return os.WriteFile(file, []byte(text), 0o666)
}

// between returns the link from one page to another.
func between(from, to string) string {
	rel, err := filepath.Rel(path.Dir(from), to)
	if err != nil {
		panic("site: " + err.Error()) // one is a full path
	}
	return filepath.ToSlash(rel)
}

var otherPackage = regexp.MustCompile(`\\\[([a-z0-9]+)\.([A-Z]\w*(?:\.\w+)?)\\\]`)

func (s *site) write(to string, b []byte) error {
	file := filepath.Join(s.folder, to)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o666)
}

// copy copies a file of the repository.
func (s *site) copy(from, to string) error {
	b, err := fs.ReadFile(s.root, from)
	if err != nil {
		return err
	}
	return s.write(to, b)
}

// notebook returns the notebook with its links relinked and, as the alternative text of its
// pictures, their titles. It notes the pictures for the gallery.
func (s *site) notebook(from string, b []byte) ([]byte, error) {
	var nb map[string]any
	if err := json.Unmarshal(b, &nb); err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	var exhibit exhibit
	anchor, anchors := "", map[string]bool{}
	cells, _ := nb["cells"].([]any)
	for i, c := range cells {
		cell, _ := c.(map[string]any)
		if cell["cell_type"] == "markdown" {
			source := joined(cell["source"])
			for _, h := range headings(source) {
				exhibit.title = cmp.Or(exhibit.title, h)
				anchor = unique(slug(h), anchors)
			}
			text, err := s.relink(from, source)
			if err != nil {
				return nil, err
			}
			if i == 0 && !s.bare {
				title, rest, _ := strings.Cut(text, "\n")
				text = title + "\n\n" + s.howToRun(from) + "\n" + rest
			}
			cell["source"] = text
			continue
		}
		if s.bare {
			cell["outputs"], cell["execution_count"] = []any{}, nil
		}
		var titles []string
		for _, data := range pictures(cell) {
			png, err := base64.StdEncoding.DecodeString(joined(data["image/png"]))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", from, err)
			}
			title, about, _ := strings.Cut(joined(data["text/plain"]), "\n")
			titles = append(titles, title)
			exhibit.figures = append(exhibit.figures, figure{title, about, anchor, png})
		}
		if metadata, _ := cell["metadata"].(map[string]any); titles != nil && metadata != nil {
			metadata["mystnb"] = map[string]any{"image": map[string]any{"alt": strings.Join(titles, "; ")}}
		}
	}
	s.notebooks[from] = exhibit
	return json.Marshal(nb)
}

// howToRun returns a paragraph with the link that opens a notebook in JupyterLite, or that says why there is none.
func (s *site) howToRun(notebook string) string {
	if why := elsewhere[notebook]; why != "" {
		return "<p>This page doesn't run in a browser, because it " + why +
			". It runs on a computer: <code>make lab</code>.</p>\n"
	}
	return fmt.Sprintf(runLink, between(s.pages[notebook], "lite/notebooks/index.html"), s.runs[notebook])
}

// runLink takes what opens the notebook in JupyterLite.
const runLink = `<p><a class="run" href="%s?path=%s">Run this page</a>
Nothing is installed: Go's compiler and the packages of the cells, 41 MB, are loaded into the browser, once.
▶ at the top, or Shift-Enter, runs a cell.
A cell can read what the browser keeps for this site, so run only notebooks that you trust.</p>
`

// joined returns a text that a notebook stores as a string or as a list of lines.
func joined(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b strings.Builder
	lines, _ := v.([]any)
	for _, line := range lines {
		s, _ := line.(string)
		b.WriteString(s)
	}
	return b.String()
}

// pictures returns the displays of a code cell that hold a PNG.
func pictures(cell map[string]any) []map[string]any {
	var found []map[string]any
	outputs, _ := cell["outputs"].([]any)
	for _, o := range outputs {
		output, _ := o.(map[string]any)
		data, _ := output["data"].(map[string]any)
		if data["image/png"] != nil {
			found = append(found, data)
		}
	}
	return found
}

// linkOrCode matches what must not be searched for links, code in a line, or a link's target.
var linkOrCode = regexp.MustCompile("`[^`]*`|\\]\\(([^)\\s]+)\\)")

// relink returns Markdown in which links of a file in the repository lead to pages of the site
// or, where the site doesn't have them, to the repository on GitHub. It returns an error for
// links to what doesn't exist.
func (s *site) relink(from, text string) (string, error) {
	var errs []error
	fenced := false
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		// A link's text may be code, so code is left alone only where no link follows it.
		lines[i] = linkOrCode.ReplaceAllStringFunc(line, func(m string) string {
			if m[0] == '`' {
				return m
			}
			target, err := s.target(from, m[2:len(m)-1])
			if err != nil {
				errs = append(errs, err)
			}
			return "](" + target + ")"
		})
	}
	return strings.Join(lines, ""), errors.Join(errs...)
}

// target returns where a link of a file in the repository leads in the site.
func (s *site) target(from, link string) (string, error) {
	file, fragment, _ := strings.Cut(link, "#")
	if file == "" && fragment != "" && path.Ext(from) == ".ipynb" && !s.bare {
		heading, err := url.PathUnescape(fragment)
		return "#" + slug(heading), err // GitHub and Jupyter have other anchors in notebooks
	}
	if file == "" || strings.Contains(file, ":") {
		return link, nil
	}
	if fragment != "" {
		fragment = "#" + fragment
	}
	to := path.Join(path.Dir(from), file)
	for _, known := range []string{to, path.Join(to, "README.md")} {
		if page := s.pages[known]; page != "" {
			heading, err := url.PathUnescape(fragment)
			if !s.bare && path.Ext(page) == ".ipynb" && heading != "" && err == nil {
				fragment = "#" + slug(heading)
			}
			return between(s.pages[from], page) + fragment, nil
		}
	}
	if s.files[to] {
		return between(s.pages[from], to) + fragment, nil
	}
	info, err := fs.Stat(s.root, to)
	if err != nil {
		return link, fmt.Errorf("site: %s links to %s, which does not exist", from, link)
	}
	kind := "blob"
	if info.IsDir() {
		kind = "tree"
	}
	return repository + "/" + path.Join(kind, "main", to) + fragment, nil
}
