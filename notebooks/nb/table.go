package nb

import (
	"fmt"

	"github.com/obliqua-ml/obliqua/internal/notebook"
)

// display sends an output of the cell. Outside a notebook it prints the text.
func display(html, text string) {
	if !notebook.Present() {
		fmt.Print(text)
		return
	}
	notebook.Send(notebook.Output{Data: map[string]any{"text/html": html, "text/plain": text}})
	Must(notebook.Flush())
}
