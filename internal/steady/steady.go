// Package steady makes tests do the same in every run. A test package that imports it draws the same cases with rapid
// each time. To draw new ones, run its tests with -rapid.seed=0, as make soak does.
package steady

import (
	"flag"
	"runtime"
	"strconv"
	"testing"

	_ "pgregory.net/rapid" // defines the flag
)

// The command line is read later and has the last word.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

// Cores lets Go use n cores until the test ends. The whole process has one such number. That is safe because tests that
// call [testing.T.Parallel] wait until all others have ended, and Setenv ends a test that calls both.
func Cores(t testing.TB, n int) {
	t.Helper()
	t.Setenv("GOMAXPROCS", strconv.Itoa(n))
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}
