package cluster

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A pulse is the output of a worker whose engine can end a task without a word to the worker:
// it only stops reading. So the worker writes something at short intervals, which fills the
// pipe then.
//
// What it writes are lines of a minus and many blanks. Engines drop them; see [Environment].
type pulse struct {
	out      io.Writer
	mu       sync.Mutex   // of a line
	progress atomic.Int64 // when the last write ended, or the one under way began, in ns
	writing  atomic.Bool
}

const (
	beat      = 250 * time.Millisecond
	beatBytes = 32 << 10
	patience  = 3 * time.Second
	pipeBytes = 64 << 10 // what a pipe holds on the usual systems
)

// newPulse begins to write to out. It calls abandoned once: when writing fails, or when nobody has
// read for some time though whoever reads messages is alive. An engine that stands still for
// a while, say to collect garbage, reads neither. Until then its two goroutines stay: a worker has one
// pulse, which ends with the process.
func newPulse(out, messages io.Writer, abandoned func()) *pulse {
	p := &pulse{out: out}
	left := make(chan struct{})
	leave := sync.OnceFunc(func() {
		abandoned()
		close(left)
	})
	line := bytes.Repeat([]byte{' '}, beatBytes)
	line[0], line[beatBytes-1] = '-', '\n'
	blanks := bytes.Repeat([]byte{' '}, 4*pipeBytes)
	every := func(f func() error) {
		for {
			select {
			case <-left:
				return
			case <-time.After(beat):
			}
			if f() != nil {
				leave()
			}
		}
	}
	go every(func() error {
		_, err := p.Write(line)
		return err
	})
	go every(func() error {
		if !p.stuck(patience) {
			return nil
		}
		if _, err := messages.Write(blanks); err != nil {
			return err
		}
		if time.Sleep(time.Second); p.stuck(patience + time.Second) {
			return errors.New("nobody reads")
		}
		return nil
	})
	return p
}

// Write writes a line. No other one comes between its bytes.
func (p *pulse) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.progress.Store(time.Now().UnixNano())
	p.writing.Store(true)
	defer p.writing.Store(false)
	written := 0
	for written < len(line) {
		n, err := p.out.Write(line[written:min(written+beatBytes, len(line))])
		written += n
		if err != nil {
			return written, err
		}
		p.progress.Store(time.Now().UnixNano())
	}
	return written, nil
}

// stuck reports whether nobody has read anything for so long.
func (p *pulse) stuck(d time.Duration) bool {
	return p.writing.Load() && time.Now().UnixNano()-p.progress.Load() > int64(d)
}

// leave ends a worker that nobody listens to.
func leave() {
	os.Stderr.WriteString("cluster: worker: nobody reads its answers any more\n")
	os.Exit(statusLeft)
}
