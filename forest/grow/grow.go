// Package grow is the engine of the forests of this library, for methods of your own. A method is a [Source] of
// candidate splits; the engine draws the samples, grows the trees in parallel, and splits each node on the best
// candidate. What it returns is a forest as any other, with out-of-bag errors, files, cards and pictures.
//
// The example is a whole method. It also runs in a cell of a notebook.
package grow

import (
	"context"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// Params are the parameters of growing a forest: the method's name for errors, trees, seed, growth, sampling.
type Params = grow.Params

// A Source draws the candidates of a node.
type Source = grow.Source

// A Node is what a source sees of the node that is being split: its rows, with their cells, labels or values, and
// weights, and the node's own random numbers.
type Node = grow.Node

// A Candidate is a split function with a rule for its threshold: [Search] or [Given].
type Candidate = grow.Candidate

// Rules for a candidate's threshold.
const (
	Search = grow.Search // the best threshold of the candidate's values is searched
	Given  = grow.Given  // it is the candidate's Threshold
)

// Forest grows a forest. source returns a new source for each goroutine. Forest returns an error where the data are
// invalid or params out of range, and ctx's error soon after ctx is cancelled.
func Forest(ctx context.Context, train *datasets.Dataset, params Params, source func() Source) (*forest.Forest, error) {
	return grow.Forest(ctx, train, params, source)
}
