package main

import "testing"

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
