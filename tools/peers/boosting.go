package main

import (
	"context"
	"flag"
	"log"
	"regexp"

	"github.com/obliqua-ml/obliqua/notebooks/figures"
	"github.com/obliqua-ml/obliqua/tools/internal/runs"
)

// boostingCommand measures boosting of other libraries on the rows of the experiment "boost".
func boostingCommand(args []string) error {
	b := &boosters{study{script: "boosting.py"}}
	flags := flag.NewFlagSet("boosting", flag.ExitOnError)
	methods := regexp.MustCompile(".")
	flags.TextVar(methods, "methods", methods, "measure the methods that match this `regexp`")
	return b.run(flags, args, "docs/results/boost-peers-paper.csv", func(ctx context.Context) error {
		commit, err := runs.Commit()
		if err != nil {
			return err
		}
		e := figures.BoostPeers(true, b.boost)
		only := func(r figures.Run) bool { return b.sets.MatchString(r.Problem) && methods.MatchString(r.Method) }
		_, err = figures.Execution{Path: b.path, Commit: commit, Only: only, Log: func(line string) { log.Print(line) }}.
			Do(ctx, e)
		return err
	})
}

// boosters asks boosting.py for predictions.
type boosters struct{ study }

func (b *boosters) boost(_ context.Context, job figures.BoostJob) (reply figures.BoostReply, err error) {
	if err := b.load(job.Train, job.Test); err != nil {
		return reply, err
	}
	err = b.question(map[string]any{"method": job.Method, "seed": job.Seed}, &reply)
	return reply, err
}
