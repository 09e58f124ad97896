package kernel

// A Cell is a number other than 0 and where it is in its row or column.
type Cell struct {
	Index int32
	X     float32
}

// AddSparse4 adds to each of sums the products of the row's first n cells with the weights of their indices, each
// product and each sum rounded to float32. Indices are below len(w).
func AddSparse4(sums *[4]float32, w []float32, a, b, c, d []Cell, n int) {
	if n > 0 {
		addSparse4(sums, w, a[:n], b[:n], c[:n], d[:n])
	}
}

func addSparse4Go(sums *[4]float32, w []float32, a, b, c, d []Cell) {
	sums[0], sums[1] = addSparse2(sums[0], sums[1], w, a, b)
	sums[2], sums[3] = addSparse2(sums[2], sums[3], w, c, d)
}

// addSparse2 adds the products of two rows, whose variables fit in the registers of a processor.
func addSparse2(s, t float32, w []float32, a, b []Cell) (float32, float32) {
	b = b[:len(a)]
	for k, x := range a {
		y := b[k]
		s += float32(w[x.Index] * x.X)
		t += float32(w[y.Index] * y.X)
	}
	return s, t
}
