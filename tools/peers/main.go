// Peers measures training and prediction with this library and its peers in turn,
// on the same jobs, and makes tables and plots from the runs.
//
//	peers run      measures and writes a CSV line per run; continues where it stopped
//	peers report   writes tables and plots from the CSV
//	peers compare  measures another build of this program against this one
//	peers work     runs this library as a contender; run and compare start it
//	peers baselines  measures scikit-learn's SVM, LDA and QDA on the data sets of the
//	                 thesis on Gaussian-mixture trees
//	peers classifiers  measures boosting, SVM, LDA and QDA on the splits of the SPORF and
//	                 GRAF experiments
//	peers support    compares scikit-learn's support vectors with rows chosen by GRAF
//
// make peers does the first two. The jobs have three parts, each with tables of its own and with
// the commit that it was last measured at: forests; GRAF, whose jobs are those of grafJobs; and
// Gaussian-mixture trees, whose jobs begin with godt- and need OBLIQUA_DATA. These alone take some
// ten minutes:
//
//	peers run -jobs '^godt-' -rounds 3 -contender-seconds 60
//
// Each contender is a process of its own. It reads the
// job's data from a folder and then answers each line of standard input with a line
// of JSON:
//
//	          {"version": …, "settings": …}    unasked, once the data are loaded
//	rest      {}                               drop the model, free memory
//	fit T S   {"seconds": …}                   T trees, seed S
//	predict   {"seconds": …, "error": …, "bytes": …}
//
// To predict is to label all test rows. Its seconds are the median of as many calls
// as fill a quarter of a second, 1 to 15, after a call to warm up. For regression it
// predicts values, and the error is the mean squared error. Bytes is the size of the
// serialized model.
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
		log.Fatal("usage: peers run|report|compare|baselines|support [flags]; -h lists them")
	}
	var err error
	switch command, args := os.Args[1], os.Args[2:]; command {
	case "run":
		err = runCommand(args)
	case "report":
		err = reportCommand(args)
	case "compare":
		err = compareCommand(args)
	case "baselines":
		err = baselinesCommand(args)
	case "classifiers":
		err = classifiersCommand(args)
	case "support":
		err = supportCommand(args)
	case "work":
		err = work(args, os.Stdin, os.Stdout)
	default:
		err = fmt.Errorf("no command %q: want run, report, compare, baselines or support", command)
	}
	if err != nil {
		log.Fatal(err)
	}
}

const defaultCSV = "docs/results/peers.csv"

// options are the flags that run and compare share.
type options struct {
	runner
	jobs, contenders, numbers, path string
	minutes                         float64
}

// flags returns the flags of a command; path is the default of -csv.
func (o *options) flags(command, path string) *flag.FlagSet {
	flags := flag.NewFlagSet(command, flag.ExitOnError)
	flags.StringVar(&o.jobs, "jobs", ".", "measure the jobs that match this `regexp`, such as '^trunk d=8$'")
	flags.StringVar(&o.contenders, "contenders", ".", "measure the contenders that match this `regexp`")
	flags.StringVar(&o.numbers, "threads", "1,2", "numbers of threads")
	flags.IntVar(&o.rounds, "rounds", 5, "rounds of each job")
	flags.IntVar(&o.mostTrees, "trees", 0, "grow no more trees than this; 0 means no limit")
	flags.Float64Var(&o.minutes, "minutes-cap", 10, "grow fewer trees in a job where one fit of a contender would take more minutes")
	flags.Float64Var(&o.budget, "contender-seconds", 15, "do fewer rounds with a contender that would take more seconds at a job and number of threads")
	flags.StringVar(&o.path, "csv", path, "append the runs to this file; runs of this commit in it aren't measured again")
	flags.StringVar(&o.commit, "commit", "", "commit to record with the runs; empty means the one checked out")
	return flags
}

func runCommand(args []string) error {
	var o options
	flags := o.flags("run", defaultCSV)
	flags.StringVar(&o.programs.python, "python", "python3", "a Python with the packages of requirements.txt")
	flags.StringVar(&o.programs.treeple, "treeple-python", "python3", "a Python with the packages of requirements-treeple.txt")
	flags.StringVar(&o.programs.rscript, "rscript", "Rscript", "an R with ranger")
	list := flags.Bool("list", false, "list jobs and contenders, and measure nothing")
	flags.Parse(args)
	if *list {
		for _, j := range allJobs() {
			fmt.Printf("%-24s %d trees\n", j, j.trees)
		}
		for _, c := range contenderList {
			fmt.Println(c.name)
		}
		return nil
	}
	var err error
	if o.programs.scripts, err = scriptFolder(); err != nil {
		return err
	}
	return o.measureAll()
}

// measureAll measures the jobs that the flags select.
func (o *options) measureAll() error {
	o.capSeconds = o.minutes * 60
	for s := range strings.SplitSeq(o.numbers, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return fmt.Errorf("-threads %s: want numbers such as 1,2", o.numbers)
		}
		o.threads = append(o.threads, n)
	}
	jobs, err := regexp.Compile(o.jobs)
	if err != nil {
		return fmt.Errorf("-jobs: %w", err)
	}
	contenders, err := regexp.Compile(o.contenders)
	if err != nil {
		return fmt.Errorf("-contenders: %w", err)
	}
	if o.commit == "" {
		if o.commit, err = gitCommit(); err != nil {
			return err
		}
	}
	if o.programs.self, err = os.Executable(); err != nil {
		return err
	}
	if o.sheet, err = openSheet(o.path); err != nil {
		return err
	}
	defer o.sheet.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return o.run(ctx, jobs, contenders)
}

// gitCommit returns the commit that is checked out, followed by + if Go files differ
// from it.
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

// scriptFolder returns the folder of peers.py and peers.R.
func scriptFolder() (string, error) {
	for _, folder := range []string{filepath.Join("tools", "peers"), "."} {
		if _, err := os.Stat(filepath.Join(folder, "peers.py")); err == nil {
			return folder, nil
		}
	}
	return "", errors.New("tools/peers/peers.py isn't here: start peers in the folder of the repository")
}
