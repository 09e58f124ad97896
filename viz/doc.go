// Package viz draws data sets, forests and results, in a notebook or to files.
//
// Every chart is a plain struct, such as [DecisionRegions] or [Curves]. [Show] displays it: in a GoNB notebook as an
// output of the cell, anywhere else as a PNG file in the current directory.
//
//	viz.Show(viz.DecisionRegions{Model: model, Data: train})
//
// Charts of rows show each of them alike, whatever its weight.
//
// [Draw] lays a chart out, so that its title, description and size may be changed, and [Figure.Save] writes it to a
// PNG, SVG or HTML file instead.
//
// # Static and live
//
// Every chart is a picture: an image/png output with a description as text/plain, which GitHub, nbconvert and any
// viewer show. Curves, scatter plots, heat maps, bars, trees, steps, snapshots, mixtures, beeswarms, histograms of
// ranks, critical differences, partial dependence and calibration also have a live form, with values under the pointer,
// series to switch on and off, zoom, branches to unfold, or a tree to grow step by step. Live charts need a call of
// [Interactive] near the top of the notebook. Its output contains the Apache ECharts library, so nothing is fetched
// from the internet, now or when the saved notebook is opened. A live chart replaces its picture when the library has
// loaded, in whatever order cells ran. Without the library, or where scripts are blocked, the picture stays.
//
// Picture and live chart are two outputs, because GitHub and others prefer HTML where an output has both, and then
// remove its scripts and embedded images. The library has a call of its own, rather than coming with the first chart,
// because each cell is a process that can't know which cells will exist when the notebook is opened again. It is stored
// compressed, which adds 450 kB to the notebook, and loads as a global also where RequireJS is present, as in
// nbconvert's pages. Equal charts give equal outputs, so rerunning a notebook changes only what its results change.
//
// # Descriptions
//
// Every chart describes itself in words: its axes with their ranges, its series, where it is highest. That is the
// text/plain of its output, the label of a live chart for screen readers, the title and description of an SVG file, and
// the alternative text of a picture in pages that nbconvert makes.
//
// # Names
//
// Names are in Liberation Sans. A character that it lacks, such as a Chinese one, is drawn in the first font of the
// machine that has it, or as a box with its code point if there is none. Arabic letters aren't joined. SVG files and
// live charts leave the choice of a font to the viewer.
//
// # Cells that answer
//
// [Explore] puts sliders and choices above a chart, which is drawn anew when one moves.
//
// # Long work
//
// [Progress] attaches a progress bar to a context, and cancels the context when the kernel is interrupted. Package
// viz/once keeps trained models on disk, since every cell is a new process.
package viz
