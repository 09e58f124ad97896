package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/obliqua-ml/obliqua/internal/must"
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
		if e.IsDir() {
			continue
		}
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

// temporary returns the names of the temporary files in dir.
func temporary(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if IsTemporary(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
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
		must.Do(Write(path, text(want)))
		wantFolder(t, dir, map[string]string{"model": want})
	}
}

// Until the writer has returned, path is the old file.
func TestReadersSeeTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	must.Do(os.WriteFile(path, []byte("old"), 0o644))
	err := Write(path, func(w io.Writer) error {
		if err := text("new")(w); err != nil {
			return err
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
			t.Errorf("while writing, the file holds %q, %v", b, err)
		}
		if made := temporary(t, dir); len(made) != 1 {
			t.Errorf("%q are temporary; want the file that is being written", made)
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
	must.Do(os.WriteFile(path, []byte("old"), 0o644))
	if err := Write(path, half); !errors.Is(err, failed) {
		t.Errorf("a writer that fails half-way: %v", err)
	}
	wantFolder(t, dir, map[string]string{"model": "old"})

	file := must.Value(Create(dir))
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
	must.Do(os.MkdirAll(filepath.Join(taken, "inside"), 0o755))
	if err := Write(taken, text("new")); err == nil {
		t.Error("no error for a path that is a folder")
	}
	if left := temporary(t, dir); len(left) != 0 {
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
	must.Do(errors.Join(errA, errB))
	if a.Mode() != b.Mode() {
		t.Errorf("mode %v; want %v", b.Mode(), a.Mode())
	}
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// A file that is replaced keeps its mode, whatever the umask; what is written is as private from
// its first byte on.
func TestModeIsKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes")
	}
	for _, want := range []fs.FileMode{0o600, 0o640, 0o666, 0o444, 0o200} {
		dir := t.TempDir()
		path := filepath.Join(dir, "model")
		must.Do(errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Chmod(path, want)))
		err := Write(path, func(w io.Writer) error {
			for _, name := range temporary(t, dir) {
				if got := mode(t, filepath.Join(dir, name)); got != want {
					t.Errorf("while it is written, the new file has mode %v; want %v", got, want)
				}
			}
			return text("new")(w)
		})
		if got := mode(t, path); got != want || err != nil {
			t.Errorf("mode %v, error %v; want %v", got, err, want)
		}
	}
}

// A link is replaced by a file with the mode of what it points to, which stays as it was.
func TestLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege, and files have no such modes")
	}
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "private")
	path, dangling := filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	err := errors.Join(os.WriteFile(elsewhere, []byte("old"), 0o600), os.Symlink(elsewhere, path),
		os.Symlink("nowhere", dangling), Write(path, text("new")), Write(dangling, text("newer")))
	if err != nil {
		t.Fatal(err)
	}
	wantFolder(t, dir, map[string]string{"link": "new", "dangling": "newer"})
	wantFolder(t, filepath.Dir(elsewhere), map[string]string{"private": "old"})
	if got := mode(t, path); got != 0o600 {
		t.Errorf("the link was replaced by a file of mode %v; want that of the private file, 0600", got)
	}
	if got := mode(t, dangling); !got.IsRegular() {
		t.Errorf("the link to nowhere is now of mode %v; want a file", got)
	}
}

// Folders and devices are neither replaced nor read, also behind a link. The device is only written
// to behind one, so that a fault can't replace it. A second test has pipes.
func TestIrregular(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{dir: "is a folder", link: "is a device"} {
		if err := Write(path, text("new")); err == nil || !strings.Contains(err.Error(), path+" "+want) {
			t.Errorf("write: %v; want %q", err, want)
		}
		if _, _, err := Open(path); err == nil || !strings.Contains(err.Error(), path+" "+want) {
			t.Errorf("open: %v; want %q", err, want)
		}
	}
	if _, _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open: %v", err)
	}
	if got := mode(t, link); got&fs.ModeSymlink == 0 {
		t.Errorf("the link is now of mode %v", got)
	}
}

// What killed processes left is removed when a file is written into the folder a day later. What
// may still be written to stays, and so does what only looks similar. The folder's name would be a
// faulty pattern.
func TestWriteSweeps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[a")
	old, young := time.Now().Add(-25*time.Hour), time.Now().Add(-23*time.Hour)
	err := os.MkdirAll(filepath.Join(dir, ".obliqua-folder.tmp"), 0o755)
	if err != nil {
		t.Fatal(err)
	}
	left := must.Value(Create(dir))
	left.Close()
	for name, at := range map[string]time.Time{
		filepath.Base(left.Name()): old, ".obliqua-1.tmp": young, ".obliqua-2": old, "x.tmp": old,
	} {
		path := filepath.Join(dir, name)
		must.Do(errors.Join(os.WriteFile(path, []byte(name), 0o644), os.Chtimes(path, at, at)))
	}
	must.Do(Write(filepath.Join(dir, "model"), text("new")))
	wantFolder(t, dir, map[string]string{"model": "new", ".obliqua-1.tmp": ".obliqua-1.tmp", ".obliqua-2": ".obliqua-2",
		"x.tmp": "x.tmp"})
}
