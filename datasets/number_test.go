package datasets

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// checkFloat32 checks that parseFloat32, where it returns a number, returns the same bits
// as strconv.
func checkFloat32(t interface{ Fatalf(string, ...any) }, s string) (ok bool) {
	got, _, ok := parseFloat32(s)
	if !ok {
		return false
	}
	want, err := strconv.ParseFloat(s, 32)
	if err != nil || math.Float32bits(float32(got)) != math.Float32bits(float32(want)) {
		t.Fatalf("%q is %v; want %v, %v", s, got, want, err)
	}
	return true
}

func TestParseFloat32(t *testing.T) {
	for ok, texts := range map[bool]string{
		true: "0 -0 +1. .5 007 1e22 1E-22 1.5e+05 9999999999999999999",
		// The others are left to strconv, such as 2²⁴ + 1, which is in the middle between two float32.
		false: "10000000000000000000 1e23 1e-23 1e39 3.5e38 1e00000 16777217 - . e5 1e 1e+ 1x 1e5x 1_0 0x1p4 inf ١",
	} {
		for _, s := range strings.Fields(texts) {
			if got := checkFloat32(t, s); got != ok {
				t.Errorf("%q: %v; want %v", s, got, ok)
			}
		}
	}
	if checkFloat32(t, "") {
		t.Error("nothing is a number")
	}
}

// Numbers near the midpoint of two float32, where rounding twice may be wrong.
func TestParseFloat32NearMiddles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float32Range(1e-20, 1e20).Draw(t, "float32")
		high := math.Nextafter32(low, math.MaxFloat32)
		middle := new(big.Float).SetPrec(200).Add(big.NewFloat(float64(low)), big.NewFloat(float64(high)))
		middle.Quo(middle, big.NewFloat(2))
		digits := rapid.IntRange(1, 19).Draw(t, "digits")
		s := middle.Text('e', digits-1) // at times below the middle, at times above, at times the middle
		if rapid.Bool().Draw(t, "point") {
			s = middle.Text('f', digits)
		}
		checkFloat32(t, s)
		checkFloat32(t, "-"+s)
	})
}

func FuzzParseFloat32(f *testing.F) {
	for _, s := range []string{"1.5", "-0.000123e4", "16777217.0000001", "9.8765432109876543e-10", "1e", "0_0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkFloat32(t, s)
		if _, kind := parseNumber(s, 32); kind == numberCell && strings.ContainsAny(s, " _xXpP") {
			t.Fatalf("%q is read as a number", s)
		}
	})
}

func TestEightDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[0-9]{8}|[ -~]{8}|[0-9]{3}[/:.,e][0-9]{4}`).Draw(t, "s")
		want, err := strconv.ParseUint(s, 10, 64)
		if got, ok := eightDigits(s); ok != (err == nil) || got != want {
			t.Fatalf("%q is %d, %v; want %d, %v", s, got, ok, want, err)
		}
	})
}
