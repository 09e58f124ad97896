package nb

import (
	"errors"
	"fmt"
	"html"
	"io"
	"path/filepath"
	"strings"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/onnx"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/viz"
)

// Open returns the model of a file that [Save] wrote, or ends the cell.
func Open(path string) *forest.Forest { return Value(forest.Load(path)) }

// Save writes things to a file, whole or not at all, or ends the cell. What it can write follows from the file's name:
//
//   - .forest: a model, for [Open]
//   - .onnx: a model, for other programs; see package forest/onnx
//   - .csv: [Predictions], a line for each row
//   - .png, .svg: a chart
//   - .html: cards and charts of all that [Show] shows, as one page that needs no other file and shows no code
func Save(path string, things ...any) { Must(save(path, things)) }

func save(path string, things []any) error {
	ext := strings.ToLower(filepath.Ext(path))
	if ext == ".html" {
		return atomicfile.Write(path, func(w io.Writer) error { return report(w, path, things) })
	}
	if len(things) != 1 {
		return fmt.Errorf("nb: %d things for %s; want one", len(things), path)
	}
	model, isModel := things[0].(*forest.Forest)
	predictions, isPredictions := things[0].(*Predictions)
	chart, isChart := things[0].(viz.Chart)
	switch {
	case ext == ".forest" && isModel:
		return model.Save(path)
	case ext == ".onnx" && isModel:
		return onnx.Save(path, model)
	case ext == ".csv" && isPredictions:
		return atomicfile.Write(path, predictions.WriteCSV)
	case (ext == ".png" || ext == ".svg") && isChart:
		return viz.Draw(chart).Save(path)
	}
	return fmt.Errorf("nb: can't write a %T to %s; a model goes to .forest and .onnx, predictions to .csv, a chart to "+
		".png and .svg, and all to .html", things[0], path)
}

// report writes a page of cards and charts.
func report(w io.Writer, path string, things []any) error {
	if len(things) == 0 {
		return errors.New("nb: a report of nothing")
	}
	title := html.EscapeString(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n"+
		"<style>body{font-family:sans-serif;max-width:1000px;margin:2em auto;padding:0 1em}img{max-width:100%%;height:auto}"+
		"</style></head>\n<body><main><h1>%[1]s</h1>\n", title)
	for _, thing := range besideTables(things) {
		card, charts := parts(thing)
		if card != nil {
			b.WriteString(card.HTML())
		}
		if len(charts) > 0 {
			picture, err := viz.Draw(together(charts)).HTML()
			if err != nil {
				return err
			}
			b.WriteString(picture)
		}
	}
	b.WriteString("</main></body></html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}
