// Peers measures training and prediction with this library and its peers in turn, on the same jobs, and makes tables
// and plots from the runs.
//
//	peers run          measures and writes a CSV line per run; continues where it stopped
//	peers report       writes tables and plots from the CSV
//	peers work         runs this library as a contender; run starts it
//	peers classifiers  measures boosting by other libraries on the splits of the papers' experiments
//	peers boosting     measures other libraries on the rows of the experiment "boost"
//
// make peers does the first two. The jobs are in jobs.csv and the contenders in contenders.csv.
//
// Each contender is a process of its own. It reads the job's data from a folder and then answers each line of standard
// input with a line of JSON:
//
//	          {"version": …, "settings": …}    unasked, once the data are loaded
//	rest      {}                               drop the model, free memory
//	fit T S   {"seconds": …}                   T trees, seed S
//	predict   {"seconds": …, "error": …, "bytes": …}
//
// To predict is to label all test rows. Its seconds are the median of as many calls as fill a quarter of a second, 1 to
// 15, after a call to warm up. For regression it predicts values, and the error is the mean squared error. Bytes is the
// size of the serialized model.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var commands = map[string]func(args []string) error{
	"run": runCommand, "report": reportCommand, "classifiers": classifiersCommand,
	"boosting": boostingCommand,
	"work":     func(args []string) error { return work(args, os.Stdin, os.Stdout) },
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("peers: ")
	var do func([]string) error
	if len(os.Args) > 1 {
		do = commands[os.Args[1]]
	}
	if do == nil {
		log.Fatal("usage: peers run|report|classifiers|boosting [flags]; -h lists them")
	}
	if err := do(os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

const defaultCSV = "docs/results/peers.csv"

func runCommand(args []string) error {
	var r runner
	flags := flag.NewFlagSet("run", flag.ExitOnError)
	every := regexp.MustCompile(".")
	flags.TextVar(&r.jobs, "jobs", every, "measure the jobs that match this `regexp`, such as '^trunk d=8$'")
	flags.TextVar(&r.like, "contenders", every, "measure the contenders that match this `regexp`")
	r.threads = []int{1, 2}
	flags.Func("threads", "numbers of threads (default 1,2)", r.setThreads)
	flags.IntVar(&r.rounds, "rounds", 5, "rounds of each job")
	flags.Float64Var(&r.budget, "contender-seconds", 15,
		"do fewer rounds with a contender that would take more seconds at a job and number of threads")
	path := flags.String("csv", defaultCSV,
		"append the runs to this file; runs of this commit in it aren't measured again")
	python := flags.String("python", "python3", "a Python with the packages of requirements.txt")
	treeple := flags.String("treeple-python", "python3", "a Python with the packages of requirements-treeple.txt")
	rscript := flags.String("rscript", "Rscript", "an R with ranger")
	flags.Parse(args)
	r.programs = programs{"python": *python, "treeple": *treeple, "rscript": *rscript}
	return r.measureAll(*path)
}

// setThreads reads numbers of threads such as 1,2.
func (r *runner) setThreads(numbers string) error {
	r.threads = nil
	for s := range strings.SplitSeq(numbers, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return errors.New("want numbers such as 1,2")
		}
		r.threads = append(r.threads, n)
	}
	return nil
}

// measureAll measures what the file lacks of the jobs that the flags select.
func (r *runner) measureAll(path string) (err error) {
	if r.commit, err = checkedOut(); err != nil {
		return err
	}
	if r.programs["self"], err = os.Executable(); err != nil {
		return err
	}
	if r.programs["scripts"], err = scriptFolder(); err != nil {
		return err
	}
	if r.sheet, err = openSheet(path); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return r.run(ctx)
}

// scriptFolder returns the folder of peers.py and peers.R.
func scriptFolder() (string, error) {
	for _, folder := range []string{filepath.Join("tools", "peers"), "."} {
		if _, err := os.Stat(filepath.Join(folder, "peers.py")); err == nil {
			return folder, nil
		}
	}
	return "", errors.New("tools/peers/peers.py isn't here: start peers in the folder of the repository")
}
