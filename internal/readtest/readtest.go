// Package readtest is for tests of what reads files.
package readtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// A cancelling context is cancelled once it has been looked at so many times. What is tested doesn't wait for Done.
type cancelling struct {
	context.Context
	looks *atomic.Int64
}

func (c cancelling) Err() error {
	if c.looks.Add(-1) <= 0 {
		return context.Canceled
	}
	return nil
}

// StopsReading fails unless read ends with the context's error whenever it is cancelled, and
// looks at it often enough to be cancelled in the middle.
func StopsReading(t *testing.T, name string, fewest int, read func(ctx context.Context) error) {
	t.Helper()
	for _, looks := range []int{1, 2, fewest} {
		ctx := cancelling{t.Context(), new(atomic.Int64)}
		ctx.looks.Store(int64(looks))
		if err := read(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled at look %d: error %v", name, looks, err)
		}
	}
	if err := read(t.Context()); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// WantPanic fails unless f panics with a text that begins with start and tells all parts.
func WantPanic(t *testing.T, start string, f func(), parts ...string) {
	t.Helper()
	defer func() {
		t.Helper()
		text, ok := recover().(string)
		if !ok || !strings.HasPrefix(text, start) {
			t.Errorf("panics with %q; want %q", text, start)
		}
		WantError(t, errors.New(text), parts...)
	}()
	f()
}

// Gzipped returns text, packed.
func Gzipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must.Value(z.Write(text))
	must.Do(z.Close())
	return b.Bytes()
}

// DataDir returns OBLIQUA_DATA, or skips the test.
func DataDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("OBLIQUA_DATA")
	if dir == "" {
		t.Skip("OBLIQUA_DATA is not set")
	}
	return dir
}

// WantError fails unless err is an error that tells all parts.
func WantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error; want %q", parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not tell %q", err, part)
		}
	}
}

// WantResult fails unless err tells want, or is nil if want is empty.
func WantResult(t testing.TB, err error, want string) {
	t.Helper()
	switch {
	case want != "":
		WantError(t, err, want)
	case err != nil:
		t.Errorf("error %v; want none", err)
	}
}
