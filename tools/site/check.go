package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

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
	err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".html" {
			return err
		}
		rel, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		page := filepath.ToSlash(rel)
		found, ids, err := readPage(file, page)
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
		if problem := l.problem(folder, anchors); problem != "" {
			errs = append(errs, fmt.Errorf("%s: <%s> %s: %s", l.page, l.element, l.target, problem))
		}
	}
	if len(errs) == 0 {
		fmt.Printf("%d pages, %d links\n", len(anchors), len(links))
	}
	return errors.Join(errs...)
}

// readPage returns the links and the anchors of a page.
func readPage(file, page string) (links []link, ids map[string]bool, err error) {
	f, err := os.Open(file)
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
		for _, a := range n.Attr {
			switch {
			case a.Key == "id", a.Key == "name" && n.Data == "a":
				ids[a.Val] = true
			case a.Key == "src", a.Key == "data" && n.Data == "object":
				links = append(links, link{page, n.Data, a.Val, true})
			case a.Key == "href":
				loads := n.Data == "link" && strings.Contains(rel+" ", "stylesheet ") || n.Data == "link" && strings.Contains(rel, "icon") || n.Data == "image" || n.Data == "use"
				links = append(links, link{page, n.Data, a.Val, loads})
			}
		}
	}
	return links, ids, nil
}

// problem says what is wrong with a link, or returns "".
func (l link) problem(folder string, anchors map[string]map[string]bool) string {
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
		info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(to)))
		if err == nil && info.IsDir() {
			to = path.Join(to, "index.html")
			_, err = os.Stat(filepath.Join(folder, filepath.FromSlash(to)))
		}
		if err != nil || strings.HasPrefix(to, "../") {
			return "leads to no file of the site"
		}
	}
	// Sphinx makes # a link to the page's beginning.
	if ids, ok := anchors[to]; ok && u.Fragment != "" && !ids[u.Fragment] {
		return "leads to no place on that page"
	}
	return ""
}
