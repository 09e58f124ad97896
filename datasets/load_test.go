package datasets

import (
	"os"
	"testing"
	"time"
)

// testLoader returns a loader that downloads from host into a cache of its own.
func testLoader(t *testing.T, host string) *loader {
	return &loader{cache: t.TempDir(), host: host, stall: 5 * time.Second, pause: time.Millisecond, create: os.CreateTemp}
}
