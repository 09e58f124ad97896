package cluster

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Local is an engine whose workers are processes on this machine: the program itself, started
// again. It serves tests, and machines on which one process can't use all cores.
//
// What a worker prints, to its standard output or error, is seen only if the worker dies: the
// error has the last 64 KB of it. Processes that a worker has started aren't ended with it.
type Local struct {
	Workers int // processes; 0 means one for each core
}

// attempts is how many workers may die over a task.
const attempts = 4

// grace is how long a worker that has ended is still listened to, if processes that it has started
// hold its standard output or error open.
const grace = 200 * time.Millisecond

// Slots returns the number of workers.
func (l Local) Slots() int {
	if l.Workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return l.Workers
}

// Program returns the path of this program.
func (Local) Program() (string, error) { return os.Executable() }

// Run does the job's tasks; see [Engine]. Each worker may use an equal share of the cores. It
// panics if Workers is negative.
func (l Local) Run(ctx context.Context, job Job, done func(task int, answer []byte) error) error {
	if l.Workers < 0 {
		panic("cluster: a negative number of workers")
	}
	folder, remove, err := newFolder()
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	defer remove()
	for _, f := range job.Files {
		if err := os.WriteFile(filepath.Join(folder, f.Name), f.Data, 0o600); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	tasks := make(chan int)
	go func() {
		defer close(tasks)
		for i := range job.Tasks {
			select {
			case tasks <- i:
			case <-running.Done():
				return
			}
		}
	}()
	var group sync.WaitGroup
	var one sync.Mutex // of the calls of done
	workers := min(l.Slots(), len(job.Tasks))
	for range workers {
		group.Go(func() {
			p := process{ctx: running, folder: folder, cores: max(1, runtime.GOMAXPROCS(0)/workers)}
			defer p.end()
			for i := range tasks {
				data, err := p.do(i, job.Tasks[i])
				if err == nil {
					one.Lock()
					if running.Err() == nil {
						err = done(i, data)
					}
					one.Unlock()
				}
				if err != nil {
					stop(err)
					return
				}
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.Cause(running)
}

// A process is a worker, started when it is first needed and again after it has died.
type process struct {
	ctx    context.Context
	folder string
	cores  int

	command *exec.Cmd
	in      io.WriteCloser
	out     *io.PipeReader
	answers *bufio.Reader // of out
	line    []byte        // the last answer; reused, since answers are large
	said    *tail         // to its standard error
	gone    chan struct{} // closed when the process has ended and is no longer listened to
}

// do returns the answer to a task. If the process dies, it starts another one for the task.
func (p *process) do(number int, task string) ([]byte, error) {
	var err error
	for range attempts {
		var data []byte
		var permanent bool
		if data, permanent, err = p.answer(number, task); err == nil {
			return data, nil
		}
		if permanent || p.ctx.Err() != nil {
			return nil, err
		}
		p.end()
	}
	return nil, fmt.Errorf("cluster: %d workers died over a task, the last one with: %w", attempts, err)
}

// answer returns the answer to a task. The error is permanent if another worker would return it, too.
func (p *process) answer(number int, task string) (data []byte, permanent bool, err error) {
	if p.command == nil {
		if err := p.start(); err != nil {
			return nil, true, fmt.Errorf("cluster: %w", err)
		}
	}
	if _, err := fmt.Fprintf(p.in, "%d\t%s\n", number, task); err != nil {
		return nil, false, p.died()
	}
	if err := p.readLine(fmt.Appendf(nil, "%d\t", number)); err != nil {
		return nil, false, p.died()
	}
	got, data, permanent, err := ReadAnswer(p.line)
	if err == nil && got != number {
		err = fmt.Errorf("cluster: a worker answers task %d, but was asked for %d", got, number)
	}
	return data, permanent, err
}

// readLine reads a line into p.line, or the beginning of one that doesn't begin as an answer does.
func (p *process) readLine(begin []byte) error {
	p.line = p.line[:0]
	for {
		piece, err := p.answers.ReadSlice('\n')
		p.line = append(p.line, piece...)
		if err == bufio.ErrBufferFull && bytes.HasPrefix(p.line, begin) {
			continue
		}
		if err == bufio.ErrBufferFull {
			err = nil
		}
		return err
	}
}

func (p *process) start() error {
	path, err := Local{}.Program()
	if err != nil {
		return err
	}
	c := exec.CommandContext(p.ctx, path)
	c.WaitDelay = grace
	// This program may be a worker itself, whose own variables mean nothing to its workers.
	c.Env = slices.Concat(os.Environ(), Environment(p.folder, false, ""), []string{fmt.Sprint("GOMAXPROCS=", p.cores)})
	out, to := io.Pipe()
	said := new(tail)
	c.Stdout, c.Stderr = to, said
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	gone := make(chan struct{})
	go func() {
		_ = c.Wait() // c.ProcessState has what it returns
		to.Close()
		close(gone)
	}()
	p.command, p.in, p.out, p.answers, p.said, p.gone = c, in, out, bufio.NewReaderSize(out, 1<<16), said, gone
	return nil
}

func (p *process) died() error {
	c := p.command
	p.end()
	return died(c.ProcessState, p.said.kept)
}

// died returns how a worker died, and its last words.
func died(how *os.ProcessState, said []byte) error {
	if said = bytes.TrimSpace(said); len(said) > 0 {
		return fmt.Errorf("%v: %s", how, said)
	}
	return fmt.Errorf("%v, and nothing on its standard error", how)
}

// end ends the process and waits until it is gone.
func (p *process) end() {
	if p.command == nil {
		return
	}
	p.in.Close()
	p.command.Process.Kill()
	p.out.Close()
	<-p.gone
	p.command = nil
}

// A tail keeps the end of what is written to it.
type tail struct{ kept []byte }

const tailBytes = 64 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b[max(0, len(b)-tailBytes):]...)
	t.kept = t.kept[:copy(t.kept, t.kept[max(0, len(t.kept)-tailBytes):])]
	return len(b), nil
}
