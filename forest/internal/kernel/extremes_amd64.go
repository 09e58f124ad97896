//go:build !noasm

package kernel

// extremesAVX2 is extremesGo for n ≥ 8 values.
//
//go:noescape
func extremesAVX2(values *float32, n int) (least, greatest float32)

// extremesFast is extremesGo for at least eight values, by vector instructions if the processor has them.
func extremesFast(values []float32) (least, greatest float32) {
	if !hasAVX2 {
		return extremesGo(values)
	}
	return extremesAVX2(&values[0], len(values))
}
