package kernel

import "github.com/obliqua-ml/obliqua/internal/parallel"

// RotateRows is how many rows [Rotate] combines at a time.
const RotateRows = 64

// Rotate writes Σ weights[o][k]·columns[features[k]][r] for each r of rows to values[o],
// for each o: what [Project] writes for each of the weights. There must be a feature. It ends early if the
// call is cancelled.
//
// Four sums of all features are computed together. The cells of some rows are first copied
// feature by feature, so that they are in a processor's cache for all sums.
func Rotate(values, columns [][]float32, rows, features []int32, weights [][]float32, call parallel.Call) {
	m := len(features)
	fours := packFours(weights, m)
	cells := make([]float32, m*RotateRows)
	var sums [4][RotateRows]float32
	for lo := 0; lo < len(rows) && !parallel.Cancelled(call); lo += RotateRows {
		block := rows[lo:min(lo+RotateRows, len(rows))]
		for k, j := range features {
			col, to := columns[j], cells[k*RotateRows:][:len(block)]
			for i, r := range block {
				to[i] = col[r]
			}
		}
		for o := 0; o < len(weights); o += 4 {
			sumFour(&sums, cells, fours[o*m:][:4*m])
			for i, to := range values[o:min(o+4, len(weights))] {
				copy(to[lo:], sums[i][:len(block)])
			}
		}
	}
}

// packFours returns the weights of functions 0 to 3, feature after feature, then of functions 4 to 7, and so on.
// Functions that are missing have weights 0.
func packFours(weights [][]float32, m int) []float32 {
	fours := make([]float32, (len(weights)+3)/4*4*m)
	for o, w := range weights {
		for k, v := range w[:m] {
			fours[o/4*4*m+4*k+o%4] = v
		}
	}
	return fours
}

// sumFourGo sets sums[o][i] to the sum of weights[4k+o]·cells[k·RotateRows+i] over k.
func sumFourGo(sums *[4][RotateRows]float32, cells, weights []float32) {
	w := (*[4]float32)(weights)
	for i, x := range (*[RotateRows]float32)(cells) {
		sums[0][i], sums[1][i], sums[2][i], sums[3][i] = w[0]*x, w[1]*x, w[2]*x, w[3]*x
	}
	for weights = weights[4:]; len(weights) > 0; weights = weights[4:] {
		cells = cells[RotateRows:]
		w := (*[4]float32)(weights)
		a, b, c, d := w[0], w[1], w[2], w[3]
		for i, x := range (*[RotateRows]float32)(cells) {
			sums[0][i] += float32(a * x)
			sums[1][i] += float32(b * x)
			sums[2][i] += float32(c * x)
			sums[3][i] += float32(d * x)
		}
	}
}
