package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"regexp"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/notebooks/figures"
)

// A supportJob is what support.py is asked.
type supportJob struct {
	Folder   string    `json:"folder"`
	Rows     int       `json:"rows"`
	TestRows int       `json:"test_rows"`
	Features int       `json:"features"`
	Classes  int       `json:"classes"`
	C        float64   `json:"c"`
	Gamma    float64   `json:"gamma"`
	Subsets  [][]int32 `json:"subsets"`
}

// supportCommand computes table 2 and figure 14 of the GRAF paper with scikit-learn's SVM.
func supportCommand(args []string) error {
	flags := flag.NewFlagSet("support", flag.ExitOnError)
	python := flags.String("python", "python3", "a Python with the packages of requirements.txt")
	path := flags.String("csv", "docs/results/graf-support-paper.csv", "add the results to this file; those in it aren't measured again")
	match := flags.String("sets", ".", "measure the sets that match this `regexp`")
	repeats := flags.Int("repeats", 0, "at most so many divisions of a set; 0 does all")
	flags.Parse(args)
	like, err := regexp.Compile(*match)
	if err != nil {
		return fmt.Errorf("-sets: %w", err)
	}
	commit, err := gitCommit()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	folder, err := os.MkdirTemp("", "support-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	asker, err := startAsker(ctx, *python, "support.py")
	if err != nil {
		return err
	}
	defer asker.Close()
	m := &machines{folder, asker}
	e := figures.GRAFSupport(true, m.train)
	e.Runs = slices.DeleteFunc(e.Runs, func(r figures.Run) bool {
		return !like.MatchString(r.Problem) || *repeats > 0 && r.Repeat > *repeats
	})
	ctx = forest.WithProgress(ctx, func(done, total int) { log.Printf("%d of %d runs", done, total) })
	_, err = e.Execute(ctx, *path, commit)
	return err
}

// machines asks support.py for support vector machines.
type machines struct {
	folder string // for data
	asker  *asker
}

func (m *machines) train(_ context.Context, job figures.SVMJob) (reply figures.SVMReply, err error) {
	s, err := writeFolder(m.folder, job.Train, job.Test)
	if err != nil {
		return reply, err
	}
	if err := m.asker.ask(supportJob{m.folder, s.rows, s.testRows, s.features, s.classes, job.C, job.Gamma, job.Subsets}, &reply); err != nil {
		return reply, err
	}
	if len(reply.Accuracy) != len(job.Subsets) || len(reply.Alpha) != len(reply.Support) {
		return reply, fmt.Errorf("support.py: %d accuracies of %d subsets, %d weights of %d support vectors",
			len(reply.Accuracy), len(job.Subsets), len(reply.Alpha), len(reply.Support))
	}
	return reply, nil
}
