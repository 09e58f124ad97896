// Package viz draws data sets, forests and results, and is the only package
// that knows whether a notebook is watching.
//
// Every chart is a plain struct, such as [DecisionRegions] or [Curves]. [Show]
// displays it: in a GoNB notebook as an output of the cell, anywhere else as a
// PNG file in the current directory.
//
//	viz.Show(viz.DecisionRegions{Model: model, Data: train})
//
// Figure().Save(path) writes a chart to a PNG, SVG or HTML file instead.
//
// # Static and live
//
// Every chart is a picture first: an image/png output with its description as
// text/plain, which GitHub, nbconvert and any viewer show. Charts that gain
// from it (curves, scatter plots, heat maps, bars, trees, steps) also come
// alive: values under the pointer, series switched on and off, zoom, branches
// unfolded, a tree grown step by step. For that the notebook calls
// [Interactive] once, near its top: this output carries the Apache ECharts
// library, so that nothing is fetched from the internet, now or when the saved
// notebook is opened. A live chart waits until the library is there, in
// whatever order cells ran, and only then takes the place of its picture;
// without it, or where no script may run, the picture stays.
//
// There are two outputs, not one, because GitHub and others prefer HTML where
// an output has both, and then take scripts and embedded images out of it. The
// library comes once, by a call of its own, and not with the first chart: each
// cell is a process that can't know whether the cell that carried it still
// exists when the notebook is opened again. It is stored compressed, which
// costs a notebook 450 kB, and started so that RequireJS, which nbconvert's
// pages load, doesn't swallow it. Equal charts give equal outputs, so a
// notebook that is run again changes no more than its results do.
//
// # Long work
//
// [Progress] attaches a progress bar to a context, and cancels the context
// when the kernel is interrupted. Package viz/once keeps trained models, since
// every cell is a new process.
package viz
