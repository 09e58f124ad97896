package kernel

import "math"

// Lanes is the number of planes that [Sides] computes at once.
const Lanes = 8

// Sides sets bit k of dst[i] to 1 if row rows[i] of cells is on the right of plane k,
// that is, Σ weights[Lanes·j+k]·x[j] > thresholds[k], and to 0 otherwise. cells holds the
// rows one after another, m cells each. Bits of planes from number planes on are
// undefined. No threshold may be −0, and no sum infinite.
func Sides(dst []uint8, cells []float32, m int, rows []int32, weights []float32, thresholds *[Lanes]float32, planes int) {
	done := sidesFast(dst, cells, m, rows, weights, thresholds)
	dst, rows = dst[done:], rows[done:]
	if planes <= 4 {
		sides4(dst, cells, m, rows, weights, thresholds)
	} else {
		sides8(dst, cells, m, rows, weights, thresholds)
	}
}

// Side1 is [Sides] for a single plane with weights[j] and threshold t: it sets dst[i] to
// 1 if row rows[i] is on its right and to 0 otherwise.
func Side1(dst []uint8, cells []float32, m int, rows []int32, weights []float32, t float32) {
	dst = dst[:len(rows)]
	for i, r := range rows {
		row := cells[int(r)*m:][:m]
		weights := weights[:len(row)]
		var a float32
		for j, v := range row {
			a += float32(v * weights[j])
		}
		dst[i] = side(a, t)
	}
}

// side returns 1 if v > t, otherwise 0. Neither may be infinite, and t not −0.
func side(v, t float32) uint8 { return uint8(math.Float32bits(t-v) >> 31) }

func sides4(dst []uint8, cells []float32, m int, rows []int32, weights []float32, t *[Lanes]float32) {
	dst = dst[:len(rows)]
	for i, r := range rows {
		var a, b, c, d float32
		for j, v := range cells[int(r)*m:][:m] {
			w := (*[Lanes]float32)(weights[Lanes*j:])
			a += float32(v * w[0])
			b += float32(v * w[1])
			c += float32(v * w[2])
			d += float32(v * w[3])
		}
		dst[i] = side(a, t[0]) | side(b, t[1])<<1 | side(c, t[2])<<2 | side(d, t[3])<<3
	}
}

func sides8(dst []uint8, cells []float32, m int, rows []int32, weights []float32, t *[Lanes]float32) {
	dst = dst[:len(rows)]
	for i, r := range rows {
		var a, b, c, d, e, f, g, h float32
		for j, v := range cells[int(r)*m:][:m] {
			w := (*[Lanes]float32)(weights[Lanes*j:])
			a += float32(v * w[0])
			b += float32(v * w[1])
			c += float32(v * w[2])
			d += float32(v * w[3])
			e += float32(v * w[4])
			f += float32(v * w[5])
			g += float32(v * w[6])
			h += float32(v * w[7])
		}
		dst[i] = side(a, t[0]) | side(b, t[1])<<1 | side(c, t[2])<<2 | side(d, t[3])<<3 |
			side(e, t[4])<<4 | side(f, t[5])<<5 | side(g, t[6])<<6 | side(h, t[7])<<7
	}
}
