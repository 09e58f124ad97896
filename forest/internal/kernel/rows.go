package kernel

// Dot4 returns the products of w with each of four rows. Each is summed in four parts, of the cells
// whose number is 0, 1, 2 and 3 modulo 4: (s0 + s2) + (s1 + s3). The last cells, which
// don't fill a group of four, are then added one by one.
func Dot4(w, a, b, c, d []float64) (sums [4]float64) {
	a, b, c, d = a[:len(w)], b[:len(w)], c[:len(w)], d[:len(w)]
	fours := len(w) &^ 3
	if fours > 0 {
		dot4(&sums, w[:fours], a, b, c, d)
	}
	for k := fours; k < len(w); k++ {
		sums[0] += float64(w[k] * a[k])
		sums[1] += float64(w[k] * b[k])
		sums[2] += float64(w[k] * c[k])
		sums[3] += float64(w[k] * d[k])
	}
	return sums
}

// Dot returns the product of w and a, summed as [Dot4] does.
func Dot(w, a []float64) float64 {
	a = a[:len(w)]
	fours := len(w) &^ 3
	sum := dotGo(w[:fours], a)
	for k := fours; k < len(w); k++ {
		sum += float64(w[k] * a[k])
	}
	return sum
}

func dotGo(w, a []float64) float64 {
	var s0, s1, s2, s3 float64
	for k := 0; k+4 <= len(w); k += 4 {
		u, v := w[k:k+4], a[k:k+4]
		s0 += float64(u[0] * v[0])
		s1 += float64(u[1] * v[1])
		s2 += float64(u[2] * v[2])
		s3 += float64(u[3] * v[3])
	}
	return (s0 + s2) + (s1 + s3)
}

func dot4Go(sums *[4]float64, w, a, b, c, d []float64) {
	sums[0], sums[1], sums[2], sums[3] = dotGo(w, a), dotGo(w, b), dotGo(w, c), dotGo(w, d)
}

// AddRows4 adds (g[0]·a + g[1]·b) + (g[2]·c + g[3]·d) to sum.
func AddRows4(sum, a, b, c, d []float64, g *[4]float64) {
	a, b, c, d = a[:len(sum)], b[:len(sum)], c[:len(sum)], d[:len(sum)]
	fours := len(sum) &^ 3
	if fours > 0 {
		addRows4(sum[:fours], a, b, c, d, g)
	}
	addRows4Go(sum[fours:], a[fours:], b[fours:], c[fours:], d[fours:], g)
}

func addRows4Go(sum, a, b, c, d []float64, g *[4]float64) {
	ga, gb, gc, gd := g[0], g[1], g[2], g[3]
	a, b, c, d = a[:len(sum)], b[:len(sum)], c[:len(sum)], d[:len(sum)]
	for k := range sum {
		sum[k] += (float64(ga*a[k]) + float64(gb*b[k])) + (float64(gc*c[k]) + float64(gd*d[k]))
	}
}
