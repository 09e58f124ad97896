package viz

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/obliqua-ml/obliqua/internal/plain"
)

// A typesetter writes the text of a picture in Liberation Sans. A character that it lacks is taken from another font of
// the machine. If none has it, it is a box with the digits of its code point, so that names differ on every machine.
type typesetter struct{ text.Plain }

var handler = typesetter{text.Plain{Fonts: font.DefaultCache}}

// Box returns the size of a line, of which no more than 200 characters are drawn.
func (t typesetter) Box(line string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = t.Plain.Box("", f)
	for _, r := range runs(t.Fonts.Lookup(f, f.Size), plain.Name(line)) {
		width += r.width()
	}
	return width, height, depth
}

// Draw writes text on a canvas. In SVG it stays text, for which the viewer finds a font.
func (t typesetter) Draw(c vg.Canvas, s string, style text.Style, at vg.Point) {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = plain.Name(line)
	}
	s = strings.Join(lines, "\n")
	if !isSVG(c) {
		c = runCanvas{c, vg.Length(style.XAlign)}
	}
	t.Plain.Draw(c, s, style, at)
}

// isSVG reports whether a canvas, or that which it is a part of, writes SVG.
func isSVG(c vg.Canvas) bool {
	switch c := c.(type) {
	case *draw.Canvas:
		return isSVG(c.Canvas)
	case draw.Canvas:
		return isSVG(c.Canvas)
	}
	_, is := c.(*vgsvg.Canvas)
	return is
}

// A runCanvas writes lines run by run. They were aligned by their width in Liberation Sans.
type runCanvas struct {
	vg.Canvas
	align vg.Length // the part of the width that is on the left of the line's place, less than 0
}

// FillString writes a line.
func (c runCanvas) FillString(f font.Face, at vg.Point, line string) {
	runs := runs(f, line)
	at.X -= c.align * f.Width(line)
	for _, r := range runs {
		at.X += c.align * r.width()
	}
	for _, r := range runs {
		if r.boxes {
			r.drawBoxes(c.Canvas, at)
		} else {
			c.Canvas.FillString(r.face, at, r.text)
		}
		at.X += r.width()
	}
}

// A run is a piece of a line in one font, or characters drawn as boxes.
type run struct {
	face  font.Face // of the digits, if there are boxes
	text  string
	boxes bool
}

// runs divides a line.
func runs(f font.Face, line string) (runs []run) {
	var buffer sfnt.Buffer
	lacks := func(r rune) bool {
		glyph, _ := f.Face.GlyphIndex(&buffer, r)
		return glyph == 0
	}
	if strings.IndexFunc(line, lacks) < 0 {
		return []run{{face: f, text: line}}
	}
	for _, r := range line {
		next := run{face: f, text: string(r)}
		switch {
		case !lacks(r):
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector):
			continue // they change how others look
		case unicode.IsSpace(r):
			next.text = "\u00a0"
		default:
			if next.face.Face = machineFonts.with(r); next.face.Face == nil {
				next.face, next.boxes = f, true
			}
		}
		if k := len(runs) - 1; k >= 0 && runs[k].face == next.face && runs[k].boxes == next.boxes {
			runs[k].text += next.text
		} else {
			runs = append(runs, next)
		}
	}
	for k, r := range runs {
		if letters := []rune(r.text); unicode.Is(unicode.Arabic, letters[0]) && !r.boxes {
			slices.Reverse(letters)
			runs[k].text = string(letters)
		}
	}
	return runs
}

// width returns the width of a run. A box has that of a Chinese character, with its margins.
func (r run) width() vg.Length {
	if r.boxes {
		return vg.Length(len([]rune(r.text))) * r.face.Font.Size
	}
	return r.face.Width(r.text)
}

// drawBoxes draws a frame for each character, with the digits of its code point in two lines.
func (r run) drawBoxes(c vg.Canvas, at vg.Point) {
	em := r.face.Font.Size
	digits := r.face
	digits.Font.Size = 0.42 * em
	for _, char := range r.text {
		frame := rect(at.X+0.06*em, at.Y-0.14*em, at.X+0.94*em, at.Y+0.82*em)
		c.SetLineWidth(0.04 * em)
		c.SetLineDash(nil, 0)
		c.Stroke(frame.Path())
		code := fmt.Sprintf("%04X", char)
		upper := (len(code) + 1) / 2
		for i, line := range []string{code[:upper], code[upper:]} {
			face := digits
			face.Font.Size *= min(1, 0.78*em/face.Width(line))
			x := at.X + (em-face.Width(line))/2
			c.FillString(face, pt(x, at.Y+0.42*em-vg.Length(i)*0.44*em), line)
		}
		at.X += em
	}
}

// A fontSearch finds characters in the fonts of some folders.
type fontSearch struct {
	folders []string

	mu    sync.Mutex
	fonts []*opentype.Font // of all files, but for bold and slanted ones, read when a character is first missing
	read  bool
	of    map[rune]*opentype.Font // nil if no font has the character
}

// machineFonts are the fonts of this machine.
var machineFonts = &fontSearch{folders: fontFolders()}

// fontFolders returns where fonts usually are.
func fontFolders() []string {
	home, _ := os.UserHomeDir()
	switch runtime.GOOS {
	case "darwin":
		return []string{"/System/Library/Fonts", "/Library/Fonts", filepath.Join(home, "Library/Fonts")}
	case "windows":
		return []string{filepath.Join(os.Getenv("WINDIR"), "Fonts")}
	}
	return []string{"/usr/share/fonts", "/usr/local/share/fonts", filepath.Join(home, ".local/share/fonts")}
}

// mostFonts is the most files that are searched.
const mostFonts = 500

// with returns a font that draws a character, or nil.
func (s *fontSearch) with(r rune) *opentype.Font {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, known := s.of[r]; known {
		return f
	}
	if !s.read {
		s.read, s.of = true, map[rune]*opentype.Font{}
		s.readAll()
	}
	var found *opentype.Font
	for _, f := range s.fonts {
		if draws(f, r) {
			found = f
			break
		}
	}
	s.of[r] = found
	return found
}

// readAll reads what says which characters the fonts have. The files stay open, since the rest of a font is read when
// it is used.
func (s *fontSearch) readAll() {
	for _, folder := range s.folders {
		_ = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if len(s.fonts) == mostFonts {
				return fs.SkipAll
			}
			if err == nil && plainFont.MatchString(filepath.Base(path)) && !otherStyle.MatchString(filepath.Base(path)) {
				s.add(path)
			}
			return nil
		})
	}
}

var (
	plainFont  = regexp.MustCompile(`(?i)\.(ttf|otf|ttc|otc)$`)
	otherStyle = regexp.MustCompile(`Bold|Black|Italic|Oblique|Light|Thin`)
)

// add adds the first font of a file, if it can be read.
func (s *fontSearch) add(path string) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	if all, err := opentype.ParseCollectionReaderAt(file); err == nil {
		if f, err := all.Font(0); err == nil {
			s.fonts = append(s.fonts, f)
			return
		}
	}
	file.Close()
}

// draws reports whether a font has an outline for a character. Those of coloured pictures have none.
func draws(f *opentype.Font, r rune) bool {
	var buffer sfnt.Buffer
	glyph, err := f.GlyphIndex(&buffer, r)
	if err != nil || glyph == 0 {
		return false
	}
	em := fixed.I(int(f.UnitsPerEm()))
	outline, err := f.LoadGlyph(&buffer, glyph, em, nil)
	if err != nil || len(outline) == 0 {
		return false
	}
	_, err = f.GlyphAdvance(&buffer, glyph, em, xfont.HintingNone)
	_, kernErr := f.Kern(&buffer, glyph, glyph, em, xfont.HintingNone)
	return err == nil && (kernErr == nil || errors.Is(kernErr, sfnt.ErrNotFound))
}
