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

// Write writes what write gives it to a file beside path, and renames that to path when
// all of it is on the disk. So whoever reads path sees the file of before or the whole
// new one, whatever happens meanwhile. After an error nothing new is left. A new file's
// mode is 0666 before the umask.
func Write(path string, write func(io.Writer) error) error {
	return WriteBy(create, filepath.Dir(path), path, write)
}

// WriteBy is Write by way of the folder dir, which must be on the disk of path, with
// create instead of opening a new file there.
func WriteBy(create func(dir string) (*os.File, error), dir, path string, write func(io.Writer) error) error {
	file, err := create(dir)
	if err != nil {
		return err
	}
	err = errors.Join(write(file), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name())
	}
	return err
}

// create opens a new file. [os.CreateTemp] would make one that only its owner can read.
func create(dir string) (*os.File, error) {
	path := filepath.Join(dir, fmt.Sprintf(".obliqua-%016x.tmp", rand.Uint64()))
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}
