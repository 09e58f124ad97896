package cluster

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Exit statuses of workers. Status 0 isn't among them, since a learner may call os.Exit(0).
const (
	statusDone = 90 // all answers are written
	statusLeft = 91 // nobody reads them
)

// lastBytes is how many bytes of a worker's last words an engine gets. Spark cuts off the end of an error of 2 KB.
const lastBytes = 1800

// last returns the last words, or the first ones of a fatal error, which traces of all goroutines follow.
func last(said []byte) []byte {
	if i := bytes.LastIndex(said, []byte("fatal error: ")); i >= 0 {
		return said[i:min(i+lastBytes, len(said))]
	}
	return said[max(0, len(said)-lastBytes):]
}

// keep has a process of its own do a worker's work, and ends this one. An engine that reads the worker's standard error
// may end before it has read all of it, so if the process dies its last words are written to out, after its answers.
//
// The process reads and writes the engine's pipes itself. A pipe between the two tells it that this one has died.
func keep(out *os.File) {
	err := runKept(out)
	if err == nil {
		os.Exit(0)
	}
	time.AfterFunc(time.Minute, leave)
	// Spark looks at a line when it has the next one, or the end, which a process that the worker has started may hold up.
	fmt.Fprintf(out, "\x01%s\n-\n", base64.StdEncoding.EncodeToString([]byte(err.Error())))
	// Spark drops what a process has written that it can't write to.
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// runKept returns nil when all is done, and otherwise why the process died.
func runKept(out *os.File) error {
	path, err := Local{}.Program()
	if err != nil {
		return err
	}
	keepers, held, err := os.Pipe()
	if err != nil {
		return err
	}
	defer held.Close()
	var said tail
	c := exec.Command(path)
	c.Env = append(os.Environ(), inputVariable+"="+inputKept)
	c.Stdin, c.Stdout = os.Stdin, out
	c.Stderr = io.MultiWriter(&said, os.Stderr) // the pulse wants to know whether the engine reads messages
	c.ExtraFiles = []*os.File{keepers}
	c.WaitDelay = 10 * time.Second // for an engine that stands still; see grace
	err = c.Run()
	switch c.ProcessState.ExitCode() {
	case statusDone:
		return nil
	case statusLeft:
		os.Exit(statusLeft)
	}
	if c.ProcessState == nil {
		return err
	}
	return died(c.ProcessState, last(said.kept))
}

// dieWithKeeper ends the process when its keeper has died, whose end of the pipe is closed then.
func dieWithKeeper() {
	const first = 3 // of ExtraFiles
	os.NewFile(first, "keeper").Read(make([]byte, 1))
	os.Exit(1)
}
