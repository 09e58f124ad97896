package columnar

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
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
	// The decimals of 15 to 16 digits that are nearest to the middle between two floats.
	rapid.Check(t, func(t *rapid.T) {
		middle := big.NewRat(int64(rapid.Int32Range(1<<23, 1<<24-1).Draw(t, "mantissa"))*2+1,
			1<<rapid.IntRange(0, 50).Draw(t, "exponent"))
		scale := int32(0)
		for ten := big.NewRat(10, 1); scale < 30; scale++ {
			next := new(big.Rat).Mul(middle, ten)
			if next.Cmp(big.NewRat(1<<53, 1)) > 0 {
				break
			}
			middle = next
		}
		digits := new(big.Int).Quo(middle.Num(), middle.Denom())
		digits.Add(digits, big.NewInt(int64(rapid.IntRange(0, 1).Draw(t, "above"))))
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
