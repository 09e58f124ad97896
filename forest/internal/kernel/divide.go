package kernel

// The functions below divide the rows of in by the value of a split function. They write the rows with a value of at
// most t to the front of out and the others to its end, and return how many are at the front. Rows are read from last
// to first. So the front of out is in reverse order, and the end in the order of in. in and out have the same length.
// Row r is element r of a column.
//
// They are not inlined: that makes the compiler keep their variables in registers. No
// branch depends on the value: every row is written to both places, and the wrong copy is
// overwritten.

// Divide1 divides by x.
//
//go:noinline
func Divide1(in, out []uint16, x []float32, t float32) int {
	left := 0
	for k := len(in) - 1; k >= 0; k-- {
		r := in[k]
		out[left] = r
		out[left+k] = r
		if x[r] <= t {
			left++
		}
	}
	return left
}

// Divide2 divides by a·x + b·y.
//
//go:noinline
func Divide2(in, out []uint16, x, y []float32, a, b, t float32) int {
	y = y[:len(x)]
	left := 0
	for k := len(in) - 1; k >= 0; k-- {
		r := in[k]
		out[left] = r
		out[left+k] = r
		if float32(a*x[r])+float32(b*y[r]) <= t {
			left++
		}
	}
	return left
}

// Divide3 divides by a·x + b·y + c·z.
//
//go:noinline
func Divide3(in, out []uint16, x, y, z []float32, a, b, c, t float32) int {
	y, z = y[:len(x)], z[:len(x)]
	left := 0
	for k := len(in) - 1; k >= 0; k-- {
		r := in[k]
		out[left] = r
		out[left+k] = r
		if float32(a*x[r])+float32(b*y[r])+float32(c*z[r]) <= t {
			left++
		}
	}
	return left
}

// Divide4 divides by a·x + b·y + c·z + d·u.
//
//go:noinline
func Divide4(in, out []uint16, x, y, z, u []float32, a, b, c, d, t float32) int {
	y, z, u = y[:len(x)], z[:len(x)], u[:len(x)]
	left := 0
	for k := len(in) - 1; k >= 0; k-- {
		r := in[k]
		out[left] = r
		out[left+k] = r
		if float32(a*x[r])+float32(b*y[r])+float32(c*z[r])+float32(d*u[r]) <= t {
			left++
		}
	}
	return left
}

// DivideSum divides by sums + a·x, where sums has an element for each row of in.
//
//go:noinline
func DivideSum(in, out []uint16, sums, x []float32, a, t float32) int {
	sums = sums[:len(in)]
	left := 0
	for k := len(in) - 1; k >= 0; k-- {
		r := in[k]
		out[left] = r
		out[left+k] = r
		if sums[k]+float32(a*x[r]) <= t {
			left++
		}
	}
	return left
}

// DivideValues divides by values, which has an element for each row of in.
//
//go:noinline
func DivideValues(in, out []uint16, values []float32, t float32) int {
	values = values[:len(in)]
	left := 0
	for k := len(in) - 1; k >= 0; k-- {
		r := in[k]
		out[left] = r
		out[left+k] = r
		if values[k] <= t {
			left++
		}
	}
	return left
}

// Set4 sets sums to a·x + b·y + c·z + d·u for the given rows.
//
//go:noinline
func Set4(sums []float32, rows []uint16, x, y, z, u []float32, a, b, c, d float32) {
	sums = sums[:len(rows)]
	y, z, u = y[:len(x)], z[:len(x)], u[:len(x)]
	for k, r := range rows {
		sums[k] = float32(a*x[r]) + float32(b*y[r]) + float32(c*z[r]) + float32(d*u[r])
	}
}

// Add adds a·x to sums for the given rows.
//
//go:noinline
func Add(sums []float32, rows []uint16, x []float32, a float32) {
	sums = sums[:len(rows)]
	for k, r := range rows {
		sums[k] += float32(a * x[r])
	}
}
