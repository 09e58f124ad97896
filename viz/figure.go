package viz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/obliqua-ml/obliqua/internal/atomicfile"
)

// A Chart is one of the structs of this package, or the [Figure] that [Draw] makes from one.
type Chart interface {
	figure() *Figure
}

// A Figure is a chart laid out for drawing. Its fields may be changed before it is drawn.
type Figure struct {
	Title         string
	Alt           string  // a description, for readers who don't see the picture
	Width, Height float64 // in CSS pixels; a PNG has twice as many, or fewer of a picture that would have too many

	keys  []key
	body  func(draw.Canvas)
	live  func() any // returns the option object of the ECharts chart; nil if there is none
	tall  float64    // ratio of the live chart's height to Height; 0 means 1
	equal bool       // units have the same length on both axes
	err   error      // why the body shows words in place of the chart; nil if it doesn't
}

// A key is one entry of a legend.
type key struct {
	name  string
	line  draw.LineStyle              // none if its width is 0
	glyph draw.GlyphStyle             // none if it has no shape
	ramp  func(t float64) color.NRGBA // colours, left to right, for t from 0 to 1
}

const (
	defaultWidth  = 640
	defaultHeight = 420
)

// Draw lays a chart out. It panics with "viz: …" if the chart's fields don't fit together: see the chart's type.
func Draw(chart Chart) *Figure {
	if chart == nil {
		misuse("no chart to draw")
	}
	return chart.figure()
}

func (f *Figure) figure() *Figure { return f }

// plotFigure returns a figure of p in the usual size.
func plotFigure(title, alt string, p *plot.Plot, keys ...key) *Figure {
	return &Figure{Title: title, Alt: alt, Width: defaultWidth, Height: defaultHeight, keys: keys,
		body: func(c draw.Canvas) { drawPlot(c, p) }}
}

// Save writes the figure to a file. The name must end in .png, .svg or .html, in
// either case. An HTML page needs no other file, and is live if the chart is. The
// file replaces an older one only when it is complete, and keeps its mode; a link is
// replaced, not followed. Save returns an error for another ending, if path is a folder,
// a pipe or a device, if the file can't be written, and if what the chart shows couldn't
// be computed.
func (f *Figure) Save(path string) error {
	if f.err != nil {
		return fmt.Errorf("viz: figure %q: %w", f.Title, f.err)
	}
	ext := strings.ToLower(filepath.Ext(path))
	write := map[string]func(io.Writer) error{".png": f.writePNG, ".svg": f.writeSVG, ".html": f.writeHTML}[ext]
	if write == nil {
		return fmt.Errorf("viz: can't save %s: the name ends in %q; want .png, .svg or .html", path, ext)
	}
	if err := atomicfile.Write(path, write); err != nil {
		return fmt.Errorf("viz: save figure %q: %w", f.Title, err)
	}
	return nil
}

func (f *Figure) writePNG(w io.Writer) error { return f.encodePNG(w, png.DefaultCompression) }

func (f *Figure) encodePNG(w io.Writer, level png.CompressionLevel) error {
	return (&png.Encoder{CompressionLevel: level}).Encode(w, reduceColours(f.image()))
}

// image returns the figure as pixels.
func (f *Figure) image() *image.RGBA {
	dpi := 2 * 96 * min(1, math.Sqrt(mostPixels/(4*f.Width*f.Height)))
	c := vgimg.NewWith(vgimg.UseWH(f.size()), vgimg.UseDPI(max(1, int(dpi))))
	f.draw(draw.New(c))
	return c.Image().(*image.RGBA)
}

// mostPixels is the most pixels of a PNG, each of which takes 4 bytes while it is drawn.
const mostPixels = 100e6

func (f *Figure) writeSVG(w io.Writer) error {
	c := vgsvg.New(f.size())
	f.draw(draw.New(c))
	var svg bytes.Buffer
	if _, err := c.WriteTo(&svg); err != nil {
		return err
	}
	// Images must fill their rectangles, whatever the proportions.
	text := strings.ReplaceAll(svg.String(), "<image ", `<image preserveAspectRatio="none" `)
	head, rest, _ := strings.Cut(text, "<svg ")
	attributes, content, _ := strings.Cut(rest, ">")
	_, err := fmt.Fprintf(w, `%s<svg role="img" aria-label="%s" %s>`+"\n<title>%s</title>\n<desc>%s</desc>%s", head,
		html.EscapeString(f.alt()), attributes,
		html.EscapeString(f.Title), html.EscapeString(f.Alt), content)
	return err
}

// size returns the width and height of the figure.
func (f *Figure) size() (w, h vg.Length) {
	switch {
	case f.body == nil:
		misuse("a figure that Draw didn't make")
	case !(f.Width > 0 && f.Height > 0):
		misuse("a figure of %v × %v pixels", f.Width, f.Height)
	}
	return css(f.Width), css(f.Height)
}

// draw draws the title, the legend and the body, from top to bottom.
func (f *Figure) draw(c draw.Canvas) {
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	f.body(f.drawHeader(c))
}

// fail makes f say what went wrong, in place of a chart.
func (f *Figure) fail(err error) {
	f.err, f.Alt, f.keys = err, err.Error(), nil
	f.body = func(c draw.Canvas) {
		style := textStyle(labelSize, false)
		for i, line := range wrap(strings.ReplaceAll(err.Error(), "\n", "; "), style, c.Size().X) {
			c.FillText(style, pt(c.Min.X, c.Max.Y-(vg.Length(i)+0.5)*1.5*labelSize), line)
		}
	}
}

// drawHeader draws the title and the legend, and returns what is left for the body.
func (f *Figure) drawHeader(c draw.Canvas) draw.Canvas {
	c = draw.Crop(c, 10*px, -14*px, 8*px, -10*px)
	size := titleSize
	if c.Size().X < 440*px {
		size = smallTitleSize
	}
	bold := textStyle(size, true)
	top := c.Max.Y
	const mostLines = 4
	for i, line := range wrap(f.Title, bold, c.Size().X) {
		if i == mostLines-1 {
			line += " …"
		}
		if i == mostLines {
			break
		}
		top -= size + 4*px
		c.FillText(bold, pt(c.Min.X, top+(size+4*px)/2), shorten(line, bold, c.Size().X))
	}
	top = f.drawKeys(c, top-2*px)
	return draw.Crop(c, 0, 0, 0, top-6*px-c.Max.Y)
}

// headerHeight returns the height of all but the body, in CSS pixels.
func (f *Figure) headerHeight() float64 {
	c := f.drawHeader(draw.New(vgsvg.New(f.size())))
	return f.Height - float64(c.Size().Y/px)
}

// grow makes the figure so high that this height is left for the body.
func (f *Figure) grow(height float64) {
	for need := f.Height; ; f.Height = need {
		if need = math.Ceil(f.headerHeight() + height); need <= f.Height {
			return
		}
	}
}

// A placedKey is an entry of a legend with its place.
type placedKey struct {
	key
	row           int
	x, swatch, to vg.Length // the left ends of entry and name are x and x + swatch + keySpace; to is the right end
}

const keySpace, keyGap, keyRow = 5 * px, 16 * px, 18 * px // before a name, between entries and between rows

// placeKeys returns the entries of a legend in rows of a width. If they need more rows than most, the last one says how
// many are left out.
func placeKeys(keys []key, width vg.Length, most int) (placed []placedKey) {
	style := textStyle(tickSize, false)
	next := func(k key) placedKey {
		p := placedKey{key: k, swatch: 12 * px}
		if k.line.Width > 0 {
			p.swatch = 26 * px
		}
		if k.ramp != nil {
			p.swatch = 60 * px
		}
		p.name = shorten(k.name, style, width-p.swatch)
		w := p.swatch + keySpace + style.Width(p.name)
		if len(placed) > 0 {
			last := placed[len(placed)-1]
			p.x, p.row = last.to+keyGap, last.row
			if p.x+w > width {
				p.x, p.row = 0, last.row+1
			}
		}
		p.to = p.x + w
		return p
	}
	for _, k := range keys {
		p := next(k)
		if p.row < most {
			placed = append(placed, p)
			continue
		}
		for {
			more := next(key{name: fmt.Sprintf("and %d more", len(keys)-len(placed))})
			if more.row < most {
				return append(placed, more)
			}
			placed = placed[:len(placed)-1]
		}
	}
	return placed
}

// drawKeys draws the legend in rows downwards from top, and returns the y of its
// lower edge. It takes at most seven rows, and a third of the canvas.
func (f *Figure) drawKeys(c draw.Canvas, top vg.Length) vg.Length {
	style := textStyle(tickSize, false)
	low := top
	for _, k := range placeKeys(f.keys, c.Size().X, min(7, max(3, int(c.Size().Y/3/keyRow)))) {
		low = top - vg.Length(k.row+1)*keyRow
		x, mid := c.Min.X+k.x, low+keyRow/2
		if k.line.Width > 0 {
			c.StrokeLine2(k.line, x, mid, x+k.swatch, mid)
		}
		if k.glyph.Shape != nil {
			c.DrawGlyph(k.glyph, pt(x+k.swatch/2, mid))
		}
		if k.ramp != nil {
			drawRamp(c, rect(x, mid-5*px, x+k.swatch, mid+5*px), k.ramp)
		}
		c.FillText(style, pt(x+k.swatch+keySpace, mid+px), k.name)
	}
	return low
}

// drawRamp fills a rectangle with colours from left to right.
func drawRamp(c draw.Canvas, r vg.Rectangle, ramp func(t float64) color.NRGBA) {
	const strips = 60
	w := r.Size().X / strips
	for i := range strips {
		x := r.Min.X + vg.Length(i)*w
		fillRectangle(c, ramp((float64(i)+0.5)/strips), rect(x, r.Min.Y, x+w, r.Max.Y))
	}
}

// alt returns the title and description of the figure.
func (f *Figure) alt() string {
	if f.Alt == "" {
		return f.Title
	}
	return strings.ReplaceAll(strings.TrimSpace(f.Title+"\n"+f.Alt), "\u00a0", " ")
}

var notWord = regexp.MustCompile(`[^\p{L}\p{N}]+`)

// slug returns the title as a file name without extension.
func (f *Figure) slug() string {
	s := strings.Trim(notWord.ReplaceAllString(strings.ToLower(f.Title), "-"), "-")
	if s == "" {
		return "figure"
	}
	if r := []rune(s); len(r) > 60 {
		s = strings.TrimRight(string(r[:60]), "-")
	}
	return s
}

// option returns the ECharts option object as JSON. It is safe inside a script
// element, since it has no <, > or &.
func (f *Figure) option() []byte {
	b, err := json.Marshal(f.live())
	if err != nil {
		panic("viz: " + err.Error())
	}
	return b
}
