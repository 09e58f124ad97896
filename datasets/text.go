package datasets

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/filekind"
)

// checkText returns an error if a file doesn't begin as text does, which says what it is instead.
func checkText(file *bufio.Reader) error {
	head, _ := file.Peek(filekind.Head) // reading on returns the error
	if is := filekind.Of(head); is != "" {
		return fmt.Errorf("this is %s", is)
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return errors.New("this isn't text, or text in UTF-16: it has zero bytes; want text in UTF-8")
	}
	return nil
}

// unpack returns a reader of the bytes of in, which it decompresses if they begin like gzip,
// without a UTF-8 byte-order mark.
func unpack(in *bufio.Reader, limits Limits) (*bufio.Reader, error) {
	magic, err := in.Peek(2)
	if string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, unpackError(err)
		}
		in = bufio.NewReaderSize(&unpacking{z, limits.Unpacked, limits.Unpacked}, 1<<16)
	} else if err != nil && err != io.EOF {
		return nil, err
	}
	mark, err := in.Peek(3)
	if string(mark) == "\ufeff" {
		in.Discard(len(mark))
	} else if err != nil && err != io.EOF {
		return nil, err
	}
	return in, nil
}

// An unpacking is a reader of a packed file that ends with an error at the limit.
type unpacking struct {
	from       io.Reader
	most, left int64 // bytes
}

func (u *unpacking) Read(b []byte) (int, error) {
	n, err := u.from.Read(b)
	if u.left -= int64(n); u.left < 0 {
		return 0, fmt.Errorf("the file unpacks to more than %d bytes, the limit for its size; "+
			"if it is right, unpack it first or raise Limits.Unpacked", u.most)
	}
	return n, unpackError(err)
}

// unpackError says what the error of a packed file means.
func unpackError(err error) error {
	if err == io.ErrUnexpectedEOF {
		return fmt.Errorf("the packed file ends early; it may be cut short: %w", err)
	}
	return err
}

// readFile reads a data set from a file and names it after the file.
func readFile(ctx context.Context, path string,
	read func(context.Context, io.Reader, string) (*Dataset, error)) (*Dataset, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	defer f.Close()
	d, err := read(ctx, f, path)
	if err != nil {
		return nil, err
	}
	d.Name = baseName(path)
	return d, nil
}

// A lineError is an error in a line of a file.
type lineError struct {
	line int
	error
}

// Unwrap returns the error without the line.
func (e *lineError) Unwrap() error { return e.error }

func errorAt(line int, format string, args ...any) error {
	return &lineError{line, fmt.Errorf(format, args...)}
}

// fileError adds the name of the file and, for a lineError, the line to err.
func fileError(name string, err error) error {
	if at, ok := err.(*lineError); ok {
		return fmt.Errorf("datasets: %s:%d: %w", name, at.line, at.error)
	}
	return fmt.Errorf("datasets: %s: %w", name, err)
}

// baseName returns the last element of path up to its first dot: "letter" for
// "data/letter.csv.gz".
func baseName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name
}

// trim drops blanks around s: spaces, tabs and carriage returns, but not sep.
func trim(s string, sep byte) string {
	for s != "" && isBlank(s[0], sep) {
		s = s[1:]
	}
	for s != "" && isBlank(s[len(s)-1], sep) {
		s = s[:len(s)-1]
	}
	return s
}

func isBlank(c, sep byte) bool { return (c == ' ' || c == '\t' || c == '\r') && c != sep }
