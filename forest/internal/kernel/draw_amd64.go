//go:build !noasm

package kernel

import "golang.org/x/sys/cpu"

// drawAVX512 is [Draw] for m ≥ 1 features and a state for each plane.
//
//go:noescape
func drawAVX512(weights *float32, at, squares *[8]float64, states *[8]uint64, m int, least, width, mean *float64,
	scale float64)

var hasAVX512DQ = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ

// Draw draws eight planes of a panel: see [Sides]; weights begins with the first plane's.
// Weight j of plane k is (least[j] + u·width[j])·scale, rounded to float32, where u is
// Float64 number k·m + j of a forest.Rand with this state, for m = len(least) features. at
// and squares become the sums of weight·mean[j] and of weight², features ascending. All
// products and sums are rounded.
//
// It returns false, and does nothing, if the processor lacks the instructions.
func Draw(weights []float32, at, squares *[8]float64, state uint64, least, width, mean []float64, scale float64) bool {
	if !hasAVX512DQ {
		return false
	}
	m := len(least)
	_, _, _ = weights[Panel*(m-1)+7], width[m-1], mean[m-1]
	var states [8]uint64
	for k := range states {
		states[k] = state + uint64(k*m)*0x9e3779b97f4a7c15
	}
	drawAVX512(&weights[0], at, squares, &states, m, &least[0], &width[0], &mean[0], scale)
	return true
}
