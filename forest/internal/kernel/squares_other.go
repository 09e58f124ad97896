//go:build !amd64 || noasm

package kernel

func addSquares4(sum []float64, p int, x []float64, stride int, g *[4]float64) {
	addSquares4Go(sum, p, x, stride, g)
}

func quadratics(t, q, w []float64, p int, x []float64) { quadraticsGo(t, q, w, p, x) }
