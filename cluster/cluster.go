// Package cluster shares work among several processes, on this machine or on others.
//
// The trees of most forests don't depend on each other. [Fit] cuts a forest into parts, which workers
// grow, and joins them to the forest that learner.Fit grows, byte for byte. [Map] shares out work of any
// other kind that a program has registered with [Handle]. Package
// github.com/obliqua-ml/obliqua/cluster/grid cross-validates and tunes in this way, package
// github.com/obliqua-ml/obliqua/cluster/tables predicts large tables.
//
// A worker is the program itself: its main function calls [Main] first, which takes over where
// an [Engine] has started the program as a worker, and otherwise returns.
//
//	func main() {
//		cluster.Main(sporf.Learner{})
//		…
//		model, err := cluster.Fit(ctx, cluster.Local{Workers: 4}, sporf.Learner{Trees: 5000}, train)
//	}
//
// # Engines
//
// [Local] starts workers on this machine. The module
// github.com/obliqua-ml/obliqua/cluster/spark has an engine that brings workers to the
// machines of an Apache Spark cluster. [Kept] makes any engine keep its answers
// in a folder, so that a program that is started again goes on from there.
//
// # What may fail
//
// Workers may die at any time: an engine gives their task to another one. What goes wrong
// inside a task would go wrong again, so it is not tried again and ends the job in the task's
// own words. A task names the versions of the protocol, of the file format and of growth, the
// processor's architecture and the hash of the worker's program; a worker that differs in one
// of them refuses. Data and answers are verified by their SHA-256.
package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// An Engine gives tasks to workers.
type Engine interface {
	// Run gives all tasks to workers and calls done once for each, one call at a time, in any order.
	// A task whose worker dies is given to another one, until the engine gives up. Run
	// returns the error of a task or of done, and ctx's error soon after ctx is cancelled;
	// no worker goes on with the job then.
	Run(ctx context.Context, job Job, done func(task int, answer []byte) error) error

	// Slots returns how many tasks the engine does at a time, at least 1.
	Slots() int

	// Program returns the path, on this machine, of the executable file that workers run.
	Program() (string, error)
}

// A Job is some tasks that don't depend on each other, and the files that they read.
type Job struct {
	Files []File
	Tasks []string // each a line that [Main] understands
}

// A File is what a job's tasks read. Workers find it by its name, which contains its hash.
type File struct {
	Name string
	Data []byte
}

// NewFile names a file after its contents.
func NewFile(data []byte) File {
	sum := sha256.Sum256(data)
	return File{Name: "data-" + hex.EncodeToString(sum[:]), Data: data}
}

// A RowEngine is an engine that can also read and write tables by itself, such as those in an
// object store that workers don't see.
type RowEngine interface {
	Engine

	// Transform sends every row of a table through a worker and writes what the workers
	// make of them: each row exactly once, also if workers die. It returns ctx's error soon
	// after ctx is cancelled.
	Transform(ctx context.Context, job RowJob) error
}

// A RowJob says how a [RowEngine] transforms a table.
//
// A worker finds the task in its [Environment], in base64. It reads rows from its standard input, a
// line each, whose cells are separated by tabs: the key and the columns. Cells of text, and the key, are base64 of
// UTF-8, other cells are numbers in decimal, or from CSV files what stands there instead; a missing cell is \N. Of each
// row it writes a line in the same form to its standard output: the key as it came, and the cells of Out.
type RowJob struct {
	Files []File
	Task  string // made by [RowTask]

	Format  string // "parquet" or "csv", whose files begin with the names of the columns
	From    string // a file, or a folder of files
	Key     string // the column that identifies a row; it is written as it is
	Columns []RowColumn

	To  string // a folder that isn't there yet, for Parquet files
	Out []RowColumn
}

// A RowColumn is a column of text or of numbers (float64).
type RowColumn struct {
	Name string
	Text bool
}
