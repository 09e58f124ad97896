package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/image/draw"
)

// thumbnailWidth is in pixels: what two columns of a telephone have, twice for fine screens.
const thumbnailWidth = 360

// An exhibit is what the gallery shows of a notebook.
type exhibit struct {
	title   string // the notebook's first heading
	figures []figure
}

// A figure is a picture of an executed notebook.
type figure struct {
	title, about string
	anchor       string // of the heading above
	png          []byte
}

// papers are the papers whose figures are redrawn: the notebook and its figure that stands for the paper.
var papers = []struct{ name, figure string }{
	{"sporf", "Figure 2:"}, {"graf", "Figure 2:"}, {"hrf", "Figure 5:"}, {"tao", "Figure 2:"}, {"godt", "Figure 3.5:"},
}

// paperOf returns which of papers a notebook is about, or the number of papers.
func paperOf(notebook string) int {
	for i, p := range papers {
		if strings.HasPrefix(notebook, "notebooks/"+p.name) {
			return i
		}
	}
	return len(papers)
}

// beginning matches the notebooks whose regions and trees begin the gallery.
var beginning = regexp.MustCompile(`^notebooks/(quickstart|lessons/[^/]*)\.ipynb$`)

// regionsOrTree matches what is said of charts of regions and of trees.
var regionsOrTree = regexp.MustCompile(`Predicted class|Decision tree`)

// gallery writes the page that shows all figures of the notebooks, each as a thumbnail that
// leads to the section where it is computed: regions and trees, then the papers, then the rest.
func (s *site) gallery(notebooks []string) error {
	var page strings.Builder
	page.WriteString("# Gallery\n\nEvery figure of the notebooks. Each leads to the section that computes it.\n")
	first := func(from string, f figure) bool {
		return beginning.MatchString(from) && regionsOrTree.MatchString(f.about)
	}
	section := func(title string, notebooks []string, wanted func(from string, f figure) bool) error {
		heading := fmt.Sprintf("\n## %s\n\n:::{container} gallery\n", title)
		for _, from := range notebooks {
			for i, f := range s.notebooks[from].figures {
				if !wanted(from, f) {
					continue
				}
				small, err := thumbnail(f.png)
				if err != nil {
					return fmt.Errorf("%s, figure %d: %w", from, i+1, err)
				}
				if err := s.write(thumbnailOf(from, i), small); err != nil {
					return err
				}
				page.WriteString(heading + s.shown(from, i, f.title))
				heading = ""
			}
		}
		if heading == "" {
			page.WriteString("\n:::\n")
		}
		return nil
	}
	if err := section("Regions and trees", notebooks, first); err != nil {
		return err
	}
	notebooks = slices.Clone(notebooks)
	slices.SortStableFunc(notebooks, func(a, b string) int { return cmp.Compare(paperOf(a), paperOf(b)) })
	for _, from := range notebooks {
		rest := func(from string, f figure) bool { return !first(from, f) }
		if err := section(s.notebooks[from].title, []string{from}, rest); err != nil {
			return err
		}
	}
	if err := s.write("gallery.md", []byte(page.String())); err != nil {
		return err
	}
	return s.papers()
}

// papers writes what the start page includes: a figure of each paper, and how many of its items agree.
func (s *site) papers() error {
	summary, _ := fs.ReadFile(s.root, "docs/reproduction.md") // without it no paper has a line
	var shown strings.Builder
	for _, p := range papers {
		from := "notebooks/" + p.name + ".ipynb"
		if s.pages[from] == "" {
			continue
		}
		i := slices.IndexFunc(s.notebooks[from].figures, func(f figure) bool { return strings.HasPrefix(f.title, p.figure) })
		line := regexp.MustCompile(`\[(.*)\]\(results/items.md#` + p.name + `.*\| (\d+) \| (\d+) \|\n`)
		verdict := line.FindSubmatch(summary)
		if i < 0 || verdict == nil {
			return fmt.Errorf("site: %s has no %s or docs/reproduction.md has no line of it", from, p.figure)
		}
		shown.WriteString(s.shown(from, i, fmt.Sprintf("%s: %s items agree, %s don't", verdict[1], verdict[2], verdict[3])))
	}
	return s.write("gallery/papers.inc", []byte(shown.String()))
}

// thumbnailOf returns where the thumbnail of a notebook's figure is.
func thumbnailOf(from string, i int) string {
	name := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(from, "notebooks/"), ".ipynb"), "/", "-")
	return fmt.Sprintf("gallery/%s-%02d.png", name, i+1)
}

// shown returns Markdown of a figure's thumbnail and a text, which lead to the figure's section.
func (s *site) shown(from string, i int, text string) string {
	return fmt.Sprintf("\n[![](%s) %s](%s#%s)\n", thumbnailOf(from, i), marks.ReplaceAllString(text, `\$0`), s.pages[from],
		s.notebooks[from].figures[i].anchor)
}

// heading matches a heading (# to ####) of Markdown, or code between fences, which has none.
var heading = regexp.MustCompile("(?ms)^```.*?^```|^#{1,4} +([^\n]*)")

// headings returns the texts of the headings of Markdown.
func headings(markdown string) (found []string) {
	for _, m := range heading.FindAllStringSubmatch(markdown, -1) {
		if m[1] != "" {
			found = append(found, strings.TrimSpace(m[1]))
		}
	}
	return found
}

// slug returns the anchor that GitHub and MyST give to a heading.
func slug(heading string) string {
	return strings.ReplaceAll(notInSlugs.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

var notInSlugs = regexp.MustCompile(`[^\pL\pN _-]`)

// unique returns an anchor that no heading before has, and remembers it.
func unique(anchor string, used map[string]bool) string {
	free := anchor
	for i := 1; used[free]; i++ {
		free = fmt.Sprintf("%s-%d", anchor, i)
	}
	used[free] = true
	return free
}

// marks matches characters that Markdown would read as marks.
var marks = regexp.MustCompile("[\\\\`*_{}\\[\\]<>()#!|$]")

// thumbnail returns a picture scaled to thumbnailWidth, or as it is if it is smaller.
func thumbnail(picture []byte) ([]byte, error) {
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	b := img.Bounds()
	if b.Dx() <= thumbnailWidth {
		return picture, nil
	}
	small := image.NewRGBA(image.Rect(0, 0, thumbnailWidth, max(1, b.Dy()*thumbnailWidth/b.Dx())))
	draw.CatmullRom.Scale(small, small.Bounds(), img, b, draw.Src, nil)
	var out bytes.Buffer
	err = png.Encode(&out, small)
	return out.Bytes(), err
}
