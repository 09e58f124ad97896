// Readers measures time and memory of reading files with this library and with pandas.
//
//	readers run     makes files of one table, reads them with both in turn, adds a line
//	                per read to a CSV file, and writes medians
//	readers read F  reads file F once and writes a line of JSON; run starts it
//
// Every read is a process of its own, which first reads a small file. Memory is read
// from Linux's /proc.
package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("readers: ")
	if len(os.Args) < 2 {
		log.Fatal("usage: readers run|read [flags]")
	}
	var err error
	switch command, args := os.Args[1], os.Args[2:]; {
	case command == "run":
		err = run(args)
	case command == "read" && len(args) == 1:
		err = readOnce(args[0], os.Stdout)
	default:
		err = errors.New("usage: readers run [flags] | readers read FILE")
	}
	if err != nil {
		log.Fatal(err)
	}
}

// A result is the output of a process about its read.
type result struct {
	Version   string  `json:"version"`
	Seconds   float64 `json:"seconds"`
	Processor float64 `json:"processor"` // seconds of all cores together
	Baseline  int64   `json:"baseline"`  // bytes of resident memory before
	Peak      int64   `json:"peak"`      // most bytes of resident memory

	// These are compared, to check that both read the same table.
	Rows    int     `json:"rows"`
	Classes int     `json:"classes"`
	Sum     float64 `json:"sum"` // of all numbers, as float32
}

// memory returns the peak memory beyond the baseline, in bytes.
func (r result) memory() float64 { return float64(r.Peak - r.Baseline) }

var contenders = []string{"obliqua", "pandas"}

type options struct {
	python, folder, sheet string
	rounds, rows          int
}

func run(args []string) error {
	var o options
	flags := flag.NewFlagSet("run", flag.ExitOnError)
	flags.StringVar(&o.python, "python", "python3", "`program` that has pandas")
	flags.StringVar(&o.folder, "folder", ".", "`folder` for the files, which are made where they are missing")
	flags.StringVar(&o.sheet, "csv", "docs/results/readers.csv", "`file` to add the runs to")
	flags.IntVar(&o.rounds, "rounds", 5, "reads of each file by each")
	flags.IntVar(&o.rows, "rows", 300_000, "rows of the table")
	if err := flags.Parse(args); err != nil {
		return err
	}
	commit, err := gitCommit()
	if err != nil {
		return err
	}
	files, err := makeFiles(o)
	if err != nil {
		return err
	}
	sheet, err := openSheet(o.sheet)
	if err != nil {
		return err
	}
	defer sheet.Close()
	results := map[string][]result{}
	for _, file := range files {
		for round := range o.rounds {
			for k := range contenders {
				contender := contenders[(k+round)%len(contenders)]
				r, err := o.start(contender, file)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", contender, file, err)
				}
				key := filepath.Base(file) + " " + contender
				results[key] = append(results[key], r)
				if err := sheet.add(commit, file, contender, round+1, r); err != nil {
					return err
				}
			}
		}
	}
	return report(os.Stdout, files, results)
}

// start reads a file in a process of its own.
func (o options) start(contender, file string) (r result, err error) {
	command := exec.Command(o.python, filepath.Join("tools", "readers", "readers.py"), "read", file)
	if contender == "obliqua" {
		self, err := os.Executable()
		if err != nil {
			return r, err
		}
		command = exec.Command(self, "read", file)
	}
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}

// A sheet is a CSV file of runs.
type sheet struct {
	*os.File
	lines *csv.Writer
}

var columns = []string{"date", "commit", "machine", "file", "bytes", "contender", "version", "round",
	"seconds", "processor_seconds", "baseline_bytes", "peak_bytes"}

func openSheet(path string) (*sheet, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	s := &sheet{f, csv.NewWriter(f)}
	if at, err := f.Seek(0, io.SeekEnd); err != nil || at > 0 {
		return s, err
	}
	return s, s.write(columns)
}

func (s *sheet) write(line []string) error {
	s.lines.Write(line) // Error returns its error
	s.lines.Flush()
	return s.lines.Error()
}

func (s *sheet) add(commit, file, contender string, round int, r result) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	seconds := func(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
	return s.write([]string{time.Now().UTC().Format("2006-01-02T15:04Z"), commit, machine(), filepath.Base(file),
		fmt.Sprint(info.Size()), contender, r.Version, fmt.Sprint(round),
		seconds(r.Seconds), seconds(r.Processor), fmt.Sprint(r.Baseline), fmt.Sprint(r.Peak)})
}

// report writes a table of medians. It returns an error if contenders disagree about the
// contents of a file.
func report(w io.Writer, files []string, results map[string][]result) error {
	fmt.Fprintln(w, "| file | MB | ours, s | pandas, s | ours / pandas | best of each | processor, s | pandas | memory, MB | pandas |")
	fmt.Fprintln(w, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, file := range files {
		name := filepath.Base(file)
		a, b := results[name+" obliqua"], results[name+" pandas"]
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		if x, y := a[0], b[0]; x.Rows != y.Rows || x.Classes != y.Classes || math.Abs(x.Sum-y.Sum) > 1e-6*math.Abs(y.Sum) {
			return fmt.Errorf("%s: read as %+v, by pandas as %+v", name, x, y)
		}
		seconds := func(r result) float64 { return r.Seconds }
		used := func(r result) float64 { return r.Processor }
		fmt.Fprintf(w, "| %s | %.0f | %.3f | %.3f | %.2f | %.2f | %.2f | %.2f | %.0f | %.0f |\n", name, float64(info.Size())/1e6,
			median(a, seconds), median(b, seconds), median(a, seconds)/median(b, seconds), sorted(a, seconds)[0]/sorted(b, seconds)[0],
			median(a, used), median(b, used), median(a, result.memory)/1e6, median(b, result.memory)/1e6)
	}
	return nil
}

func sorted(results []result, of func(result) float64) []float64 {
	var values []float64
	for _, r := range results {
		values = append(values, of(r))
	}
	slices.Sort(values)
	return values
}

func median(results []result, of func(result) float64) float64 {
	values := sorted(results, of)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// gitCommit returns the commit, followed by + if Go files differ from it.
func gitCommit() (string, error) {
	out, err := exec.Command("git", "rev-parse", "--short=10", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("git rev-parse: %w", err)
	}
	changed, err := exec.Command("git", "status", "--porcelain", "--", "*.go").Output()
	if err != nil {
		return "", fmt.Errorf("git status: %w", err)
	}
	commit := strings.TrimSpace(string(out))
	if len(changed) > 0 {
		commit += "+"
	}
	return commit, nil
}

// machine returns the processor's name and its number of threads.
func machine() string {
	name := runtime.GOARCH
	body, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(body)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			name = strings.TrimSpace(value)
			break
		}
	}
	return fmt.Sprintf("%s, %d threads", name, runtime.NumCPU())
}
