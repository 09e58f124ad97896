package grow

// project writes the values of a direction for the node's rows, with the
// rounding that [forest.Pool] prescribes.
func (w *worker) project(values []float32, dir Direction) {
	ids := w.bag.ids[w.lo:w.hi]
	if w.near.bytes != nil {
		project(values, w.near.bytes, ids, dir.Index, dir.Weights)
		return
	}
	project(values, w.near.columns, ids, dir.Index, dir.Weights)
}

func project[T float32 | byte](values []float32, columns [][]T, rows, index []int32, weights []float32) {
	values = values[:len(rows)]
	a, ca := columns[index[0]], weights[0]
	switch len(index) {
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
		b, cb := columns[index[1]], weights[1]
		for i, r := range rows {
			values[i] = float32(ca*float32(a[r])) + float32(cb*float32(b[r]))
		}
		return
	}
	b, cb := columns[index[1]], weights[1]
	c, cc := columns[index[2]], weights[2]
	for i, r := range rows {
		values[i] = float32(float32(ca*float32(a[r]))+float32(cb*float32(b[r]))) + float32(cc*float32(c[r]))
	}
	index, weights = index[3:], weights[3:]
	for len(index) > 1 {
		a, ca := columns[index[0]], weights[0]
		b, cb := columns[index[1]], weights[1]
		for i, r := range rows {
			values[i] = float32(values[i]+float32(ca*float32(a[r]))) + float32(cb*float32(b[r]))
		}
		index, weights = index[2:], weights[2:]
	}
	if len(index) == 1 {
		a, ca := columns[index[0]], weights[0]
		for i, r := range rows {
			values[i] += float32(ca * float32(a[r]))
		}
	}
}
