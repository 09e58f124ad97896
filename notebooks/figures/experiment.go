// Package figures computes the figures and tables of the papers, for the
// notebooks and for the long runs whose results are in docs/results.
//
// A figure is an [Experiment]: a list of runs, each of which trains and tests a
// method. Results are saved in a CSV file after every run, so that an experiment that
// takes hours can be interrupted and continued.
package figures

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/eval"
	"github.com/obliqua-ml/obliqua/internal/atomicfile"
)

// A Run is one training and test of an experiment, identified by all fields but Do.
type Run struct {
	Problem string // the data
	Method  string
	X       int // the figure's horizontal axis, such as the number of training rows
	Repeat  int // from 1
	Seed    uint64

	// Do trains and tests, and returns the result.
	Do func(ctx context.Context) (Result, error)
}

// A Result is the result of a run.
type Result struct {
	Score   float64 // the figure's vertical axis, such as the test error
	Setting string  // the parameters that tuning chose
	Seconds float64 // of training, tuning included

	More map[string]float64 // other measurements, by name
}

// A Record is a finished run, with its commit and date.
type Record struct {
	Run
	Result
	Commit string
	Date   string // year-month-day
}

// An Experiment is a figure or table to compute.
type Experiment struct {
	Name string // of the result file, without ".csv"
	Runs []Run
}

// Execute does the runs that aren't in the file at path yet, and returns the records of
// all runs. It replaces the file after each run; with an empty path it saves nothing.
// It reports progress to the function of [forest.WithProgress], in runs. After an error
// it returns the records so far.
func (e Experiment) Execute(ctx context.Context, path, commit string) ([]Record, error) {
	old, err := ReadRecords(path)
	if path != "" && err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	report := forest.Progress(ctx)
	quiet := forest.WithProgress(ctx, func(int, int) {})
	var records []Record
	for i, run := range e.Runs {
		record, done := find(old, run)
		if !done {
			result, err := run.Do(quiet)
			if err != nil {
				return records, fmt.Errorf("%s: %s, %s, %d: %w", e.Name, run.Problem, run.Method, run.X, err)
			}
			record = Record{Run: run, Result: result, Commit: commit, Date: time.Now().UTC().Format(time.DateOnly)}
		}
		records = append(records, record)
		if path != "" && !done {
			if err := writeRecords(path, append(records[:len(records):len(records)], missing(old, records)...)); err != nil {
				return records, err
			}
		}
		report(i+1, len(e.Runs))
	}
	return records, nil
}

func (r Run) same(o Run) bool {
	return r.Problem == o.Problem && r.Method == o.Method && r.X == o.X && r.Repeat == o.Repeat && r.Seed == o.Seed
}

func find(records []Record, run Run) (Record, bool) {
	for _, r := range records {
		if r.same(run) {
			return r, true
		}
	}
	return Record{}, false
}

// missing returns the old records that aren't among the new ones.
func missing(old, records []Record) []Record {
	var m []Record
	for _, r := range old {
		if _, ok := find(records, r.Run); !ok {
			m = append(m, r)
		}
	}
	return m
}

var header = []string{"problem", "method", "x", "repeat", "seed", "score", "setting", "seconds", "more", "commit", "date"}

// ReadRecords reads a result file. Its errors name the file and the line.
func ReadRecords(path string) ([]Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = len(header)
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var records []Record
	for i, row := range rows[min(1, len(rows)):] {
		record, err := parseRecord(row)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+2, err)
		}
		records = append(records, record)
	}
	return records, nil
}

func parseRecord(row []string) (r Record, err error) {
	r.Problem, r.Method, r.Setting, r.Commit, r.Date = row[0], row[1], row[6], row[9], row[10]
	var errs [6]error
	r.X, errs[0] = strconv.Atoi(row[2])
	r.Repeat, errs[1] = strconv.Atoi(row[3])
	r.Seed, errs[2] = strconv.ParseUint(row[4], 10, 64)
	r.Score, errs[3] = strconv.ParseFloat(row[5], 64)
	r.Seconds, errs[4] = strconv.ParseFloat(row[7], 64)
	r.More, errs[5] = parseMore(row[8])
	return r, errors.Join(errs[:]...)
}

// parseMore parses what formatMore writes: name=number, separated by spaces.
func parseMore(s string) (more map[string]float64, err error) {
	for _, field := range strings.Fields(s) {
		name, number, ok := strings.Cut(field, "=")
		v, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil {
			return nil, fmt.Errorf("%q; want name=number", field)
		}
		if more == nil {
			more = map[string]float64{}
		}
		more[name] = v
	}
	return more, nil
}

func formatMore(more map[string]float64) string {
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(more)) {
		fields = append(fields, name+"="+strconv.FormatFloat(more[name], 'g', 6, 64))
	}
	return strings.Join(fields, " ")
}

func writeRecords(path string, records []Record) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	rows := [][]string{header}
	for _, r := range records {
		rows = append(rows, []string{r.Problem, r.Method, strconv.Itoa(r.X), strconv.Itoa(r.Repeat),
			strconv.FormatUint(r.Seed, 10), strconv.FormatFloat(r.Score, 'g', 6, 64), r.Setting,
			strconv.FormatFloat(r.Seconds, 'f', 2, 64), formatMore(r.More), r.Commit, r.Date})
	}
	return atomicfile.Write(path, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}

// A Mean is the mean over repeats of a method's results at one X.
type Mean struct {
	Problem, Method string
	X               int
	Mean, StdErr    float64 // over repeats
	Repeats         int
	Seconds         float64            // mean
	More            map[string]float64 // means
}

// Means averages records over repeats. Its order is that of their first appearance.
func Means(records []Record) []Mean {
	var means []Mean
	seen := map[string]bool{}
	for _, r := range records {
		id := fmt.Sprint(r.Problem, "\x00", r.Method, "\x00", r.X)
		if seen[id] {
			continue
		}
		seen[id] = true
		var scores []float64
		more := map[string]float64{}
		m := Mean{Problem: r.Problem, Method: r.Method, X: r.X, More: more}
		for _, o := range records {
			if o.Problem == r.Problem && o.Method == r.Method && o.X == r.X {
				scores = append(scores, o.Score)
				m.Seconds += o.Seconds
				for name, v := range o.More {
					more[name] += v
				}
			}
		}
		m.Repeats = len(scores)
		for name := range more {
			more[name] /= float64(len(scores))
		}
		m.Seconds /= float64(len(scores))
		m.Mean, m.StdErr = eval.MeanStdErr(scores)
		means = append(means, m)
	}
	return means
}
