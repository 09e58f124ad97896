//go:build !noasm

package kernel

// addNarrowGainsAVX512 and addWideGainsAVX512 are [AddNarrowGains] and [AddWideGains] for
// n ≥ 1 runs.
//
//go:noescape
func addNarrowGainsAVX512(gains *[8]float64, z, rows float64, runs *Run, counts *uint64, n int, inverse *float64)

//go:noescape
func addWideGainsAVX512(gains *[8]float64, z, rows float64, runs *Run, counts *[8]int32, n int, inverse *float64)

// AddNarrowGains adds to the gains of eight planes how much each lowers the impurity z of a
// region (GRAF, eq. 8) by dividing it; for a plane that has all rows on one side, nothing.
// Byte k of counts[c] is the number of rows of runs[c] on the right of plane k, rows is the
// number of all, and inverse has 1/N_c by class. Sums go over runs in their order, and every
// operation is rounded.
//
// It returns false, and does nothing, if the processor lacks the instructions.
func AddNarrowGains(gains *[8]float64, z float64, rows int32, runs []Run, counts []uint64, inverse []float64) bool {
	if !hasAVX512DQ {
		return false
	}
	_ = counts[len(runs)-1]
	addNarrowGainsAVX512(gains, z, float64(rows), &runs[0], &counts[0], len(runs), &inverse[0])
	return true
}

// AddWideGains is [AddNarrowGains] for counts that needn't fit in a byte: counts[c][k].
func AddWideGains(gains *[8]float64, z float64, rows int32, runs []Run, counts [][8]int32, inverse []float64) bool {
	if !hasAVX512DQ {
		return false
	}
	_ = counts[len(runs)-1]
	addWideGainsAVX512(gains, z, float64(rows), &runs[0], &counts[0], len(runs), &inverse[0])
	return true
}
