package portable

import (
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// drawPositive draws from all positive numbers, and often from those that matter
// most: around 1 and below.
func drawPositive(rng *rand.Rand, i int) float64 {
	switch i % 4 {
	case 0:
		return math.Float64frombits(1 + rng.Uint64N(math.Float64bits(math.MaxFloat64)))
	case 1:
		return math.Exp2(rng.NormFloat64() * math.Ldexp(1, -rng.IntN(50)))
	case 2:
		return 1 + rng.Float64() // the range that Consensus uses
	}
	return 1 - rng.Float64()
}

func TestLogIsThatOfPackageMathOnAMD64(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("package math has other roundings here")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 400_000 {
		x := drawPositive(rng, i)
		if x < 0x1p-1022 {
			continue // its assembly is wrong about subnormal numbers
		}
		if got, want := Log(x), math.Log(x); math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("Log(%v) is %v, package math has %v", x, got, want)
		}
	}
}

func TestLogIsWithinAUnitInTheLastPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	worst := 0.0
	for i := range 3_000 {
		x := drawPositive(rng, i)
		if i%10 == 0 {
			x = math.Float64frombits(1 + rng.Uint64N(1<<52)) // a subnormal number
		}
		worst = max(worst, units(Log(x), preciseLog(x)))
	}
	if worst > 1 {
		t.Errorf("an error of %.3f units in the last place", worst)
	}
}

// units returns the error of v in units of its last place.
func units(v float64, want *big.Float) float64 {
	e := new(big.Float).Sub(new(big.Float).SetPrec(precision).SetFloat64(v), want)
	f, _ := e.Float64()
	w, _ := want.Float64()
	w = math.Abs(w)
	return math.Abs(f) / (math.Nextafter(w, math.Inf(1)) - w)
}

const precision = 180 // bits; near 1 a hundred of them cancel

func number(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }

// preciseLog sums the series 2·artanh((m−1)/(m+1)) for x = m·2ᵏ, with ½ ≤ m < 1,
// and adds k·ln 2, for which the same series gives −log ½.
func preciseLog(x float64) *big.Float {
	m, k := math.Frexp(x)
	v := preciseLogOfFraction(m)
	return v.Sub(v, new(big.Float).SetPrec(precision).Mul(number(float64(k)), preciseLogOfFraction(0.5)))
}

func preciseLogOfFraction(m float64) *big.Float {
	one := number(1)
	s := new(big.Float).SetPrec(precision).Quo(
		new(big.Float).SetPrec(precision).Sub(number(m), one),
		new(big.Float).SetPrec(precision).Add(number(m), one))
	s2 := new(big.Float).SetPrec(precision).Mul(s, s)
	sum, power := number(0), new(big.Float).SetPrec(precision).Set(s)
	for i := 1; i < 115; i += 2 { // |s| ≤ 1/3, and 3⁻¹¹⁵ < 2⁻¹⁸⁰
		sum.Add(sum, new(big.Float).SetPrec(precision).Quo(power, number(float64(i))))
		power.Mul(power, s2)
	}
	return sum.Mul(sum, number(2))
}

// preciseExp sums the exponential series of x/2¹² and squares twelve times.
func preciseExp(x float64) *big.Float {
	r := new(big.Float).SetPrec(precision).SetMantExp(number(x), -12)
	sum, term := number(1), number(1)
	for i := 1; i < 50; i++ { // |r| < 1/5
		term.Mul(term, r)
		term.Quo(term, number(float64(i)))
		sum.Add(sum, term)
	}
	for range 12 {
		sum.Mul(sum, sum)
	}
	return sum
}

// The oracles themselves, at numbers whose digits are in every table.
func TestPreciseLogAndExp(t *testing.T) {
	ln2, _ := preciseLog(2).Float64()
	ln10, _ := preciseLog(10).Float64()
	e, _ := preciseExp(1).Float64()
	small, _ := preciseExp(-10).Float64()
	if ln2 != math.Ln2 || ln10 != math.Ln10 || e != math.E || small != 4.539992976248485154e-05 {
		t.Errorf("ln 2 = %v, ln 10 = %v, e = %v, e⁻¹⁰ = %v", ln2, ln10, e, small)
	}
}

func TestSpecialLogs(t *testing.T) {
	for _, f := range []func(float64) float64{Log, Log2} {
		if f(0) != math.Inf(-1) || f(math.Inf(1)) != math.Inf(1) || f(1) != 0 ||
			!math.IsNaN(f(-1)) || !math.IsNaN(f(math.Inf(-1))) || !math.IsNaN(f(math.NaN())) {
			t.Error(f(0), f(math.Inf(1)), f(1), f(-1), f(math.Inf(-1)), f(math.NaN()))
		}
	}
}

func TestErfinv(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	test := []float64{0, math.Copysign(0, -1), 0x1p-1074, 0.85, 1 - 0x1p-53, 0x1p-53 - 1}
	for i := range 200_000 {
		x := 2*rng.Float64() - 1
		if i%2 == 0 {
			x = math.Copysign(1-math.Ldexp(1+rng.Float64(), -1-rng.IntN(51)), x)
		}
		test = append(test, x)
	}
	for _, x := range test {
		got, want := Erfinv(x), math.Erfinv(x)
		same := math.Float64bits(got) == math.Float64bits(want)
		if !same && (runtime.GOARCH == "amd64" || math.Abs(got-want) > 2e-15*math.Abs(want)) {
			t.Fatalf("Erfinv(%v) is %v, package math has %v", x, got, want)
		}
	}
}

func TestLog2(t *testing.T) {
	for k := -1074; k < 1024; k++ {
		if got := Log2(math.Ldexp(1, k)); got != float64(k) {
			t.Errorf("Log2(2^%d) is %v", k, got)
		}
	}
	rng := rand.New(rand.NewPCG(5, 6))
	ln2 := preciseLog(2)
	for i := range 1_500 {
		x := drawPositive(rng, i)
		want, _ := new(big.Float).Quo(preciseLog(x), ln2).Float64()
		// Below 2 the exponent and the fraction's logarithm may nearly cancel.
		if got := Log2(x); math.Abs(got-want) > 4e-16*max(1, math.Abs(want)) {
			t.Fatalf("Log2(%v) is %v, want %v", x, got, want)
		}
	}
	if runtime.GOARCH == "amd64" {
		for i := range 100_000 {
			x := drawPositive(rng, i)
			if got, want := Log2(x), math.Log2(x); math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("Log2(%v) is %v, package math has %v", x, got, want)
			}
		}
	}
}

func TestExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	worst := 0.0
	for i := range 4_000 {
		x := -708 * rng.Float64()
		switch i % 3 {
		case 1:
			x = -math.Ldexp(rng.Float64(), -rng.IntN(60))
		case 2:
			x = 700 * rng.Float64()
		}
		worst = max(worst, units(Exp(x), preciseExp(x)))
	}
	if worst > 1 {
		t.Errorf("an error of %.3f units in the last place", worst)
	}
	for range 100_000 {
		x := 1440*rng.Float64() - 740
		got, want := Exp(x), math.Exp(x)
		if math.Abs(got-want) > 2*(math.Nextafter(want, math.Inf(1))-want) {
			t.Fatalf("Exp(%v) is %v, package math has %v", x, got, want)
		}
	}
}

func TestSpecialExps(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{0, 1},
		{math.Copysign(0, -1), 1},
		{math.Inf(-1), 0},
		{-math.MaxFloat64, 0},
		{-746, 0},
		{-745.14, 0},            // half of the smallest number lies at −745.133…
		{-745.13, 0x1p-1074},    // the smallest number
		{-5e-324, 1},            // rounds to 1
		{-0x1p-53, 1 - 0x1p-53}, // 1 − 2⁻⁵³ is the number below 1
		{710, math.Inf(1)},      // too large
		{math.Inf(1), math.Inf(1)},
	} {
		if got := Exp(c.x); got != c.want {
			t.Errorf("Exp(%v) is %v, want %v", c.x, got, c.want)
		}
	}
	if !math.IsNaN(Exp(math.NaN())) {
		t.Errorf("Exp(NaN) is %v", Exp(math.NaN()))
	}
	if got, want := Exp(709.7), 1.6549840276802644e308; math.Abs(got/want-1) > 1e-15 {
		t.Errorf("Exp(709.7) is %v, want %v", got, want)
	}
}

// By definition; large scores don't overflow, and scores may be written over.
func TestSoftmax(t *testing.T) {
	for _, shift := range []float64{-2000, 0, 2000} {
		scores, other := []float64{shift, shift + math.Log(2), shift + math.Log(5)}, make([]float64, 3)
		Softmax(other, scores)
		Softmax(scores, scores)
		for c, want := range []float64{1.0 / 8, 2.0 / 8, 5.0 / 8} {
			if other[c] != scores[c] || math.Abs(scores[c]-want) > 1e-12 {
				t.Errorf("shifted by %v: %v and %v, want %v", shift, other[c], scores[c], want)
			}
		}
	}
}

// Softmax relies on it: a larger score never has a smaller exponential.
func TestExpNeverFalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 100_000 {
		x := -30 * rng.Float64()
		if y := math.Nextafter(x, 0); Exp(x) > Exp(y) {
			t.Fatalf("Exp(%v) is above Exp(%v)", x, y)
		}
	}
	for k := 1.0; k < 1000; k++ { // where the reduction goes from one multiple of ln 2 to the next
		x := -(k - 0.5) * math.Ln2 * (1 + 1e-14)
		for range 200 {
			y := math.Nextafter(x, 0)
			if Exp(x) > Exp(y) {
				t.Fatalf("Exp(%v) is above Exp(%v)", x, y)
			}
			x = y
		}
	}
}

func TestExps(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	x := []float64{0, math.Copysign(0, -1), math.Inf(-1), math.Inf(1), math.NaN(), -745.13, -800, 709.7, 700, -700}
	for i := range 4_000 {
		v := 1408*rng.Float64() - 704
		switch i % 3 {
		case 1:
			v = (rng.Float64() - 0.5) * math.Ldexp(1, -rng.IntN(60))
		case 2: // where the reduction goes from one multiple of ln 2/64 to the next
			v = (float64(rng.IntN(128000)-64000) + 0.5) * (math.Ln2 / 64)
		}
		x = append(x, v)
	}
	got := slices.Clone(x)
	Exps(got)
	for i, v := range x {
		switch {
		case v > -700 && v < 700:
			if e := units(got[i], preciseExp(v)); e > 2 {
				t.Errorf("Exps(%v) is %v, wrong by %.3f units in the last place", v, got[i], e)
			}
		case math.Float64bits(got[i]) != math.Float64bits(Exp(v)):
			t.Errorf("Exps(%v) is %v, want %v", v, got[i], Exp(v))
		}
	}
}

func BenchmarkExps(b *testing.B) {
	x, y := make([]float64, 1000), make([]float64, 1000)
	for i := range x {
		x[i] = float64(i)/50 - 10
	}
	b.Run("each", func(b *testing.B) {
		for b.Loop() {
			for i, v := range x {
				y[i] = Exp(v)
			}
		}
	})
	b.Run("slice", func(b *testing.B) {
		for b.Loop() {
			copy(y, x)
			Exps(y)
		}
	})
}
