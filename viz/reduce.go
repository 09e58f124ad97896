package viz

import (
	"cmp"
	"encoding/binary"
	"image"
	"image/color"
	"maps"
	"slices"
)

// reduceColours returns an opaque image with the 256 commonest colours of img. Every
// other colour is replaced by the nearest of these. Our pictures have few colours,
// apart from many shades at the edges of letters and lines, so the loss is hardly
// visible, and the PNG is a third of the size.
func reduceColours(img *image.RGBA) *image.Paletted {
	count := map[uint32]int{}
	last, run := uint32(0), 0 // neighbouring pixels are mostly equal
	for i := 0; i < len(img.Pix); i += 4 {
		c := binary.BigEndian.Uint32(img.Pix[i:])
		if c != last {
			count[last] += run
			last, run = c, 0
		}
		run++
	}
	count[last] += run
	common := slices.SortedFunc(maps.Keys(count), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	var palette color.Palette
	for _, c := range common[:min(256, len(common))] {
		palette = append(palette, unpackColour(c))
	}
	index := make(map[uint32]uint8, len(common))
	for _, c := range common {
		index[c] = uint8(palette.Index(unpackColour(c)))
	}
	out := image.NewPaletted(img.Bounds(), palette)
	last = binary.BigEndian.Uint32(img.Pix)
	at := index[last]
	for i := range out.Pix {
		if c := binary.BigEndian.Uint32(img.Pix[4*i:]); c != last {
			last, at = c, index[c]
		}
		out.Pix[i] = at
	}
	return out
}

func unpackColour(c uint32) color.NRGBA {
	return color.NRGBA{uint8(c >> 24), uint8(c >> 16), uint8(c >> 8), uint8(c)}
}
