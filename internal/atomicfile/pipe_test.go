//go:build unix

package atomicfile

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe to which nobody writes is an error, not a wait.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	got := make(chan error, 1)
	go func() {
		_, _, err := Open(path)
		got <- err
	}()
	select {
	case err := <-got:
		if err == nil || !strings.Contains(err.Error(), "is a pipe; want a regular file") {
			t.Errorf("open: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("waits at the pipe")
	}
	if err := Write(path, text("new")); err == nil || !strings.Contains(err.Error(), "is a pipe") {
		t.Errorf("write: %v", err)
	}
}
