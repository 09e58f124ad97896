// Package notebook shows outputs in the notebook whose cell the program is. The notebook is GoNB's or, where the
// program is WebAssembly, a page's.
package notebook

// An Output is what a cell shows, in one form or several.
type Output struct {
	ID       string         `json:"displayId,omitempty"` // it replaces the one with the same ID; empty for a new one
	Data     map[string]any `json:"data"`                // by media type: a string, or []byte for a picture
	Metadata map[string]any `json:"metadata,omitempty"`
}

// SendHTML shows HTML.
func SendHTML(id, html string) { Send(Output{ID: id, Data: map[string]any{"text/html": html}}) }
