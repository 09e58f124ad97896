//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package trial

import "math"

// ProcessorSeconds returns NaN: this system isn't asked for the processor time.
func ProcessorSeconds() float64 { return math.NaN() }
