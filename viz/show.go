package viz

import (
	"bytes"
	"fmt"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// Show displays a chart. In a notebook it becomes an output of the cell: a
// picture with its description and, where the chart can be live, a second
// output that takes the picture's place once the page has the library that
// [Interactive] brings. Elsewhere Show writes a PNG file named after the title
// into the current directory and prints its name.
//
// Show panics if it can't, so that a notebook that is checked fails; where an
// error should be handled, use [Figure.Save].
func Show(chart Chart) {
	f := chart.Figure()
	if !gonbui.IsNotebook {
		name := f.slug() + ".png"
		if err := f.Save(name); err != nil {
			panic(err.Error())
		}
		fmt.Println(name)
		return
	}
	for _, output := range f.outputs() {
		gonbui.SendData(output)
	}
	awaitKernel()
}

// Interactive makes the charts of a notebook live. Call it in one cell, near
// the top: the cell's output carries the Apache ECharts library, about 450 kB.
// Outside a notebook it does nothing.
func Interactive() {
	if !gonbui.IsNotebook {
		return
	}
	gonbui.SendData(&protocol.DisplayData{Data: map[protocol.MIMEType]any{
		protocol.MIMETextHTML: bundleHTML(),
		// Viewers that show no HTML show this.
		protocol.MIMETextPlain: "Apache ECharts 5.6.0, for live charts",
	}})
	awaitKernel()
}

// outputs returns what [Show] sends to a notebook.
func (f *Figure) outputs() []*protocol.DisplayData {
	var png bytes.Buffer
	if err := f.writePNG(&png); err != nil {
		panic("viz: " + err.Error())
	}
	picture := &protocol.DisplayData{
		Data: map[protocol.MIMEType]any{
			protocol.MIMEImagePNG:  png.Bytes(),
			protocol.MIMETextPlain: f.alt(),
		},
		Metadata: map[string]any{
			string(protocol.MIMEImagePNG): map[string]int{"width": int(f.Width), "height": int(f.Height)},
		},
	}
	if f.live == nil {
		return []*protocol.DisplayData{picture}
	}
	live := &protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMETextHTML: f.liveHTML()}}
	return []*protocol.DisplayData{picture, live}
}

// awaitKernel waits until the kernel has everything: what is still under way when a
// cell's process ends is lost.
func awaitKernel() {
	gonbui.Sync()
	if err := gonbui.Error(); err != nil {
		panic(fmt.Sprintf("viz: can't reach the notebook: %v", err))
	}
}
