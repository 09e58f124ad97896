package grow

import (
	"unsafe"

	"github.com/obliqua-ml/obliqua/forest"
)

// A sample is what a tree is grown from: distinct rows with how often each was
// drawn, in the order of the nodes' ranges. Workers that grow parts of one tree
// share it, each in ranges of its own.
type sample struct {
	ids     []int32   // places in the columns
	packed  []uint32  // class and draw count; for packed targets
	drawn   []uint16  // the others: how often drawn, …
	labels  []int32   // … class
	values  []float64 // … or value,
	weights []float64 // … and weight times how often drawn; nil without weights
}

// What sample.packed holds, and the lower half of a key of a packed target.
func pack(class int32, count uint16) uint32 { return uint32(class)<<16 | uint32(count) }
func classOf(packed uint32) uint32          { return packed >> 16 }
func countOf(packed uint32) int64           { return int64(packed & 0xffff) }

// weight returns the weight of row i, for targets that aren't packed.
func (s *sample) weight(i int) float64 {
	if s.weights == nil {
		return float64(s.drawn[i])
	}
	return s.weights[i]
}

// A sampler draws samples, one after another into the same memory.
type sampler struct {
	data   *data
	counts []uint16 // how often each row of the data is drawn
	sample sample
}

// draw returns the sample of tree t: the rows that were drawn and have weight or, if
// none of those drawn has, every row that has weight.
func (s *sampler) draw(t int, sampling forest.Sampling, seed uint64, target *Target) *sample {
	s.counts = sampling.Counts(s.counts, s.data.n, seed, t)
	m := s.rows(target)
	if m == 0 {
		for i := range s.counts {
			s.counts[i] = 1
		}
		m = s.rows(target)
	}
	s.sample.resize(m, target)
	m = 0
	for i, c := range s.counts {
		if s.has(i, target) {
			s.set(m, i, c, target)
			m++
		}
	}
	return &s.sample
}

func (s *sampler) has(i int, target *Target) bool {
	return s.counts[i] > 0 && (target.weights == nil || target.weights[i] > 0)
}

func (s *sampler) rows(target *Target) int {
	m := 0
	for i := range s.counts {
		if s.has(i, target) {
			m++
		}
	}
	return m
}

// set makes row i of the data, drawn c times, row m of the sample.
func (s *sampler) set(m, i int, c uint16, target *Target) {
	to := &s.sample
	to.ids[m] = int32(i)
	if s.data.rows != nil {
		to.ids[m] = s.data.rows[i]
	}
	if target.packed {
		to.packed[m] = pack(target.labels[i], c)
		return
	}
	to.drawn[m] = c
	if target.weights != nil {
		to.weights[m] = float64(c) * target.weights[i]
	}
	if target.classes > 0 {
		to.labels[m] = target.labels[i]
	} else {
		to.values[m] = target.values[i]
	}
}

// resize makes room for m distinct rows of a target, and nil of what it doesn't have.
func (s *sample) resize(m int, target *Target) {
	plain := !target.packed
	s.ids = sized(s.ids, m)
	s.packed = sizedIf(target.packed, s.packed, m)
	s.drawn = sizedIf(plain, s.drawn, m)
	s.labels = sizedIf(plain && target.classes > 0, s.labels, m)
	s.values = sizedIf(target.classes == 0, s.values, m)
	s.weights = sizedIf(plain && target.weights != nil, s.weights, m)
}

// sized returns s with n elements, whatever they are. New memory has some to spare,
// since samples differ little in size.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/64+64)
	}
	return s[:n]
}

func sizedIf[T any](needed bool, s []T, n int) []T {
	if !needed {
		return nil
	}
	return sized(s, n)
}

// divide moves the given rows whose value is at most t to the front, keeping the
// order on both sides, and returns where the others begin. spare has at least as many
// elements.
func (s *sample) divide(lo, hi int, values []float32, t float32, spare []key) int {
	if s.packed != nil {
		return lo + dividePacked(s.ids[lo:hi], s.packed[lo:hi], spare, values, t)
	}
	n := divide(s.ids[lo:hi], memory[int32](spare), values, t)
	divide(s.drawn[lo:hi], memory[uint16](spare), values, t)
	if s.labels != nil {
		divide(s.labels[lo:hi], memory[int32](spare), values, t)
	}
	if s.values != nil {
		divide(s.values[lo:hi], memory[float64](spare), values, t)
	}
	if s.weights != nil {
		divide(s.weights[lo:hi], memory[float64](spare), values, t)
	}
	return lo + n
}

// memory returns the memory of keys, while they are not in use, as memory for as many
// elements of at most their size.
func memory[T int32 | uint16 | float32 | float64](keys []key) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(keys))), len(keys))
}

// divide moves the elements whose value is at most t to the front, keeping the
// order on both sides, and returns how many they are.
func divide[T any](s, spare []T, values []float32, t float32) int {
	left := 0
	for i, v := range values {
		// Both writes happen, one of them is overwritten: no branch to guess.
		e := s[i]
		s[left] = e
		spare[i-left] = e
		if v <= t {
			left++
		}
	}
	copy(s[left:], spare[:len(values)-left])
	return left
}

// dividePacked divides two slices in one go.
func dividePacked(ids []int32, packed []uint32, spare []key, values []float32, t float32) int {
	ids, packed, spare = ids[:len(values)], packed[:len(values)], spare[:len(values)]
	left := 0
	for i, v := range values {
		id, p := ids[i], packed[i]
		ids[left], packed[left] = id, p
		spare[i-left] = key(uint32(id))<<32 | key(p)
		if v <= t {
			left++
		}
	}
	for i, k := range spare[:len(values)-left] {
		ids[left+i], packed[left+i] = int32(k>>32), uint32(k)
	}
	return left
}
