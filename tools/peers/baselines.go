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
	"strconv"
	"time"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/notebooks/figures"
)

// A baselineJob is what baselines.py is asked.
type baselineJob struct {
	Folder     string `json:"folder"`
	Rows       int    `json:"rows"`
	TestRows   int    `json:"test_rows"`
	Features   int    `json:"features"`
	Classes    int    `json:"classes"`
	Validation int    `json:"validation"` // so many of the last training rows
}

// A baselineReply is what it answers.
type baselineReply struct {
	Version string           `json:"version"`
	Results []baselineResult `json:"results"`
}

type baselineResult struct {
	Method  string  `json:"method"`
	Score   float64 `json:"score"`
	Setting string  `json:"setting"`
	Seconds float64 `json:"seconds"`
}

// baselinesCommand measures SVM, LDA and QDA on the splits of the thesis's data sets.
func baselinesCommand(args []string) error {
	flags := flag.NewFlagSet("baselines", flag.ExitOnError)
	python := flags.String("python", "python3", "a Python with the packages of requirements.txt")
	path := flags.String("csv", "docs/results/godt-baselines.csv", "append the results to this file; splits in it aren't measured again")
	match := flags.String("sets", ".", "measure the sets that match this `regexp`")
	flags.Parse(args)
	like, err := regexp.Compile(*match)
	if err != nil {
		return fmt.Errorf("-sets: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	asker, err := startAsker(ctx, *python, "baselines.py")
	if err != nil {
		return err
	}
	defer asker.Close()
	folder, err := os.MkdirTemp("", "baselines-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	b := baselines{ctx: ctx, folder: folder, path: *path, asker: asker}
	return b.run(like)
}

// baselines asks baselines.py for results and adds them to a file.
type baselines struct {
	ctx          context.Context
	folder, path string
	asker        *asker
}

// run measures the splits that the file lacks, those of small sets first.
func (b *baselines) run(like *regexp.Regexp) error {
	done, err := baselinesDone(b.path)
	if err != nil {
		return err
	}
	sets := append(figures.GODTSets(), figures.GODTValueSets()...)
	slices.SortStableFunc(sets, func(a, c figures.GODTSet) int { return a.N*a.P - c.N*c.P })
	for _, set := range sets {
		for split := 1; split <= baselineSplits(set.N); split++ {
			if !like.MatchString(set.Name) || done[set.Name+" "+strconv.Itoa(split)] {
				continue
			}
			if err := b.measure(set, split); err != nil {
				return fmt.Errorf("%s, split %d: %w", set.Name, split, err)
			}
		}
	}
	return nil
}

// baselineSplits returns how many splits of a set of n rows are measured.
func baselineSplits(n int) int {
	switch {
	case n <= 5000:
		return 20
	case n <= 10000:
		return 5
	default:
		return 1
	}
}

// measure does one split. Cells are encoded by steps that are fitted to all training rows.
func (b *baselines) measure(set figures.GODTSet, split int) error {
	d, err := set.Load(b.ctx)
	if err != nil {
		return err
	}
	train, validation, test := set.Split(d.N(), uint64(split))
	parts := [2]*datasets.Dataset{d.Subset(slices.Concat(train, validation)), d.Subset(test)}
	steps, err := figures.GODTSteps.Fit(b.ctx, parts[0])
	if err != nil {
		return err
	}
	for i := range parts {
		if parts[i], err = steps.Apply(b.ctx, parts[i]); err != nil {
			return err
		}
	}
	s, err := writeFolder(b.folder, parts[0], parts[1])
	if err != nil {
		return err
	}
	var reply baselineReply
	job := baselineJob{b.folder, s.rows, s.testRows, s.features, s.classes, len(validation)}
	if err := b.asker.ask(job, &reply); err != nil {
		return err
	}
	log.Printf("%s, split %d: %v", set.Name, split, reply.Results)
	return b.save(set, split, reply)
}

// save adds results to the file.
func (b *baselines) save(set figures.GODTSet, split int, reply baselineReply) error {
	measure := "accuracy"
	if set.Classes == 0 {
		measure = "mae"
	}
	var lines [][]string
	for _, r := range reply.Results {
		lines = append(lines, []string{set.Name, r.Method, strconv.Itoa(split), measure, short(r.Score), r.Setting, short(r.Seconds),
			"scikit-learn " + reply.Version, time.Now().UTC().Format(time.DateOnly)})
	}
	return appendResults(b.path, lines...)
}

// baselinesDone returns the sets and splits in a file, which need not exist.
func baselinesDone(path string) (map[string]bool, error) {
	results, err := readResults(path)
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	for _, line := range results {
		done[line[0]+" "+line[2]] = true
	}
	return done, nil
}
