package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"
)

// A runner measures the runs that the sheet doesn't have yet.
type runner struct {
	jobs, like regexp.Regexp // the jobs and contenders to measure
	rounds     int
	threads    []int
	budget     float64 // most seconds of a contender at a job and number of threads
	commit     string
	programs   programs
	sheet      *sheet

	folder  string // has the data of the problem named loaded
	loaded  string
	shape   shape
	missing map[string]bool // contenders that can't be started here
}

func (r *runner) run(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	r.folder, r.missing = folder, map[string]bool{}
	for _, j := range jobs {
		if !r.jobs.MatchString(j.String()) {
			continue
		}
		for _, threads := range r.threads {
			err := r.measure(ctx, j, threads)
			if errors.Is(err, errNoData) {
				log.Printf("%s: skipped, %v", j, err)
				break
			}
			if err != nil {
				return fmt.Errorf("%s: %w", j, err)
			}
		}
	}
	return nil
}

// measure does the rounds of a job with one number of threads.
func (r *runner) measure(ctx context.Context, j job, threads int) error {
	var racers []*racer
	for _, c := range r.contenders(j) {
		if x := (&racer{contender: c, done: r.done(j, c.Name, threads)}); x.due(r.rounds, r.budget) {
			racers = append(racers, x)
		}
	}
	if len(racers) == 0 {
		return nil
	}
	if err := r.load(j); err != nil {
		return err
	}
	defer func() {
		for _, x := range racers {
			x.leave()
		}
	}()
	var opening sync.WaitGroup
	for _, x := range racers {
		opening.Go(func() { r.open(ctx, x, j, threads) })
	}
	opening.Wait()
	racers = slices.DeleteFunc(racers, func(x *racer) bool { r.missing[x.Name] = x.failed; return x.failed })
	for _, x := range racers {
		if j.Trees <= 2*threads {
			break // to warm up would take as long as a round
		}
		if err := x.send(fmt.Sprintf("fit %d 0", threads), &reply{}); err != nil {
			return fmt.Errorf("%s: %w", x.Name, err)
		}
	}
	for round := 1; round <= r.rounds; round++ {
		for k := range racers {
			x := racers[turn(k, round, len(racers))]
			if x.failed || x.has(round) || !x.due(r.rounds, r.budget) {
				continue
			}
			if err := r.race(ctx, x, j, threads, round); err != nil {
				return err
			}
		}
	}
	return nil
}

// contenders returns those that take part in a job.
func (r *runner) contenders(j job) (takers []contender) {
	takes := j.contenders()
	for _, c := range contenders {
		if slices.Contains(takes, c.Name) && r.like.MatchString(c.Name) && !r.missing[c.Name] {
			takers = append(takers, c)
		}
	}
	return takers
}

// turn returns which of n contenders has the k-th turn of a round. Each round begins with another contender, and every
// second round goes backwards, so neighbours alternate in going first.
func turn(k, round, n int) int {
	if round%2 == 0 {
		k = n - k
	}
	return (k + round - 1) % n
}

// A racer is a contender running a job with one number of threads.
type racer struct {
	contender
	*process // nil if it doesn't run
	hello    reply
	loaded   int64 // bytes held with the data loaded
	done     []record
	failed   bool
}

// leave ends the contender's process.
func (x *racer) leave() {
	if x.process != nil {
		x.stop()
		x.process = nil
	}
}

func (x *racer) has(round int) bool {
	return slices.ContainsFunc(x.done, func(rec record) bool { return rec.Round == round })
}

// due reports whether a round is left to do and another one like the last stays within the budget of seconds. The first
// round is always due.
func (x *racer) due(rounds int, budget float64) bool {
	var used, last float64
	for _, rec := range x.done {
		last = rec.Fit + rec.Predict
		used += last
	}
	return len(x.done) < rounds && (len(x.done) == 0 || used+last <= budget)
}

// done returns the runs of this commit in the sheet.
func (r *runner) done(j job, contender string, threads int) []record {
	return slices.DeleteFunc(slices.Clone(r.sheet.records), func(rec record) bool {
		return !r.of(rec, j) || rec.Contender != contender || rec.Threads != threads
	})
}

// of reports whether rec is of job j and this commit.
func (r *runner) of(rec record, j job) bool { return rec.Commit == r.commit && rec.key() == j.key() }

// load writes the data of j's problem to the folder.
func (r *runner) load(j job) error {
	if r.loaded == j.Name {
		return nil
	}
	train, test, err := j.load()
	if err != nil {
		return err
	}
	r.loaded = j.Name
	r.shape, err = writeFolder(r.folder, train, test)
	return err
}

// patience is how long a fit may take.
const patience = 30 * time.Minute

// open starts a contender, which has failed if that isn't possible.
func (r *runner) open(ctx context.Context, x *racer, j job, threads int) {
	cmd := r.programs.command(ctx, x.contender, r.folder, r.shape, j.Directions, threads)
	p, err := start(cmd, threads, patience)
	if err == nil {
		x.process = p
		if err = p.read(&x.hello); err == nil {
			err = p.send("rest", &reply{})
		}
	}
	if x.failed = err != nil; x.failed {
		log.Printf("%s can't take part: %v", x.Name, err)
		x.leave()
		return
	}
	x.loaded = p.memory("VmRSS")
}

// race does one run. A contender that fails takes no further part in the job.
func (r *runner) race(ctx context.Context, x *racer, j job, threads, round int) error {
	fit, peak, err := x.fit(j.Trees, round)
	if errors.Is(err, errNoReset) {
		x.leave()
		if r.open(ctx, x, j, threads); x.failed {
			return ctx.Err()
		}
		if fit, peak, err = x.fit(j.Trees, round); errors.Is(err, errNoReset) {
			err = nil // the process is fresh
		}
	}
	var prediction reply
	if err == nil {
		err = x.send("predict", &prediction)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		log.Printf("%s, %d threads: %s leaves: %v", j, threads, x.Name, err)
		x.failed = true
		return nil
	}
	rec := record{
		Date: time.Now().UTC().Format("2006-01-02T15:04Z"), Commit: r.commit, Machine: machine(),
		Job: j.Name, Rows: r.shape.rows, TestRows: r.shape.testRows, Features: r.shape.features,
		Classes: r.shape.classes, Directions: j.Directions,
		Contender: x.Name, Version: x.hello.Version, Threads: threads, Round: round, Trees: j.Trees,
		Settings: x.hello.Settings, Fit: fit, Predict: prediction.Seconds, Error: prediction.Error,
		Baseline: x.loaded, Peak: peak, Model: prediction.Bytes,
	}
	x.done = append(x.done, rec)
	log.Printf("%-18s %d threads  round %d  %-22s %3d trees  fit %8.3f s  predict %7.4f s  error %.4f  "+
		"memory %5d + %5d MB  model %7.2f MB", j, threads, round, x.Name, j.Trees, rec.Fit, rec.Predict, rec.Error,
		rec.Baseline>>20, (rec.Peak-rec.Baseline)>>20, megabytes(rec.Model))
	return r.sheet.add(rec)
}
