package figures

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/ipynb"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
	"github.com/obliqua-ml/obliqua/viz"
)

const root = "../.."

// Every figure can be drawn from the committed results, and is where it says.
func TestFiguresAreDrawn(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads all results, one after the other")
	}
	headings := map[string][]string{}
	for _, p := range Papers {
		names := map[string]bool{}
		for i := range p.Figures {
			r := paper.Results{Root: root}
			f := p.Figures[i].Shown(&r)
			if names[f.Name] {
				t.Errorf("%s has two figures %s", p.Name, f.Name)
			}
			names[f.Name] = true
			f.Judge(&r)
			if f.Draw != nil {
				drawing := f.Draw(&r)
				if drawing.Chart != nil {
					viz.Draw(drawing.Chart)
				}
				for _, table := range drawing.Tables {
					if len(table.Rows) == 0 {
						t.Errorf("%s, %s: a table without rows", p.Name, f.Name)
					}
				}
			}
			if r.Err != nil {
				t.Errorf("%s, %s: %v", p.Name, f.Name, r.Err)
			}
			notebook, heading, ok := strings.Cut(f.Place, "#")
			if _, err := os.Stat(filepath.Join(root, f.Place)); !ok && err != nil {
				t.Errorf("%s, %s: %v", p.Name, f.Name, err)
			}
			if ok && headings[notebook] == nil {
				headings[notebook] = headingsOf(t, notebook)
			}
			if ok && !slices.Contains(headings[notebook], heading) {
				t.Errorf("%s, %s: %s has no heading %q", p.Name, f.Name, notebook, heading)
			}
		}
	}
}

func headingsOf(t *testing.T, notebook string) (headings []string) {
	cells, err := ipynb.Read(filepath.Join(root, "notebooks", notebook+".ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range cells {
		for line := range strings.Lines(string(cell.Source)) {
			headings = append(headings, strings.TrimSpace(strings.TrimLeft(line, "#")))
		}
	}
	return headings
}

// The page of all items and its data are what the results make.
func TestPageIsCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads all results, one after the other")
	}
	pages, err := paper.Pages(root, Papers)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range pages {
		got, err := os.ReadFile(filepath.Join(root, path))
		if err != nil || string(got) != want {
			t.Errorf("%s isn't what its program makes; run make reproduction (%v)", path, err)
		}
	}
}
