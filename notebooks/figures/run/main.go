// Run computes a figure or table of a paper, and saves its results in docs/results
// after every run. Started again, it continues where it stopped, whether it was interrupted
// or killed. It says how each run ended, with which seed, and when all will be done.
// Without an argument it lists the experiments.
//
//	go run ./notebooks/figures/run [-paper] [-repeats n] [-match regexp] [-parallel n | -workers n] experiment
//
// An experiment can be cut into parts that run in different places. Each writes a file of its
// own, and -merge adds these files to the experiment's:
//
//	go run ./notebooks/figures/run [-paper] -part 1/2 experiment
//	go run ./notebooks/figures/run [-paper] -part 2/2 experiment
//	go run ./notebooks/figures/run [-paper] -merge experiment files...
//
// Two processes can't write the same file. Most runs use all cores by themselves; on small
// data -parallel 2 may be faster, or -workers 2, which starts two processes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/forest/rf"
	"github.com/obliqua-ml/obliqua/notebooks/figures"
)

func main() {
	cluster.Main(rf.Learner{}) // ClusterTimes and ClusterMemory have it grow forests
	var c command
	flag.BoolVar(&c.paper, "paper", false, "the paper's setting instead of the fast one")
	flag.StringVar(&c.results, "results", "docs/results", "`folder` of results")
	flag.IntVar(&c.repeats, "repeats", 0, "stop after this many repeats; 0 does all")
	flag.StringVar(&c.match, "match", "", "do only the runs whose \"problem, method, x\" match this regular `expression`")
	flag.StringVar(&c.part, "part", "", "do only part `i/n` of the runs, in a file of its own")
	flag.IntVar(&c.parallel, "parallel", 1, "runs at a time, for small data")
	flag.IntVar(&c.workers, "workers", 0, "processes that do the runs; 0 means that this one does them")
	flag.BoolVar(&c.merge, "merge", false, "add the files named after the experiment to its file")
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
	paper          bool
	results, match string
	repeats        int
	part           string
	parallel       int
	workers        int
	merge          bool
}

func (c command) run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("run: no experiment; want one of %s", strings.Join(figures.Names(), ", "))
	}
	if len(args) > 1 != c.merge {
		return fmt.Errorf("run: arguments %q; want an experiment alone, or with -merge also files", args)
	}
	if c.merge && c.part != "" {
		return errors.New("run: -merge is for the whole experiment, not a part")
	}
	only, err := regexp.Compile(c.match)
	if err != nil {
		return fmt.Errorf("run: -match: %w", err)
	}
	e, err := figures.Named(args[0], c.paper)
	if err != nil {
		return err
	}
	if e, err = partOf(e, c.part); err != nil {
		return err
	}
	path := filepath.Join(c.results, e.Name+".csv")
	log := func(line string) { fmt.Fprintln(os.Stderr, time.Now().Format(time.TimeOnly), line) }
	if c.merge {
		_, err := e.Merge(path, args[1:], log)
		return err
	}
	x := figures.Execution{Path: path, Commit: commit(), Parallel: c.parallel, Log: log, Only: func(r figures.Run) bool {
		return (c.repeats == 0 || r.Repeat <= c.repeats) && only.MatchString(fmt.Sprintf("%s, %s, %d", r.Problem, r.Method, r.X))
	}}
	if c.workers > 0 {
		x.Engine = cluster.Local{Workers: c.workers}
	}
	records, err := x.Do(ctx, e)
	for _, m := range figures.Means(records) {
		fmt.Printf("%-14s %-16s %6d  %.4f ± %.4f  (%d repeats, %.1f s)\n", m.Problem, m.Method, m.X, m.Mean, m.StdErr, m.Repeats, m.Seconds)
	}
	return err
}

// partOf returns part i of n of an experiment, for part "i/n", or all of it for "".
func partOf(e figures.Experiment, part string) (figures.Experiment, error) {
	if part == "" {
		return e, nil
	}
	left, right, _ := strings.Cut(part, "/")
	i, errI := strconv.Atoi(left)
	n, errN := strconv.Atoi(right)
	if errI != nil || errN != nil || i < 1 || i > n {
		return e, fmt.Errorf("run: -part %q; want i/n with 1 ≤ i ≤ n, such as 2/3", part)
	}
	return e.Part(i, n), nil
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
