package viz

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"slices"
)

// reduce returns an image with the 256 commonest colours of img, each other
// colour replaced by the nearest of them. Our pictures have few colours and
// many shades at the edges of letters and lines, so little is lost to the eye,
// and a PNG takes a third of the room.
func reduce(img image.Image) *image.Paletted {
	b := img.Bounds()
	pixels := make([]color.NRGBA, 0, b.Dx()*b.Dy())
	count := map[color.NRGBA]int{}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			pixels = append(pixels, c)
			count[c]++
		}
	}
	common := slices.SortedFunc(maps.Keys(count), func(a, b color.NRGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(bits(a), bits(b)))
	})
	var palette color.Palette
	for _, c := range common[:min(256, len(common))] {
		palette = append(palette, c)
	}
	index := make(map[color.NRGBA]uint8, len(common))
	for c := range count {
		index[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(b, palette)
	for i, c := range pixels {
		out.Pix[i] = index[c]
	}
	return out
}

func bits(c color.NRGBA) uint32 {
	return uint32(c.R)<<24 | uint32(c.G)<<16 | uint32(c.B)<<8 | uint32(c.A)
}
