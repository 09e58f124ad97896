package viz

import (
	"bytes"
	"errors"
	"image/color"
	"image/png"
	"math"
	"sync"
	"testing"
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

// TestTextIsReadable: WCAG asks for 7 at level AAA, and for 4.5 at AA, which the text in the leaf of any class has.
func TestTextIsReadable(t *testing.T) {
	if c := contrast(ink, white); c < 7 {
		t.Errorf("contrast of text %v", c)
	}
	for k := range Palette {
		if c := contrast(leafFill(k), ink); c < 4.5 {
			t.Errorf("contrast of the text in a leaf of class %d %v", k, c)
		}
	}
}

// smaller returns a chart in half its size, which is drawn faster.
func smaller(c Chart) *Figure {
	f := c.figure()
	f.Width, f.Height = f.Width/2, f.Height/2
	return f
}

// Charts can be made and drawn in several goroutines at a time, also the same one, and give the same bytes as in two
// runs of a cell. The race detector looks on.
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
