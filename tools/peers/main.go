// Peers measures training and prediction of this library and of its peers on
// the same jobs, alternating, and turns the runs into tables and plots.
//
//	peers run      measures, one CSV line a run; continues where it stopped
//	peers report   writes tables and plots from the CSV
//	peers work     is this library as a contender; run starts it
//
// make peers does the first two. Every contender is a process of its own that
// reads the job from a folder and then answers every line of standard input
// with one line of JSON:
//
//	          {"version": …, "settings": …}    unasked, once the data are loaded
//	rest      {}                               forget the model, give memory back
//	fit T S   {"seconds": …}                   T trees, seed S
//	predict   {"seconds": …, "error": …, "bytes": …}
//
// Prediction means class labels of all test rows: after a call to warm up, the
// median of as many calls as fill a quarter of a second, 1 to 15. Bytes is the
// size of the serialized model.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("peers: ")
	if len(os.Args) < 2 {
		log.Fatal("usage: peers run|report [flags]; -h lists them")
	}
	var err error
	switch command, args := os.Args[1], os.Args[2:]; command {
	case "run":
		err = runCommand(args)
	case "report":
		err = reportCommand(args)
	case "work":
		err = work(args, os.Stdin, os.Stdout)
	default:
		err = fmt.Errorf("no command %q: want run or report", command)
	}
	if err != nil {
		log.Fatal(err)
	}
}

const defaultCSV = "docs/results/peers.csv"

func runCommand(args []string) error {
	var r runner
	flags := flag.NewFlagSet("run", flag.ExitOnError)
	jobs := flags.String("jobs", ".", "measure the jobs that match this `regexp`, such as '^trunk d=8$'")
	contenders := flags.String("contenders", ".", "measure the contenders that match this `regexp`")
	threads := flags.String("threads", "1,2", "numbers of threads")
	flags.IntVar(&r.rounds, "rounds", 5, "rounds of each job")
	flags.IntVar(&r.mostTrees, "trees", 0, "grow no more trees than this; 0 leaves the jobs' own numbers")
	minutes := flags.Float64("minutes-cap", 10, "fewer trees for all where one fit of a contender would take longer")
	flags.Float64Var(&r.budget, "contender-seconds", 15, "fewer rounds for a contender that would take longer than this at a job and number of threads")
	path := flags.String("csv", defaultCSV, "append the runs to this file")
	flags.StringVar(&r.programs.python, "python", "python3", "a Python with the packages of requirements.txt")
	flags.StringVar(&r.programs.treeple, "treeple-python", "python3", "a Python with the packages of requirements-treeple.txt")
	flags.StringVar(&r.programs.rscript, "rscript", "Rscript", "an R with ranger")
	flags.StringVar(&r.commit, "commit", "", "commit to name in the runs; empty asks git")
	list := flags.Bool("list", false, "list jobs and contenders, and measure nothing")
	flags.Parse(args)
	r.capSeconds = *minutes * 60
	if *list {
		for _, j := range allJobs() {
			fmt.Printf("%-24s %d trees\n", j, j.trees)
		}
		for _, c := range contenderList {
			fmt.Println(c.name)
		}
		return nil
	}
	for s := range strings.SplitSeq(*threads, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return fmt.Errorf("-threads %s: want numbers such as 1,2", *threads)
		}
		r.threads = append(r.threads, n)
	}
	jobsLike, err := regexp.Compile(*jobs)
	if err != nil {
		return fmt.Errorf("-jobs: %w", err)
	}
	contendersLike, err := regexp.Compile(*contenders)
	if err != nil {
		return fmt.Errorf("-contenders: %w", err)
	}
	if r.commit == "" {
		if r.commit, err = gitCommit(); err != nil {
			return err
		}
	}
	if r.programs.self, err = os.Executable(); err != nil {
		return err
	}
	if r.programs.scripts, err = scriptFolder(); err != nil {
		return err
	}
	if r.sheet, err = openSheet(*path); err != nil {
		return err
	}
	defer r.sheet.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return r.run(ctx, jobsLike, contendersLike)
}

// gitCommit returns the commit that is checked out, with a + behind it where
// Go files differ from it.
func gitCommit() (string, error) {
	out, err := exec.Command("git", "rev-parse", "--short=10", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("git rev-parse: %w; name the commit by -commit", err)
	}
	commit := strings.TrimSpace(string(out))
	changed, err := exec.Command("git", "status", "--porcelain", "--", "*.go").Output()
	if err != nil {
		return "", fmt.Errorf("git status: %w", err)
	}
	if len(changed) > 0 {
		commit += "+"
	}
	return commit, nil
}

// scriptFolder returns where peers.py and peers.R lie.
func scriptFolder() (string, error) {
	for _, folder := range []string{filepath.Join("tools", "peers"), "."} {
		if _, err := os.Stat(filepath.Join(folder, "peers.py")); err == nil {
			return folder, nil
		}
	}
	return "", errors.New("tools/peers/peers.py isn't here: start peers in the folder of the repository")
}
