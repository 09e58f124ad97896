//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package old

import "math"

// processorSeconds returns NaN: this system isn't asked for the processor time.
func processorSeconds() float64 { return math.NaN() }
