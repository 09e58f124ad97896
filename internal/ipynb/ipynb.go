// Package ipynb reads Jupyter notebooks.
package ipynb

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// A Cell is a cell of a notebook in format 4.
type Cell struct {
	Type    string   `json:"cell_type"` // markdown or code
	Source  Text     `json:"source"`
	Outputs []Output `json:"outputs"` // of code
}

// An Output is a piece of a stream or a display.
type Output struct {
	Name string         `json:"name"` // of a stream
	Text Text           `json:"text"` // of a stream
	Data map[string]any `json:"data"` // of a display, by MIME type
}

// A Text is stored as a string or as a list of lines.
type Text string

// UnmarshalJSON reads either form.
func (t *Text) UnmarshalJSON(b []byte) error {
	var lines []string
	if json.Unmarshal(b, &lines) == nil {
		*t = Text(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

// Read returns the cells of a notebook. An error names the file.
func Read(path string) ([]Cell, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var notebook struct {
		Cells []Cell `json:"cells"`
	}
	if err := json.Unmarshal(b, &notebook); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return notebook.Cells, nil
}
