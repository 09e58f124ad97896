// Package bounded is for fuzz tests of what reads files of others.
package bounded

import (
	"flag"
	"runtime/metrics"
	"testing"
	"time"
)

// Read calls read, which reads size bytes, and fails if it allocates more than 64 MB and 20 times
// as many. That is of all it allocates, so it never holds more. While fuzzing, read must also
// return within a second. It has three attempts, since other work may hold one up.
func Read(t testing.TB, size int, read func()) {
	t.Helper()
	allocated := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(allocated)
	before, begun := allocated[0].Value.Uint64(), time.Now()
	read()
	took := time.Since(begun)
	metrics.Read(allocated)
	if got, most := allocated[0].Value.Uint64()-before, uint64(64<<20+20*size); got > most {
		t.Errorf("reading %d bytes allocates %d; want at most %d", size, got, most)
	}
	if f := flag.Lookup("test.fuzzworker"); f == nil || f.Value.String() != "true" {
		return
	}
	for attempt := 1; took > time.Second; attempt++ {
		if attempt == 3 {
			t.Fatalf("reading %d bytes takes %v; want at most a second", size, took)
		}
		begun = time.Now()
		read()
		took = time.Since(begun)
	}
}
