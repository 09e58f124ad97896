//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package trial

import "math"

// processorSeconds returns NaN: this system isn't asked for the processor time.
func processorSeconds() float64 { return math.NaN() }

// peakMegabytes returns NaN: this system isn't asked for the memory of a process.
func peakMegabytes() float64 { return math.NaN() }
