//go:build unix

package columnar

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
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
		if err == nil || !strings.Contains(err.Error(), path+" is a pipe; want a regular file") {
			t.Errorf("error %v", err)
		}
	}
}
