package kernel

import "math"

// Panel is the number of planes whose weights lie side by side, for [Sides].
const Panel = 16

// blockRows is how many rows meet all planes before the next rows do: few enough for their
// cells to stay in the cache next to the weights of a panel.
const blockRows = 32

// Sides computes which side of planes rows lie on. Bit k%8 of dst[k/8·len(rows)+i] becomes
// 1 if row rows[i] is on the right of plane k, that is, Σ w[j]·x[j] > thresholds[k], and 0
// otherwise, for k < planes; the other bits of the last bytes are undefined.
//
// cells holds the rows one after another, m cells each. Planes lie in panels of [Panel]:
// weight j of plane k is weights[(k/Panel·m+j)·Panel+k%Panel]. The last panel is whole, and
// thresholds has an element for each of its planes. No threshold may be −0, and no sum
// infinite.
func Sides(dst []uint8, cells []float32, m int, rows []int32, weights, thresholds []float32, planes int) {
	stride := len(rows)
	for lo := 0; lo < len(rows); lo += blockRows {
		block := rows[lo:min(lo+blockRows, len(rows))]
		next := lo + len(block)
		prefetchRows(cells, m, rows[next:min(next+blockRows, len(rows))])
		for k := 0; k < planes; k += Panel {
			to, w, t := dst[k/8*stride+lo:], weights[k*m:][:Panel*m], (*[Panel]float32)(thresholds[k:])
			count := min(Panel, planes-k)
			if !sidesFast(to, stride, cells, m, block, w, t, count) {
				sidesGo(to, stride, cells, m, block, w, t, count)
			}
		}
	}
}

// sidesGo is [Sides] for the planes of one panel. The sides of the first eight go to dst,
// those of the others to dst[stride:].
func sidesGo(dst []uint8, stride int, cells []float32, m int, rows []int32, weights []float32, t *[Panel]float32,
	planes int) {
	for k := 0; k < planes; k += 8 {
		if planes-k <= 4 {
			sides4(dst[k/8*stride:], cells, m, rows, weights[k:], t[k:])
		} else {
			sides8(dst[k/8*stride:], cells, m, rows, weights[k:], t[k:])
		}
	}
}

// sides4 sets the sides of the first four planes of a panel.
func sides4(dst []uint8, cells []float32, m int, rows []int32, weights, thresholds []float32) {
	dst, t := dst[:len(rows)], (*[4]float32)(thresholds)
	for i, r := range rows {
		var a, b, c, d float32
		for j, v := range cells[int(r)*m:][:m] {
			w := (*[4]float32)(weights[Panel*j:])
			a += float32(v * w[0])
			b += float32(v * w[1])
			c += float32(v * w[2])
			d += float32(v * w[3])
		}
		dst[i] = side(a, t[0]) | side(b, t[1])<<1 | side(c, t[2])<<2 | side(d, t[3])<<3
	}
}

// sides8 sets the sides of the first eight planes of a panel.
func sides8(dst []uint8, cells []float32, m int, rows []int32, weights, thresholds []float32) {
	dst, t := dst[:len(rows)], (*[8]float32)(thresholds)
	for i, r := range rows {
		var a, b, c, d, e, f, g, h float32
		for j, v := range cells[int(r)*m:][:m] {
			w := (*[8]float32)(weights[Panel*j:])
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

// side returns 1 if v > t, otherwise 0. Neither may be infinite, and t not −0.
func side(v, t float32) uint8 { return uint8(math.Float32bits(t-v) >> 31) }
