package grow

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var specials = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1,
	math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32,
	// the smallest normal, the largest denormal
	2 * math.SmallestNonzeroFloat32, 0x1p-126, 0x1p-126 - math.SmallestNonzeroFloat32,
	math.MaxFloat32, -math.MaxFloat32, 3e38, 1 + 0x1p-23, -1 - 0x1p-23,
}

// floats draws numbers of all magnitudes, some of them equal, and special values.
func floats() *rapid.Generator[float32] {
	return rapid.OneOf(
		rapid.Float32(),
		rapid.SampledFrom(specials),
		rapid.Map(rapid.IntRange(-4, 4), func(i int) float32 { return float32(i) / 2 }),
	)
}

func TestKeyOrdersAsItsValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := floats().Draw(t, "a"), floats().Draw(t, "b")
		p := rapid.Uint32().Draw(t, "payload")
		ka, kb := NewKey(a, p), NewKey(b, ^p)
		if got, want := cmp.Compare(order(ka), order(kb)), cmp.Compare(a, b); got != want {
			t.Fatalf("keys of %v and %v compare as %d, want %d", a, b, got, want)
		}
		if KeyValue(ka) != a || uint32(ka) != p {
			t.Fatalf("key of (%v, %d) holds (%v, %d)", a, p, KeyValue(ka), uint32(ka))
		}
		if math.Float32bits(KeyValue(ka)) == 1<<31 {
			t.Fatalf("a key holds negative zero")
		}
	})
}

// Sums that overflowed must be sorted to the ends, where searchSorted checks for them.
func TestKeysOfInfinityAndNaNAreOutermost(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	negative := math.Float32frombits(math.Float32bits(nan) | 1<<31)
	lowest, highest := order(NewKey(-math.MaxFloat32, 0)), order(NewKey(math.MaxFloat32, 0))
	for _, v := range []float32{inf, -inf, nan, negative} {
		if o := order(NewKey(v, 0)); lowest <= o && o <= highest {
			t.Errorf("key of %v (%x) is among those of finite numbers", v, math.Float32bits(v))
		}
		if finite(KeyValue(NewKey(v, 0))) {
			t.Errorf("%v is finite", v)
		}
	}
}

func TestSortKeys(t *testing.T) {
	kinds := []struct {
		name string
		draw func(*rand.Rand) float32
	}{
		{"normal", func(r *rand.Rand) float32 { return float32(r.NormFloat64()) }},
		{"grid", func(r *rand.Rand) float32 { return float32(r.IntN(7) - 3) }},
		{"equal", func(*rand.Rand) float32 { return -2.5 }},
		{"positive", func(r *rand.Rand) float32 { return 1 + r.Float32() }},
		{"specials", func(r *rand.Rand) float32 { return specials[r.IntN(len(specials))] }},
		{"bits", func(r *rand.Rand) float32 {
			for {
				if v := math.Float32frombits(r.Uint32()); finite(v) {
					return v
				}
			}
		}},
	}
	sizes := []int{1, 2, 3, insertionMax - 1, insertionMax, insertionMax + 1, 255, 256, 257,
		byteMax - 1, byteMax, byteMax + 1, 2 * byteMax, 10000}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, kind := range kinds {
		for _, n := range sizes {
			t.Run(fmt.Sprintf("%s/%d", kind.name, n), func(t *testing.T) {
				values := make([]float32, n)
				keys := make([]key, n)
				for i := range keys {
					values[i] = kind.draw(rng)
					keys[i] = NewKey(values[i], uint32(i))
				}
				for name, sort := range sorts {
					tmp := make([]key, n+3)
					switch {
					case name == "insertion" && n > 2*byteMax:
						continue
					case name != "fastest":
						tmp = tmp[:n]
					}
					checkSorted(t, sort(slices.Clone(keys), tmp), values)
				}
			})
		}
	}
}

// checkSorted compares with the order of the standard library, and fails unless every
// key's payload is the index of its value.
func checkSorted(t *testing.T, sorted []key, values []float32) {
	t.Helper()
	if len(sorted) != len(values) {
		t.Fatalf("%d keys, want %d", len(sorted), len(values))
	}
	want := slices.Clone(values)
	slices.Sort(want)
	seen := make([]bool, len(values))
	for i, k := range sorted {
		if KeyValue(k) != want[i] {
			t.Fatalf("key %d is of %v, want %v", i, KeyValue(k), want[i])
		}
		from := uint32(k)
		if seen[from] || values[from] != want[i] {
			t.Fatalf("key %d of %v is of row %d, whose value is %v; seen before: %v", i, want[i], from, values[from], seen[from])
		}
		seen[from] = true
	}
}

// sorts must be right at any size, since the thresholds between them are tuned.
var sorts = map[string]func(keys, tmp []key) []key{
	"insertion": func(keys, _ []key) []key { insertionSort(keys); return keys },
	"radix8":    radixSort8,
	"radix11":   radixSort11,
	"fastest":   SortKeys,
}

func BenchmarkSort(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{8, 16, 30, 40, 60, 100, 500, 1500, 2500, 4000, 20000, 200000} {
		from := make([]key, n)
		for i := range from {
			from[i] = NewKey(float32(rng.NormFloat64()), uint32(i))
		}
		keys, tmp := make([]key, n), make([]key, n)
		for name, sort := range sorts {
			if name == "insertion" && n > 200 {
				continue
			}
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					copy(keys, from)
					sort(keys, tmp)
				}
				reportRows(b, n)
			})
		}
	}
}
