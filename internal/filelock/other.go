//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filelock

import (
	"errors"
	"io/fs"
)

// Lock returns [errors.ErrUnsupported]: this system has no lock that ends with its process.
func Lock(name, what string) (unlock func() error, err error) {
	return func() error { return nil }, errors.ErrUnsupported
}

// Own returns false.
func Own(fs.FileInfo) bool { return false }
