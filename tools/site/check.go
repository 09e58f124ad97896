package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"regexp"

	"golang.org/x/net/html"
)

// A link is what an element of a page refers to.
type link struct {
	page, element, target string
	loads                 bool // the browser fetches it without being asked
}

// check returns an error for every link of the site in folder that leads nowhere, and for
// everything that its pages would fetch from elsewhere.
func check(folder string) error {
	anchors := map[string]map[string]bool{} // by page
	var links []link
	site := os.DirFS(folder)
	err := fs.WalkDir(site, ".", func(page string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(page) != ".html" {
			return err
		}
		found, ids, err := readPage(site, page)
		anchors[page] = ids
		links = append(links, found...)
		return err
	})
	if err != nil {
		return err
	}
	if len(anchors) == 0 {
		return fmt.Errorf("site: there is no page in %s", folder)
	}
	var errs []error
	for _, l := range links {
		if problem := l.problem(site, anchors); problem != "" {
			errs = append(errs, fmt.Errorf("%s: <%s> %s: %s", l.page, l.element, l.target, problem))
		}
	}
	if len(errs) == 0 {
		fmt.Printf("%d pages, %d links\n", len(anchors), len(links))
	}
	return errors.Join(errs...)
}

// readPage returns the links and the anchors of a page.
func readPage(site fs.FS, page string) (links []link, ids map[string]bool, err error) {
	f, err := site.Open(page)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	root, err := html.Parse(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", page, err)
	}
	ids = map[string]bool{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		rel := ""
		for _, a := range n.Attr {
			if a.Key == "rel" {
				rel = a.Val
			}
		}
		loads := n.Data == "image" || n.Data == "use" || n.Data == "link" && loaded.MatchString(rel)
		for _, a := range n.Attr {
			switch {
			case a.Key == "id", a.Key == "name" && n.Data == "a":
				ids[a.Val] = true
			case a.Key == "src", a.Key == "data" && n.Data == "object":
				links = append(links, link{page, n.Data, a.Val, true})
			case a.Key == "href":
				links = append(links, link{page, n.Data, a.Val, loads})
			}
		}
	}
	return links, ids, nil
}

// loaded matches what a link element is for if the browser fetches it.
var loaded = regexp.MustCompile(`stylesheet( |$)|icon`)

// problem says what is wrong with a link, or returns "".
func (l link) problem(site fs.FS, anchors map[string]map[string]bool) string {
	u, err := url.Parse(l.target)
	if err != nil {
		return err.Error()
	}
	if u.Scheme != "" || u.Host != "" {
		if l.loads && u.Scheme != "data" && u.Scheme != "blob" {
			return "is fetched from elsewhere"
		}
		return ""
	}
	to := l.page
	if u.Path != "" {
		to = path.Join(path.Dir(l.page), u.Path)
		info, err := fs.Stat(site, to) // an error above the site
		if err == nil && info.IsDir() {
			to = path.Join(to, "index.html")
			_, err = fs.Stat(site, to)
		}
		if err != nil {
			return "leads to no file of the site"
		}
	}
	if notebook := u.Query().Get("path"); notebook != "" { // which JupyterLite opens
		if _, err := fs.Stat(site, path.Join("lite/files", notebook)); err != nil {
			return "leads to no notebook of JupyterLite"
		}
	}
	// Sphinx makes # a link to the page's beginning.
	if ids, ok := anchors[to]; ok && u.Fragment != "" && !ids[u.Fragment] {
		return "leads to no place on that page"
	}
	return ""
}
