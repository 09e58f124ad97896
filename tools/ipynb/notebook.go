package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png"
	"maps"
	"os"
	"slices"
	"strings"
)

// notebook is what the checks need of a notebook in format 4.
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

// text is a string that a notebook may store as a list of lines.
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

// isCode reports whether running c does something.
func (c *cell) isCode() bool {
	return c.Type == "code" && strings.TrimSpace(string(c.Source)) != ""
}

// kinds returns what c has put out, sorted: the name of every stream once, as
// a stream may arrive in any number of pieces, and the MIME types of every
// display.
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

// problem says what is wrong with an output by itself, or nothing.
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
			if err := checkBase64(string(body)); err != nil {
				return "displays a picture with a fault: " + err.Error()
			}
		}
	}
	return ""
}

func checkBase64(png string) error {
	b, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(png, "\n", ""))
	if err != nil {
		return err
	}
	img, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		return err
	}
	return checkDrawn(img)
}

// problems lists what is wrong with an executed notebook by itself.
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

// noData is how a cell begins what it prints when it ends because a data set can't
// be loaded.
const noData = "No data at hand: "

// lacksData reports whether the cell ended because a data set can't be loaded.
func (c *cell) lacksData() bool {
	for _, o := range c.Outputs {
		if o.Name == "stdout" && strings.Contains(string(o.Text), noData) {
			return true
		}
	}
	return false
}

// differences lists where an executed notebook differs from the committed one
// in its cells or in the number and types of their outputs. Where data may be
// missing, cells that lack them may put out anything. An output is lost
// without any error when a program ends before its display is flushed, so
// only counting shows it.
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
