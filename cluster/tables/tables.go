// Package tables predicts tables that are larger than the memory of one machine. The workers of package cluster do
// the work.
//
// # Predicting
//
// [Predict] reads a Parquet or CSV file, or a folder of such files, and writes a folder of
// Parquet files with a row for each row of the input:
//
//	result, err := tables.Predict(ctx, cluster.Local{}, model, "in", "out", "id", tables.Options{})
//
// A program that is killed and started again goes on where it stopped. Cells that can't be read
// or predicted fail their row, not the job. No process has more than some thousand rows of a
// table in memory.
//
// # Programs
//
// A program that calls these functions is its own worker, so its main function begins with
// [cluster.Main]. Another program can be the worker if it imports this package, too; the command
// obliqua-worker doesn't, because arrow-go would make it 23 MB larger.
package tables

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/obliqua-ml/obliqua/cluster"
	"github.com/obliqua-ml/obliqua/forest"
)

// Options say what [Predict] writes, and where tables are read.
type Options struct {
	// Probabilities adds a column for each class. Finding them takes as long again as
	// finding the labels.
	Probabilities bool

	// ByEngine has the engine, which must be a [cluster.RowEngine], read and write the
	// tables by itself, and the workers see only rows. Predict also does so if from or to
	// is a URL.
	ByEngine bool

	// CSV says that a table which the engine reads by itself is of CSV files. Otherwise it is
	// of Parquet files, unless from ends in ".csv" or ".csv.gz".
	CSV bool
}

// A Result says what [Predict] did. Where the engine reads tables by itself, nothing is known,
// and Rows and Failed are −1.
type Result struct {
	Rows   int64  // in all files
	Failed int64  // those that have an error instead of a prediction
	First  string // the first of these errors, with file and row
	Files  int    // written, also by an earlier call
}

// Predict predicts the rows of a table and writes the predictions to the folder to, which is
// made if it isn't there. The paths must mean the same to this program and to all workers.
//
// # Input
//
// from is a file or a folder of files, read in the order of their names: Parquet files
// (".parquet"), and CSV files (".csv", ".csv.gz") that begin with the names of their columns.
// Names that begin with a dot or an underscore are ignored, all others an error. CSV files have
// commas between cells, and numbers with a decimal point and nothing else: the other notations
// that [datasets.CSV] finds in a column, such as 7 % and dates, fail their row. The table needs
// the columns of model.Schema, which are found by their names, and the key; others are ignored.
// Infinite numbers fail their row.
//
// # Output
//
// The files part-000000.parquet, … have the rows in the order of the input, with the columns
//
//	(key)            as it came, of the type that Parquet has for it; text if it came from CSV
//	prediction       text for classes, a float64 for values
//	probability_X    float64: of class X, if o.Probabilities is set
//	error            text; null unless the row can't be predicted
//
// Predictions are those of [forest.Forest.Predict], Proba and PredictValues, bit for bit. A row
// can't be predicted if a cell is missing that the model needs, isn't a number where the model
// wants one, or is a category that its steps refuse, or if a line of CSV has another number of
// cells than the first (its key is what stands in the key's place). Then prediction and
// probabilities are null, and error names the column and the cell.
//
// The key is copied, not understood: keys that are missing stay null (in CSV, empty), and a
// key that two rows have is in the output twice.
//
// # Shards
//
// Tasks, and output files, are of about 260,000 rows; of fewer if there are very many columns.
// Row groups of Parquet files aren't cut if they are smaller. CSV files of more than 32 MB are
// read once before, to be cut, but those that are gzipped are not cut. Output files don't depend
// on the engine, but for one whose name doesn't matter: _obliqua.json, which names the model, the
// input files with their sizes and times, and the shards.
//
// If the folder to has that file, Predict goes on: it writes only the files that aren't there,
// and the Result is that of all. It returns an error if model, input or options have changed, and
// if the folder has anything else in it, or if another program writes to it. (On Windows, and in
// file systems without locks, nothing keeps two programs from that.)
//
// # Errors
//
// Predict returns an error, which names the file, if one is damaged, lacks a column, or has text where the model wants
// numbers; if a column of CSV has decimal commas and points that mark thousands; if keys of different files have
// different types; if an input changes; if this program doesn't see what the workers wrote; where the engine does; and
// ctx's error soon after ctx is cancelled. Progress (see [forest.WithProgress]) counts shards.
//
// # Tables that only the engine sees
//
// With a [cluster.RowEngine] that reads and writes the tables by itself, the columns of the output
// are the same, and the engine decides on names and number of its files, and on the order of rows.
// What is said above of shards and of going on doesn't apply. Numbers of Parquet files come as
// float64, so whole numbers above 2⁵³ and decimal numbers are rounded twice.
func Predict(ctx context.Context, e cluster.Engine, model *forest.Forest, from, to, key string, o Options) (
	Result, error) {
	j, err := newJob(model, key, o)
	if err != nil {
		return Result{}, err
	}
	if o.ByEngine || strings.Contains(from, "://") || strings.Contains(to, "://") {
		return Result{-1, -1, "", 0}, j.byEngine(ctx, e, from, to)
	}
	if from, err = filepath.Abs(from); err != nil {
		return Result{}, fmt.Errorf("tables: %w", err)
	}
	if to, err = filepath.Abs(to); err != nil {
		return Result{}, fmt.Errorf("tables: %w", err)
	}
	inputs, err := list(from)
	if err != nil {
		return Result{}, err
	}
	unlock, err := lock(to)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	f, err := j.open(ctx, e, inputs, to)
	if err != nil {
		return Result{}, err
	}
	return j.run(ctx, e, f)
}

// A job is a call of Predict.
type job struct {
	model   *forest.Forest
	file    cluster.File // the model
	key     string
	options Options
}

func newJob(model *forest.Forest, key string, o Options) (*job, error) {
	b, err := model.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	for _, c := range outputs(model, o.Probabilities) {
		if c.Name == key {
			return nil, fmt.Errorf("tables: the key is called %q, as a column of the output is", key)
		}
	}
	return &job{model, cluster.NewFile(b), key, o}, nil
}

// columns returns the columns that the model wants.
func (j *job) columns() []cluster.RowColumn {
	var columns []cluster.RowColumn
	for _, f := range j.model.Schema().Features {
		columns = append(columns, cluster.RowColumn{Name: f.Name, Text: f.Categories != nil})
	}
	return columns
}

// outputs returns the columns that are written after the key.
func outputs(model *forest.Forest, probabilities bool) []cluster.RowColumn {
	columns := []cluster.RowColumn{{Name: "prediction", Text: !model.Regression()}}
	if probabilities {
		for _, class := range model.Classes {
			columns = append(columns, cluster.RowColumn{Name: "probability_" + class})
		}
	}
	return append(columns, cluster.RowColumn{Name: "error", Text: true})
}

// run has the shards predicted that aren't there.
func (j *job) run(ctx context.Context, e cluster.Engine, f *folder) (Result, error) {
	var result Result
	var todo []shardTask
	done := make([]*summary, len(f.parts))
	for i, task := range f.parts {
		s, err := f.written(i)
		if err != nil {
			return result, err
		}
		if done[i] = s; s == nil {
			todo = append(todo, task)
		}
	}
	report := forest.Progress(ctx)
	count := len(done) - len(todo)
	report(count, len(done))
	err := cluster.Map(ctx, e, "tables.predict", []cluster.File{j.file}, todo, func(i int, s summary) error {
		done[todo[i].Part] = &s
		count++
		report(count, len(done))
		return nil
	})
	if err != nil {
		return result, err
	}
	if err := f.complete(); err != nil {
		return result, err
	}
	for _, s := range done {
		result.Rows += s.Rows
		result.Failed += s.Failed
		if result.First == "" {
			result.First = s.First
		}
	}
	result.Files = len(done)
	return result, nil
}
