package main

import (
	"fmt"
	"image"
	"image/color"
	_ "image/png"
	"io"
)

// minDrawn is the share of a picture's pixels that must differ from its most frequent
// colour: specks are below it, a thin line across the picture is above.
const minDrawn = 0.002

// checkPicture returns an error if what it reads isn't a PNG, or is blank.
func checkPicture(r io.Reader) error {
	img, _, err := image.Decode(r)
	if err != nil {
		return err
	}
	return checkDrawn(img)
}

// checkDrawn returns an error if img is blank, or nearly so.
func checkDrawn(img image.Image) error {
	b := img.Bounds()
	total, most := b.Dx()*b.Dy(), 0
	colours := map[color.Color]int{}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := img.At(x, y)
			colours[c]++
			most = max(most, colours[c])
		}
	}
	if drawn := total - most; drawn == 0 || float64(drawn) < minDrawn*float64(total) {
		return fmt.Errorf("it is blank: %d of %d pixels have the same colour", most, total)
	}
	return nil
}
