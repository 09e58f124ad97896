//go:build !noasm

package kernel

// addSparse4SSE2 is addSparse4Go for n ≥ 1 cells. It doesn't check indices.
//
//go:noescape
func addSparse4SSE2(sums *[4]float32, w *float32, a, b, c, d *Cell, n int)

func addSparse4(sums *[4]float32, w []float32, a, b, c, d []Cell) {
	addSparse4SSE2(sums, &w[0], &a[0], &b[0], &c[0], &d[0], len(a))
}

// prefetchCells is [Prefetch] of n ≥ 1 cells.
//
//go:noescape
func prefetchCells(c *Cell, n int)

// Prefetch asks the processor to bring cells into its cache.
func Prefetch(c []Cell) {
	if len(c) > 0 {
		prefetchCells(&c[0], len(c))
	}
}
