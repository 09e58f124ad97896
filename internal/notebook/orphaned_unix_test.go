//go:build unix

package notebook

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Only a process whose parent has ended, and whose kernel reads no more, is an orphan.
func TestOrphaned(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	const dead = -1 // no process has this number
	if !orphaned(dead, pipe) {
		t.Error("no orphan, though its parent has ended and nobody reads the pipe")
	}
	if orphaned(os.Getppid(), pipe) {
		t.Error("an orphan, though its parent lives")
	}
	kernel, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	if orphaned(dead, pipe) {
		t.Error("an orphan, though the kernel reads the pipe")
	}
	kernel.Close()
	if !orphaned(dead, pipe) {
		t.Error("no orphan, though the kernel has closed the pipe")
	}
	if !orphaned(dead, pipe+" that is gone") {
		t.Error("no orphan, though the pipe is gone")
	}
}
