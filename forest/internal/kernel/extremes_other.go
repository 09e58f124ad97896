//go:build !amd64 || noasm

package kernel

// extremesFast is extremesGo: there is no assembly for this processor or build.
func extremesFast(values []float32) (least, greatest float32) { return extremesGo(values) }
