package grow

import (
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

// A worker grows one tree after another. It owns all memory that growing needs
// but the tree's own; the node loop allocates nothing else.
type worker struct {
	*data
	*crew
	params     Params
	minSplit   int64
	minLeaf    int64
	directions Directions
	scan       func(keys []key, best *cut) bool

	draw  []uint16 // how often each row of the data is drawn for the tree
	own   sample   // for the trees that this worker begins
	bag   *sample  // of the tree being grown
	near  near
	out   forest.Tree // what is grown so far
	parts []*graft    // subtrees of it that other workers grow
	stack []task

	// The node being split: rows [lo, hi) of the sample.
	lo, hi       int
	rng          forest.Rand
	coefficients int   // of the candidates so far
	total        int64 // rows as often as drawn
	weight       float64
	mean         float64 // of the values
	pure         bool
	counts       []int64 // by class; without weights
	left         []int64
	counts64     []float64 // by class; with weights
	left64       []float64
	right64      []float64

	cut             cut       // the best so far; here, since a local one would be allocated
	projected, best []float32 // values of the candidate and of the best direction
	bestIndex       []int32
	bestWeights     []float32
	keys, tmp       []key
	bins            bins
}

// A task is a node to grow: rows [lo, hi) of the sample.
type task struct {
	lo, hi, depth int
	parent        int32  // whose right child it is; −1 for a left child or the root
	name          uint64 // what names the node's random numbers
	part          *graft // who grows it, if not this worker
}

func newWorker(x *data, params Params, c *crew) *worker {
	w := &worker{
		data:       x,
		crew:       c,
		params:     params,
		minSplit:   int64(max(2, params.Growth.MinSplit)),
		minLeaf:    int64(max(1, params.Growth.MinLeaf)),
		directions: params.Directions(len(x.columns)),
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
		case params.Growth.Criterion == forest.Entropy && x.classes == 2:
			w.scan = w.scanEntropy2
		case params.Growth.Criterion == forest.Entropy:
			w.scan = w.scanEntropy
		case x.classes == 2:
			w.scan = w.scanGini2
		default:
			w.scan = w.scanGini
		}
	}
	if d, ok := w.directions.(Supervised); ok {
		d.Watch(Rows{w})
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
	w.bag = &w.own
	grown, ok := w.growFrom(task{hi: len(w.own.ids), parent: -1, name: root.Uint64()})
	*tree = grown
	return ok
}

// growFrom grows the subtree of a node of w.bag. It returns false if it was cancelled.
func (w *worker) growFrom(root task) (tree forest.Tree, ok bool) {
	w.makeRoom(root.hi - root.lo)
	w.near.leave()
	out := &w.out
	out.Nodes, out.Dist = out.Nodes[:0], out.Dist[:0]
	out.Splits.Start, out.Splits.Index, out.Splits.Weights = out.Splits.Start[:0], out.Splits.Index[:0], out.Splits.Weights[:0]
	w.stack = append(w.stack[:0], root)
	for len(w.stack) > 0 && !w.cancelled.Load() {
		node := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if node.parent >= 0 {
			out.Nodes[node.parent].Next = int32(len(out.Nodes))
		}
		if node.part != nil {
			w.addGraft(node.part)
			continue
		}
		out.Nodes = grown(out.Nodes, 1)
		w.enter(node)
		if w.isLeaf(node) || !w.split(node, out) {
			w.addLeaf(out)
		}
	}
	tree = trimmed(out)
	if len(w.parts) > 0 {
		tree = w.joinParts(tree)
	}
	if err := checkCoefficients(len(tree.Splits.Index)); err != nil {
		w.fail(err)
	}
	return tree, !w.cancelled.Load()
}

// makeRoom makes room for nodes of m distinct rows.
func (w *worker) makeRoom(m int) {
	if cap(w.projected) < m {
		n := room(m)
		w.projected, w.best = make([]float32, n), make([]float32, n)
		w.keys, w.tmp = make([]key, n), make([]key, n)
	}
}

// grown returns s with room for n more. It doubles, where append would take many
// small steps and leave garbage behind at each.
func grown[T any](s []T, n int) []T {
	if cap(s)-len(s) < n {
		return slices.Grow(s, max(n, len(s)))
	}
	return s
}

// trimmed returns a copy without spare capacity.
func trimmed(t *forest.Tree) forest.Tree {
	return forest.Tree{
		Nodes: append([]forest.Node(nil), t.Nodes...),
		Splits: forest.Pool{
			Start:   append([]int32(nil), t.Splits.Start...),
			Index:   append([]int32(nil), t.Splits.Index...),
			Weights: append([]float32(nil), t.Splits.Weights...),
		},
		Dist: append([]float32(nil), t.Dist...),
	}
}

// enter makes a node the current one and sums up its rows.
func (w *worker) enter(node task) {
	w.lo, w.hi = node.lo, node.hi
	w.total, w.weight, w.pure = 0, 0, true
	switch {
	case w.packed():
		rows := w.bag.payload[w.lo:w.hi]
		first := classOf(rows[0])
		clear(w.counts)
		for _, r := range rows {
			w.counts[classOf(r)] += countOf(r)
			w.total += countOf(r)
		}
		w.pure = w.counts[first] == w.total
		w.weight = float64(w.total)
	case w.classes > 0:
		labels := w.bag.labels
		clear(w.counts64)
		for i := w.lo; i < w.hi; i++ {
			c := w.bag.weight(i)
			w.counts64[labels[i]] += c
			w.total += int64(w.bag.drawn[i])
			w.weight += c
			w.pure = w.pure && labels[i] == labels[w.lo]
		}
	default:
		values := w.bag.values
		var sum float64
		for i := w.lo; i < w.hi; i++ {
			c := w.bag.weight(i)
			sum += c * values[i]
			w.total += int64(w.bag.drawn[i])
			w.weight += c
			w.pure = w.pure && values[i] == values[w.lo]
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
			leaf.Next = int32(classOf(w.bag.payload[w.lo]))
		} else {
			leaf.Next = w.bag.labels[w.lo]
		}
	default:
		leaf.Split = forest.LeafDist
		leaf.Next = int32(len(tree.Dist) / w.classes)
		tree.Dist = grown(tree.Dist, w.classes)
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
	w.approach()
	w.rng = forest.NewRand(node.name)
	w.directions.Begin(&w.rng)
	w.coefficients = 0
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
		w.coefficients += len(dir.Index)
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
	right.part = w.offer(right)
	w.stack = append(w.stack, right, left)
	return true
}

// addSplit returns the best direction's number among the tree's splits.
func (w *worker) addSplit(tree *forest.Tree) int32 {
	if len(w.bestIndex) == 1 && w.bestWeights[0] == 1 {
		return w.bestIndex[0]
	}
	pool := &tree.Splits
	pool.Start = grown(pool.Start, 2)
	pool.Index, pool.Weights = grown(pool.Index, len(w.bestIndex)), grown(pool.Weights, len(w.bestIndex))
	return int32(len(w.columns) + pool.Add(w.bestIndex, w.bestWeights))
}
