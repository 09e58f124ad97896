package viz

import (
	"fmt"
	"image/color"
	"math"
)

// Palette holds the colours of classes and series, in order: those of Okabe and Ito (2008), which readers with any
// common form of colour blindness can tell apart. Yellow comes last because thin yellow lines are hard to see on white.
var Palette = []color.NRGBA{
	opaque(0x0072b2), // blue
	opaque(0xe69f00), // orange
	opaque(0x009e73), // bluish green
	opaque(0xcc79a7), // reddish purple
	opaque(0x56b4e9), // sky blue
	opaque(0xd55e00), // vermillion
	opaque(0x000000), // black
	opaque(0xf0e442), // yellow
}

var (
	white = opaque(0xffffff)
	ink   = opaque(0x222222) // text
	grey  = opaque(0x888888) // axes and frames
	pale  = opaque(0xe4e4e4) // grids

	boxFill = mix(white, grey, 0.0924) // stands out a little from the ground
)

func opaque(rgb uint32) color.NRGBA {
	return color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 0xff}
}

func classColor(k int) color.NRGBA { return Palette[k%len(Palette)] }

// mix returns (1−t)·a + t·b.
func mix(a, b color.NRGBA, t float64) color.NRGBA {
	at := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + t*(float64(y)-float64(x)))) }
	return color.NRGBA{at(a.R, b.R), at(a.G, b.G), at(a.B, b.B), at(a.A, b.A)}
}

// between returns the colours from a over middle to b, for t from 0 to 1.
func between(a, middle, b color.NRGBA, t float64) color.NRGBA {
	if t < 0.5 {
		return mix(a, middle, 2*t)
	}
	return mix(middle, b, 2*t-1)
}

// hex returns an opaque colour of this package as HTML has it.
func hex(c color.Color) string {
	n := c.(color.NRGBA)
	return fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B)
}
