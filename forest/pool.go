package forest

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// A Pool holds the split functions that the nodes of a tree refer to by number
// ([Node.Split]). Several nodes may refer to one function. An Axis isn't stored: its
// number is the feature's, so an axis-aligned tree has an empty pool.
//
// The zero value is empty.
type Pool struct {
	functions []stored
	features  []int32   // of the functions; consecutive ones may share a list
	numbers   []float32 // of each function but Sets: Weights, Centre, Q or Factors, Bias, Positive
	sets      []uint32  // of each Set: Categories
}

// A stored is a function in the pool, 12 bytes.
type stored struct {
	// Shape is the kind in the upper bits and the number of features in the lower ones; a LowRank's rank is between them.
	// Instead of the number of features, which is 1, a Set has that of its words, plus setMissingLeft.
	Shape    uint32
	Features int32 // where its features begin
	Numbers  int32 // where its numbers begin; a Set's words
}

// Split numbers from firstStored on refer to functions of the pool; smaller ones are
// features, plus missingLeft if a missing cell goes left.
const (
	firstStored = 1 << 30
	missingLeft = 1 << 29
	kindShift   = 28
	rankShift   = 14
	sizeMask    = 1<<kindShift - 1

	setMissingLeft = 1 << 27
)

func (s stored) kind() Kind { return Kind(s.Shape >> kindShift) }

// size returns the number of features.
func (s stored) size() int {
	switch s.kind() {
	case LowRank:
		return int(s.Shape & MaxLowRank)
	case Set:
		return 1
	}
	return int(s.Shape & sizeMask)
}

// words returns the length of a Set's Categories.
func (s stored) words() int { return int(s.Shape & (setMissingLeft - 1)) }

// rank returns the number of squares of a LowRank.
func (s stored) rank() int { return int(s.Shape & sizeMask >> rankShift) }

// length returns how many numbers the function has.
func (s stored) length() int {
	k := s.size()
	switch s.kind() {
	case Quadratic:
		return k + k*(k+1)/2 + 1
	case LowRank:
		return 2*k + s.rank()*k + 2
	case Set:
		return 0
	}
	return k
}

// shape returns the Shape of fn. It panics if fn is a LowRank whose lengths don't fit
// together or are too large.
func (fn *Function) shape() uint32 {
	shape, k := uint32(fn.Kind)<<kindShift, len(fn.Weights)
	switch fn.Kind {
	case LowRank:
		fn.checkSquares()
		shape |= uint32(fn.rank()) << rankShift
	case Set:
		if k = len(fn.Categories); fn.MissingLeft {
			shape |= setMissingLeft
		}
	}
	return shape | uint32(k)
}

// Len returns how many functions are stored.
func (s *Pool) Len() int { return len(s.functions) }

// Coefficients returns how many numbers (weights, entries of Q and Factors, biases, words of sets, …) the
// stored functions have. A tree can have at most 2³¹ − 1.
func (s *Pool) Coefficients() int { return len(s.numbers) + len(s.sets) }

// reset removes all functions and keeps the memory for new ones.
func (s *Pool) reset() {
	s.functions, s.features, s.numbers, s.sets = s.functions[:0], s.features[:0], s.numbers[:0], s.sets[:0]
}

// trimmed returns a copy without spare capacity.
func (s *Pool) trimmed() Pool {
	return Pool{functions: trimmed(s.functions), features: trimmed(s.features), numbers: trimmed(s.numbers),
		sets: trimmed(s.sets)}
}

func trimmed[T any](s []T) []T { return append([]T(nil), s...) }

// Add stores a copy of fn and returns its number, for [Node.Split]. An Axis isn't
// stored. It panics if fn is a LowRank whose slices don't fit together, or with more than
// [MaxLowRank] features or squares.
func (s *Pool) Add(fn Function) (split int32) {
	if fn.Kind == Axis {
		if fn.MissingLeft {
			return fn.Features[0] | missingLeft
		}
		return fn.Features[0]
	}
	e := stored{Shape: fn.shape(), Numbers: int32(len(s.numbers))}
	if fn.Kind != Dense {
		e.Features = s.addFeatures(fn.Features)
	}
	if fn.Kind == Set {
		e.Numbers = int32(len(s.sets))
		s.sets = append(grown(s.sets, len(fn.Categories)), fn.Categories...)
		fn.Weights = nil // aren't stored
	}
	s.functions = append(grown(s.functions, 1), e)
	s.numbers = append(grown(s.numbers, e.length()), fn.Weights...)
	switch fn.Kind {
	case Quadratic:
		s.numbers = append(append(s.numbers, fn.Q...), fn.Bias)
	case LowRank:
		s.numbers = append(append(append(s.numbers, fn.Centre...), fn.Factors...), fn.Bias, float32(fn.Positive))
	}
	return int32(firstStored + len(s.functions) - 1)
}

// addFeatures returns where the list begins. If it equals the last stored one, that one
// is used.
func (s *Pool) addFeatures(list []int32) int32 {
	if last, ok := s.lastList(len(s.functions)); ok && slices.Equal(s.features[last:], list) {
		return last
	}
	s.features = append(grown(s.features, len(list)), list...)
	return int32(len(s.features) - len(list))
}

// lastList returns where the last list of the first k functions begins.
func (s *Pool) lastList(k int) (at int32, ok bool) {
	for k--; k >= 0; k-- {
		if e := s.functions[k]; e.kind() != Dense {
			return e.Features, true
		}
	}
	return 0, false
}

// grown returns s with capacity for n more elements. It doubles the capacity, where
// append would grow a large slice in smaller steps and leave more garbage.
func grown[T any](s []T, n int) []T {
	if cap(s)-len(s) < n {
		return slices.Grow(s, max(n, len(s)))
	}
	return s
}

// At returns the function with the given number. Its slices are the pool's memory; At
// doesn't allocate.
func (s *Pool) At(split int32) Function {
	if split < firstStored {
		j := split &^ missingLeft
		return Function{Kind: Axis, Features: upTo(int(j) + 1)[j:], Weights: unitWeight[:], MissingLeft: split != j}
	}
	e := s.functions[split-firstStored]
	if e.kind() == Set {
		words := s.sets[e.Numbers:][:e.words():e.words()]
		return Function{Kind: Set, Features: s.list(e), Weights: unitWeight[:], Categories: words,
			MissingLeft: e.Shape&setMissingLeft != 0}
	}
	k := e.size()
	numbers := s.numbers[e.Numbers:][:e.length()]
	fn := Function{Kind: e.kind(), Features: s.list(e), Weights: numbers[:k:k]}
	switch end := len(numbers) - 1; fn.Kind {
	case Quadratic:
		fn.Q, fn.Bias = numbers[k:end:end], numbers[end]
	case LowRank:
		fn.Centre, fn.Factors = numbers[k:2*k:2*k], numbers[2*k:end-1:end-1]
		fn.Bias, fn.Positive = numbers[end-1], int(numbers[end])
	}
	return fn
}

// All iterates over the stored functions with their numbers, in the order in which they
// were added.
func (s *Pool) All() iter.Seq2[int32, Function] {
	return func(yield func(int32, Function) bool) {
		for k := range s.functions {
			if split := int32(firstStored + k); !yield(split, s.At(split)) {
				return
			}
		}
	}
}

// Place returns the index of the function with the given number among the stored ones,
// in the order in which they were added. stored is false for a single feature.
func (s *Pool) Place(split int32) (k int, stored bool) {
	return int(split) - firstStored, split >= firstStored
}

// list returns the features of a stored function.
func (s *Pool) list(e stored) []int32 {
	k := e.size()
	if e.kind() == Dense {
		return upTo(k)
	}
	return s.features[e.Features:][:k:k]
}

var (
	unitWeight = [1]float32{1}         // of an Axis or a Set
	ascending  atomic.Pointer[[]int32] // 0, 1, …; grows when upTo needs more
)

// upTo returns 0 … n−1. The slice is shared and must not be changed.
func upTo(n int) []int32 {
	last := ascending.Load()
	for last == nil || len(*last) < n {
		all := make([]int32, max(64, 2*n))
		for j := range all {
			all[j] = int32(j)
		}
		ascending.CompareAndSwap(last, &all) // fails if another goroutine was faster
		last = ascending.Load()
	}
	return (*last)[:n:n]
}

// slot returns the index of a split number in a table that has first the p features and
// then the functions of a pool.
func slot(split int32, p int) int {
	if split < firstStored {
		return int(split &^ missingLeft)
	}
	return p + int(split-firstStored)
}

// splitAt is the inverse of [slot].
func splitAt(slot, p int) int32 {
	if slot < p {
		return int32(slot)
	}
	return int32(firstStored + slot - p)
}

// axis returns the block's cells of a single feature, as a split with this number sees them.
func (w *walker) axis(split int32) []float32 {
	if split&missingLeft != 0 {
		split = split&^missingLeft + w.lowest
	}
	return w.column(split)
}

// divide writes the rows of in that go left at node n to the front of out and the others
// to its end, and returns how many go left.
func (w *walker) divide(t *Tree, n *Node, in, out []uint16) int {
	if n.Split < firstStored {
		return kernel.Divide1(in, out, w.axis(n.Split), n.Value)
	}
	s := &t.Splits
	e := s.functions[n.Split-firstStored]
	if e.kind().Linear() {
		return w.divideLinear(in, out, s.list(e), s.numbers[e.Numbers:], n.Value)
	}
	var values []float32
	switch fn := s.At(n.Split); fn.Kind {
	case Quadratic:
		values = w.quadratic(&fn, in)
	case LowRank:
		values = w.lowRank(&fn, in)
	case Set:
		values = w.set(&fn, in)
	}
	return kernel.DivideValues(in, out, values, n.Value)
}

// axisAligned reports whether all splits of the tree are single features.
func (t *Tree) axisAligned() bool { return len(t.Splits.functions) == 0 }

// validSplit reports whether a node may have the split number, in a tree over p features
// with the given number of stored functions.
func validSplit(split int32, p, functions int) bool {
	return split >= 0 && slot(split, p) < p+functions && (split >= firstStored || int(split&^missingLeft) < p)
}

// validate checks that every function can be computed on rows of p features. Functions
// must not share numbers, so that the time is linear in the size of the pool.
func (s *Pool) validate(p int) error {
	if len(s.functions) > firstStored || len(s.numbers) > math.MaxInt32 || len(s.features) > math.MaxInt32 {
		return fmt.Errorf("%d split functions of %d numbers; want at most %d of %d", len(s.functions), len(s.numbers),
			firstStored, math.MaxInt32)
	}
	// ends of the feature lists, numbers and words so far; the function of the last list (kind Axis: none yet)
	lists, end, words, last := 0, 0, 0, stored{}
	for k, e := range s.functions {
		size := e.size()
		begin, length, held := &end, e.length(), len(s.numbers)
		if e.kind() == Set {
			begin, length, held = &words, e.words(), len(s.sets)
		}
		switch {
		case e.kind() == Axis || e.kind() >= kinds:
			return fmt.Errorf("split function %d is of kind %d; want %d to %d", k, e.kind(), Sparse, kinds-1)
		case int(e.Numbers) != *begin || length > held-*begin:
			return fmt.Errorf("the numbers of split function %d begin at %d and are %d; want them to begin at %d, and there "+
				"are %d",
				k, e.Numbers, length, *begin, held)
		case e.kind() == Dense && (size > p || e.Features != 0):
			return fmt.Errorf("split function %d combines the first %d of %d features", k, size, p)
		}
		*begin += length
		if err := e.checkPositive(s.numbers[:end]); err != nil {
			return fmt.Errorf("split function %d %w", k, err)
		}
		if e.kind() == Dense || last.kind() != Axis && e.Features == last.Features && size == last.size() {
			continue
		}
		if int(e.Features) != lists || size > len(s.features)-lists {
			return fmt.Errorf("the features of split function %d begin at %d and are %d; want them to begin at %d, and there "+
				"are %d",
				k, e.Features, size, lists, len(s.features))
		}
		lists += size
		last = e
		if err := checkFeatures(s.list(e), p); err != nil {
			return fmt.Errorf("split function %d %w", k, err)
		}
	}
	if lists != len(s.features) || end != len(s.numbers) {
		return fmt.Errorf("split functions end at feature %d and number %d; there are %d and %d", lists, end, len(s.features),
			len(s.numbers))
	}
	if words != len(s.sets) {
		return fmt.Errorf("sets end at word %d; there are %d", words, len(s.sets))
	}
	for i, w := range s.numbers {
		if !finite(w) {
			return fmt.Errorf("number %d of the split functions is %v; want a finite one", i, w)
		}
	}
	return nil
}

// checkFeatures returns an error unless the features are ascending and below p.
func checkFeatures(features []int32, p int) error {
	last := int32(-1)
	for _, j := range features {
		if j <= last || int64(j) >= int64(p) {
			return fmt.Errorf("has feature %d after %d; want ascending below %d", j, last, p)
		}
		last = j
	}
	return nil
}
