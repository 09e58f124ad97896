package steady_test

import (
	"flag"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/steady"
)

// The first number that rapid draws is the same in two processes, and another with a seed from the command line.
func TestDraws(t *testing.T) {
	if os.Getenv("OBLIQUA_DRAW") != "" {
		rapid.Check(t, func(r *rapid.T) { os.Stdout.WriteString(rapid.StringN(9, 9, -1).Draw(r, "s")) })
		return
	}
	draw := func(flags ...string) string {
		cmd := exec.Command(os.Args[0], append([]string{"-test.run", "^TestDraws$"}, flags...)...)
		cmd.Env = append(os.Environ(), "OBLIQUA_DRAW=1")
		out := must.Value(cmd.Output())
		return string(out)
	}
	first := draw()
	if draw() != first {
		t.Error("two runs draw different cases")
	}
	if draw("-rapid.seed=2") == first {
		t.Error("the seed of the command line isn't used")
	}
	if seed := flag.Lookup("rapid.seed").DefValue; seed != "0" {
		t.Errorf("rapid's own seed is %s; want 0, which draws anew", seed)
	}
}

func TestCores(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Run("", func(t *testing.T) {
		for _, n := range []int{before + 2, before + 1} {
			if steady.Cores(t, n); runtime.GOMAXPROCS(0) != n {
				t.Errorf("%d cores, want %d", runtime.GOMAXPROCS(0), n)
			}
		}
	})
	if after := runtime.GOMAXPROCS(0); after != before {
		t.Errorf("%d cores after the test, want %d", after, before)
	}
	t.Run("parallel", func(t *testing.T) {
		t.Parallel()
		defer func() {
			if recover() == nil {
				t.Error("a parallel test changes the number of cores")
			}
		}()
		steady.Cores(t, before)
	})
}
