package forest

// side returns a Set's value of a cell.
func (fn *Function) side(v float32) float32 {
	in := fn.MissingLeft
	if v >= 0 && v < 1<<31 {
		if c := int(v); c/32 < len(fn.Categories) {
			in = fn.Categories[c/32]>>(c%32)&1 != 0
		}
	}
	if in {
		return 0
	}
	return 1
}

// set returns a Set's values of some rows of the block.
func (w *walker) set(fn *Function, rows []uint16) []float32 {
	column, values := w.slanted(fn.Features[0]), w.sums[:len(rows)]
	for k, r := range rows {
		values[k] = fn.side(column[r])
	}
	return values
}
