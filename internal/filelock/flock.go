//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

// Package filelock has locks that end with the process that holds them, however it ends.
package filelock

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// Lock locks the file of that name, which it makes, and writes this process's number into it. unlock
// removes the file. The operating system ends the lock with the process, so a file that a dead process
// left behind locks nothing; in containers that share a folder, too.
//
// It returns an error that says that what is being written, and by which process, if another call has
// the lock, here or elsewhere. The error wraps [errors.ErrUnsupported], and unlock does nothing, where
// the system, or the file system, has no such lock.
func Lock(name, what string) (unlock func() error, err error) {
	for {
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o666)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			defer file.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				owner, _ := io.ReadAll(file)
				return nil, fmt.Errorf("%s is being written by process %s; wait until it has ended, or stop it",
					what, strings.TrimSpace(string(owner)))
			}
			if errors.Is(err, errors.ErrUnsupported) || err == syscall.ENOLCK {
				return func() error { return nil }, errors.Join(errors.ErrUnsupported, os.Remove(name))
			}
			return nil, fmt.Errorf("%s: %w", name, err)
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

// Own reports whether a file belongs to this process's user.
func Own(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
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
