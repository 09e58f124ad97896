package viz

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// Pictures of tests are the same on every machine.
func init() { machineFonts.folders = nil }

// written returns a picture of what write draws.
func written(write func(c draw.Canvas)) *image.RGBA {
	c := vgimg.New(300, 40)
	write(draw.New(c))
	return c.Image().(*image.RGBA)
}

// name returns a picture of a name, aligned as names of bars are.
func name(s string) *image.RGBA {
	return written(func(c draw.Canvas) {
		style := textStyle(16, false)
		style.XAlign = draw.XRight
		c.FillText(style, pt(290, 20), s)
	})
}

// TestNamesDiffer: names in scripts that the font lacks aren't blank, and differ.
func TestNamesDiffer(t *testing.T) {
	names := []string{"", "年齢", "年齡", "数量", "나이", "عمر", "عام", "อายุ", "อายา", "😀", "😁", "x年", "年x", "\u0007"}
	for i, a := range names {
		for _, b := range names[:i] {
			if bytes.Equal(name(a).Pix, name(b).Pix) {
				t.Errorf("%q looks as %q does", a, b)
			}
		}
	}
	for _, invisible := range []string{"\u2060", "\u3000", "\ufe0f"} {
		if !bytes.Equal(name(invisible).Pix, name("").Pix) {
			t.Errorf("%q is visible", invisible)
		}
	}
}

// TestBoxWidth: a box is as wide as a Chinese character, so the name takes an em for each.
func TestBoxWidth(t *testing.T) {
	style := textStyle(10, false)
	if got, want := style.Width("年a齢"), 20+style.Width("a"); got != want {
		t.Errorf("width %v; want %v", got, want)
	}
	img := name("年齢") // ends at 290 and is 32 wide, with a margin of 0.06 on either side
	left, right := img.Rect.Dx(), 0
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if _, _, _, alpha := img.At(x, y).RGBA(); alpha > 0 && img.RGBAAt(x, y).R < 128 {
				left, right = min(left, x), max(right, x)
			}
		}
	}
	scale := float64(img.Rect.Dx()) / 300
	if l, r := float64(left)/scale, float64(right+1)/scale; l < 257 || l > 261 || r < 286 || r > 291 {
		t.Errorf("boxes from %v to %v; want from about 259 to 289", l, r)
	}
}

// TestMachineFont: a character that Liberation Sans lacks is drawn by a font of the machine, if one has it.
func TestMachineFont(t *testing.T) {
	folder := t.TempDir()
	must.Do(os.WriteFile(filepath.Join(folder, "a.ttf"), []byte("not a font"), 0o600))
	must.Do(os.WriteFile(filepath.Join(folder, "b.TTF"), goregular.TTF, 0o600))
	before := machineFonts
	t.Cleanup(func() { machineFonts = before })
	machineFonts = &fontSearch{folders: []string{filepath.Join(folder, "none"), folder}}
	const union = "∪" // Go's font has it
	got := name(union)
	face := font.Face{Font: font.Font{Size: 16}, Face: must.Value(opentype.Parse(goregular.TTF))}
	want := written(func(c draw.Canvas) {
		c.SetColor(ink)
		style := textStyle(16, false)
		baseline := 20 + style.Font.Size - style.FontExtents().Ascent - style.Height("x")/2
		c.FillString(face, pt(290-face.Width(union), baseline), union)
	})
	shape := func(img *image.RGBA) string { // without where it is
		var rows []string
		for y := range img.Rect.Dy() {
			row := img.Pix[y*img.Stride : (y+1)*img.Stride]
			if slices.ContainsFunc(row, func(b byte) bool { return b != row[0] }) {
				rows = append(rows, fmt.Sprint(row))
			}
		}
		return strings.Join(rows, "\n")
	}
	if shape(got) != shape(want) {
		t.Error("the character isn't that of Go's font")
	}
	if !bytes.Equal(name("年").Pix, func() []byte { machineFonts = before; return name("年").Pix }()) {
		t.Error("a character that no font has isn't a box")
	}
}

// TestSVGText: text that the font lacks stays text in SVG and in the description.
func TestSVGText(t *testing.T) {
	f := Draw(Bars{Title: "重要度", Names: []string{"年齢", "عمر"}, Values: []float64{1, 2}})
	_, body, _ := strings.Cut(svg(f), "</desc>")
	contains(t, body, "重要度", "年齢", "عمر")
	contains(t, f.alt(), "重要度", "年齢", "عمر")
}
