package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
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

var baselineColumns = []string{"set", "method", "split", "measure", "score", "setting", "seconds", "version", "date"}

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
	scripts, err := scriptFolder()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cmd := exec.CommandContext(ctx, *python, filepath.Join(scripts, "baselines.py"))
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	requests, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	replies, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer cmd.Wait()
	defer requests.Close()
	folder, err := os.MkdirTemp("", "baselines-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	b := baselines{ctx: ctx, folder: folder, path: *path, requests: json.NewEncoder(requests), replies: json.NewDecoder(replies)}
	return b.run(like)
}

// baselines asks baselines.py for results and adds them to a file.
type baselines struct {
	ctx          context.Context
	folder, path string
	requests     *json.Encoder
	replies      *json.Decoder
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
	steps, err := figures.GODTSteps.Fit(parts[0])
	if err != nil {
		return err
	}
	for i := range parts {
		if parts[i], err = steps.Apply(parts[i]); err != nil {
			return err
		}
	}
	s, err := writeFolder(b.folder, parts[0], parts[1])
	if err != nil {
		return err
	}
	if err := b.requests.Encode(baselineJob{b.folder, s.rows, s.testRows, s.features, s.classes, len(validation)}); err != nil {
		return err
	}
	var reply baselineReply
	if err := b.replies.Decode(&reply); err != nil {
		return fmt.Errorf("baselines.py: %w", err)
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
	var lines bytes.Buffer
	w := csv.NewWriter(&lines)
	if _, err := os.Stat(b.path); errors.Is(err, fs.ErrNotExist) {
		w.Write(baselineColumns)
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for _, r := range reply.Results {
		w.Write([]string{set.Name, r.Method, strconv.Itoa(split), measure, number(r.Score), r.Setting, number(r.Seconds),
			"scikit-learn " + reply.Version, time.Now().UTC().Format(time.DateOnly)})
	}
	w.Flush()
	f, err := os.OpenFile(b.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(lines.Bytes())
	return errors.Join(err, f.Close())
}

// baselinesDone returns the sets and splits in a file, which need not exist.
func baselinesDone(path string) (map[string]bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	done := map[string]bool{}
	for r := csv.NewReader(f); ; {
		line, err := r.Read()
		if err == io.EOF {
			return done, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		done[line[0]+" "+line[2]] = true
	}
}
