// Package cluster grows forests in several processes, on this machine or on others.
//
// The trees of most forests don't depend on each other. [Fit] cuts a forest into parts, has
// them grown by workers, and joins them to the forest that learner.Fit grows, byte for byte.
//
// A worker is the program itself: its main function calls [Main] first, which takes over where
// an [Engine] has started the program as a worker, and otherwise returns.
//
//	func main() {
//		cluster.Main(sporf.Learner{})
//		…
//		model, err := cluster.Fit(ctx, cluster.Local{Workers: 4}, sporf.Learner{Trees: 5000}, train)
//	}
package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// An Engine runs the tasks of a job on workers.
type Engine interface {
	// Run has the tasks done and calls done once for each, one call at a time, in any order.
	// A task whose worker dies is given to another one, until the engine gives up. Run
	// returns the error of a task or of done, and ctx's error soon after ctx is cancelled;
	// no worker goes on with the job then.
	Run(ctx context.Context, job Job, done func(task int, answer []byte) error) error

	// Slots returns how many tasks the engine does at a time.
	Slots() int
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

// newFile names a file after its contents.
func newFile(data []byte) File {
	sum := sha256.Sum256(data)
	return File{Name: "data-" + hex.EncodeToString(sum[:]), Data: data}
}

// tasksPerSlot is how many tasks a slot gets, so that a slow one delays the job little.
const tasksPerSlot = 4

// Fit returns the forest that learner.Fit grows from train, grown by the engine's workers. The
// learner must be of a type that was given to [Main], or a [forest.Pipeline] of one. Progress
// counts trees (see [forest.WithProgress]).
//
// The first tree is grown in this process. So data that learner can't learn from, and a
// learner whose trees depend on each other (see [forest.FitPart]), are refused before anything
// is sent. Otherwise Fit returns an error where learner.Fit does, if a worker can't be
// started or dies again and again, and if its version isn't that of this program.
func Fit(ctx context.Context, e Engine, learner forest.Learner, train *datasets.Dataset) (*forest.Forest, error) {
	sent, err := encodeLearner(learner)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	first, err := forest.FitPart(forest.WithProgress(ctx, nil), learner, train, 0, 1)
	if err != nil {
		return nil, err
	}
	report := forest.Progress(ctx)
	report(1, first.Of())
	encoded, err := encodeData(train)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	data := newFile(encoded)
	job := Job{Files: []File{data}}
	tasks := split(1, first.Of(), tasksPerSlot*e.Slots())
	for _, t := range tasks {
		line, err := json.Marshal(task{Version: thisVersion(), Learner: sent, Data: data.Name, First: t.lo, After: t.hi})
		if err != nil {
			return nil, fmt.Errorf("cluster: %w", err)
		}
		job.Tasks = append(job.Tasks, string(line))
	}
	parts := make([]*forest.Part, len(tasks), len(tasks)+1)
	grown := 1
	err = e.Run(ctx, job, func(i int, answer []byte) error {
		parts[i] = new(forest.Part)
		if err := parts[i].UnmarshalBinary(answer); err != nil {
			return fmt.Errorf("cluster: trees %d … %d: %w", tasks[i].lo, tasks[i].hi-1, err)
		}
		grown += tasks[i].hi - tasks[i].lo
		report(grown, first.Of())
		return nil
	})
	if err != nil {
		return nil, err
	}
	return forest.Join(append(parts, first)...)
}

// A span is the numbers lo … hi − 1.
type span struct{ lo, hi int }

// split cuts lo … hi − 1 into at most n spans, whose lengths differ by at most one.
func split(lo, hi, n int) []span {
	n = min(n, hi-lo)
	spans := make([]span, n)
	for i := range spans {
		spans[i] = span{lo + (hi-lo)*i/n, lo + (hi-lo)*(i+1)/n}
	}
	return spans
}

// A task asks for trees First … After − 1 of a forest.
type task struct {
	Version version
	Learner sentLearner
	Data    string // the name of the file with the training data
	First   int
	After   int
}
