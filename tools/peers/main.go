// Peers measures training and prediction with this library and its peers in turn, on the same jobs, and makes tables
// and plots from the runs.
//
//	peers run          measures and writes a CSV line per run; continues where it stopped
//	peers report       writes tables and plots from the CSV
//	peers compare      measures another build of this program against this one
//	peers work         runs this library as a contender; run and compare start it
//	peers boosting     measures boosting of other libraries on the rows of the experiment "boost"
//	peers classifiers  measures boosting, SVM, LDA and QDA on the splits of the SPORF and GRAF experiments
//	peers support      compares scikit-learn's support vectors with rows chosen by GRAF
//
// make peers does the first two. The jobs are in jobs.csv and the contenders in contenders.csv. They have three parts,
// each with tables of its own and with the commit that it was last measured at: forests; GRAF, whose jobs begin with
// graf- and hypercube-; and Gaussian-mixture trees, whose jobs begin with godt- and need OBLIQUA_DATA. These alone take
// some ten minutes:
//
//	peers run -jobs '^godt-' -rounds 3 -contender-seconds 60
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
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/obliqua-ml/obliqua/tools/internal/runs"
)

var commands = map[string]func(args []string) error{
	"run": runCommand, "report": reportCommand, "compare": compareCommand,
	"boosting": boostingCommand, "classifiers": classifiersCommand, "support": supportCommand,
	"work": func(args []string) error { return work(args, os.Stdin, os.Stdout) },
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("peers: ")
	var do func([]string) error
	if len(os.Args) > 1 {
		do = commands[os.Args[1]]
	}
	if do == nil {
		log.Fatal("usage: peers run|report|compare|boosting|classifiers|support [flags]; -h lists them")
	}
	if err := do(os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

const defaultCSV = "docs/results/peers.csv"

// options are the flags that run and compare share.
type options struct {
	runner
	path string
}

// flags returns the flags of a command; path is the default of -csv.
func (o *options) flags(command, path string) *flag.FlagSet {
	flags := flag.NewFlagSet(command, flag.ExitOnError)
	every := regexp.MustCompile(".")
	flags.TextVar(&o.jobs, "jobs", every, "measure the jobs that match this `regexp`, such as '^trunk d=8$'")
	flags.TextVar(&o.like, "contenders", every, "measure the contenders that match this `regexp`")
	o.threads = []int{1, 2}
	flags.Func("threads", "numbers of threads (default 1,2)", func(numbers string) error {
		o.threads = nil
		for s := range strings.SplitSeq(numbers, ",") {
			n, err := strconv.Atoi(s)
			if err != nil || n < 1 {
				return errors.New("want numbers such as 1,2")
			}
			o.threads = append(o.threads, n)
		}
		return nil
	})
	flags.IntVar(&o.rounds, "rounds", 5, "rounds of each job")
	flags.IntVar(&o.mostTrees, "trees", 0, "grow no more trees than this; 0 means no limit")
	flags.Float64Var(&o.minutes, "minutes-cap", 10,
		"grow fewer trees in a job where one fit of a contender would take more minutes")
	flags.Float64Var(&o.budget, "contender-seconds", 15,
		"do fewer rounds with a contender that would take more seconds at a job and number of threads")
	flags.StringVar(&o.path, "csv", path, "append the runs to this file; runs of this commit in it aren't measured again")
	flags.StringVar(&o.commit, "commit", "", "commit to record with the runs; empty means the one checked out")
	return flags
}

func runCommand(args []string) error {
	var o options
	flags := o.flags("run", defaultCSV)
	python := flags.String("python", "python3", "a Python with the packages of requirements.txt")
	treeple := flags.String("treeple-python", "python3", "a Python with the packages of requirements-treeple.txt")
	rscript := flags.String("rscript", "Rscript", "an R with ranger")
	list := flags.Bool("list", false, "list jobs and contenders, and measure nothing")
	flags.Parse(args)
	if *list {
		for _, j := range jobs {
			fmt.Printf("%-24s %d trees\n", j, j.Trees)
		}
		for _, c := range contenders {
			fmt.Println(c.Name)
		}
		return nil
	}
	folder, err := scriptFolder()
	if err != nil {
		return err
	}
	o.programs = programs{"python": *python, "treeple": *treeple, "rscript": *rscript, "scripts": folder}
	return o.measureAll()
}

// measureAll measures the jobs that the flags select.
func (o *options) measureAll() error {
	var err error
	if o.commit == "" {
		if o.commit, err = runs.Commit(); err != nil {
			return err
		}
	}
	if o.programs["self"], err = os.Executable(); err != nil {
		return err
	}
	if o.sheet, err = openSheet(o.path); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return o.run(ctx)
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
