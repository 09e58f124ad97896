package forest

import (
	"context"
	"errors"
	"fmt"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest/internal/prepared"
	"github.com/obliqua-ml/obliqua/internal/device"
)

// A Grower is a [Learner] that can grow some trees of its forest, continue a forest, or be helped in other ways; see
// [Options]. The learners of this module are Growers, but for those that choose among forests, such as package
// auto's. Fit does what Grow does with the zero Options.
//
// Grow returns the forest that Fit returns, the same bytes, but trees that the options don't ask for may be empty. It
// returns an error where Fit or [Options.Begin] does, and one that wraps [ErrWhole] if only some trees are asked for
// but depend on the others.
//
// A learner that fits others passes options on only to one whose forest has the same trees as its own. A struct that
// embeds a Grower and has a Fit of its own needs a Grow of its own, too.
type Grower interface {
	Learner
	Grow(ctx context.Context, train *datasets.Dataset, o Options) (*Forest, error)
}

// Options say how a [Grower] grows its forest. Whatever they are, its trees stay the same.
type Options struct {
	// Trees First … Last − 1 are grown. A Last of 0 means all trees from First on.
	First, Last int

	// Grown is a forest of the same learner, with as many trees or fewer, and of the same data; nil means none. Its
	// trees are taken instead of being grown again. It counts as none if it has more trees, or if it was grown by another
	// method, from data of another shape, or from other samples. A learner that can't continue a forest ignores it.
	Grown *Forest

	// Prepared keeps the table in the form in which trees are grown, for the next call with the same
	// table; nil keeps nothing. The table must not change in between.
	Prepared *Prepared

	// Device does the largest steps of package graf's growth, as a gpu.Device can; nil means that the processor does all.
	// Other learners ignore it.
	Device device.Device
}

// A Prepared holds one table as learners have checked and packed it, so that several forests can be grown from it
// without doing that again. Learners of different kinds and parameters may share it, also at the same time. The zero
// value holds nothing. See [Options].
type Prepared = prepared.Data

// ErrWhole is the error of learners that can only grow all trees of a forest, when only some are asked for.
var ErrWhole = errors.New("no part of the forest can be grown by itself")

// Begin returns which trees of f a learner has to grow, first … last − 1, after copying those that Grown has. f is
// the learner's forest with all trees still empty. Growers whose trees depend only on the data, the
// parameters, the seed and the tree's number call it. It returns an error if f has no trees First … Last − 1.
func (o Options) Begin(f *Forest) (first, last int, err error) {
	last = o.Last
	if last == 0 {
		last = len(f.Trees)
	}
	if o.First < 0 || o.First >= last || last > len(f.Trees) {
		return 0, 0, fmt.Errorf("forest: a part of trees %d … %d; the forest has %d", o.First, last-1, len(f.Trees))
	}
	first = o.First
	if g := o.Grown; g != nil && len(g.Trees) <= len(f.Trees) && f.sameBut(g) {
		first = max(first, min(last, copy(f.Trees, g.Trees)))
	}
	return first, last, nil
}

// Grow has learner grow the forest that learner.Fit returns, with options. It calls learner.Grow or, if learner is no
// [Grower], learner.Fit, which grows all trees; if only some are asked for, the error then wraps [ErrWhole].
func Grow(ctx context.Context, learner Learner, train *datasets.Dataset, o Options) (*Forest, error) {
	if learner == nil {
		return nil, errors.New("forest: no learner to grow a forest")
	}
	if g, ok := learner.(Grower); ok {
		return g.Grow(ctx, train, o)
	}
	if o.First != 0 || o.Last != 0 {
		return nil, fmt.Errorf("forest: %T doesn't grow parts: %w", learner, ErrWhole)
	}
	return learner.Fit(ctx, train)
}
