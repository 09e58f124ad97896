//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package old

import (
	"math"
	"syscall"
	"time"
)

// processorSeconds returns the processor time of this process so far.
func processorSeconds() float64 {
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil {
		return math.NaN()
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()).Seconds()
}
