package cluster

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Local is an engine whose workers are processes on this machine: the program itself, started
// again. It serves tests, and machines on which one process can't use all cores.
type Local struct {
	Workers int // processes; 0 means one for each core
}

// attempts is how many workers may die over a task.
const attempts = 4

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
	folder, err := os.MkdirTemp("", "obliqua-")
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	defer os.RemoveAll(folder)
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
	out     *bufio.Reader
	line    []byte        // the last answer; reused, since answers are large
	said    *bytes.Buffer // to its standard error
}

// do has a task done, by another process if one dies.
func (p *process) do(number int, task string) ([]byte, error) {
	var err error
	for range attempts {
		var data []byte
		var permanent bool
		if data, permanent, err = p.try(number, task); err == nil {
			return data, nil
		}
		if permanent || p.ctx.Err() != nil {
			return nil, err
		}
		p.end()
	}
	return nil, fmt.Errorf("cluster: %d workers died over a task, the last one with: %w", attempts, err)
}

// try has a task done. The error is permanent if another worker would return it, too.
func (p *process) try(number int, task string) (data []byte, permanent bool, err error) {
	if p.command == nil {
		if err := p.start(); err != nil {
			return nil, true, fmt.Errorf("cluster: %w", err)
		}
	}
	if _, err := fmt.Fprintf(p.in, "%d\t%s\n", number, task); err != nil {
		return nil, false, p.died(err)
	}
	if err := p.readLine(); err != nil {
		return nil, false, p.died(err)
	}
	got, data, permanent, err := ReadAnswer(p.line)
	if err == nil && got != number {
		err = fmt.Errorf("cluster: a worker answers task %d, but was asked for %d", got, number)
	}
	return data, permanent, err
}

// readLine reads a line into p.line.
func (p *process) readLine() error {
	p.line = p.line[:0]
	for {
		piece, err := p.out.ReadSlice('\n')
		p.line = append(p.line, piece...)
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}

func (p *process) start() error {
	path, err := Local{}.Program()
	if err != nil {
		return err
	}
	c := exec.CommandContext(p.ctx, path)
	c.Env = append(os.Environ(), WorkerVariable+"="+p.folder, fmt.Sprintf("GOMAXPROCS=%d", p.cores))
	p.said = new(bytes.Buffer)
	c.Stderr = p.said
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	p.command, p.in, p.out = c, in, bufio.NewReaderSize(out, 1<<16)
	return nil
}

// died returns why a worker died, in its own words if it left any.
func (p *process) died(err error) error {
	exit := p.end()
	if said := strings.TrimSpace(p.said.String()); said != "" {
		return errors.New(said)
	}
	if exit != nil {
		return exit
	}
	return err
}

// end ends the process and waits until it is gone.
func (p *process) end() error {
	if p.command == nil {
		return nil
	}
	p.in.Close()
	p.command.Process.Kill()
	err := p.command.Wait()
	p.command = nil
	return err
}
