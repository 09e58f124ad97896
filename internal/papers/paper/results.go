package paper

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Header is the first line of a result file.
var Header = strings.Split("problem,method,x,repeat,seed,score,setting,seconds,more,commit,date", ",")

// ReadRecords reads a result file. It leaves out a last line without a line feed, whose writing was interrupted. Errors
// name the file and the line.
func ReadRecords(path string) ([]Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	whole, _ := CutTorn(data)
	return ParseRecords(path, whole)
}

// CutTorn divides a file after its last line feed.
func CutTorn(data []byte) (whole, torn []byte) {
	end := bytes.LastIndexByte(data, '\n') + 1
	return data[:end], data[end:]
}

// ParseRecords parses the contents of the result file at path.
func ParseRecords(path string, data []byte) (records []Record, err error) {
	seed := func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }
	err = parseLines(path, data, Header, func(l *Line) {
		records = append(records, Record{
			Run: Run{Problem: l.Text("problem"), Method: l.Text("method"), X: parsed(l, "x", strconv.Atoi),
				Repeat: parsed(l, "repeat", strconv.Atoi), Seed: parsed(l, "seed", seed)},
			Result: Result{Score: l.Number("score"), Setting: l.Text("setting"), Seconds: l.Number("seconds"),
				More: parsed(l, "more", parseMore)},
			Commit: l.Text("commit"), Date: l.Text("date")})
	})
	return records, err
}

// parseMore parses name=number, separated by spaces.
func parseMore(s string) (more map[string]float64, err error) {
	for field := range strings.FieldsSeq(s) {
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

// Results reads result files and printed tables, each once. Its methods return nothing of a file that isn't there or
// can't be read; Err has the first error. A result file that isn't there is no error: nothing of it has been run.
type Results struct {
	Root string // the folder of the repository
	Most int    // the most trees that forests have, of a small version; 0 of others
	Err  error

	records map[string][]Record
	printed map[string]Printed
}

// Records returns the records of an experiment's part.
func (r *Results) Records(p Part) []Record {
	if p.Read != nil {
		return p.Among(p.Read(r))
	}
	return p.Among(r.file(p.File))
}

// Means returns the means of an experiment's part.
func (r *Results) Means(p Part) Means { return MeansOf(r.Records(p)) }

// Use lets records stand for those of an experiment's file.
func (r *Results) Use(e *Experiment, records []Record) {
	r.file(e.File)
	r.records[e.File] = records
}

func (r *Results) file(name string) []Record {
	if r.records == nil {
		r.records = map[string][]Record{}
	}
	records, known := r.records[name]
	if !known {
		var err error
		records, err = ReadRecords(filepath.Join(r.Root, "docs", "results", name))
		if !errors.Is(err, fs.ErrNotExist) {
			r.fail(err)
		}
		r.records[name] = records
	}
	return records
}

// Printed returns a printed table: a CSV file in testdata.
func (r *Results) Printed(file string) Printed {
	if r.printed == nil {
		r.printed = map[string]Printed{}
	}
	table, known := r.printed[file]
	if !known {
		var err error
		table, err = ReadPrinted(filepath.Join(r.Root, "testdata", file))
		r.fail(err)
		r.printed[file] = table
	}
	return table
}

// Lines calls do for each line of a file in docs/results that isn't an experiment's.
func (r *Results) Lines(file string, do func(l *Line)) {
	r.fail(eachLine(filepath.Join(r.Root, "docs", "results", file), do))
}

// fail keeps the first error.
func (r *Results) fail(err error) {
	if r.Err == nil {
		r.Err = err
	}
}
