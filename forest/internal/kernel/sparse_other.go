//go:build !amd64 || noasm

package kernel

func addSparse4(sums *[4]float32, w []float32, a, b, c, d []Cell) { addSparse4Go(sums, w, a, b, c, d) }

// Prefetch does nothing here.
func Prefetch([]Cell) {}
