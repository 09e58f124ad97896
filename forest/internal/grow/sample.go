package grow

import "unsafe"

// A sample is what a tree is grown from: distinct rows with how often each was
// drawn, in the order of the nodes' ranges. Workers that grow parts of one tree
// share it, each in ranges of its own.
type sample struct {
	ids     []int32   // places in the columns
	payload []uint32  // class and count; classes without weights
	drawn   []uint16  // the others: how often drawn, …
	labels  []int32   // … class,
	values  []float64 // … or value,
	weights []float64 // … and weight times how often drawn; nil without weights
}

// weight returns the weight of row i, for samples without payload.
func (s *sample) weight(i int) float64 {
	if s.weights == nil {
		return float64(s.drawn[i])
	}
	return s.weights[i]
}

// drawSample fills the sample with the rows of tree t: those that were drawn and
// have weight or, if the draw missed all that have, every row that has weight.
func (w *worker) drawSample(t int) {
	w.draw = w.params.Sampling.Counts(w.draw, w.n, t)
	m := w.sampleSize()
	if m == 0 {
		for i := range w.draw {
			w.draw[i] = 1
		}
		m = w.sampleSize()
	}
	w.resize(m)
	m = 0
	for i, c := range w.draw {
		if w.inSample(i) {
			w.addRow(m, i, c)
			m++
		}
	}
}

func (w *worker) inSample(i int) bool {
	return w.draw[i] > 0 && (w.data.weights == nil || w.data.weights[i] > 0)
}

func (w *worker) sampleSize() int {
	m := 0
	for i := range w.draw {
		if w.inSample(i) {
			m++
		}
	}
	return m
}

// resize makes room for m distinct rows in the worker's own sample.
func (w *worker) resize(m int) {
	s := &w.own
	if cap(s.ids) < m {
		n := room(m)
		*s = sample{ids: make([]int32, n)}
		if w.packed() {
			s.payload = make([]uint32, n)
		} else {
			s.drawn = make([]uint16, n)
			if w.classes > 0 {
				s.labels = make([]int32, n)
			} else {
				s.values = make([]float64, n)
			}
			if w.data.weights != nil {
				s.weights = make([]float64, n)
			}
		}
	}
	s.ids = s.ids[:m]
}

// room returns the capacity for m rows: samples differ little in size.
func room(m int) int { return m + m/64 + 64 }

// addRow makes row i of the data, drawn c times, row m of the sample.
func (w *worker) addRow(m, i int, c uint16) {
	s := &w.own
	s.ids[m] = int32(i)
	if w.rows != nil {
		s.ids[m] = w.rows[i]
	}
	if w.packed() {
		s.payload[m] = payload(w.data.labels[i], c)
		return
	}
	s.drawn[m] = c
	if w.data.weights != nil {
		s.weights[m] = float64(c) * w.data.weights[i]
	}
	if w.classes > 0 {
		s.labels[m] = w.data.labels[i]
	} else {
		s.values[m] = w.data.values[i]
	}
}

// partition moves the rows of the node whose best value is at most t to the
// front, keeping the order on both sides, and returns where the others begin.
func (w *worker) partition(t float32) int {
	s, lo, hi := w.bag, w.lo, w.hi
	values := w.best[:hi-lo]
	if w.packed() {
		return lo + dividePacked(s.ids[lo:hi], s.payload[lo:hi], w.tmp, values, t)
	}
	n := divide(s.ids[lo:hi], spare[int32](w.tmp), values, t)
	divide(s.drawn[lo:hi], spare[uint16](w.tmp), values, t)
	if w.classes > 0 {
		divide(s.labels[lo:hi], spare[int32](w.tmp), values, t)
	} else {
		divide(s.values[lo:hi], spare[float64](w.tmp), values, t)
	}
	if s.weights != nil {
		divide(s.weights[lo:hi], spare[float64](w.tmp), values, t)
	}
	return lo + n
}

// spare returns memory for keys, which nobody needs while rows are not sorted, as
// memory for something of at most their size.
func spare[T int32 | uint16 | float32 | float64](keys []key) []T {
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

// dividePacked divides ids and payload in one go.
func dividePacked(ids []int32, payload []uint32, spare []key, values []float32, t float32) int {
	ids, payload, spare = ids[:len(values)], payload[:len(values)], spare[:len(values)]
	left := 0
	for i, v := range values {
		id, p := ids[i], payload[i]
		ids[left], payload[left] = id, p
		spare[i-left] = key(uint32(id))<<32 | key(p)
		if v <= t {
			left++
		}
	}
	for i, k := range spare[:len(values)-left] {
		ids[left+i], payload[left+i] = int32(k>>32), uint32(k)
	}
	return left
}
