package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/notebooks/figures"
	"github.com/obliqua-ml/obliqua/tools/internal/runs"
)

// supportCommand computes table 2 and figure 14 of the GRAF paper with scikit-learn's SVM.
func supportCommand(args []string) error {
	m := &machines{study{script: "support.py"}}
	flags := flag.NewFlagSet("support", flag.ExitOnError)
	repeats := flags.Int("repeats", 0, "at most so many divisions of a set; 0 does all")
	return m.run(flags, args, "docs/results/graf-support-paper.csv", func(ctx context.Context) error {
		commit, err := runs.Commit()
		if err != nil {
			return err
		}
		e := figures.GRAFSupport(true, m.train)
		e.Runs = slices.DeleteFunc(e.Runs, func(r figures.Run) bool {
			return !m.sets.MatchString(r.Problem) || *repeats > 0 && r.Repeat > *repeats
		})
		ctx = forest.WithProgress(ctx, func(done, total int) { log.Printf("%d of %d runs", done, total) })
		_, err = figures.Execution{Path: m.path, Commit: commit}.Do(ctx, e)
		return err
	})
}

// machines asks support.py for support vector machines.
type machines struct{ study }

func (m *machines) train(_ context.Context, job figures.SVMJob) (reply figures.SVMReply, err error) {
	if err := m.load(job.Train, job.Test); err != nil {
		return reply, err
	}
	if err := m.question(map[string]any{"c": job.C, "gamma": job.Gamma, "subsets": job.Subsets}, &reply); err != nil {
		return reply, err
	}
	if len(reply.Accuracy) != len(job.Subsets) || len(reply.Alpha) != len(reply.Support) {
		return reply, fmt.Errorf("support.py: %d accuracies of %d subsets, %d weights of %d support vectors",
			len(reply.Accuracy), len(job.Subsets), len(reply.Alpha), len(reply.Support))
	}
	return reply, nil
}
