package viz

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// along returns the linear function of the first features with these weights.
func along(weights ...float32) forest.Function {
	var features []int32
	for j := range weights {
		features = append(features, int32(j))
	}
	return forest.Linear(features, weights)
}

// table returns a data set of columns without names.
func table(columns ...[]float32) *datasets.Dataset {
	return &datasets.Dataset{Features: make([]datasets.Feature, len(columns)), Columns: columns}
}

// misused draws charts that must panic with a message of this package.
func misused[C Chart](t *testing.T, charts ...C) {
	for i, chart := range charts {
		t.Run(fmt.Sprintf("%d %T", i, chart), func(t *testing.T) {
			readtest.WantPanic(t, "viz: ", func() { chart.figure() })
		})
	}
}

// contains reports an error for each part that a text lacks. All spaces are equal.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	text = strings.ReplaceAll(text, "\u00a0", " ")
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %q", part, text)
		}
	}
}

// svg returns a figure as SVG.
func svg(f *Figure) string {
	var b bytes.Buffer
	must.Do(f.writeSVG(&b))
	return b.String()
}

// picture returns a figure as others see it in a PNG.
func picture(f *Figure) image.Image {
	var b bytes.Buffer
	must.Do(f.writePNG(&b))
	return must.Value(png.Decode(&b))
}

// count returns the number of pixels of a colour.
func count(img image.Image, c color.NRGBA) int {
	n := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if color.NRGBAModel.Convert(img.At(x, y)) == c {
				n++
			}
		}
	}
	return n
}

// cutOff reports whether there is something at the edge of a picture, as there is if something is drawn beyond it.
func cutOff(img image.Image) bool {
	b := img.Bounds()
	for y := range b.Dy() {
		step := b.Dx() - 1
		if y == 0 || y == b.Dy()-1 {
			step = 1
		}
		for x := 0; x < b.Dx(); x += step {
			if color.NRGBAModel.Convert(img.At(x, y)) != white {
				return true
			}
		}
	}
	return false
}

// elements returns the elements of well-formed XML: their attributes by name, and their own name as that of "".
func elements(markup string) (all []map[string]string) {
	for decoder := xml.NewDecoder(strings.NewReader(markup)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		must.Do(err)
		if e, ok := token.(xml.StartElement); ok {
			attributes := map[string]string{"": e.Name.Local}
			for _, a := range e.Attr {
				attributes[a.Name.Local] = a.Value
			}
			all = append(all, attributes)
		}
	}
}
