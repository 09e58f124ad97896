// Package kernel implements the arithmetic of split functions and leaf models. Each has
// one rounding rule, a plain implementation, and fast ones that return the same bits on
// every processor.
//
// A linear split function Σ a[i]·x[i] is summed in ascending order of its
// features, each product and each sum rounded to float32. Training and prediction
// both do so, so a training row always reaches the leaf that it was counted in.
// The conversions around products keep compilers from fusing them with sums.
//
// Quadratic functions and the scores of linear leaves are summed in float64: their
// terms may nearly cancel. See [Quadratic] and [Score].
//
// The build tag noasm leaves the assembly out.
package kernel

// Linear returns Σ weights[i]·x[features[i]], rounded as the package comment says, 0 if
// there are no features. It is the reference for all other implementations. The first
// product is not added to zero, so a single feature of weight 1 keeps its value (−0, too).
func Linear(x []float32, features []int32, weights []float32) float32 {
	if len(features) == 0 {
		return 0
	}
	v := float32(weights[0] * x[features[0]])
	for i, j := range features[1:] {
		v += float32(weights[i+1] * x[j])
	}
	return v
}

// Quadratic returns bias + Σ y[i]·(w[i] + Σ q[i(i+1)/2+j]·y[j]), the inner sum over
// j ≤ i, where y[i] is x[features[i]]. Sums are in float64, in this order, and the
// result is rounded to float32.
func Quadratic(x []float32, features []int32, q, w []float32, bias float32) float32 {
	v := float64(bias)
	for i, f := range features {
		row := q[:i+1]
		q = q[i+1:]
		t := float64(w[i])
		for j, a := range row {
			t += float64(a) * float64(x[features[j]]) // exact before it is added, fused or not
		}
		v += float64(float64(x[f]) * t)
	}
	return float32(v)
}

// Quadratic4 sets values to what [Quadratic] returns for each of four rows, given their
// cells of the function's features: x[i] holds cell i of all four.
func Quadratic4(values *[4]float32, x [][4]float32, q, w []float32, bias float32) {
	var v [4]float64
	for k := range v {
		v[k] = float64(bias)
	}
	for i := range x {
		row := q[:i+1]
		q = q[i+1:]
		b := float64(w[i])
		t0, t1, t2, t3 := b, b, b, b
		for j, a := range row {
			a := float64(a)
			y := &x[j]
			t0 += a * float64(y[0]) // exact, as above
			t1 += a * float64(y[1]) // exact, as above
			t2 += a * float64(y[2]) // exact, as above
			t3 += a * float64(y[3]) // exact, as above
		}
		v[0] += float64(float64(x[i][0]) * t0)
		v[1] += float64(float64(x[i][1]) * t1)
		v[2] += float64(float64(x[i][2]) * t2)
		v[3] += float64(float64(x[i][3]) * t3)
	}
	for k := range v {
		values[k] = float32(v[k])
	}
}

// AddScore adds w·x of each row to sums, in float64: one term of the score
// b + Σ w[i]·x[i] of a linear leaf.
func AddScore(sums []float64, rows []uint16, x []float32, w float32) {
	a := float64(w)
	for k, r := range rows {
		sums[k] += a * float64(x[r]) // exact before it is added, fused or not
	}
}
