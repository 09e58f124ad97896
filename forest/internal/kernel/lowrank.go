package kernel

// LowRank returns
//
//	bias + Σ w[i]·z[i] + Σ ±(Σ factors[r·k+i]·z[i])²
//
// where z[i] is x[features[i]] − centre[i] and k is the number of features. The first
// positive rows of factors are added, the others subtracted. All terms are added in this
// order, in float64, each product and each sum rounded, and the result is rounded to
// float32. No sum is NaN if all numbers are finite. factors has whole rows; it is empty if
// there are no features.
func LowRank(x []float32, features []int32, centre, w, factors []float32, positive int, bias float32) float32 {
	centre, w = centre[:len(features)], w[:len(features)]
	v := float64(bias)
	for i, j := range features {
		v += float64(float64(w[i]) * (float64(x[j]) - float64(centre[i])))
	}
	for rows := newQuads(factors, len(features)); rows.next(); {
		k := len(features)
		a, b, c, d := rows.a[:k], rows.b[:k], rows.c[:k], rows.d[:k]
		var s0, s1, s2, s3 float64
		for i, j := range features {
			z := float64(x[j]) - float64(centre[i])
			s0 += float64(float64(a[i]) * z)
			s1 += float64(float64(b[i]) * z)
			s2 += float64(float64(c[i]) * z)
			s3 += float64(float64(d[i]) * z)
		}
		sums := [4]float64{s0, s1, s2, s3}
		for r, s := range sums[:rows.count] {
			v = addSquare(v, s, rows.first+r < positive)
		}
	}
	return float32(v)
}

// LowRank4 sets values to what [LowRank] returns for each of four rows, given their
// centred cells: z[i] holds cell i of all four, less centre[i].
func LowRank4(values *[4]float32, z [][4]float64, w, factors []float32, positive int, bias float32) {
	var v [4]float64
	for k := range v {
		v[k] = float64(bias)
	}
	w = w[:len(z)]
	for i := range z {
		for k := range v {
			v[k] += float64(float64(w[i]) * z[i][k])
		}
	}
	var sums [4][4]float64
	for rows := newQuads(factors, len(z)); rows.next(); {
		combine(&sums, z, &rows)
		for r := range rows.count {
			for k, s := range &sums[r] {
				v[k] = addSquare(v[k], s, rows.first+r < positive)
			}
		}
	}
	for k := range v {
		values[k] = float32(v[k])
	}
}

// addSquare returns v + s² or v − s².
func addSquare(v, s float64, add bool) float64 {
	if add {
		return v + float64(s*s)
	}
	return v - float64(s*s)
}

// quads iterates over the rows of factors, four at a time. If fewer are left, the last one
// stands in for the rest.
type quads struct {
	factors      []float32
	first, count int // the rows of this turn
	k            int // the length of a row
	a, b, c, d   []float32
}

func newQuads(factors []float32, k int) quads { return quads{factors: factors, k: k} }

func (q *quads) next() bool {
	q.first += q.count
	rest := q.factors[q.first*q.k:]
	if len(rest) == 0 {
		return false
	}
	q.count = min(4, len(rest)/q.k)
	last := (q.count - 1) * q.k
	row := func(r int) []float32 { return rest[min(r*q.k, last):][:q.k] }
	q.a, q.b, q.c, q.d = row(0), row(1), row(2), row(3)
	return true
}

// combineGo sets sums[r][k] to the sum of row r of factors times the centred cells of row
// k, in the order of the cells.
func combineGo(sums *[4][4]float64, z [][4]float64, rows *quads) {
	combine2(&sums[0], &sums[1], z, rows.a, rows.b)
	if rows.count > 2 {
		combine2(&sums[2], &sums[3], z, rows.c, rows.d)
	}
}

// combine2 does so for two rows of factors, so that the eight sums stay in registers.
func combine2(s, t *[4]float64, z [][4]float64, a, b []float32) {
	a, b = a[:len(z)], b[:len(z)]
	var s0, s1, s2, s3, t0, t1, t2, t3 float64
	for i := range z {
		y, a, b := &z[i], float64(a[i]), float64(b[i])
		s0 += float64(a * y[0])
		s1 += float64(a * y[1])
		s2 += float64(a * y[2])
		s3 += float64(a * y[3])
		t0 += float64(b * y[0])
		t1 += float64(b * y[1])
		t2 += float64(b * y[2])
		t3 += float64(b * y[3])
	}
	*s, *t = [4]float64{s0, s1, s2, s3}, [4]float64{t0, t1, t2, t3}
}
