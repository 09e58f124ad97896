package viz

import (
	"bytes"
	"errors"
	"image/color"
	"image/png"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// luminance is that of WCAG 2.2, "relative luminance".
func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// contrast is that of WCAG 2.2, "contrast ratio".
func contrast(a, b color.NRGBA) float64 {
	hi, lo := max(luminance(a), luminance(b)), min(luminance(a), luminance(b))
	return (hi + 0.05) / (lo + 0.05)
}

// TestThemes: text can be read (WCAG asks for 7 at level AAA), and on a dark ground all
// classes can be seen (3), also the text in the leaf of any class (4.5).
func TestThemes(t *testing.T) {
	defer Use(Light)
	for _, theme := range []Theme{Light, Dark, Print} {
		Use(theme)
		if c := contrast(ink, white); c < 7 {
			t.Errorf("theme %d: contrast of text %v", theme, c)
		}
		for k := range Palette {
			if c := contrast(classColor(k), white); c < 3 && theme == Dark {
				t.Errorf("theme %d: contrast of class %d %v", theme, k, c)
			}
			if c := contrast((&treeDrawing{}).fill(k), ink); c < 4.5 && theme != Print {
				t.Errorf("theme %d: contrast of the text in a leaf of class %d %v", theme, k, c)
			}
		}
	}
	panics(t, "no such theme", func() { Use(3) })
}

// TestThemeOfEveryChart draws every kind of chart for print, which must have no colours, and
// on a dark ground, which must be dark at its corner. Back in the light theme it is
// the same as before.
func TestThemeOfEveryChart(t *testing.T) {
	if testing.Short() {
		t.Skip("draws every chart four times")
	}
	defer Use(Light)
	draw := func(name string, theme Theme) ([]byte, *Figure) {
		Use(theme)
		f := smaller(gallery()[name])
		var b bytes.Buffer
		must.Do(f.encodePNG(&b, png.BestSpeed))
		return b.Bytes(), f
	}
	for name := range gallery() {
		before, _ := draw(name, Light)
		printed, _ := draw(name, Print)
		img := must.Value(png.Decode(bytes.NewReader(printed)))
		for i := range img.Bounds().Dx() * img.Bounds().Dy() {
			x, y := i%img.Bounds().Dx(), i/img.Bounds().Dx()
			if c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA); c.R != c.G || c.G != c.B {
				t.Errorf("%s: in print, pixel (%d, %d) is %v", name, x, y, c)
				break
			}
		}
		dark, f := draw(name, Dark)
		img = must.Value(png.Decode(bytes.NewReader(dark)))
		if c := color.NRGBAModel.Convert(img.At(0, 0)); c != opaque(0x111111) {
			t.Errorf("%s: in the dark theme, the corner is %v", name, c)
		}
		if f.live != nil {
			contains(t, f.liveHTML(), `"backgroundColor":"#111111"`)
		}
		if after, _ := draw(name, Light); !slices.Equal(before, after) {
			t.Errorf("%s: the light theme isn't what it was", name)
		}
	}
}

// smaller returns a chart in half its size, which is drawn faster.
func smaller(c Chart) *Figure {
	f := c.figure()
	f.Width, f.Height = f.Width/2, f.Height/2
	return f
}

// Charts can be made and drawn in several goroutines at a time, also the same one. The race detector
// looks on.
func TestDrawingInParallel(t *testing.T) {
	draw := func(c Chart) string {
		f := smaller(c)
		var b bytes.Buffer
		if err := errors.Join(f.writeSVG(&b), f.encodePNG(&b, png.BestSpeed)); err != nil {
			t.Error(err)
		}
		if f.live != nil {
			b.WriteString(f.liveHTML())
		}
		return b.String()
	}
	var drawn [2]map[string]string
	var group sync.WaitGroup
	for i := range drawn {
		drawn[i] = map[string]string{}
		group.Go(func() {
			for name, c := range gallery() {
				drawn[i][name] = draw(c)
			}
		})
	}
	group.Wait()
	for name, want := range drawn[0] {
		if drawn[1][name] != want {
			t.Errorf("%s: two drawings at a time differ", name)
		}
	}
}
