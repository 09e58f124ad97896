package viz

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A shape is a filled polygon around the origin, scaled by the glyph's radius. Shapes
// distinguish classes also in black and white.
type shape []vg.Point

var shapes = []shape{
	regular(24, 1, 0),             // circle
	regular(4, 1.2, math.Pi/4),    // square
	regular(3, 1.35, math.Pi/2),   // triangle
	regular(4, 1.3, 0),            // diamond
	regular(3, 1.35, -math.Pi/2),  // triangle on its tip
	cross(0),                      // plus
	cross(math.Pi / 4),            // cross
	star(5, 1.45, 0.6, math.Pi/2), // star
	regular(6, 1.15, 0),           // hexagon
}

func classShape(k int) draw.GlyphDrawer { return shapes[k%len(shapes)] }

// regular returns a regular polygon of n corners, the first at the given angle.
func regular(n int, radius, angle float64) shape { return star(n, radius, 0, angle) }

// star returns n points at radius outer and, unless inner is 0, as many
// between them at radius inner.
func star(n int, outer, inner, angle float64) shape {
	var s shape
	corner := func(r, turn float64) {
		a := angle + 2*math.Pi*turn/float64(n)
		s = append(s, pt(vg.Length(r*math.Cos(a)), vg.Length(r*math.Sin(a))))
	}
	for i := range n {
		corner(outer, float64(i))
		if inner > 0 {
			corner(inner, float64(i)+0.5)
		}
	}
	return s
}

// cross returns a plus sign, turned by an angle.
func cross(angle float64) shape {
	const long, thin = 1.25, 0.42
	var s shape
	for quarter := range 4 {
		a := angle + float64(quarter)*math.Pi/2
		sin, cos := math.Sincos(a)
		for _, p := range [][2]float64{{long, -thin}, {long, thin}, {thin, thin}} {
			s = append(s, pt(vg.Length(p[0]*cos-p[1]*sin), vg.Length(p[0]*sin+p[1]*cos)))
		}
	}
	return s
}

// path returns the shape as SVG path commands relative to the current point, in
// tenths of a CSS pixel.
func (s shape) path() string {
	const radius = 36
	if len(s) == len(shapes[0]) { // the circle, written shorter
		return fmt.Sprintf("m-%[1]d 0a%[1]d %[1]d 0 1 0 %[2]d 0a%[1]d %[1]d 0 1 0-%[2]d 0", radius, 2*radius)
	}
	var b strings.Builder
	var at [2]int
	for i, p := range s {
		to := [2]int{int(math.Round(radius * float64(p.X))), -int(math.Round(radius * float64(p.Y)))}
		fmt.Fprintf(&b, "%c%d %d", "ml"[min(i, 1)], to[0]-at[0], to[1]-at[1])
		at = to
	}
	return b.String() + "z"
}

// DrawGlyph fills the shape, with a thin white edge around it.
func (s shape) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var path vg.Path
	for i, p := range s {
		corner := pt(at.X+style.Radius*p.X, at.Y+style.Radius*p.Y)
		if i == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}
	path.Close()
	c.SetLineStyle(draw.LineStyle{Color: white, Width: 0.44 * style.Radius})
	c.Stroke(path)
	c.SetColor(style.Color)
	c.Fill(path)
}
