package trial

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
	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

func formatMore(more map[string]float64) string {
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(more)) {
		fields = append(fields, name+"="+strconv.FormatFloat(more[name], 'g', 6, 64))
	}
	return strings.Join(fields, " ")
}

// formatRecord returns the cells of a record.
func formatRecord(r paper.Record) []string {
	return []string{r.Problem, r.Method, strconv.Itoa(r.X), strconv.Itoa(r.Repeat),
		strconv.FormatUint(r.Seed, 10), formatScore(r), r.Setting,
		strconv.FormatFloat(r.Seconds, 'f', 2, 64), formatMore(r.More), r.Commit, r.Date}
}

func formatScore(r paper.Record) string { return strconv.FormatFloat(r.Score, 'g', 6, 64) }

// A resultFile is a result file that this process alone changes.
type resultFile struct {
	path    string   // empty if nothing is saved
	file    *os.File // open for adding lines; nil before the first
	unlock  func() error
	records []paper.Record
	index   map[paper.Run]int // into records
	lines   int               // lines of records in the file; more than records if it has some twice
	empty   bool              // whether the file lacks even the header
	failed  error             // of a line that may have been written in part; nothing is added after it
}

// openResults locks and reads the file at path; there needn't be one. A torn last line is
// dropped and logged.
func openResults(path string, log func(string)) (_ *resultFile, err error) {
	f := &resultFile{path: path, index: map[paper.Run]int{}}
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
	whole, torn := paper.CutTorn(data)
	records, err := paper.ParseRecords(path, whole)
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
func (f *resultFile) include(path string, records []paper.Record) error {
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

func (f *resultFile) remember(r paper.Record) {
	f.index[r.Run] = len(f.records)
	f.records = append(f.records, r)
}

// find returns the record of a run.
func (f *resultFile) find(run paper.Run) (paper.Record, bool) {
	i, ok := f.index[run]
	if !ok {
		return paper.Record{}, false
	}
	return f.records[i], true
}

// add adds the record of a run that isn't in the file yet.
func (f *resultFile) add(r paper.Record) error {
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
func (f *resultFile) write(r paper.Record) (err error) {
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
		rows = slices.Insert(rows, 0, paper.Header)
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
func (f *resultFile) close(runs []paper.Run) error {
	if f.path == "" {
		return nil
	}
	return errors.Join(f.sort(runs), f.release())
}

func (f *resultFile) release() error {
	var err error
	if f.file != nil {
		err = f.file.Close()
	}
	return errors.Join(err, f.unlock())
}

func (f *resultFile) sort(runs []paper.Run) error {
	rank := map[paper.Run]int{}
	for i, run := range runs {
		rank[run] = i - len(runs) // others have 0
	}
	compare := func(a, b paper.Record) int { return cmp.Compare(rank[a.Run], rank[b.Run]) }
	if f.lines == len(f.records) && slices.IsSortedFunc(f.records, compare) {
		return nil
	}
	slices.SortStableFunc(f.records, compare)
	rows := [][]string{paper.Header}
	for _, r := range f.records {
		rows = append(rows, formatRecord(r))
	}
	return atomicfile.Write(f.path, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}
