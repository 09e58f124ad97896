package cluster

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/obliqua-ml/obliqua/internal/filelock"
)

// lockName is the file in a folder of [Local] that its process keeps locked as long as it lives.
const lockName = "driver.lock"

// newFolder makes a folder that only this user can read, for the files of a job. It removes those that
// processes of this user have left behind that were killed.
func newFolder() (path string, remove func(), err error) {
	sweep()
	if path, err = os.MkdirTemp("", "obliqua-"); err != nil {
		return "", nil, err
	}
	unlock, err := filelock.Lock(filepath.Join(path, lockName), path)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		os.RemoveAll(path)
		return "", nil, err
	}
	return path, func() {
		os.RemoveAll(path)
		unlock()
	}, nil
}

// sweep removes the folders of dead processes. A lock says what a process's number can't: numbers are
// used again, and in containers that share a folder they mean different processes. Folders whose lock
// is empty aren't touched: their process has just made it, or its system has no locks.
func sweep() {
	locks, _ := fs.Glob(os.DirFS(os.TempDir()), "obliqua-*/"+lockName)
	for _, lock := range locks {
		lock = filepath.Join(os.TempDir(), lock)
		folder := filepath.Dir(lock)
		if info, err := os.Lstat(folder); err != nil || !info.IsDir() || !filelock.Own(info) {
			continue
		}
		if info, err := os.Lstat(lock); err != nil || info.Size() == 0 {
			continue
		}
		if unlock, err := filelock.Lock(lock, folder); err == nil {
			os.RemoveAll(folder)
			unlock()
		}
	}
}
