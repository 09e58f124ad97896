// Readers measures time and memory of reading files with this library and with pandas.
//
//	readers run     makes files of one table, reads them with both in turn, adds a line per read to a CSV file, and
//	                writes medians
//	readers read F  reads file F once and writes a line of JSON; run starts it
//	readers tables F  compares what it reads in folder F, which tables.py has filled, with what is meant
//
// Every read is a process of its own, which first reads a small file. Memory is read from Linux's /proc.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/obliqua-ml/obliqua/tools/internal/runs"
)

const script = "tools/readers/readers.py"

func main() {
	log.SetFlags(0)
	log.SetPrefix("readers: ")
	var err error
	switch args := os.Args[1:]; {
	case len(args) > 0 && args[0] == "run":
		flag.CommandLine.Parse(args[1:])
		err = run()
	case len(args) == 2 && args[0] == "read":
		err = readOnce(args[1], os.Stdout)
	case len(args) == 2 && args[0] == "tables":
		err = compareTables(args[1], os.Stdout)
	default:
		log.Fatal("usage: readers run [flags] | readers read FILE | readers tables FOLDER")
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

var (
	python = flag.String("python", "python3", "`program` that has pandas")
	folder = flag.String("folder", ".", "`folder` for the files, which are made where they are missing")
	output = flag.String("csv", "docs/results/readers.csv", "`file` to add the runs to")
	rounds = flag.Int("rounds", 5, "reads of each file by each")
	rows   = flag.Int("rows", 300_000, "rows of the table")
)

var columns = strings.Split(
	"date,commit,machine,file,bytes,contender,version,round,seconds,processor_seconds,baseline_bytes,peak_bytes", ",")

func run() error {
	commit, err := runs.Commit()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	files, err := makeFiles()
	if err != nil {
		return err
	}
	contenders := []struct {
		name    string
		command []string
	}{{"obliqua", []string{self}}, {"pandas", []string{*python, script}}}
	fmt.Println("| file | MB | ours, s | pandas, s | ours / pandas | best of each | processor, s | pandas | memory, MB " +
		"| pandas |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		var results [2][]result
		for round := range *rounds {
			for turn := range contenders {
				k := (turn + round) % len(contenders)
				c := contenders[k]
				r, err := start(append(c.command, "read", file))
				if err != nil {
					return fmt.Errorf("%s, %s: %w", c.name, file, err)
				}
				results[k] = append(results[k], r)
				err = runs.AppendCSV(*output, columns, []string{time.Now().UTC().Format("2006-01-02T15:04Z"), commit,
					runs.Machine(), filepath.Base(file), fmt.Sprint(info.Size()), c.name, r.Version, strconv.Itoa(round + 1),
					fmt.Sprintf("%.4f", r.Seconds), fmt.Sprintf("%.4f", r.Processor), fmt.Sprint(r.Baseline), fmt.Sprint(r.Peak)})
				if err != nil {
					return err
				}
			}
		}
		if err := report(os.Stdout, filepath.Base(file), info.Size(), results[0], results[1]); err != nil {
			return err
		}
	}
	return nil
}

// start reads a file in a process of its own.
func start(command []string) (r result, err error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}

// report writes a line of medians. It returns an error if the two disagree about the contents of a file.
func report(w io.Writer, name string, size int64, ours, theirs []result) error {
	if x, y := ours[0], theirs[0]; x.Rows != y.Rows || x.Classes != y.Classes ||
		math.Abs(x.Sum-y.Sum) > 1e-6*math.Abs(y.Sum) {
		return fmt.Errorf("%s: read as %+v, by pandas as %+v", name, x, y)
	}
	var seconds, processor, memory [2][]float64
	for k, results := range [][]result{ours, theirs} {
		for _, r := range results {
			seconds[k], processor[k] = append(seconds[k], r.Seconds), append(processor[k], r.Processor)
			memory[k] = append(memory[k], float64(r.Peak-r.Baseline)/1e6)
		}
	}
	a, b := runs.Median(seconds[0]), runs.Median(seconds[1])
	_, err := fmt.Fprintf(w, "| %s | %.0f | %.3f | %.3f | %.2f | %.2f | %.2f | %.2f | %.0f | %.0f |\n", name,
		float64(size)/1e6, a, b, a/b, slices.Min(seconds[0])/slices.Min(seconds[1]), runs.Median(processor[0]),
		runs.Median(processor[1]), runs.Median(memory[0]), runs.Median(memory[1]))
	return err
}
