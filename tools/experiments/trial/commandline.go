package trial

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// Main is the command line of programs that do the runs of studies, such as tools/experiments/run. It does what the
// command line asks for, and exits. dial returns the engine at the address of -cluster, which does the runs; if dial is
// nil, there is no such flag.
func Main(studies []Study, dial func(ctx context.Context, address string) (cluster.Engine, error)) {
	handle(studies)
	cluster.Main()
	c := command{studies: studies, dial: dial}
	flag.StringVar(&c.results, "results", "docs/results", "`folder` of results")
	flag.IntVar(&c.repeats, "repeats", 0, "stop after this many repeats; 0 does all")
	flag.StringVar(&c.match, "match", "", "do only the runs whose \"problem, method, x\" match this regular `expression`")
	flag.StringVar(&c.part, "part", "", "do only part `i/n` of the runs, in a file of its own")
	flag.IntVar(&c.parallel, "parallel", 1, "runs at a time, for small data")
	flag.IntVar(&c.workers, "workers", 0, "processes that do the runs; 0 means that this one does them")
	flag.BoolVar(&c.merge, "merge", false, "add the files named after the experiment to its file, "+
		"or those of all experiments that a folder has, such as another machine's, to ours")
	flag.StringVar(&c.queue, "queue", "", "do the open runs of the experiments in this `file`, the first ones first")
	flag.Float64Var(&c.hours, "hours", 0, "begin no run after so many `hours`; 0 means no limit")
	if dial != nil {
		flag.StringVar(&c.cluster, "cluster", "", "`address` of a cluster whose workers do the runs")
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := c.run(ctx, flag.Args())
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "interrupted; the same command continues")
		os.Exit(130)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A command is what the command line asks for.
type command struct {
	studies        []Study
	results, match string
	repeats        int
	part           string
	parallel       int
	workers        int
	cluster        string
	dial           func(ctx context.Context, address string) (cluster.Engine, error)
	merge          bool
	queue          string
	hours          float64
}

func (c command) run(ctx context.Context, args []string) error {
	switch {
	case (c.queue != "" || c.hours > 0) && (c.workers > 0 || c.cluster != ""):
		return errors.New("run: -queue and -hours are for this process, not for workers")
	case c.queue != "" && (len(args) > 0 || c.match != "" || c.repeats != 0 || c.merge):
		return errors.New("run: -queue names the experiments, and which of their runs are done")
	case c.merge && c.part != "":
		return errors.New("run: -merge is for the whole experiment, not a part")
	}
	log := func(line string) { fmt.Fprintln(os.Stderr, time.Now().Format(time.TimeOnly), line) }
	x := Execution{Commit: commit(), Parallel: c.parallel, Log: log}
	if c.hours > 0 {
		end := time.Now().Add(time.Duration(c.hours * float64(time.Hour)))
		x.Begin = func() bool { return time.Now().Before(end) }
	}
	switch {
	case c.queue != "":
		q, err := readQueue(c.queue, c.part, c.results, c.studies)
		if err != nil {
			return err
		}
		return q.do(ctx, x)
	case c.merge && len(args) == 1:
		return mergeFolder(c.studies, args[0], c.results, log)
	case len(args) == 0:
		_, err := find(c.studies, "")
		return err
	}
	s, err := find(c.studies, args[0])
	if err != nil {
		return err
	}
	if c.merge {
		_, err := merge(s.Experiment, filepath.Join(c.results, s.File), args[1:], log)
		return err
	}
	if len(args) > 1 {
		return fmt.Errorf("run: arguments %q; want an experiment alone, or with -merge also files", args)
	}
	return c.one(ctx, s, x)
}

// one does the runs of one study, and prints the means.
func (c command) one(ctx context.Context, s Study, x Execution) error {
	only, err := regexp.Compile(c.match)
	if err != nil {
		return fmt.Errorf("run: -match: %w", err)
	}
	if s, err = s.part(c.part); err != nil {
		return err
	}
	x.Path = filepath.Join(c.results, s.File)
	x.Only = func(r paper.Run) bool { return paper.Selects(r, only, c.repeats) }
	switch {
	case c.cluster != "":
		if x.Engine, err = c.dial(ctx, c.cluster); err != nil {
			return err
		}
		if closer, ok := x.Engine.(io.Closer); ok {
			defer closer.Close()
		}
	case c.workers > 0:
		x.Engine = cluster.Local{Workers: c.workers}
	}
	records, err := x.Do(ctx, s)
	for _, m := range paper.MeansOf(records) {
		fmt.Printf("%-14s %-16s %6d  %s  (%d repeats, %.1f s)\n", m.Problem, m.Method, m.X, m.Score.Text(4), m.Repeats,
			m.Seconds)
	}
	return err
}

// commit returns the short hash of the checkout, marked if files other than results are
// changed.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--abbrev=10").Output()
	if err != nil {
		return "unknown"
	}
	hash := strings.TrimSpace(string(out))
	if exec.Command("git", "diff", "--quiet", "HEAD", "--", ":/", ":(top,exclude)docs/results").Run() != nil {
		hash += "-dirty"
	}
	return hash
}
