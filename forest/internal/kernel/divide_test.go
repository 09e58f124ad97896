package kernel

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// All Divide functions send a row left if and only if its value by [Linear] is at most the
// threshold. Rows on the left come in reverse order, rows on the right in order.
func TestDivisionsAreComparisonsOfLinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawTable(t, 1, 9)
		rows := make([]uint16, len(s.rows))
		for i, r := range s.rows {
			rows[i] = uint16(r)
		}
		values := make([]float32, len(rows))
		for i, r := range rows {
			values[i] = Linear(row(s.columns, int32(r)), s.features, s.weights)
		}
		threshold := float32(rapid.Float64Range(-1, 1).Draw(t, "threshold"))
		if len(rows) > 0 && rapid.Bool().Draw(t, "on a row") {
			threshold = values[rapid.IntRange(0, len(rows)-1).Draw(t, "which row")]
		}
		j, a := s.features, s.weights
		col := func(i int) []float32 { return s.columns[j[i]] }
		out := make([]uint16, len(rows))
		check := func(name string, left int) {
			checkDivision(t, name, rows, out, left, func(k int) bool { return values[k] <= threshold })
		}
		switch len(j) {
		case 1:
			if a[0] == 1 {
				check("Divide1", Divide1(rows, out, col(0), threshold))
			}
			check("Divide2 with 0", Divide2(rows, out, col(0), col(0), a[0], 0, threshold))
		case 2:
			check("Divide2", Divide2(rows, out, col(0), col(1), a[0], a[1], threshold))
		case 3:
			check("Divide3", Divide3(rows, out, col(0), col(1), col(2), a[0], a[1], a[2], threshold))
		case 4:
			check("Divide4", Divide4(rows, out, col(0), col(1), col(2), col(3), a[0], a[1], a[2], a[3], threshold))
		default:
			last := len(j) - 1
			sums := make([]float32, len(rows))
			Set4(sums, rows, col(0), col(1), col(2), col(3), a[0], a[1], a[2], a[3])
			for i := 4; i < last; i++ {
				checkSums(t, sums, s, rows, i)
				Add(sums, rows, col(i), a[i])
			}
			checkSums(t, sums, s, rows, last)
			check("DivideSum", DivideSum(rows, out, sums, col(last), a[last], threshold))
		}
		check("DivideValues", DivideValues(rows, out, values, threshold))
	})
}

// checkSums fails unless sums are those of the first k features.
func checkSums(t *rapid.T, sums []float32, s *table, rows []uint16, k int) {
	for i, r := range rows {
		if want := Linear(row(s.columns, int32(r)), s.features[:k], s.weights[:k]); !same(sums[i], want) {
			t.Fatalf("the sum of %d features is %v, want %v", k, sums[i], want)
		}
	}
}

func checkDivision(t *rapid.T, name string, in, out []uint16, left int, goesLeft func(k int) bool) {
	var front, end []uint16
	for k := len(in) - 1; k >= 0; k-- {
		if goesLeft(k) {
			front = append(front, in[k])
		} else {
			end = append([]uint16{in[k]}, end...)
		}
	}
	if left != len(front) || !slices.Equal(out, append(front, end...)) {
		t.Fatalf("%s: %v, %d of them left; want %v and %v", name, out, left, front, end)
	}
}

// Sums may overflow: +Inf and NaN aren't at most any threshold, −Inf is.
func TestDivisionsOfWhatOverflows(t *testing.T) {
	const huge = math.MaxFloat32
	rows, out := []uint16{0, 1, 2, 3}, make([]uint16, 4)
	x, y := []float32{huge, -huge, huge, 0}, []float32{huge, -huge, -huge, 0}
	// 2x + 2y is +Inf, −Inf, NaN and 0.
	if left := Divide2(rows, out, x, y, 2, 2, 1); left != 2 || !slices.Equal(out, []uint16{3, 1, 0, 2}) {
		t.Errorf("%d left of %v; want the last and the second", left, out)
	}
}
