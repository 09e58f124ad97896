package viz

import (
	"image/color"
	"slices"
)

// A Theme is a set of colours for all charts. See [Use].
type Theme uint8

const (
	Light Theme = iota // dark on white, with the colours of Okabe and Ito (2008)
	Dark               // light on nearly black (#111), with lighter colours of the same hues
	// Print is black and greys on white. Lines differ by dashes, and regions by hatching, which is on grey where the
	// margin is small.
	Print
)

// Use sets the theme of all charts made from now on, pictures and live ones alike. Call
// it before the first chart of a program: charts can be made and drawn in several goroutines at
// a time, but not while Use is called. A notebook chooses its theme once, in a cell
// without output near the top, since GoNB runs functions whose names begin with init_ at
// the start of every later cell:
//
//	func init_theme() { viz.Use(viz.Dark) }
//
// Use panics if there is no such theme.
func Use(theme Theme) {
	if int(theme) >= len(themes) {
		misuse("there is no such theme")
	}
	current = theme
	c := themes[theme]
	white, ink, grey, pale = c.ground, c.ink, c.grey, c.pale
	copy(Palette, c.palette)
}

// Palette holds the colours of classes and series, in order. In the light theme they are
// those of Okabe and Ito (2008), which readers with any common form of colour blindness can
// tell apart. Yellow comes last because thin yellow lines are hard to see on white.
var Palette = slices.Clone(themes[Light].palette)

// The colours of the current theme.
var (
	current = Light
	white   = themes[Light].ground // what is white on paper: the ground
	ink     = themes[Light].ink    // text
	grey    = themes[Light].grey   // axes and frames
	pale    = themes[Light].pale   // grids
)

// boxFill returns the colour of a box that stands out a little from the ground.
func boxFill() color.NRGBA { return mix(white, grey, 0.0924) }

var themes = [...]struct {
	ground, ink, grey, pale color.NRGBA
	palette                 []color.NRGBA
}{
	// Blue, orange, bluish green, reddish purple, sky blue, vermillion, black or white, yellow.
	Light: {opaque(0xffffff), opaque(0x222222), opaque(0x888888), opaque(0xe4e4e4),
		colours(0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0x000000, 0xf0e442)},
	Dark: {opaque(0x111111), opaque(0xe8e8e8), opaque(0x8c8c8c), opaque(0x333333),
		colours(0x3a9bdc, 0xe69f00, 0x1fbf8f, 0xd98cb8, 0x9fd4f5, 0xee7733, 0xf5f5f5, 0xf0e442)},
	Print: {opaque(0xffffff), opaque(0x000000), opaque(0x707070), opaque(0xdcdcdc),
		colours(0x000000, 0x9a9a9a, 0x555555, 0xc4c4c4, 0x2b2b2b, 0x787878, 0x414141, 0xaeaeae)},
}

func colours(rgb ...uint32) (palette []color.NRGBA) {
	for _, c := range rgb {
		palette = append(palette, opaque(c))
	}
	return palette
}

func opaque(rgb uint32) color.NRGBA {
	return color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 0xff}
}

// An object is one of JavaScript.
type object = map[string]any

// liveTheme returns the ECharts theme with these colours, or nil for the light one, which is
// that of ECharts.
func liveTheme() any {
	if current == Light {
		return nil
	}
	text := object{"color": hex(ink)}
	line := object{"lineStyle": object{"color": hex(grey)}}
	axis := object{"axisLine": line, "axisTick": line, "axisLabel": text, "nameTextStyle": text,
		"splitLine": object{"lineStyle": object{"color": hex(pale)}}}
	return object{
		"backgroundColor": hex(white), "textStyle": text,
		"title": object{"textStyle": text}, "legend": object{"textStyle": text, "pageTextStyle": text},
		"visualMap":    object{"textStyle": text},
		"tooltip":      object{"backgroundColor": hex(white), "borderColor": hex(grey), "textStyle": text},
		"categoryAxis": axis, "valueAxis": axis, "logAxis": axis,
	}
}
