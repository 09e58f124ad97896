package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"regexp"
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
	title, anchor string // of the heading above
	png           []byte
}

// gallery writes the page that shows all figures of the notebooks, each as a thumbnail that
// leads to the section where it is computed.
func (s *site) gallery(notebooks []string) error {
	var page strings.Builder
	page.WriteString("# Gallery\n\nEvery figure of the notebooks. Each leads to the section that computes it.\n")
	for _, from := range notebooks {
		exhibit := s.notebooks[from]
		if exhibit.figures == nil {
			continue
		}
		fmt.Fprintf(&page, "\n## %s\n\n:::{container} gallery\n", exhibit.title)
		name := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(from, "notebooks/"), ".ipynb"), "/", "-")
		for i, f := range exhibit.figures {
			small, err := thumbnail(f.png)
			if err != nil {
				return fmt.Errorf("%s, figure %d: %w", from, i+1, err)
			}
			file := fmt.Sprintf("gallery/%s-%02d.png", name, i+1)
			if err := s.write(file, small); err != nil {
				return err
			}
			fmt.Fprintf(&page, "\n[![](%s) %s](%s#%s)\n", file, marks.ReplaceAllString(f.title, `\$0`), s.pages[from], f.anchor)
		}
		page.WriteString("\n:::\n")
	}
	return s.write("gallery.md", []byte(page.String()))
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
