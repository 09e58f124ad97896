//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package trial

import (
	"math"
	"runtime"
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

// peakMegabytes returns the largest memory that this process has had so far, in 10⁶ bytes.
func peakMegabytes() float64 {
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil {
		return math.NaN()
	}
	if runtime.GOOS == "darwin" {
		return float64(use.Maxrss) / 1e6 // other systems count in KiB
	}
	return float64(use.Maxrss) * 1024 / 1e6
}
