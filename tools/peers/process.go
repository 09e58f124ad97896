package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// programs are the paths of the programs that run contenders, by what a contender calls them.
type programs map[string]string

// scripts are what the programs run: a file of this folder, or a command of this program.
var scripts = map[string]string{"self": "work", "python": "peers.py", "treeple": "peers.py", "rscript": "peers.R"}

func (p programs) command(ctx context.Context, c contender, folder string, s shape, directions, threads int) *exec.Cmd {
	script := scripts[c.Program]
	if script != "work" {
		script = filepath.Join(p["scripts"], script)
	}
	args := strings.Fields(fmt.Sprintf("-directions %d -rows %d -test-rows %d -features %d -classes %d -threads %d",
		directions, s.rows, s.testRows, s.features, s.classes, threads))
	args = append([]string{script, "-contender", c.Name, "-folder", folder}, args...)
	return exec.CommandContext(ctx, p[c.Program], args...)
}

// A reply is one line of a contender's output.
type reply struct {
	Version  string  `json:"version,omitempty"`
	Settings string  `json:"settings,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"`
	Error    float64 `json:"error,omitempty"`
	Bytes    int64   `json:"bytes,omitempty"`
}

// A process is a running program that answers each line with a line of JSON.
type process struct {
	cmd      *exec.Cmd
	patience time.Duration // if an answer takes longer, the process is killed
	ask      io.WriteCloser
	answers  *json.Decoder
}

func start(cmd *exec.Cmd, threads int, patience time.Duration) (*process, error) {
	cmd.Stderr, cmd.Env = os.Stderr, os.Environ()
	for _, name := range []string{"GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"} {
		cmd.Env = append(cmd.Env, name+"="+strconv.Itoa(threads))
	}
	ask, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{cmd, patience, ask, json.NewDecoder(answers)}, cmd.Start()
}

func (p *process) send(line string, answer any) error {
	_, err := io.WriteString(p.ask, line+"\n")
	if err == nil {
		err = p.read(answer)
	}
	if err != nil {
		err = fmt.Errorf("asked to %s: %w", line, err)
	}
	return err
}

func (p *process) read(answer any) error {
	defer time.AfterFunc(p.patience, func() { p.cmd.Process.Kill() }).Stop()
	if err := p.answers.Decode(answer); err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	return nil
}

func (p *process) stop() {
	p.ask.Close()
	p.cmd.Wait()
}

// fit asks for a fit. It also returns the peak memory of the process during the fit, in bytes, or 0 if the system has
// no /proc. It returns errNoReset if the system doesn't let the peak be reset.
func (p *process) fit(trees, seed int) (seconds float64, peak int64, err error) {
	var r reply
	if err := p.send("rest", &r); err != nil {
		return 0, 0, err
	}
	// 5 resets the peak to the present memory: man 5 proc.
	reset := os.WriteFile("/proc/"+p.number()+"/clear_refs", []byte("5"), 0)
	err = p.send(fmt.Sprintf("fit %d %d", trees, seed), &r)
	peak = p.memory("VmHWM")
	if err == nil && reset != nil && peak > 0 {
		err = errNoReset
	}
	return r.Seconds, peak, err
}

var errNoReset = errors.New("the peak includes what came before the fit")

func (p *process) number() string { return strconv.Itoa(p.cmd.Process.Pid) }

func (p *process) memory(entry string) int64 { return memory(p.number(), entry) }
