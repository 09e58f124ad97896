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

// Exit statuses of a worker that has a keeper. A learner that calls os.Exit(0) must not look like one that is done.
const (
	statusDone = 90 // all answers are written
	statusLeft = 91 // nobody reads them
)

// keep has another process do this worker's work, and ends this one. Spark reads a process's standard error in a thread
// that it doesn't wait for. So when the other process dies, this one writes its last words to out, after its answers.
//
// The other process reads and writes the engine's pipes itself.
func keep(out *os.File) {
	err := runKept(out)
	if err == nil {
		os.Exit(0)
	}
	time.AfterFunc(time.Minute, leave)
	// Spark looks at a line when it has read the next one, or the end, which a child of the worker may hold up.
	fmt.Fprintf(out, "\x01%s\n-\n", base64.StdEncoding.EncodeToString([]byte(err.Error())))
	// If Spark can't write to a process, it drops what it hasn't read of it.
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// runKept returns nil when all is done, and otherwise why the process died.
func runKept(out *os.File) error {
	path, err := Local{}.Program()
	if err != nil {
		return err
	}
	ends, held, err := os.Pipe() // held is closed when this process dies
	if err != nil {
		return err
	}
	defer held.Close()
	var said tail
	c := exec.Command(path)
	c.Env = append(os.Environ(), inputVariable+"="+inputKept)
	c.Stdin, c.Stdout = os.Stdin, out
	c.Stderr = io.MultiWriter(&said, os.Stderr) // for the pulse, too, which watches whether the engine reads messages
	c.ExtraFiles = []*os.File{ends}
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

// lastBytes is how many bytes of the last words an engine gets. Spark cuts errors off after 2 KB.
const lastBytes = 1800

// last returns the end of what a worker has said, or of a fatal error the beginning: traces of all goroutines follow.
func last(said []byte) []byte {
	if i := bytes.LastIndex(said, []byte("fatal error: ")); i >= 0 {
		return said[i:min(i+lastBytes, len(said))]
	}
	return said[max(0, len(said)-lastBytes):]
}

// dieWithKeeper ends this process when its keeper has died.
func dieWithKeeper() {
	const ends = 3 // the first of ExtraFiles
	os.NewFile(ends, "keeper").Read(make([]byte, 1))
	os.Exit(1)
}
