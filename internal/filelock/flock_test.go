//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	for range 2 {
		unlock := must.Value(Lock(name, "the table"))
		want := fmt.Sprintf("the table is being written by process %d;", os.Getpid())
		if _, err := Lock(name, "the table"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("locked twice: error %v, want %q", err, want)
		}
		must.Do(unlock())
		if _, err := os.Stat(name); err == nil {
			t.Error("the file is left")
		}
	}
}

// A link isn't followed: the file that it points to would hold a process's number.
func TestLockIsNoLink(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "file"), filepath.Join(folder, "link")
	must.Do(os.WriteFile(file, []byte("a file"), 0o600))
	must.Do(os.Symlink(file, link))
	if _, err := Lock(link, "the table"); err == nil || !strings.Contains(err.Error(), link) {
		t.Errorf("error %v; want one that names the lock", err)
	}
	if b, err := os.ReadFile(file); string(b) != "a file" || err != nil {
		t.Errorf("the file holds %q, error %v", b, err)
	}
}

// strangers is a file of another user.
type strangers struct{ os.FileInfo }

func (strangers) Sys() any { return &syscall.Stat_t{Uid: uint32(os.Geteuid()) + 1} }

func TestOwn(t *testing.T) {
	mine, err := os.Stat(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !Own(mine) || Own(strangers{mine}) {
		t.Errorf("mine: %v; a stranger's: %v", Own(mine), Own(strangers{mine}))
	}
}
