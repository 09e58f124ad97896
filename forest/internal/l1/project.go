package l1

// Project sets values to the linear functions Σ w[j]·x[j] of the given rows; w has an
// element for each feature. Products and sums are rounded to float32 and features ascend,
// so a value equals what the package kernel computes from all cells, up to the sign of
// zero.
func (s *Sparse) Project(values, w []float32, rows []int32) {
	w = w[:s.p]
	i := 0
	for ; i+4 <= len(rows); i += 4 { // four sums at a time, since each waits for its last addition
		a, b := s.row(rows[i]), s.row(rows[i+1])
		c, d := s.row(rows[i+2]), s.row(rows[i+3])
		n := min(len(a), len(b), len(c), len(d))
		var va, vb, vc, vd float32
		for k := range n {
			va += float32(w[a[k].index] * a[k].x)
			vb += float32(w[b[k].index] * b[k].x)
			vc += float32(w[c[k].index] * c[k].x)
			vd += float32(w[d[k].index] * d[k].x)
		}
		values[i], values[i+1] = sumFrom(va, w, a[n:]), sumFrom(vb, w, b[n:])
		values[i+2], values[i+3] = sumFrom(vc, w, c[n:]), sumFrom(vd, w, d[n:])
	}
	for ; i < len(rows); i++ {
		values[i] = sumFrom(0, w, s.row(rows[i]))
	}
}

// sumFrom returns v plus the products of cells with their weights.
func sumFrom(v float32, w []float32, cells []cell) float32 {
	for _, c := range cells {
		v += float32(w[c.index] * c.x)
	}
	return v
}

// PerRow returns the mean number of nonzero cells of a row.
func (s *Sparse) PerRow() int { return s.perRow }
