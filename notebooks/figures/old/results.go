package old

import (
	"bytes"
	"cmp"
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

	"github.com/obliqua-ml/obliqua/internal/atomicfile"
	"github.com/obliqua-ml/obliqua/internal/filelock"
)

var header = strings.Split("problem,method,x,repeat,seed,score,setting,seconds,more,commit,date", ",")

// readRecords reads a result file. It leaves out a last line without a line feed: such a
// line is being written, or its writing was interrupted. Errors name the file and the line;
// it is one if the columns aren't those of a result file.
func readRecords(path string) ([]Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	whole, _ := cutTorn(data)
	return parseRecords(path, whole)
}

// cutTorn divides a file after its last line feed.
func cutTorn(data []byte) (whole, torn []byte) {
	end := bytes.LastIndexByte(data, '\n') + 1
	return data[:end], data[end:]
}

// parseRecords parses the contents of a result file.
func parseRecords(path string, data []byte) (records []Record, err error) {
	seed := func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }
	err = parseLines(path, data, header, func(l *publishedLine) {
		records = append(records, Record{
			Run: Run{Problem: l.text("problem"), Method: l.text("method"), X: parsed(l, "x", strconv.Atoi),
				Repeat: parsed(l, "repeat", strconv.Atoi), Seed: parsed(l, "seed", seed)},
			Result: Result{Score: l.number("score"), Setting: l.text("setting"), Seconds: l.number("seconds"),
				More: parsed(l, "more", parseMore)},
			Commit: l.text("commit"), Date: l.text("date")})
	})
	return records, err
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

// formatRecord returns the cells of a record.
func formatRecord(r Record) []string {
	return []string{r.Problem, r.Method, strconv.Itoa(r.X), strconv.Itoa(r.Repeat),
		strconv.FormatUint(r.Seed, 10), formatScore(r), r.Setting,
		strconv.FormatFloat(r.Seconds, 'f', 2, 64), formatMore(r.More), r.Commit, r.Date}
}

func formatScore(r Record) string { return strconv.FormatFloat(r.Score, 'g', 6, 64) }

// A resultFile is a result file that this process alone changes.
type resultFile struct {
	path    string   // empty if nothing is saved
	file    *os.File // open for adding lines; nil before the first
	unlock  func() error
	records []Record
	index   map[identity]int // into records
	lines   int              // lines of records in the file; more than records if it has some twice
	empty   bool             // whether the file lacks even the header
	failed  error            // of a line that may have been written in part; nothing is added after it
}

// openResults locks and reads the file at path; there needn't be one. A torn last line is
// dropped and logged.
func openResults(path string, log func(string)) (_ *resultFile, err error) {
	f := &resultFile{path: path, index: map[identity]int{}}
	if path == "" {
		return f, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	if f.unlock, err = filelock.Lock(path+".lock", path); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.release()
		}
	}()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole, torn := cutTorn(data)
	records, err := parseRecords(path, whole)
	if err != nil {
		return nil, err
	}
	f.lines, f.empty = len(records), len(whole) == 0
	if err := f.include(path, records); err != nil {
		return nil, err
	}
	if len(torn) > 0 {
		log(fmt.Sprintf("%s: dropped the last line, whose writing was interrupted: %q", path, torn))
		return f, os.Truncate(path, int64(len(whole)))
	}
	return f, nil
}

// include adds records that were read from the file at path. A run that is there already
// is left out if score and setting are the same. Otherwise include returns an error that
// names all such runs.
func (f *resultFile) include(path string, records []Record) error {
	var conflicts []error
	for _, r := range records {
		known, ok := f.find(r.Run)
		switch {
		case !ok:
			f.remember(r)
		case formatScore(known) != formatScore(r) || known.Setting != r.Setting:
			conflicts = append(conflicts, fmt.Errorf("%s: %v has score %s (%s); the same run had score %s (%s)",
				path, r.Run, formatScore(r), r.Setting, formatScore(known), known.Setting))
		}
	}
	return errors.Join(conflicts...)
}

func (f *resultFile) remember(r Record) {
	f.index[r.identity()] = len(f.records)
	f.records = append(f.records, r)
}

// find returns the record of a run.
func (f *resultFile) find(run Run) (Record, bool) {
	i, ok := f.index[run.identity()]
	if !ok {
		return Record{}, false
	}
	return f.records[i], true
}

// add adds the record of a run that isn't in the file yet.
func (f *resultFile) add(r Record) error {
	if f.failed == nil && f.path != "" {
		f.failed = f.write(r)
		f.lines++
	}
	if f.failed != nil {
		return f.failed
	}
	f.remember(r)
	return nil
}

// write adds a line, after the header if that is missing, in one call, and waits until it
// is on the disk.
func (f *resultFile) write(r Record) (err error) {
	rows := [][]string{formatRecord(r)}
	if strings.ContainsAny(strings.Join(rows[0], ""), "\r\n") {
		return fmt.Errorf("%s: %q has a line break", f.path, rows[0])
	}
	if f.file == nil {
		if f.file, err = os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err != nil {
			return err
		}
	}
	if f.empty {
		rows = slices.Insert(rows, 0, header)
	}
	var lines bytes.Buffer
	if err := csv.NewWriter(&lines).WriteAll(rows); err != nil {
		return err
	}
	if _, err := f.file.Write(lines.Bytes()); err != nil {
		return err
	}
	f.empty = false
	return f.file.Sync()
}

// close replaces the file by one in the experiment's order, other records last, unless it
// is in that order, and unlocks it.
func (f *resultFile) close(e Experiment) error {
	if f.path == "" {
		return nil
	}
	return errors.Join(f.sort(e), f.release())
}

func (f *resultFile) release() error {
	var err error
	if f.file != nil {
		err = f.file.Close()
	}
	return errors.Join(err, f.unlock())
}

func (f *resultFile) sort(e Experiment) error {
	rank := map[identity]int{}
	for i, run := range e.Runs {
		rank[run.identity()] = i - len(e.Runs) // others have 0
	}
	compare := func(a, b Record) int { return cmp.Compare(rank[a.identity()], rank[b.identity()]) }
	if f.lines == len(f.records) && slices.IsSortedFunc(f.records, compare) {
		return nil
	}
	slices.SortStableFunc(f.records, compare)
	rows := [][]string{header}
	for _, r := range f.records {
		rows = append(rows, formatRecord(r))
	}
	return atomicfile.Write(f.path, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}

// merge adds the records of the files at paths, such as those of parts, to the file at
// into, which needn't be there yet, and puts it into the experiment's order, other
// records last. Runs that several files have are kept once. If their scores or settings
// differ, or if a file can't be read, merge returns an error that names all such runs
// and leaves the file as it was. Otherwise it returns all records of the file.
func (e Experiment) merge(into string, paths []string, log func(line string)) (records []Record, err error) {
	f, err := openResults(into, log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.release()) }()
	var errs []error
	for _, path := range paths {
		before := len(f.records)
		part, err := readRecords(path)
		errs = append(errs, err, f.include(path, part))
		log(fmt.Sprintf("%s: %d records, %d of them new", path, len(part), len(f.records)-before))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	missing := 0
	for _, run := range e.Runs {
		if _, ok := f.find(run); !ok {
			missing++
		}
	}
	log(fmt.Sprintf("%s: %d of %d runs are done", e.Name, len(e.Runs)-missing, len(e.Runs)))
	return f.records, f.sort(e)
}

// mergeFolder merges the files that a folder has of registered experiments and of their parts into those in the folder
// of our results. It returns all errors; a file of ours that one is about stays as it was.
func mergeFolder(folder, results string, paper bool, log func(line string)) error {
	found := 0
	var errs []error
	for _, name := range names() {
		e, err := named(name, paper)
		if err != nil {
			return err
		}
		into := filepath.Join(results, e.Name+".csv")
		var paths []string
		for _, pattern := range []string{e.Name + ".csv", e.Name + "-part-*-of-*.csv"} {
			matches, err := filepath.Glob(filepath.Join(folder, pattern))
			if err != nil {
				return err
			}
			paths = append(paths, matches...)
		}
		if found += len(paths); len(paths) > 0 {
			_, err := e.merge(into, paths, log)
			errs = append(errs, err)
		}
	}
	if found == 0 {
		return fmt.Errorf("run: the folder %s has no results", folder)
	}
	return errors.Join(errs...)
}
