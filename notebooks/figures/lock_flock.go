//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package figures

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// lock locks the file at path for this process, by a file beside it whose name ends in
// ".lock" and which holds the process's number. The operating system ends the lock with the
// process, so a file that a dead process left behind locks nothing. lock returns an error
// if another call has the lock.
func lock(path string) (unlock func() error, err error) {
	name := path + ".lock"
	for {
		// A link is an error: what it points to would be replaced by the process's number.
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o666)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			defer file.Close()
			if !errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			owner, _ := io.ReadAll(file)
			return nil, fmt.Errorf("%s is being written by process %s; wait until it has ended, or stop it", path, strings.TrimSpace(string(owner)))
		}
		if !isFile(name, file) { // its owner removed it after it was opened here
			file.Close()
			continue
		}
		if err := writeOwner(file); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return func() error { return errors.Join(os.Remove(name), file.Close()) }, nil
	}
}

// writeOwner replaces the file's contents by the number of this process.
func writeOwner(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := fmt.Fprintln(file, os.Getpid())
	return err
}

// isFile reports whether the file at path is the open one.
func isFile(path string, file *os.File) bool {
	a, errA := os.Stat(path)
	b, errB := file.Stat()
	return errA == nil && errB == nil && os.SameFile(a, b)
}
