package columnar

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// Exact fractions are the oracle of the float nearest to a decimal.
func TestDecimalIsTheNearest(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, digits *big.Int, scale int32) {
		exact := new(big.Rat).SetInt(digits)
		power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil))
		if scale < 0 {
			exact.Mul(exact, power)
		} else {
			exact.Quo(exact, power)
		}
		var small int64
		large := digits
		if digits.IsInt64() {
			small, large = digits.Int64(), nil
		}
		want32, _ := exact.Float32()
		want64, _ := exact.Float64()
		if got := decimal(small, large, scale, 32); float32(got) != want32 {
			t.Errorf("%v · 10^%d as float32 is %v; want %v", digits, -scale, got, want32)
		}
		if got := decimal(small, large, scale, 64); got != want64 {
			t.Errorf("%v · 10^%d as float64 is %v; want %v", digits, -scale, got, want64)
		}
	}
	// Half-way between two floats of 32 bits, and next to it beyond what 64 bits tell.
	check(t, big.NewInt(16777217), 0)
	check(t, big.NewInt(167772170000001), 7)
	check(t, big.NewInt(math.MaxInt64), 22)
	check(t, big.NewInt(math.MinInt64), 3)
	rapid.Check(t, func(t *rapid.T) {
		digits := big.NewInt(rapid.Int64().Draw(t, "high"))
		if rapid.Bool().Draw(t, "wide") {
			digits.Lsh(digits, uint(rapid.IntRange(0, 190).Draw(t, "shift")))
		} else {
			digits.Rsh(digits, uint(rapid.IntRange(0, 62).Draw(t, "shift")))
		}
		check(t, digits, rapid.Int32Range(-5, 40).Draw(t, "scale"))
	})
	// Middles of two floats: the fast way may hit them by its first rounding.
	rapid.Check(t, func(t *rapid.T) {
		middle := int64(rapid.Int32Range(1<<23, 1<<24-1).Draw(t, "mantissa"))*2 + 1
		scale := rapid.Int32Range(0, 8).Draw(t, "scale")
		digits := big.NewInt(middle)
		digits.Mul(digits, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
		digits.Add(digits, big.NewInt(int64(rapid.IntRange(-1, 1).Draw(t, "beside"))))
		check(t, digits, scale)
	})
}

func TestBigEndian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "bytes")
		want := new(big.Int).SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 { // two's complement
			want.Sub(want, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		if got := bigEndian(b).BigInt(); got.Cmp(want) != 0 {
			t.Errorf("%x is %v; want %v", b, got, want)
		}
	})
}
