//go:build unix

package playground

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// Compiling ends with its context, although a child of the compiler goes on. It lives longer than
// go test lets this test wait.
func TestCompilingEndsWithItsContext(t *testing.T) {
	folder := t.TempDir()
	command, begun := filepath.Join(folder, "go"), filepath.Join(folder, "begun")
	script := "#!/bin/sh\nsleep 3600 &\necho $! >" + begun + ".new\nmv " + begun + ".new " + begun + "\nwait\n"
	must.Do(os.WriteFile(command, []byte(script), 0o700))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := compile(ctx, command, folder, filepath.Join(folder, "engine.wasm.gz"), func(string) {})
		ended <- err
	}()
	var child []byte
	for err := fs.ErrNotExist; errors.Is(err, fs.ErrNotExist); child, err = os.ReadFile(begun) {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("no error")
	}
	pid := must.Value(strconv.Atoi(strings.TrimSpace(string(child))))
	syscall.Kill(pid, syscall.SIGKILL)
}
