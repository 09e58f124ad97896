package rules_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// If an int has 32 bits, compiling fails with an error that gives the reason.
func TestNeeds64Bits(t *testing.T) {
	cmd := exec.Command("go", "build", "./datasets")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=386", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("%s: no error", cmd)
	}
	if !strings.Contains(string(out), "undefined: obliqua_needs_a_64_bit_platform") {
		t.Errorf("%s: %v: %s", cmd, err, out)
	}
}
