// Package atomicfile replaces files in one step.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Pattern matches the names of the files that [Create] makes, as [filepath.Glob] does.
const Pattern = ".obliqua-*.tmp"

// Create opens a new file in dir, under a name of its own, for reading and writing. Its
// mode is 0666 before the umask; a file of [os.CreateTemp] could be read by its owner only.
func Create(dir string) (*os.File, error) {
	path := filepath.Join(dir, fmt.Sprintf(".obliqua-%016x.tmp", rand.Uint64()))
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

// Write writes what write gives it to a new file beside path and renames that to path
// when all of it is on the disk. So whoever reads path sees either the old file or the
// whole new one. After an error the old file is as it was and nothing new is left.
func Write(path string, write func(io.Writer) error) error {
	file, err := Create(filepath.Dir(path))
	if err != nil {
		return err
	}
	return Replace(path, file, write)
}

// Replace is Write by way of file, a new file on the disk of path. It closes the file,
// and removes it after an error.
func Replace(path string, file *os.File, write func(io.Writer) error) error {
	err := errors.Join(write(file), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name())
	}
	return err
}
