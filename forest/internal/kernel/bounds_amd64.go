//go:build !noasm

package kernel

// boundsAVX2 extends the bounds and sums of eight features, the first of which is at
// cells in row 0, by n ≥ 1 rows of m cells.
//
//go:noescape
func boundsAVX2(least, greatest *float32, sums *float64, cells *float32, m int, rows *int32, n int)

// boundsFast is boundsGo by vector instructions. It returns false, and does nothing, if the
// processor has none or there are fewer than eight features.
func boundsFast(least, greatest []float32, sums []float64, cells []float32, rows []int32) bool {
	m := len(least)
	if !hasAVX2 || m < 8 {
		return false
	}
	_, _ = greatest[m-1], sums[m-1]
	j := 0
	for ; j+8 <= m; j += 8 {
		boundsAVX2(&least[j], &greatest[j], &sums[j], &cells[j], m, &rows[0], len(rows))
	}
	if j == m {
		return true
	}
	// The last features, whose sums alone may not be added to twice.
	var sum [8]float64
	done := copy(sum[:], sums[m-8:j])
	boundsAVX2(&least[m-8], &greatest[m-8], &sums[m-8], &cells[m-8], m, &rows[0], len(rows))
	copy(sums[m-8:j], sum[:done])
	return true
}
