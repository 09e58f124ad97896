package rules_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// firstCell is the most lines that a notebook's first code cell may have: a reader shouldn't
// have to scroll past imports and helpers.
const firstCell = 5

// firstCodeCell returns the lines of a notebook's first code cell, nil if there is none.
func firstCodeCell(notebook []byte) ([]string, error) {
	var content struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source any    `json:"source"` // a string or a list of lines
		} `json:"cells"`
	}
	if err := json.Unmarshal(notebook, &content); err != nil {
		return nil, err
	}
	for _, cell := range content.Cells {
		if cell.Type != "code" {
			continue
		}
		source, _ := cell.Source.(string)
		lines, _ := cell.Source.([]any)
		for _, line := range lines {
			source += line.(string)
		}
		return strings.Split(strings.TrimRight(source, "\n"), "\n"), nil
	}
	return nil, nil
}

func TestFirstCodeCell(t *testing.T) {
	for _, test := range []struct {
		notebook string
		want     int
	}{
		{`{"cells": [{"cell_type": "markdown", "source": "a\nb\nc"}, {"cell_type": "code", "source":
			["%noautoget\n", "\n", "%%\n", "f()"]},
			{"cell_type": "code", "source": "g()"}]}`, 4},
		{`{"cells": [{"cell_type": "code", "source": "f()\ng()\n"}]}`, 2},
		{`{"cells": [{"cell_type": "markdown", "source": ["a"]}]}`, 0},
	} {
		lines, err := firstCodeCell([]byte(test.notebook))
		if err != nil || len(lines) != test.want {
			t.Errorf("%s: %q, %v; want %d lines", test.notebook, lines, err, test.want)
		}
	}
}

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
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			lines, err := firstCodeCell(content)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
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
