package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

func TestAppendCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.csv")
	for _, line := range []string{"1", "2,3"} {
		must.Do(appendCSV(path, []string{"a", "b"}, []string{line, ""}))
	}
	text, err := os.ReadFile(path)
	if want := "a,b\n1,\n\"2,3\",\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v; want %q", text, err, want)
	}
}

// A process that has written to 64 MB more held so much at its peak.
func TestMemory(t *testing.T) {
	before := memory("self", "VmHWM")
	if before == 0 {
		t.Skip("no /proc")
	}
	b := make([]byte, 64<<20)
	for i := range b {
		b[i] = byte(i)
	}
	if now := memory("self", "VmHWM"); now < 64<<20 || now < before {
		t.Errorf("peak %d bytes after writing to %d (%d before)", now, len(b), before)
	}
}
