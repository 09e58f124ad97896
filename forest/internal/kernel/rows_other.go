//go:build !amd64 || noasm

package kernel

func dot4(sums *[4]float64, w, a, b, c, d []float64) { dot4Go(sums, w, a, b, c, d) }

func addRows4(sum, a, b, c, d []float64, g *[4]float64) { addRows4Go(sum, a, b, c, d, g) }
