//go:build !noasm

package kernel

// combineAVX2 is combineGo for m ≥ 1 cells.
//
//go:noescape
func combineAVX2(sums *[4][4]float64, z *[4]float64, m int, a, b, c, d *float32)

// combine is combineGo, by vector instructions if the processor has them.
func combine(sums *[4][4]float64, z [][4]float64, rows *quads) {
	if !hasAVX2 {
		combineGo(sums, z, rows)
		return
	}
	last := len(z) - 1
	_, _, _, _ = rows.a[last], rows.b[last], rows.c[last], rows.d[last]
	combineAVX2(sums, &z[0], len(z), &rows.a[0], &rows.b[0], &rows.c[0], &rows.d[0])
}
