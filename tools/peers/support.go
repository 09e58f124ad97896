package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	grafruns "github.com/obliqua-ml/obliqua/tools/experiments/graf"
)

// supportCommand computes table 2 and figure 14 of the GRAF paper with scikit-learn's SVM.
func supportCommand(args []string) error {
	m := &machines{study{script: "support.py"}}
	flags := flag.NewFlagSet("support", flag.ExitOnError)
	repeats := flags.Int("repeats", 0, "at most so many divisions of a set; 0 does all")
	return m.experiment(flags, args, grafruns.Support(m.train),
		func(r paper.Run) bool { return *repeats == 0 || r.Repeat <= *repeats })
}

// machines asks support.py for support vector machines.
type machines struct{ study }

func (m *machines) train(_ context.Context, job grafruns.SVMJob) (reply grafruns.SVMReply, err error) {
	more := map[string]any{"c": job.C, "gamma": job.Gamma, "subsets": job.Subsets}
	if err := m.ask(job.Train, job.Test, more, &reply); err != nil {
		return reply, err
	}
	if len(reply.Accuracy) != len(job.Subsets) || len(reply.Alpha) != len(reply.Support) {
		return reply, fmt.Errorf("support.py: %d accuracies of %d subsets, %d weights of %d support vectors",
			len(reply.Accuracy), len(job.Subsets), len(reply.Alpha), len(reply.Support))
	}
	return reply, nil
}
