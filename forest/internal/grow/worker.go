package grow

import (
	"math"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/forest"
)

// A worker grows one tree after another. It owns all memory that growing needs
// but the tree's own; the node loop allocates nothing else.
type worker struct {
	*data
	params     Params
	minSplit   int64
	minLeaf    int64
	directions Directions
	cancelled  *atomic.Bool
	scan       func(keys []key, best *cut) bool

	// The tree's sample: distinct rows with how often each was drawn, in the
	// order of the nodes' ranges.
	draw    []uint16  // by data set row
	sample  []int32   // row of the columns
	payload []uint32  // class and count; classes without weights
	drawn   []uint16  // the others: how often drawn, …
	labels  []int32   // … class,
	values  []float64 // … or value,
	weights []float64 // … and weight times how often drawn
	spare   spare     // for partitioning

	rng forest.Rand // of the node being split

	// The node being split: rows [lo, hi) of the sample.
	lo, hi   int
	total    int64 // rows as often as drawn
	weight   float64
	mean     float64 // of the values
	pure     bool
	counts   []int64 // by class; without weights
	left     []int64
	counts64 []float64 // by class; with weights
	left64   []float64
	right64  []float64

	cut             cut       // the best so far; here, since a local one would be allocated
	projected, best []float32 // values of the candidate and of the best direction
	keys, tmp       []key
	bestIndex       []int32
	bestWeights     []float32
	stack           []task
}

// spare holds the part of a node's range that goes right while the rest moves
// to the front.
type spare struct {
	sample  []int32
	payload []uint32
	drawn   []uint16
	labels  []int32
	values  []float64
	weights []float64
}

// A task is a node to grow: rows [lo, hi) of the sample.
type task struct {
	lo, hi, depth int
	parent        int32  // whose right child it is; −1 for a left child or the root
	name          uint64 // what names the node's random numbers
}

func newWorker(x *data, params Params, cancelled *atomic.Bool) *worker {
	w := &worker{
		data:       x,
		params:     params,
		minSplit:   int64(max(2, params.Growth.MinSplit)),
		minLeaf:    int64(max(1, params.Growth.MinLeaf)),
		directions: params.Directions(len(x.columns)),
		cancelled:  cancelled,
	}
	switch {
	case x.classes == 0:
		w.scan = w.scanValues
	case x.weights != nil || x.classes > math.MaxUint16:
		w.scan = w.scanWeighted
		w.counts64 = make([]float64, x.classes)
		w.left64 = make([]float64, x.classes)
		w.right64 = make([]float64, x.classes)
	default:
		w.counts = make([]int64, x.classes)
		w.left = make([]int64, x.classes)
		switch {
		case params.Growth.Criterion == forest.Entropy:
			w.scan = w.scanEntropy
		case x.classes == 2:
			w.scan = w.scanGini2
		default:
			w.scan = w.scanGini
		}
	}
	return w
}

// packed reports whether keys carry class and count. If not, they carry the
// row's place in the node.
func (w *worker) packed() bool { return w.counts != nil }

// grow grows tree number t. It returns false if it was cancelled.
func (w *worker) grow(t int, tree *forest.Tree) bool {
	w.drawSample(t)
	root := forest.NewRand(w.params.Sampling.Seed, uint64(t), 1)
	w.stack = append(w.stack[:0], task{hi: len(w.sample), parent: -1, name: root.Uint64()})
	for len(w.stack) > 0 {
		if w.cancelled.Load() {
			return false
		}
		node := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if node.parent >= 0 {
			tree.Nodes[node.parent].Next = int32(len(tree.Nodes))
		}
		w.enter(node)
		if w.isLeaf(node) || !w.split(node, tree) {
			if w.cancelled.Load() {
				return false
			}
			w.addLeaf(tree)
		}
	}
	tree.Nodes = append([]forest.Node(nil), tree.Nodes...) // without spare capacity
	return true
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
		if !w.inSample(i) {
			continue
		}
		w.sample[m] = int32(i)
		if w.rows != nil {
			w.sample[m] = w.rows[i]
		}
		if w.packed() {
			w.payload[m] = payload(w.data.labels[i], c)
			m++
			continue
		}
		w.drawn[m] = c
		w.weights[m] = float64(c)
		if w.data.weights != nil {
			w.weights[m] *= w.data.weights[i]
		}
		if w.classes > 0 {
			w.labels[m] = w.data.labels[i]
		} else {
			w.values[m] = w.data.values[i]
		}
		m++
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

// resize makes room for a sample of m distinct rows.
func (w *worker) resize(m int) {
	room := func() int { return m + m/64 + 64 } // samples differ little in size
	if cap(w.sample) < m {
		n := room()
		w.sample, w.spare.sample = make([]int32, n), make([]int32, n)
		w.projected, w.best = make([]float32, n), make([]float32, n)
		w.keys, w.tmp = make([]key, n), make([]key, n)
		switch {
		case w.packed():
			w.payload, w.spare.payload = make([]uint32, n), make([]uint32, n)
		case w.classes > 0:
			w.labels, w.spare.labels = make([]int32, n), make([]int32, n)
		default:
			w.values, w.spare.values = make([]float64, n), make([]float64, n)
		}
		if !w.packed() {
			w.drawn, w.spare.drawn = make([]uint16, n), make([]uint16, n)
			w.weights, w.spare.weights = make([]float64, n), make([]float64, n)
		}
	}
	w.sample = w.sample[:m]
}

// enter makes a node the current one and sums up its rows.
func (w *worker) enter(node task) {
	w.lo, w.hi = node.lo, node.hi
	w.total, w.weight, w.pure = 0, 0, true
	switch {
	case w.packed():
		rows := w.payload[w.lo:w.hi]
		first := classOf(rows[0])
		clear(w.counts)
		for _, r := range rows {
			w.counts[classOf(r)] += countOf(r)
			w.total += countOf(r)
		}
		w.pure = w.counts[first] == w.total
		w.weight = float64(w.total)
	case w.classes > 0:
		clear(w.counts64)
		for i := w.lo; i < w.hi; i++ {
			w.counts64[w.labels[i]] += w.weights[i]
			w.total += int64(w.drawn[i])
			w.weight += w.weights[i]
			w.pure = w.pure && w.labels[i] == w.labels[w.lo]
		}
	default:
		var sum float64
		for i := w.lo; i < w.hi; i++ {
			sum += w.weights[i] * w.values[i]
			w.total += int64(w.drawn[i])
			w.weight += w.weights[i]
			w.pure = w.pure && w.values[i] == w.values[w.lo]
		}
		w.mean = sum / w.weight
	}
}

func (w *worker) isLeaf(node task) bool {
	g := w.params.Growth
	return w.pure || w.total < w.minSplit || g.MaxDepth > 0 && node.depth == g.MaxDepth
}

// unsplit returns the score of leaving the node whole, so that a cut's score
// less this is the decrease of impurity times weight.
func (w *worker) unsplit() float64 {
	switch {
	case w.classes == 0:
		return 0
	case !w.packed():
		return -w.impurity(w.counts64, w.weight)
	case w.params.Growth.Criterion == forest.Entropy:
		var h float64
		for _, c := range w.counts {
			h += w.xlogx[c]
		}
		return h - w.xlogx[w.total]
	case w.classes == 2:
		return -2 * float64(w.counts[0]) * float64(w.counts[1]) / float64(w.total)
	default:
		var s int64
		for _, c := range w.counts {
			s += c * c
		}
		return float64(s) / float64(w.total)
	}
}

func (w *worker) addLeaf(tree *forest.Tree) {
	leaf := forest.Node{Weight: float32(w.weight)}
	switch {
	case w.classes == 0:
		leaf.Split = forest.LeafValue
		leaf.Value = float32(w.mean)
	case w.pure:
		leaf.Split = forest.LeafClass
		if w.packed() {
			leaf.Next = int32(classOf(w.payload[w.lo]))
		} else {
			leaf.Next = w.labels[w.lo]
		}
	default:
		leaf.Split = forest.LeafDist
		leaf.Next = int32(len(tree.Dist) / w.classes)
		for _, c := range w.counts {
			tree.Dist = append(tree.Dist, float32(c))
		}
		for _, c := range w.counts64 {
			tree.Dist = append(tree.Dist, float32(c))
		}
	}
	tree.Nodes = append(tree.Nodes, leaf)
}

// split searches the node's best split, adds it to the tree and puts both sides
// on the stack. It returns false if nothing splits the node.
func (w *worker) split(node task, tree *forest.Tree) bool {
	w.rng = forest.NewRand(node.name)
	w.directions.Begin(&w.rng)
	best := &w.cut
	*best = cut{score: math.Inf(-1)}
	found := false
	for !best.perfect {
		dir, ok := w.directions.Next(found)
		if !ok {
			break
		}
		if w.cancelled.Load() {
			return false
		}
		if w.search(dir, best) {
			found = true
			w.projected, w.best = w.best, w.projected
			w.bestIndex = append(w.bestIndex[:0], dir.Index...)
			w.bestWeights = append(w.bestWeights[:0], dir.Weights...)
		}
	}
	if !found {
		return false
	}
	at := int32(len(tree.Nodes))
	tree.Nodes = append(tree.Nodes, forest.Node{
		Split:  w.addSplit(tree),
		Value:  best.threshold,
		Weight: float32(min(max(0, best.score-w.unsplit()), math.MaxFloat32)),
	})
	mid := w.partition(best.threshold)
	names := forest.NewRand(node.name, 1)
	left := task{lo: node.lo, hi: mid, depth: node.depth + 1, parent: -1, name: names.Uint64()}
	right := task{lo: mid, hi: node.hi, depth: node.depth + 1, parent: at, name: names.Uint64()}
	w.stack = append(w.stack, right, left)
	return true
}

// addSplit returns the best direction's number among the tree's splits.
func (w *worker) addSplit(tree *forest.Tree) int32 {
	if len(w.bestIndex) == 1 && w.bestWeights[0] == 1 {
		return w.bestIndex[0]
	}
	return int32(len(w.columns) + tree.Splits.Add(w.bestIndex, w.bestWeights))
}

// search projects the node's rows on a direction and looks for a better cut.
func (w *worker) search(dir Direction, best *cut) bool {
	values := w.projected[:w.hi-w.lo]
	w.project(values, dir)
	if w.params.RandomThreshold {
		return w.tryRandom(values, best)
	}
	keys := w.keys[:len(values)]
	var differ uint64
	first := newKey(values[0], 0)
	if w.packed() {
		for i, p := range w.payload[w.lo:w.hi] {
			k := newKey(values[i], p)
			differ |= k ^ first
			keys[i] = k
		}
	} else {
		for i, v := range values {
			k := newKey(v, uint32(i))
			differ |= k ^ first
			keys[i] = k
		}
	}
	if order(differ) == 0 {
		return false
	}
	keys = sortKeys(keys, w.tmp)
	if !finite(value(keys[0])) || !finite(value(keys[len(keys)-1])) {
		return false // the sum overflows float32 for some rows
	}
	return w.scan(keys, best)
}

func finite(v float32) bool { return v-v == 0 }

// tryRandom scores one threshold drawn from [low, high). It sorts the rows into
// two values, below and above, and scans those.
func (w *worker) tryRandom(values []float32, best *cut) bool {
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if low == high || !finite(low) || !finite(high) {
		return false
	}
	t := float32(float64(low) + w.rng.Float64()*(float64(high)-float64(low)))
	if !(t < high) {
		t = low
	}
	keys := w.keys[:len(values)]
	left, right := 0, len(keys)
	for i, v := range values {
		p := uint32(i)
		if w.packed() {
			p = w.payload[w.lo+i]
		}
		if v <= t {
			keys[left] = newKey(0, p)
			left++
		} else {
			right--
			keys[right] = newKey(1, p)
		}
	}
	if !w.scan(keys, best) {
		return false
	}
	best.threshold = t
	return true
}

// project writes the values of a direction for the node's rows, with the
// rounding that [forest.Pool] prescribes.
func (w *worker) project(values []float32, dir Direction) {
	rows := w.sample[w.lo:w.hi]
	values = values[:len(rows)]
	for k, j := range dir.Index {
		col, c := w.columns[j], dir.Weights[k]
		switch {
		case k == 0 && c == 1:
			for i, r := range rows {
				values[i] = col[r]
			}
		case k == 0:
			for i, r := range rows {
				values[i] = c * col[r]
			}
		case c == 1:
			for i, r := range rows {
				values[i] += col[r]
			}
		case c == -1:
			for i, r := range rows {
				values[i] -= col[r]
			}
		default:
			for i, r := range rows {
				values[i] += float32(c * col[r])
			}
		}
	}
}

// partition moves the rows of the node whose best value is at most t to the
// front, keeping the order on both sides, and returns where the others begin.
func (w *worker) partition(t float32) int {
	values := w.best[:w.hi-w.lo]
	n := divide(w.sample[w.lo:w.hi], w.spare.sample, values, t)
	switch {
	case w.packed():
		divide(w.payload[w.lo:w.hi], w.spare.payload, values, t)
	case w.classes > 0:
		divide(w.labels[w.lo:w.hi], w.spare.labels, values, t)
	default:
		divide(w.values[w.lo:w.hi], w.spare.values, values, t)
	}
	if !w.packed() {
		divide(w.drawn[w.lo:w.hi], w.spare.drawn, values, t)
		divide(w.weights[w.lo:w.hi], w.spare.weights, values, t)
	}
	return w.lo + n
}

// divide moves the elements whose value is at most t to the front, keeping the
// order on both sides, and returns how many they are.
func divide[T any](s, spare []T, values []float32, t float32) int {
	left, right := 0, 0
	for i, v := range values {
		// Both writes happen, one of them is overwritten: no branch to guess.
		e := s[i]
		s[left] = e
		spare[right] = e
		if v <= t {
			left++
		} else {
			right++
		}
	}
	copy(s[left:], spare[:right])
	return left
}
