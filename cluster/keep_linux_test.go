package cluster

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/obliqua-ml/obliqua/internal/must"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

func init() {
	Handle("ends", func(_ context.Context, _ *Worker, how string) (string, error) {
		switch how {
		case "panic":
			panic("out of everything")
		case "panic elsewhere":
			go panic("out of everything")
			select {}
		case "kill":
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		case "kill after words":
			fmt.Println("too large")
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		case "exit 0":
			os.Exit(0)
		case "exit 3":
			os.Exit(3)
		case "stack":
			var endless func(i int) int
			endless = func(i int) int { return endless(i+1) + 1 }
			endless(0)
		case "memory":
			must.Do(syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: 1, Max: 1}))
			for kept := [][]byte{}; ; {
				kept = append(kept, make([]byte, 256<<20))
			}
		case "output":
			standardOutput.Close()
		}
		return how, nil
	})
	Handle("holds", func(_ context.Context, _ *Worker, folder string) (int, error) {
		must.Do(os.WriteFile(filepath.Join(folder, "begun"), nil, 0o600))
		hold(folder)
		return 0, nil
	})
	HandleRows("stumbles", func(_ *Worker, _ int, _ io.Reader, out io.Writer) error {
		io.WriteString(out, "a\tb\nc")
		panic("out of everything")
	})
}

// started starts a worker as Spark does, and reads none of its messages. The task is that of a [RowJob], or empty.
func started(t *testing.T, task string) (c *exec.Cmd, in io.WriteCloser, out *bytes.Buffer) {
	t.Helper()
	out = new(bytes.Buffer)
	c = exec.Command(os.Args[0])
	c.Env = append(append(os.Environ(), "GOTRACEBACK=none"), Environment(t.TempDir(), true, task)...)
	c.Stdout = out
	in = must.Value(c.StdinPipe())
	must.Do(c.Start())
	return c, in, out
}

// lastWords returns a worker's lines without its pulse, and its last words.
func lastWords(out string) (lines, words string) {
	for line := range strings.Lines(out) {
		line, last, died := strings.Cut(line, "\x01")
		if died {
			words = string(must.Value(base64.StdEncoding.DecodeString(strings.TrimSuffix(last, "\n"))))
		}
		if !strings.HasPrefix(line, "-") {
			lines += line
		}
	}
	return lines, words
}

// However a worker dies, its last words follow its answers on its standard output.
func TestKeptLastWords(t *testing.T) {
	v := must.Value(versionOf(Local{}))
	for how, want := range map[string]string{
		"well":             "",
		"panic":            "exit status 2: panic: out of everything",
		"panic elsewhere":  "exit status 2: panic: out of everything",
		"kill":             "signal: killed, and nothing on its standard error",
		"kill after words": "signal: killed: too large",
		"exit 0":           "exit status 0, and nothing on its standard error",
		"exit 3":           "exit status 3, and nothing on its standard error",
		"stack":            "exit status 2: fatal error: stack overflow\n",
		"memory":           "exit status 2: fatal error: ",
		"output":           "exit status 1: cluster: worker: write",
	} {
		c, in, out := started(t, "")
		fmt.Fprintf(in, "0\t%s\n", must.Value(encodeTask(v, "ends", "well")))
		fmt.Fprintf(in, "1\t%s\n", must.Value(encodeTask(v, "ends", how)))
		in.Close()
		if err := c.Wait(); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		lines, words := lastWords(out.String())
		if !strings.Contains(words, want) || (words == "") != (want == "") {
			t.Errorf("%s: last words %q, want %q", how, words, want)
		}
		first, _, _ := strings.Cut(lines, "\n")
		if task, _, _, err := ReadAnswer([]byte(first)); err != nil || task != 0 {
			t.Errorf("%s: the answer before is %q", how, lines)
		}
	}
}

// Endless recursion ends long before Go's own limit.
func TestEndlessRecursion(t *testing.T) {
	readtest.WantError(t, ask[string](t.Context(), "ends", "stack"), "stack exceeds 67108864-byte limit")
}

// The words of a worker of rows arrive though it dies within a line, and before it has read all rows: the engine can
// write them all. An error would end Spark's reading.
func TestKeptRows(t *testing.T) {
	task := must.Value(json.Marshal(task{must.Value(versionOf(Local{})), "stumbles", []byte("0")}))
	c, in, out := started(t, base64.StdEncoding.EncodeToString(task))
	if _, err := io.WriteString(in, strings.Repeat("a row\n", 1<<18)); err != nil {
		t.Error(err)
	}
	in.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	want := "a\tb\nc\x01" + base64.StdEncoding.EncodeToString([]byte("exit status 2: panic: out of everything")) + "\n-\n"
	if got := out.String(); got != want {
		t.Errorf("output %q, want %q", got, want)
	}
}

// A worker ends with its keeper.
func TestKeeperDies(t *testing.T) {
	folder := t.TempDir()
	touch(t, filepath.Join(folder, "wanted"))
	c, in, _ := started(t, "")
	fmt.Fprintf(in, "0\t%s\n", must.Value(encodeTask(must.Value(versionOf(Local{})), "holds", folder)))
	wait(filepath.Join(folder, "begun"))
	c.Process.Kill()
	c.Wait() // until nobody can write to its output
	if _, err := os.Stat(filepath.Join(folder, "given up")); err == nil {
		t.Error("the worker went on")
	}
}
