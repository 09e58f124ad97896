//go:build !noasm

package kernel

import "golang.org/x/sys/cpu"

// sidesAVX2 is sides8 for n rows; n must be a multiple of four.
//
//go:noescape
func sidesAVX2(dst *uint8, cells *float32, m int, rows *int32, n int, weights *float32, thresholds *[Lanes]float32)

var hasAVX2 = cpu.X86.HasAVX2

// sidesFast computes the sides of the first rows by vector instructions, if the processor
// has them, and returns the number of these rows.
func sidesFast(dst []uint8, cells []float32, m int, rows []int32, weights []float32, t *[Lanes]float32) int {
	n := len(rows) &^ 3
	if n == 0 || !hasAVX2 {
		return 0
	}
	_, _, _ = dst[n-1], weights[Lanes*m-1], cells[m-1]
	sidesAVX2(&dst[0], &cells[0], m, &rows[0], n, &weights[0], t)
	return n
}
