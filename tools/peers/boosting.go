package main

import (
	"context"
	"flag"
	"regexp"

	"github.com/obliqua-ml/obliqua/notebooks/figures/paper"
	"github.com/obliqua-ml/obliqua/tools/experiments/trials"
)

// boostingCommand measures boosting of other libraries on the rows of the experiment "boost".
func boostingCommand(args []string) error {
	b := &boosters{study{script: "boosting.py"}}
	flags := flag.NewFlagSet("boosting", flag.ExitOnError)
	methods := regexp.MustCompile(".")
	flags.TextVar(methods, "methods", methods, "measure the methods that match this `regexp`")
	return b.experiment(flags, args, trials.BoostPeers(b.boost),
		func(r paper.Run) bool { return methods.MatchString(r.Method) })
}

// boosters asks boosting.py for predictions.
type boosters struct{ study }

func (b *boosters) boost(_ context.Context, job trials.BoostJob) (reply trials.BoostReply, err error) {
	err = b.ask(job.Train, job.Test, map[string]any{"method": job.Method, "seed": job.Seed}, &reply)
	return reply, err
}
