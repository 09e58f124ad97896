package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// folder returns the names and contents of the files in dir.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(b)
	}
	return files
}

func wantFolder(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := folder(t, dir)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s holds %q; want %q", name, got[name], text)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s was left behind", name)
		}
	}
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	for _, want := range []string{"first", "the second, which is longer", "3", ""} {
		if err := Write(path, text(want)); err != nil {
			t.Fatal(err)
		}
		wantFolder(t, dir, map[string]string{"model": want})
	}
}

// Until the writer has returned, path is the old file.
func TestReadersSeeTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := Write(path, func(w io.Writer) error {
		if err := text("new")(w); err != nil {
			return err
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
			t.Errorf("while writing, the file holds %q, %v", b, err)
		}
		if made, _ := filepath.Glob(filepath.Join(dir, Pattern)); len(made) != 1 {
			t.Errorf("%s matches %q; want the file that is being written", Pattern, made)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantFolder(t, dir, map[string]string{"model": "new"})
}

// After any failure there is an error, the old file is unchanged and no new one is left.
func TestFailures(t *testing.T) {
	failed := errors.New("failed")
	half := func(w io.Writer) error { return errors.Join(text("half of the ne")(w), failed) }

	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, half); !errors.Is(err, failed) {
		t.Errorf("a writer that fails half-way: %v", err)
	}
	wantFolder(t, dir, map[string]string{"model": "old"})

	file, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	if err := Replace(path, file, text("new")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed file: %v", err)
	}
	wantFolder(t, dir, map[string]string{"model": "old"})

	nowhere := filepath.Join(dir, "nowhere", "model")
	if err := Write(nowhere, text("new")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that isn't there: %v", err)
	}

	taken := filepath.Join(dir, "taken") // by a folder that isn't empty, so renaming fails
	if err := os.MkdirAll(filepath.Join(taken, "inside"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(taken, text("new")); err == nil {
		t.Error("no error for a path that is a folder")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, Pattern)); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
	if _, err := os.Stat(filepath.Join(taken, "inside")); err != nil {
		t.Error(err)
	}
}

// A new file's mode is that of any file the process makes, so that others of the group
// may read what the umask lets them read.
func TestMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes")
	}
	dir := t.TempDir()
	usual, ours := filepath.Join(dir, "usual"), filepath.Join(dir, "ours")
	err := errors.Join(os.WriteFile(usual, nil, 0o666), Write(ours, text("")))
	if err != nil {
		t.Fatal(err)
	}
	a, errA := os.Stat(usual)
	b, errB := os.Stat(ours)
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	if a.Mode() != b.Mode() {
		t.Errorf("mode %v; want %v", b.Mode(), a.Mode())
	}
}
