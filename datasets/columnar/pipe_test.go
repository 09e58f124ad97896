//go:build unix

package columnar

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// Formats whose end is read first can't come through a pipe. That is an error, not a wait for
// somebody who writes to it.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	_, parquet := ReadParquet(t.Context(), path, Options{})
	_, arrow := ReadArrow(t.Context(), path, Options{})
	_, open := OpenParquet(path)
	for _, err := range []error{parquet, arrow, open} {
		readtest.WantError(t, err, path+" is a pipe; want a regular file")
	}
}
