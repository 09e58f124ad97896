package grow

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// A Spec holds the settings of a single tree. Several trees may share one.
type Spec struct {
	// Source returns a new source of candidates. Each worker that grows a part of the tree
	// calls it once, and again only if it has grown a tree of another Spec in between.
	Source func() Source

	Sampling *forest.Sampling // nil means that of Params
	Seed     *uint64          // nodes draw as in tree 0 with this seed; nil means the tree's number and Params' seed

	// Functions, unless nil, take the place of the features: the tree is grown on their
	// values, which are computed once for each of its rows, and candidates combine those.
	// Candidates must be single ones. The tree's splits are then functions of the features,
	// and it stores each only once.
	Functions []forest.Function

	memory *FeatureMemory // records the tree's splits; nil for none
}

// An origin is what all parts of one tree are grown from.
type origin struct {
	spec   *Spec
	data   *data // the engine's, or the values of the Spec's Functions
	target *Target
	sample *sample
}

// sampling returns the sampling of a tree.
func (e *Engine) sampling(spec *Spec) (forest.Sampling, error) {
	if spec.Sampling == nil {
		return e.params.Sampling, nil
	}
	return *spec.Sampling, spec.Sampling.Check()
}

// A Target is what trees learn to predict: the class or value of each row, and its
// weight.
type Target struct {
	classes int       // 0 for values
	labels  []int32   // of classes
	values  []float64 // of values
	weights []float64 // nil if every row weighs 1

	packed  bool // whether a row is its class and count of draws only (no weights), which fit in 32 bits
	entropy bool // whether impurity is entropy
	narrows bool // whether bounds can rule out bins or candidates without sorting

	// xlogx[k] is k·ln k for every count that can occur; nil unless the impurity is
	// entropy and rows have no weights.
	xlogx []float64

	// scan searches the boundaries between sorted keys for a better cut than best. If there is one, it writes it there
	// and returns true. before counts the node's rows below the first key, as bins.below does; with other than two
	// classes there are none.
	scan func(s *searcher, keys []key, before uint64, best *bestCut) bool
}

// xlogx returns k·ln k for k from 0 to largest + 1.
func xlogx(largest int) []float64 {
	table := make([]float64, largest+2)
	for k := 2; k < len(table); k++ {
		table[k] = float64(k) * portable.Log(float64(k))
	}
	return table
}

// covering returns the target for a sample of so many rows. They are more than the data have if large groups are drawn
// several times.
func (t *Target) covering(drawn int) *Target {
	if t.xlogx == nil || drawn < len(t.xlogx) {
		return t
	}
	larger := *t
	larger.xlogx = xlogx(drawn)
	return &larger
}

// prepare sets the fields that follow from classes, values, weights and the criterion.
func (t *Target) prepare(params Params) {
	t.entropy = t.classes > 0 && params.Growth.Criterion == forest.Entropy
	t.packed = t.classes > 0 && t.classes <= math.MaxUint16 && t.weights == nil
	if t.entropy && t.weights == nil && t.xlogx == nil {
		t.xlogx = xlogx(len(t.labels))
	}
	t.narrows = t.classes == 0 || t.packed && (t.classes == 2 || !t.entropy)
	switch {
	case t.classes == 0:
		t.scan = (*searcher).scanValues
	case !t.packed:
		t.scan = (*searcher).scanWeighted
	case t.entropy && t.classes == 2:
		t.scan = (*searcher).scanEntropy2
	case t.entropy:
		t.scan = (*searcher).scanEntropy
	case t.classes == 2:
		t.scan = (*searcher).scanGini2
	default:
		t.scan = (*searcher).scanGini
	}
}
