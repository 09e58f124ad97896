// Package atomicfile replaces files in one step.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// IsTemporary reports whether the name of a file, without its folder, is one of those that
// [Create] makes.
func IsTemporary(name string) bool {
	return strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix)
}

const prefix, suffix = ".obliqua-", ".tmp"

// Create creates a new file in dir, with a random name, for reading and writing. Its mode
// is 0666 before the umask; that of [os.CreateTemp] is 0600.
func Create(dir string) (*os.File, error) { return create(dir, 0o666) }

func create(dir string, mode fs.FileMode) (*os.File, error) {
	path := filepath.Join(dir, fmt.Sprintf("%s%016x%s", prefix, rand.Uint64(), suffix))
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
}

// Write calls write with a new file in the folder of path, and renames that file to path
// when its contents are on the disk. So readers of path see either the old file or the
// complete new one. After an error the old file is unchanged and the new one is removed.
//
// The new file has the mode of the old one from its first byte on; where there was none, the
// umask decides. A link at path is replaced, not followed, by a file with the mode of what the
// link points to. Write returns an error if path is a folder, a pipe or a device. It begins
// with [Sweep].
func Write(path string, write func(io.Writer) error) error {
	old, err := stat(path)
	if errors.Is(err, errIrregular) {
		return err
	}
	replaces := err == nil
	dir, mode := filepath.Dir(path), fs.FileMode(0o666)
	if replaces {
		mode = 0o600
	}
	Sweep(dir)
	file, err := create(dir, mode)
	if err != nil {
		return err
	}
	return Replace(path, file, func(w io.Writer) error {
		if replaces {
			if err := setMode(file, old.Mode().Perm()); err != nil {
				return err
			}
		}
		return write(w)
	})
}

// setMode does nothing if the file has the mode already: some file systems have only one, and
// return an error.
func setMode(file *os.File, mode fs.FileMode) error {
	info, err := file.Stat()
	if err != nil || info.Mode().Perm() == mode {
		return err
	}
	return file.Chmod(mode)
}

var errIrregular = errors.New("want a regular file")

// stat returns what is known of the file at path, or that a link there points to. The error
// wraps errIrregular if it is a folder, a pipe or a device.
func stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return info, err
	}
	kind := "device or socket"
	switch {
	case info.IsDir():
		kind = "folder"
	case info.Mode()&fs.ModeNamedPipe != 0:
		kind = "pipe"
	}
	return nil, fmt.Errorf("%s is a %s; %w", path, kind, errIrregular)
}

// Open opens a regular file for reading and returns its size. Unlike [os.Open] it doesn't wait
// at a pipe for somebody to write to it.
func Open(path string) (*os.File, int64, error) {
	if _, err := stat(path); err != nil {
		return nil, 0, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// Replace is like [Write], but writes to file, a new file in the same file system as path, with
// its mode, and doesn't look at what is there. It closes the file, and removes it after an error.
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

// Sweep removes the files of [Create] in dir that processes left when they were killed: those
// that nobody has written to for a day. It ignores errors, since the files are only in the way.
func Sweep(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !e.Type().IsRegular() || !IsTemporary(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
