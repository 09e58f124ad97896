package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// A notebook holds the parts of a notebook in format 4 that the checks need.
type notebook struct {
	Cells []cell `json:"cells"`
}

type cell struct {
	Type    string   `json:"cell_type"`
	Source  text     `json:"source"`
	Count   *int     `json:"execution_count"`
	Outputs []output `json:"outputs"`
}

type output struct {
	Type  string                     `json:"output_type"`
	Name  string                     `json:"name"` // of a stream
	Text  text                       `json:"text"` // of a stream
	Data  map[string]json.RawMessage `json:"data"` // of a display, by MIME type
	Error string                     `json:"evalue"`
}

// A text is a string that a notebook may store as a list of lines.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var lines []string
	if err := json.Unmarshal(b, &lines); err == nil {
		*t = text(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

func load(path string) (*notebook, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	nb := new(notebook)
	if err := json.Unmarshal(b, nb); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return nb, nil
}

// isCode reports whether c is a code cell that isn't empty.
func (c *cell) isCode() bool {
	return c.Type == "code" && strings.TrimSpace(string(c.Source)) != ""
}

// kinds returns the kinds of c's outputs, sorted: the name of each stream once, since a
// stream may arrive in any number of pieces, and the MIME types of each display.
func (c *cell) kinds() []string {
	var kinds []string
	for _, o := range c.Outputs {
		switch {
		case o.Type != "stream":
			kinds = append(kinds, strings.Join(slices.Sorted(maps.Keys(o.Data)), "+"))
		case !slices.Contains(kinds, o.Name):
			kinds = append(kinds, o.Name)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// problem describes what is wrong with an output, or returns "".
func (o *output) problem() string {
	switch o.Type {
	case "stream":
		return ""
	case "error":
		return "ends in the error " + o.Error
	}
	if len(o.Data) == 0 {
		return "displays nothing"
	}
	for mime, raw := range o.Data {
		var body text
		if json.Unmarshal(raw, &body) != nil {
			continue // a JSON type, whose data is an object
		}
		if strings.TrimSpace(string(body)) == "" {
			return "displays an empty " + mime
		}
		if mime == "image/png" {
			if err := checkPicture(base64.NewDecoder(base64.StdEncoding, strings.NewReader(string(body)))); err != nil {
				return "displays a picture with a fault: " + err.Error()
			}
		}
	}
	return ""
}

// problems returns what is wrong with the outputs of an executed notebook.
func (nb *notebook) problems() []string {
	var found []string
	for i, c := range nb.Cells {
		if c.isCode() && c.Count == nil {
			found = append(found, fmt.Sprintf("cell %d has not run", i+1))
		}
		for _, o := range c.Outputs {
			if p := o.problem(); p != "" {
				found = append(found, fmt.Sprintf("cell %d %s", i+1, p))
			}
		}
	}
	return found
}

// noData begins the text that a cell prints when it stops for lack of a data set.
const noData = "No data at hand: "

// lacksData reports whether the cell stopped for lack of a data set.
func (c *cell) lacksData() bool {
	return slices.ContainsFunc(c.Outputs, func(o output) bool {
		return o.Name == "stdout" && strings.Contains(string(o.Text), noData)
	})
}

// differences returns where an executed notebook differs from the committed one in its
// cells or in the number and types of their outputs. With mayLackData, cells that lack
// data may have any outputs. Counting is needed because outputs get lost without an
// error if a program ends before they are flushed.
func differences(committed, executed *notebook, mayLackData bool) []string {
	if m, n := len(committed.Cells), len(executed.Cells); m != n {
		return []string{fmt.Sprintf("has %d cells, committed are %d", n, m)}
	}
	var found []string
	for i := range committed.Cells {
		want, got := &committed.Cells[i], &executed.Cells[i]
		if want.Source != got.Source {
			found = append(found, fmt.Sprintf("cell %d has another source than the committed one", i+1))
		}
		if mayLackData && got.lacksData() {
			continue
		}
		if w, g := want.kinds(), got.kinds(); !slices.Equal(w, g) {
			found = append(found, fmt.Sprintf("cell %d puts out %q, committed is %q", i+1, g, w))
		}
	}
	return found
}
