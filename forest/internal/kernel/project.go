package kernel

// Project writes Σ weights[k]·columns[features[k]][r] for each r of rows to values,
// 0 if there are no features.
func Project[T float32 | byte](values []float32, columns [][]T, rows, features []int32, weights []float32) {
	values = values[:len(rows)]
	if len(features) == 0 {
		clear(values)
		return
	}
	a, ca := columns[features[0]], weights[0]
	switch len(features) {
	case 1:
		if ca == 1 {
			for i, r := range rows {
				values[i] = float32(a[r])
			}
			return
		}
		for i, r := range rows {
			values[i] = ca * float32(a[r])
		}
		return
	case 2:
		b, cb := columns[features[1]], weights[1]
		for i, r := range rows {
			values[i] = float32(ca*float32(a[r])) + float32(cb*float32(b[r]))
		}
		return
	}
	b, cb := columns[features[1]], weights[1]
	c, cc := columns[features[2]], weights[2]
	for i, r := range rows {
		values[i] = float32(float32(ca*float32(a[r]))+float32(cb*float32(b[r]))) + float32(cc*float32(c[r]))
	}
	features, weights = features[3:], weights[3:]
	for len(features) > 3 {
		a, ca := columns[features[0]], weights[0]
		b, cb := columns[features[1]], weights[1]
		c, cc := columns[features[2]], weights[2]
		d, cd := columns[features[3]], weights[3]
		for i, r := range rows {
			v := float32(values[i]+float32(ca*float32(a[r]))) + float32(cb*float32(b[r]))
			values[i] = float32(v+float32(cc*float32(c[r]))) + float32(cd*float32(d[r]))
		}
		features, weights = features[4:], weights[4:]
	}
	for len(features) > 1 {
		a, ca := columns[features[0]], weights[0]
		b, cb := columns[features[1]], weights[1]
		for i, r := range rows {
			values[i] = float32(values[i]+float32(ca*float32(a[r]))) + float32(cb*float32(b[r]))
		}
		features, weights = features[2:], weights[2:]
	}
	if len(features) == 1 {
		a, ca := columns[features[0]], weights[0]
		for i, r := range rows {
			values[i] += float32(ca * float32(a[r]))
		}
	}
}

// ProjectQuadratic writes [Quadratic] of the given features for each r of rows to values.
func ProjectQuadratic[T float32 | byte](values []float32, columns [][]T, rows, features []int32, q, w []float32,
	bias float32) {
	var onStack [64][4]float32
	x := onStack[:]
	if len(features) > len(onStack) {
		x = make([][4]float32, len(features))
	}
	x = x[:len(features)]
	var four [4]float32
	for lo := 0; lo < len(rows); lo += 4 {
		group := rows[lo:min(lo+4, len(rows))]
		for i, j := range features {
			col := columns[j]
			for k, r := range group {
				x[i][k] = float32(col[r])
			}
		}
		Quadratic4(&four, x, q, w, bias)
		copy(values[lo:], four[:len(group)])
	}
}

// ProjectLowRank writes [LowRank] of the given features for each r of rows to values.
func ProjectLowRank[T float32 | byte](values []float32, columns [][]T, rows, features []int32,
	centre, w, factors []float32, positive int, bias float32) {
	var onStack [256][4]float64
	z := onStack[:]
	if len(features) > len(onStack) {
		z = make([][4]float64, len(features))
	}
	z = z[:len(features)]
	var four [4]float32
	for lo := 0; lo < len(rows); lo += 4 {
		group := rows[lo:min(lo+4, len(rows))]
		for i, j := range features {
			col, c := columns[j], float64(centre[i])
			for k, r := range group {
				z[i][k] = float64(col[r]) - c
			}
		}
		LowRank4(&four, z, w, factors, positive, bias)
		copy(values[lo:], four[:len(group)])
	}
}
