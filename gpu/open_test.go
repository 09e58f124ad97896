//go:build cuda && linux

package gpu

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// With OBLIQUA_TEST_OPEN this program only opens the device, as a user's program would, and
// prints what Open says.
func TestMain(m *testing.M) {
	if os.Getenv("OBLIQUA_TEST_OPEN") != "" {
		d, err := Open()
		if err == nil {
			err = fmt.Errorf("opened %s", d.Name())
		}
		fmt.Print(err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A program with the tag needs no library but libc, starts where there is no driver or no
// device, prints nothing of its own, and Open says what is missing.
func TestOpen(t *testing.T) {
	file := must.Value(elf.Open(os.Args[0]))
	libraries, err := file.ImportedLibraries()
	if err != nil || !slices.Equal(libraries, []string{"libc.so.6"}) {
		t.Errorf("the program needs %v (%v); want libc.so.6 alone", libraries, err)
	}
	for _, test := range []struct {
		env  []string
		want string
	}{
		{[]string{"LD_LIBRARY_PATH="},
			"gpu: there is no CUDA driver: libcuda.so.1: cannot open shared object file: No such file or directory"},
		{[]string{"FAKE_CUINIT=100"}, "gpu: the CUDA driver found no device that it can use (cuInit returned error 100)"},
		{[]string{"FAKE_MAJOR=6"}, "gpu: emulated has compute capability 6.0; want 7.5 or newer"},
		{nil, "opened emulated"},
	} {
		if test.env == nil || !strings.HasPrefix(test.env[0], "LD_") {
			if d, err := Open(); err != nil || d.Name() != "emulated" {
				continue
			}
		} else if _, err := Open(); err == nil && os.Getenv("LD_LIBRARY_PATH") == "" {
			continue // there is a real driver
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(append(os.Environ(), "OBLIQUA_TEST_OPEN=1"), test.env...)
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != test.want {
			t.Errorf("%v: %q, %v; want %q", test.env, out, err, test.want)
		}
	}
}
