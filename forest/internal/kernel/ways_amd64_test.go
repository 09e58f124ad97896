//go:build !noasm

package kernel

// A way is a set of instructions for [Sides], [Bounds] and [Extremes].
type way struct {
	name         string
	use, restore func()
}

// ways returns the ways that this processor has.
func ways() []way {
	two, five := hasAVX2, hasAVX512
	restore := func() { hasAVX2, hasAVX512 = two, five }
	ways := []way{{"Go", func() { hasAVX2 = false }, restore}}
	if two {
		ways = append(ways, way{"AVX2", func() { hasAVX512 = false }, restore})
	}
	if five {
		ways = append(ways, way{"AVX-512", func() {}, restore})
	}
	return ways
}
