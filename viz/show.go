package viz

import (
	"bytes"
	"fmt"
	"image/png"

	"github.com/obliqua-ml/obliqua/internal/notebook"
)

// Show displays a chart. In a notebook the chart becomes an output of the cell: a
// picture with its description. If the chart has a live form, that is a second
// output, which replaces the picture once the library from [Interactive] has loaded.
// Elsewhere Show writes a PNG file named after the title into the current directory
// and prints its name.
//
// Show panics if any of this fails, so that checks of notebooks notice. To handle
// errors, use [Figure.Save].
func Show(chart Chart) {
	f := Draw(chart)
	if !notebook.Present() {
		name := f.slug() + ".png"
		if err := f.Save(name); err != nil {
			panic(err.Error())
		}
		fmt.Println(name)
		return
	}
	for _, output := range f.outputs() {
		notebook.Send(output)
	}
	if chart, ok := chart.(interface{ showPage() }); ok { // a Playground
		chart.showPage()
	}
	awaitKernel()
}

// Interactive makes the charts of a notebook live. Call it in one cell near the top;
// the cell's output then contains the Apache ECharts library, about 450 kB. Outside a
// notebook it does nothing.
func Interactive() {
	if !notebook.Present() {
		return
	}
	notebook.Send(htmlOutput("", bundleHTML(), "Apache ECharts 5.6.0, for live charts"))
	awaitKernel()
}

// htmlOutput returns an output with a text for viewers that don't show HTML. It replaces the one with the same id,
// unless that is empty.
func htmlOutput(id, html, text string) notebook.Output {
	return notebook.Output{ID: id, Data: map[string]any{"text/html": html, "text/plain": text}}
}

// outputs returns what [Show] sends to a notebook.
func (f *Figure) outputs() []notebook.Output {
	outputs := []notebook.Output{f.picture(png.DefaultCompression)}
	if f.live != nil {
		outputs = append(outputs, notebook.Output{Data: map[string]any{"text/html": f.liveHTML()}})
	}
	return outputs
}

// picture returns the figure as a picture and its description.
func (f *Figure) picture(level png.CompressionLevel) notebook.Output {
	var b bytes.Buffer
	if err := f.encodePNG(&b, level); err != nil {
		panic("viz: " + err.Error())
	}
	return notebook.Output{
		Data: map[string]any{"image/png": b.Bytes(), "text/plain": f.alt()},
		Metadata: map[string]any{
			"image/png": map[string]any{"width": int(f.Width), "height": int(f.Height),
				"alt": f.alt()}, // nbconvert's pages have alt
		},
	}
}

// awaitKernel waits until the kernel has received all output; the rest is lost when
// the cell's process ends.
func awaitKernel() {
	if err := notebook.Flush(); err != nil {
		misuse("can't reach the notebook: %v", err)
	}
}
