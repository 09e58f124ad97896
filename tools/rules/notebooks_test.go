package rules_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/ipynb"
)

// firstCell is the most lines that a notebook's first code cell may have: a reader shouldn't
// have to scroll past imports and helpers.
const firstCell = 5

func TestFirstCellsAreShort(t *testing.T) {
	found := 0
	for _, pattern := range []string{"notebooks/*.ipynb", "notebooks/*/*.ipynb"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.Contains(name, "checkpoint") {
				continue
			}
			found++
			cells, err := ipynb.Read(name)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(cells, func(c ipynb.Cell) bool { return c.Type == "code" })
			if i < 0 {
				continue
			}
			lines := strings.Split(strings.TrimRight(string(cells[i].Source), "\n"), "\n")
			if len(lines) > firstCell {
				t.Errorf("%s: the first code cell has %d lines; want at most %d. Imports of this library and of Go's are "+
					"found; package nb has what all notebooks need, and a helper belongs to the cell that uses it.",
					name, len(lines), firstCell)
			}
		}
	}
	if found < 8 {
		t.Errorf("found %d notebooks; want at least 8", found)
	}
}
