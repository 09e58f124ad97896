package trial

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/obliqua-ml/obliqua/internal/papers/paper"
)

// merge adds the records of the files at paths, such as those of parts, to the file at
// into, which needn't be there yet, and puts it into the experiment's order, other
// records last. Runs that several files have are kept once. If their scores or settings
// differ, or if a file can't be read, merge returns an error that names all such runs
// and leaves the file as it was. Otherwise it returns all records of the file.
func merge(
	e *paper.Experiment, into string, paths []string, log func(line string),
) (records []paper.Record, err error) {
	f, err := openResults(into, log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.release()) }()
	var errs []error
	for _, path := range paths {
		before := len(f.records)
		part, err := paper.ReadRecords(path)
		errs = append(errs, err, f.include(path, part))
		log(fmt.Sprintf("%s: %d records, %d of them new", path, len(part), len(f.records)-before))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	runs, missing := e.Runs(), 0
	for _, run := range runs {
		if _, ok := f.find(run); !ok {
			missing++
		}
	}
	log(fmt.Sprintf("%s: %d of %d runs are done", e.Name, len(runs)-missing, len(runs)))
	return f.records, f.sort(runs)
}

// mergeFolder merges the files that a folder has of experiments and of their parts into those in the folder of our
// results. It returns all errors; a file of ours that one is about stays as it was.
func mergeFolder(studies []Study, folder, results string, log func(line string)) error {
	found := 0
	var errs []error
	for _, s := range studies {
		var paths []string
		name := strings.TrimSuffix(s.File, ".csv")
		for _, pattern := range []string{name + ".csv", name + "-part-*-of-*.csv"} {
			matches, err := filepath.Glob(filepath.Join(folder, pattern))
			if err != nil {
				return err
			}
			paths = append(paths, matches...)
		}
		if found += len(paths); len(paths) > 0 {
			_, err := merge(s.Experiment, filepath.Join(results, s.File), paths, log)
			errs = append(errs, err)
		}
	}
	if found == 0 {
		return fmt.Errorf("run: the folder %s has no results", folder)
	}
	return errors.Join(errs...)
}
