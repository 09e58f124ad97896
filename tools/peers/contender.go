package main

import (
	"bufio"
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

// A contender is one way to grow a forest.
type contender struct {
	name, title string
	program     string // what runs it: "self", "before", "python", "treeple" or "rscript"
	threads     int    // the most it can use; 0 means any number
}

// contenderList lists the contenders in the order of the tables.
var contenderList = []contender{
	{name: "obliqua-sporf", title: "Obliqua SPORF", program: "self"},
	{name: "obliqua-entropy", title: "Obliqua SPORF, entropy", program: "self"},
	{name: "ydf-oblique", title: "YDF, sparse oblique", program: "python"},
	{name: "treeple", title: "treeple, oblique", program: "treeple"},
	{name: "obliqua-rf", title: "Obliqua random forest", program: "self"},
	{name: "obliqua-cart", title: "Obliqua CART", program: "self"},
	{name: "ydf", title: "YDF, axis-aligned", program: "python"},
	{name: "scikit-learn", title: "scikit-learn", program: "python"},
	{name: "scikit-learn-tree", title: "scikit-learn, decision tree", program: "python", threads: 1},
	{name: "ranger", title: "ranger", program: "rscript"},
	{name: "lightgbm", title: "LightGBM (boosting)", program: "python"},
	{name: "xgboost", title: "XGBoost (boosting)", program: "python"},
	{name: "obliqua-graf", title: "Obliqua GRAF, K = M", program: "self"},
	{name: "obliqua-graf-1", title: "Obliqua GRAF, K = 1", program: "self"},
	{name: "gradient-boosting", title: "scikit-learn, gradient boosting", program: "python"},
	{name: "extra-trees", title: "scikit-learn, extra trees", program: "python"},
	{name: "extra-trees-all", title: "scikit-learn, extra trees of all features", program: "python"},
	{name: "obliqua-godt", title: "Obliqua GODT", program: "self"},
	{name: "obliqua-gqdt", title: "Obliqua GQDT", program: "self"},
	{name: "obliqua-gorf", title: "Obliqua GORF", program: "self"},
	{name: "obliqua-mixture-tied", title: "Obliqua, mixture, tied covariance", program: "self"},
	{name: "scikit-learn-mixture-tied", title: "scikit-learn, mixture, tied covariance", program: "python"},
	{name: "obliqua-mixture-full", title: "Obliqua, mixture, full covariances", program: "self"},
	{name: "scikit-learn-mixture-full", title: "scikit-learn, mixture, full covariances", program: "python"},
}

// beforeMark is the end of the name of a contender that another build runs.
const beforeMark = " before"

// programs are the paths of the programs that run the contenders.
type programs struct {
	self, python, rscript string
	before                string // another build of self, to compare with; empty if there is none
	treeple               string // the Python that has treeple
	scripts               string // folder of peers.py and peers.R
}

func (p programs) command(ctx context.Context, c contender, folder string, s shape, directions, threads int) *exec.Cmd {
	args := []string{"-contender", strings.TrimSuffix(c.name, beforeMark), "-folder", folder, "-directions", strconv.Itoa(directions),
		"-rows", strconv.Itoa(s.rows), "-test-rows", strconv.Itoa(s.testRows), "-features", strconv.Itoa(s.features),
		"-classes", strconv.Itoa(s.classes), "-threads", strconv.Itoa(threads)}
	var cmd *exec.Cmd
	switch c.program {
	case "self":
		cmd = exec.CommandContext(ctx, p.self, append([]string{"work"}, args...)...)
	case "before":
		cmd = exec.CommandContext(ctx, p.before, append([]string{"work"}, args...)...)
	case "python":
		cmd = exec.CommandContext(ctx, p.python, append([]string{filepath.Join(p.scripts, "peers.py")}, args...)...)
	case "treeple":
		cmd = exec.CommandContext(ctx, p.treeple, append([]string{filepath.Join(p.scripts, "peers.py")}, args...)...)
	case "rscript":
		cmd = exec.CommandContext(ctx, p.rscript, append([]string{filepath.Join(p.scripts, "peers.R")}, args...)...)
	default:
		panic("peers: no program " + c.program)
	}
	cmd.Env = os.Environ()
	for _, name := range []string{"GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"} {
		cmd.Env = append(cmd.Env, name+"="+strconv.Itoa(threads))
	}
	cmd.Stderr = os.Stderr
	return cmd
}

// A reply is one line of a contender's output.
type reply struct {
	Version  string  `json:"version,omitempty"`
	Settings string  `json:"settings,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"`
	Error    float64 `json:"error,omitempty"`
	Bytes    int64   `json:"bytes,omitempty"`
}

// A process is a running contender.
type process struct {
	hello    reply
	cmd      *exec.Cmd
	loaded   int64         // bytes held with the data loaded
	patience time.Duration // if an answer takes longer, the process is killed
	ask      io.WriteCloser
	answer   *bufio.Reader
}

func start(cmd *exec.Cmd, patience time.Duration) (*process, error) {
	p := &process{cmd: cmd, patience: patience}
	var err error
	if p.ask, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.answer = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.hello, err = p.read()
	if err == nil {
		_, err = p.send("rest")
	}
	if err != nil {
		p.stop()
		return nil, err
	}
	p.loaded = p.status("VmRSS")
	return p, nil
}

func (p *process) send(line string) (reply, error) {
	if _, err := io.WriteString(p.ask, line+"\n"); err != nil {
		return reply{}, fmt.Errorf("asked to %s: %w", line, err)
	}
	r, err := p.read()
	if err != nil {
		err = fmt.Errorf("asked to %s: %w", line, err)
	}
	return r, err
}

func (p *process) read() (r reply, err error) {
	defer time.AfterFunc(p.patience, func() { p.cmd.Process.Kill() }).Stop()
	line, err := p.answer.ReadBytes('\n')
	if err != nil {
		return r, fmt.Errorf("no answer: %w", err)
	}
	return r, json.Unmarshal(line, &r)
}

func (p *process) stop() {
	p.ask.Close()
	p.cmd.Wait()
}

// fit asks for a fit. It also returns the peak memory of the process during the
// fit, in bytes, or 0 if the system has no /proc. It returns errNoReset if the
// system doesn't let the peak be reset.
func (p *process) fit(trees, seed int) (r reply, peak int64, err error) {
	if _, err := p.send("rest"); err != nil {
		return reply{}, 0, err
	}
	// 5 resets the peak to the present memory: man 5 proc.
	reset := os.WriteFile(p.proc("clear_refs"), []byte("5"), 0)
	r, err = p.send(fmt.Sprintf("fit %d %d", trees, seed))
	peak = p.status("VmHWM")
	if err == nil && reset != nil && peak > 0 {
		err = errNoReset
	}
	return r, peak, err
}

var errNoReset = errors.New("the peak includes what came before the fit")

func (p *process) proc(file string) string {
	return filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), file)
}

// status returns an entry of /proc/PID/status, which is in kB, in bytes.
func (p *process) status(name string) int64 {
	body, err := os.ReadFile(p.proc("status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(body)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kB, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kB << 10
		}
	}
	return 0
}
