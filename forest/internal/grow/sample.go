package grow

import (
	"unsafe"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/groups"
)

// A sample is the rows that a tree is grown on: the distinct rows, with how often each
// was drawn. Each node has a range of them; splitting a node reorders its range. Workers
// that grow subtrees of one tree share the sample, but not ranges.
type sample struct {
	ids    []int32  // indices in the columns, or in a copy of them; see cells
	packed []uint32 // class and count of draws, for packed targets

	// For other targets:
	drawn   []uint16  // how often drawn
	labels  []int32   // class, for targets of classes
	values  []float64 // value, for targets of values
	weights []float64 // weight times how often drawn; nil without weights
}

// The elements of sample.packed have the class in the upper half and the count of draws in
// the lower. They are also the lower half of a key of a packed target.
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

// total returns how often rows were drawn, all together.
func (s *sample) total() (n int) {
	for _, p := range s.packed {
		n += int(countOf(p))
	}
	for _, c := range s.drawn {
		n += int(c)
	}
	return n
}

// A sampler draws samples, one after another into the same memory.
type sampler struct {
	data   *data
	counts []uint16 // how often each row of the data is drawn
	sample sample

	// For honest trees:
	honest     bool
	leafCounts []uint16
	leaves     sample // the rows that fill the leaves; the others are in sample
}

// draw returns the sample of tree t, as [forest.Forest.SampleCounts] counts it. Of honest trees
// these are the rows that choose the splits, and the others are in s.leaves.
func (s *sampler) draw(t int, sampling forest.Sampling, seed uint64, target *Target) *sample {
	s.counts = groups.Spread(sampling.CountsOf(s.counts, target.labels, s.data.units, seed, t), s.data.groups)
	samples.KeepWeighted(s.counts, target.weights)
	if s.honest {
		s.leafCounts = Sized(s.leafCounts, len(s.counts))
		rng := forest.NewRand(seed, uint64(t), samples.Honest)
		samples.Halve(s.leafCounts, s.counts, s.data.groups, rng.Intn)
		s.fill(&s.leaves, s.leafCounts, target)
	}
	s.fill(&s.sample, s.counts, target)
	return &s.sample
}

// drawnRows returns how many counts aren't 0.
func drawnRows(counts []uint16) (m int) {
	for _, c := range counts {
		if c > 0 {
			m++
		}
	}
	return m
}

// fill makes the sample to of the rows that were drawn: their count isn't 0.
func (s *sampler) fill(to *sample, counts []uint16, target *Target) {
	to.resize(drawnRows(counts), target)
	m := 0
	ids := to.ids[:len(to.ids)+1]
	for i, c := range counts {
		ids[m] = int32(i) // overwritten if c is 0; a branch would be mispredicted often
		if c > 0 {
			m++
		}
	}
	for k, i := range to.ids {
		to.set(k, i, counts[i], target)
	}
	if s.data.rows != nil {
		for k, i := range to.ids {
			to.ids[k] = s.data.rows[i]
		}
	}
}

// set sets what is known of row i of the data, drawn c times, in row k of the sample.
func (to *sample) set(k int, i int32, c uint16, target *Target) {
	if target.packed {
		to.packed[k] = pack(target.labels[i], c)
		return
	}
	to.drawn[k] = c
	if target.weights != nil {
		to.weights[k] = float64(c) * target.weights[i]
	}
	if target.classes > 0 {
		to.labels[k] = target.labels[i]
	} else {
		to.values[k] = target.values[i]
	}
}

// resize makes the slices that the target needs m long, and the others nil.
func (s *sample) resize(m int, target *Target) {
	plain := !target.packed
	s.ids = Sized(s.ids, m+1)[:m] // fill needs the spare one
	s.packed = sizedIf(target.packed, s.packed, m)
	s.drawn = sizedIf(plain, s.drawn, m)
	s.labels = sizedIf(plain && target.classes > 0, s.labels, m)
	s.values = sizedIf(target.classes == 0, s.values, m)
	s.weights = sizedIf(plain && target.weights != nil, s.weights, m)
}

// Sized returns a slice of n arbitrary elements, in the memory of s if it suffices. New
// memory has some spare capacity, since samples differ little in size.
func Sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/64+64)
	}
	return s[:n]
}

func sizedIf[T any](needed bool, s []T, n int) []T {
	if !needed {
		return nil
	}
	return Sized(s, n)
}

// divide moves those of rows [lo, hi) whose value is at most t to the front, keeps the
// order on both sides, and returns where the others begin. spare is a buffer of at least
// hi−lo elements.
func (s *sample) divide(lo, hi int, values []float32, t float32, spare []key) int {
	if s.packed != nil {
		return lo + dividePacked(s.ids[lo:hi], s.packed[lo:hi], spare, values, t)
	}
	n := divide(s.ids[lo:hi], memoryOf[int32](spare), values, t)
	divide(s.drawn[lo:hi], memoryOf[uint16](spare), values, t)
	if s.labels != nil {
		divide(s.labels[lo:hi], memoryOf[int32](spare), values, t)
	}
	if s.values != nil {
		divide(s.values[lo:hi], memoryOf[float64](spare), values, t)
	}
	if s.weights != nil {
		divide(s.weights[lo:hi], memoryOf[float64](spare), values, t)
	}
	return lo + n
}

// memoryOf returns the memory of keys that are not in use as a slice of the same length
// with another element type.
func memoryOf[T int32 | uint16 | float32 | float64](keys []key) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(keys))), len(keys))
}

// divide moves the elements of s whose value is at most t to the front, keeps the order
// on both sides, and returns how many these are.
func divide[T any](s, spare []T, values []float32, t float32) int {
	left := 0
	for i, v := range values {
		// No branch on v: both writes happen, and one of them is overwritten.
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

// dividePacked is divide for two slices at once.
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
