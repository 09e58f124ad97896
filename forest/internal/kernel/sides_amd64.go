//go:build !noasm

package kernel

import "golang.org/x/sys/cpu"

// The functions below are sidesGo for n rows, a positive multiple of eight: sides512 and
// sides16 for 16 planes, by AVX-512 and AVX2, sides8AVX2 for the first eight.

//go:noescape
func sidesAVX512(dst *uint8, stride int, cells *float32, m int, rows *int32, n int, weights *float32,
	thresholds *[Panel]float32)

//go:noescape
func sidesAVX2(dst *uint8, stride int, cells *float32, m int, rows *int32, n int, weights *float32,
	thresholds *[Panel]float32)

//go:noescape
func sides8AVX2(dst *uint8, cells *float32, m int, rows *int32, n int, weights *float32, thresholds *[Panel]float32)

// prefetch asks for the cells of n ≥ 1 rows.
//
//go:noescape
func prefetch(cells *float32, m int, rows *int32, n int)

var (
	hasAVX2   = cpu.X86.HasAVX2
	hasAVX512 = cpu.X86.HasAVX512F
)

// sidesFast is sidesGo by vector instructions. It returns false, and does nothing, if the
// processor has none.
func sidesFast(dst []uint8, stride int, cells []float32, m int, rows []int32, weights []float32, t *[Panel]float32,
	planes int) bool {
	if !hasAVX2 {
		return false
	}
	n := len(rows) &^ 7
	if n > 0 {
		sidesVector(dst, stride, cells, m, rows[:n], weights, t, planes)
	}
	if n == len(rows) {
		return true
	}
	// The last rows, with the last of them repeated.
	var last [8]int32
	var sides [16]uint8
	for i := range last {
		last[i] = rows[min(n+i, len(rows)-1)]
	}
	sidesVector(sides[:], 8, cells, m, last[:], weights, t, planes)
	copy(dst[n:len(rows)], sides[:8])
	if planes > 8 {
		copy(dst[stride+n:][:len(rows)-n], sides[8:])
	}
	return true
}

// sidesVector is sidesFast for a positive multiple of eight rows.
func sidesVector(dst []uint8, stride int, cells []float32, m int, rows []int32, weights []float32, t *[Panel]float32,
	planes int) {
	n := len(rows)
	_, _, _ = dst[n-1], weights[Panel*m-1], cells[m-1]
	switch {
	case planes <= 8:
		sides8AVX2(&dst[0], &cells[0], m, &rows[0], n, &weights[0], t)
	case hasAVX512:
		_ = dst[stride+n-1]
		sidesAVX512(&dst[0], stride, &cells[0], m, &rows[0], n, &weights[0], t)
	default:
		_ = dst[stride+n-1]
		sidesAVX2(&dst[0], stride, &cells[0], m, &rows[0], n, &weights[0], t)
	}
}

// prefetchRows asks for the cells of rows that are needed soon.
func prefetchRows(cells []float32, m int, rows []int32) {
	if len(rows) > 0 && len(cells) > secondCache && m <= 256 {
		prefetch(&cells[0], m, &rows[0], len(rows))
	}
}

// secondCache is the number of cells that a processor's second cache holds.
const secondCache = 1 << 18
