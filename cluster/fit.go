package cluster

import (
	"context"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// tasksPerSlot is how many tasks a slot gets, so that a slow one delays the job little.
const tasksPerSlot = 4

// partBytes is about how large the answer to one task may be. Engines hold some answers in
// memory twice, as text and as bytes.
const partBytes = 16 << 20

// trees asks for trees First … After − 1 of a forest.
type trees struct {
	Learner Learner
	Data    string // the name of the file with the training data
	First   int
	After   int
}

func init() {
	Handle("trees", func(ctx context.Context, w *Worker, q trees) ([]byte, error) {
		learner, err := q.Learner.Value()
		if err != nil {
			return nil, err
		}
		train, err := w.Data(q.Data)
		if err != nil {
			return nil, err
		}
		p, err := forest.FitPart(ctx, learner, train, q.First, q.After)
		if err != nil {
			return nil, err
		}
		return p.MarshalBinary()
	})
}

// Fit returns the forest that learner.Fit grows from train, grown by the engine's workers. The
// learner must be of a type that was given to [Main], or a [forest.Pipeline] of one. Progress
// counts trees (see [forest.WithProgress]).
//
// Every worker holds all of the training data: 4 bytes a cell, and what growing takes. The
// trees are in memory once when Fit returns. The engine has a few parts of the forest in
// memory beside it, each of about 16 MiB or of one tree.
//
// The first tree is grown in this process. So data that learner can't learn from, and a
// learner whose trees depend on each other (see [forest.FitPart]), are refused before anything
// is sent. Otherwise Fit returns an error where learner.Fit does, if a worker can't be
// started or dies again and again, if its version isn't that of this program, and if its answer
// isn't the trees that it was asked for. Workers are trusted in one thing: nothing can tell whether
// they have grown their trees of other data, or with other parameters.
func Fit(ctx context.Context, e Engine, learner forest.Learner, train *datasets.Dataset) (*forest.Forest, error) {
	sent, err := EncodeLearner(learner)
	if err != nil {
		return nil, err
	}
	first, err := forest.FitPart(forest.WithProgress(ctx, nil), learner, train, 0, 1)
	if err != nil {
		return nil, err
	}
	report, grown := forest.Progress(ctx), 1
	_, _, all := first.Range()
	report(grown, all)
	size, err := first.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	data, err := DataFile(train)
	if err != nil {
		return nil, err
	}
	var questions []trees
	for _, t := range split(1, all, max(tasksPerSlot*e.Slots(), all*len(size)/partBytes)) {
		questions = append(questions, trees{sent, data.Name, t.lo, t.hi})
	}
	parts := make([]*forest.Part, len(questions), len(questions)+1)
	err = Map(ctx, e, "trees", []File{data}, questions, func(i int, answer []byte) error {
		q := questions[i]
		parts[i] = new(forest.Part)
		err := parts[i].UnmarshalBinary(answer)
		if lo, hi, of := parts[i].Range(); err == nil && (lo != q.First || hi != q.After || of != all) {
			err = fmt.Errorf("the worker sends trees %d … %d of %d; want those of %d", lo, hi-1, of, all)
		}
		if err != nil {
			return fmt.Errorf("cluster: trees %d … %d: %w", q.First, q.After-1, err)
		}
		grown += q.After - q.First
		report(grown, all)
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
