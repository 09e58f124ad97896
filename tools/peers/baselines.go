package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"slices"
	"strconv"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/notebooks/figures/godt"
	godtruns "github.com/obliqua-ml/obliqua/tools/experiments/godt"
)

// A baselineReply is what baselines.py answers.
type baselineReply struct {
	Version string   `json:"version"`
	Results []result `json:"results"`
}

// A baselineKind is one of two ways to run the thesis's baselines.
type baselineKind struct {
	asRun bool // as the thesis seems to have run them, not as textbooks have them
	steps datasets.Steps
	first [2]string // a method of classes and one of values that each split has
}

// baselineKinds are the ways, that of less work first.
var baselineKinds = []baselineKind{
	{true, godtruns.CodeSteps, [2]string{"diagonal LDA", "median"}},
	{false, godtruns.Steps, [2]string{"svm", "svm"}},
}

// isDone reports whether a split is among the done ones.
func (k baselineKind) isDone(done map[string]bool, set string, split int) bool {
	return slices.ContainsFunc(k.first[:], func(method string) bool {
		return done[baselineKey(set, strconv.Itoa(split), method)]
	})
}

func baselineKey(set, split, method string) string { return set + " " + split + " " + method }

// baselinesCommand measures SVM, LDA, QDA and other baselines on the splits of the thesis's data sets.
func baselinesCommand(args []string) error {
	b := baselines{study{script: "baselines.py"}}
	return b.run(flag.NewFlagSet("baselines", flag.ExitOnError), args, "docs/results/godt-baselines.csv", b.all)
}

type baselines struct{ study }

// all measures the splits that the file lacks, those of few rows first.
func (b *baselines) all(ctx context.Context) error {
	done, err := baselinesDone(b.path)
	if err != nil {
		return err
	}
	sets := slices.Concat(godt.Sets, godt.ValueSets)
	slices.SortStableFunc(sets, func(a, c godt.Set) int { return cmp.Compare(a.Rows, c.Rows) })
	for _, kind := range baselineKinds {
		for _, set := range sets {
			if !b.sets.MatchString(set.Name) {
				continue
			}
			for split := 1; split <= baselineSplits(set.Rows); split++ {
				if kind.isDone(done, set.Name, split) {
					continue
				}
				if err := b.measure(ctx, set, split, kind); err != nil {
					return fmt.Errorf("%s, split %d: %w", set.Name, split, err)
				}
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
func (b *baselines) measure(ctx context.Context, set godt.Set, split int, kind baselineKind) error {
	d, err := godtruns.Load(ctx, set)
	if err != nil {
		return err
	}
	train, validation, test := godtruns.Split(set, d.N(), uint64(split))
	parts := [2]*datasets.Dataset{d.Subset(slices.Concat(train, validation)), d.Subset(test)}
	steps, encoded, err := kind.steps.Fit(ctx, parts[0])
	if err != nil {
		return err
	}
	parts[0] = encoded
	if parts[1], err = steps.Apply(ctx, parts[1]); err != nil {
		return err
	}
	if err := b.load(parts[0], parts[1]); err != nil {
		return err
	}
	var reply baselineReply
	// Of the training rows the last ones are for validation.
	if err := b.question(map[string]any{"validation": len(validation), "as_run": kind.asRun}, &reply); err != nil {
		return err
	}
	log.Printf("%s, split %d: %v", set.Name, split, reply.Results)
	return b.keep(set, split, reply)
}

func (b *baselines) keep(set godt.Set, split int, reply baselineReply) error {
	measure := "accuracy"
	if !slices.ContainsFunc(godt.Sets, func(s godt.Set) bool { return s.Name == set.Name }) {
		measure = "mae"
	}
	return b.save(set.Name, split, measure, "scikit-learn "+reply.Version, reply.Results...)
}

// baselinesDone returns the sets, splits and methods in a file, which need not exist.
func baselinesDone(path string) (map[string]bool, error) {
	lines, err := readCSV(path, resultColumns)
	done := map[string]bool{}
	for _, line := range lines {
		done[baselineKey(line[0], line[2], line[1])] = true
	}
	return done, err
}
