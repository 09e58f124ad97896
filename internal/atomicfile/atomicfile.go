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

// Pattern matches the names of the files that [Create] makes, for [filepath.Glob].
const Pattern = ".obliqua-*.tmp"

// Create creates a new file in dir, with a random name, for reading and writing. Its mode
// is 0666 before the umask; that of [os.CreateTemp] is 0600.
func Create(dir string) (*os.File, error) {
	path := filepath.Join(dir, fmt.Sprintf(".obliqua-%016x.tmp", rand.Uint64()))
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
}

// Write calls write with a new file in the folder of path, and renames that file to path
// when its contents are on the disk. So readers of path see either the old file or the
// complete new one. After an error the old file is unchanged and the new one is removed.
func Write(path string, write func(io.Writer) error) error {
	file, err := Create(filepath.Dir(path))
	if err != nil {
		return err
	}
	return Replace(path, file, write)
}

// Replace is like [Write], but writes to file, a new file in the same file system as path.
// It closes the file, and removes it after an error.
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
