//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package trial

import (
	"math"
	"syscall"
	"time"
)

// ProcessorSeconds returns the processor time of this process so far.
func ProcessorSeconds() float64 {
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil {
		return math.NaN()
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()).Seconds()
}
