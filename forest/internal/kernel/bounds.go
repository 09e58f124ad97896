package kernel

// boundsRows is how many rows [Bounds] reads feature by feature before the next: few
// enough for their cells to stay in the cache.
const boundsRows = 32

// Bounds sets least and greatest to the smallest and the largest cell of each feature, and
// sums to their sums in the order of rows, for at least one row. cells holds the rows one
// after another, as many cells each as there are features. Of 0 and −0 it takes either.
func Bounds(least, greatest []float32, sums []float64, cells []float32, rows []int32) {
	m := len(least)
	first := cells[int(rows[0])*m:][:m]
	copy(least, first)
	copy(greatest, first)
	clear(sums)
	for lo := 0; lo < len(rows); lo += boundsRows {
		block := rows[lo:min(lo+boundsRows, len(rows))]
		if !boundsFast(least, greatest, sums, cells, block) {
			boundsGo(least, greatest, sums, cells, block)
		}
	}
}

// boundsGo extends bounds and sums by rows.
func boundsGo(least, greatest []float32, sums []float64, cells []float32, rows []int32) {
	m := len(least)
	greatest, sums = greatest[:m], sums[:m]
	for _, r := range rows {
		for j, v := range cells[int(r)*m:][:m] {
			if v < least[j] {
				least[j] = v
			}
			if v > greatest[j] {
				greatest[j] = v
			}
			sums[j] += float64(v)
		}
	}
}
