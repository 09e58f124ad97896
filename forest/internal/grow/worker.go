package grow

import (
	"github.com/obliqua-ml/obliqua/forest"
)

// A worker grows trees and subtrees, one after another. It owns and reuses all memory
// that this takes, so the loop over nodes allocates nothing but the finished tree.
type worker struct {
	engine   *Engine
	team     *team
	jobs     chan job // the one that the worker has been given while it waited
	sampler  sampler  // for the trees that this worker begins
	values   functionValues
	cells    cells
	node     Node // the one being split
	searcher searcher
	shared   sharedSearch
	builder  builder
	stack    []task
	depth    int // depth of the root of the tree or subtree being grown

	origin   origin // of the tree being grown
	source   Source
	fallback *Axes // the candidates of AllFeatures

	honest honest // for honest trees
}

// A task is a node to grow: rows [lo, hi) of the sample.
type task struct {
	lo, hi, depth int
	parent        int32    // the split whose right child it is; −1 for a left child or the root
	reads         int      // number of coefficients of the parent's candidates, an estimate for its own
	name          uint64   // seeds the node's random numbers
	given         *subtree // the subtree at the node, if another worker grows it
}

func newWorker(e *Engine, t *team) *worker {
	w := &worker{engine: e, team: t, jobs: make(chan job, 1)}
	w.sampler.data, w.sampler.honest = e.data, e.params.Honest
	w.node.cells, w.node.cancelled = &w.cells, &t.cancelled
	w.node.minLeaf = int64(max(1, e.params.Growth.MinLeaf))
	return w
}

// grow grows tree number t. It returns false if the call was cancelled.
func (w *worker) grow(t int, spec *Spec, tree *forest.Tree) (ok bool) {
	if spec == nil {
		return false
	}
	sampling, err := w.engine.sampling(spec)
	if err == nil {
		err = checkFunctions(spec.Functions)
	}
	if err != nil {
		w.team.fail(err)
		return false
	}
	from := origin{spec: spec, data: w.engine.data, target: w.engine.target}
	from.sample = w.sampler.draw(t, sampling, w.engine.params.Seed, from.target)
	from.target = from.target.covering(from.sample.total())
	if w.team.turns != nil {
		w.serve(w.team.turns[t].begun)
	}
	if w.team.cancelled.Load() {
		return false
	}
	if spec.Functions != nil {
		from.data = w.values.of(w.engine.data, spec.Functions, from.sample, &w.node)
	}
	names := forest.NewRand(w.engine.params.Seed, uint64(t), 1)
	if spec.Seed != nil {
		names = forest.NewRand(*spec.Seed, 0, 1)
	}
	trunk, parts := w.growFrom(from, task{hi: len(from.sample.ids), parent: -1, name: names.Uint64()})
	if m := spec.memory; m != nil && !w.team.cancelled.Load() {
		m.remember()
		w.team.beginTurn(t + 1)
	}
	*tree, ok = w.join(trunk, parts)
	if ok && spec.Functions != nil {
		substitute(tree, spec.Functions)
	}
	if ok && w.engine.params.Honest {
		*tree, ok = w.refill(tree, from)
	}
	return ok
}

// growFrom grows the tree, or subtree, below root. It returns the part that w has grown,
// the trunk, and those that other workers have grown. It waits for those, even if the call
// was cancelled, since the other workers use w's sample; in the meantime w does other jobs.
func (w *worker) growFrom(from origin, root task) (trunk forest.Tree, parts []part) {
	w.begin(from, root)
	for len(w.stack) > 0 && !w.team.cancelled.Load() {
		t := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if t.parent >= 0 {
			w.builder.setRight(t.parent)
		}
		if t.given != nil {
			w.builder.addPart(t.given)
			continue
		}
		w.node.enter(t.lo, t.hi, t.depth)
		if w.isLeaf() || !w.split(t) {
			w.builder.addLeaf(&w.node)
			w.checkClassWeights(w.builder.mixed.n)
		}
	}
	for _, t := range w.stack { // empty, unless the call was cancelled
		if t.given != nil {
			w.builder.addPart(t.given)
		}
	}
	trunk, _ = w.builder.trimmed(&w.node)
	parts = w.builder.parts
	for _, p := range parts {
		w.serve(p.subtree.done)
	}
	return trunk, parts
}

// checkClassWeights ends the call with an error if a tree, or a part of it, holds n class weights and they are too
// many.
func (w *worker) checkClassWeights(n int) {
	if err := checkClassWeights(n, w.origin.target.classes); err != nil {
		w.team.fail(err)
	}
}

func (w *worker) begin(from origin, root task) {
	if w.source == nil || w.origin.spec != from.spec {
		w.source = from.spec.Source()
		if w.engine.params.Fallback == AllFeatures {
			w.fallback = NewAxes(nil, len(from.data.columns), 1, Search)
		}
	}
	w.origin = from
	w.node.begin(from)
	w.searcher.begin(root.hi-root.lo, from.target)
	w.searcher.constants.begin(len(from.data.columns))
	w.cells.data = from.data
	w.cells.leave()
	w.depth = root.depth
	w.builder.begin(from.target.classes)
	w.stack = append(w.stack[:0], root)
}

// isLeaf reports whether the node is pure or Growth doesn't let it be split.
func (w *worker) isLeaf() bool {
	g, n := &w.engine.params.Growth, &w.node
	return n.pure || n.drawn < int64(max(2, g.MinSplit)) || g.MaxDepth > 0 && n.depth == g.MaxDepth
}

// split searches the node's best split, adds it to the tree and pushes its children on
// the stack. It returns false if no candidate splits the node.
func (w *worker) split(t task) bool {
	n, s := &w.node, &w.searcher
	w.cells.enter(n, t.reads, w.team.waiting.Load() == 0)
	n.rng = forest.NewRand(t.name)
	s.constants.enter(t.depth - w.depth)
	s.enter(n)
	reads, ok := w.searchNode()
	if !ok {
		return false
	}
	s.routeMissing()
	decrease := max(0, s.best.score-n.unsplitScore())
	if m := w.origin.spec.memory; m != nil {
		m.use(&s.winner.Function, t.depth)
	}
	at := w.builder.addSplit(s.winner.Function, s.best.threshold, decrease)
	mid := n.sample.divide(n.lo, n.hi, s.winnerValues[:n.Len()], s.best.threshold, s.tmp)
	names := forest.NewRand(t.name, 1)
	left := task{lo: t.lo, hi: mid, depth: t.depth + 1, parent: -1, reads: reads, name: names.Uint64()}
	right := task{lo: mid, hi: t.hi, depth: t.depth + 1, parent: at, reads: reads, name: names.Uint64()}
	w.stack = append(w.stack, right, left)
	for w.team.waiting.Load() > 0 && w.giveAway() {
	}
	return true
}

// searchNode searches the first draw of the source and then, until a candidate splits the
// node, what Fallback says. It returns the number of coefficients of all candidates, and
// false if no candidate splits the node or the call was cancelled.
func (w *worker) searchNode() (reads int, ok bool) {
	s, how := &w.searcher, w.engine.params.Fallback
	if !w.source.Draw(&w.node, 0) {
		return 0, false
	}
	reads = w.searchDraw(w.source)
	for attempt := 1; w.noneFound() && how != NoRedraw && w.source.Draw(&w.node, attempt); attempt++ {
		reads += w.searchDraw(w.source)
	}
	for attempt := 0; w.noneFound() && how == AllFeatures && w.fallback.Draw(&w.node, attempt); attempt++ {
		reads += w.searchDraw(w.fallback)
	}
	return reads, s.found && !w.team.cancelled.Load()
}

// noneFound reports whether no split was found yet, and the call isn't cancelled.
func (w *worker) noneFound() bool { return !w.searcher.found && !w.team.cancelled.Load() }

// searchDraw searches the candidates of a draw and returns the number of their
// coefficients.
func (w *worker) searchDraw(source Source) (reads int) {
	if w.node.Len() >= minSharedRows && w.team.waiting.Load() > 0 {
		return w.searchCollected(source, (*worker).searchTogether)
	}
	if w.node.shouldRank() {
		return w.searchCollected(source, (*worker).searchRanked)
	}
	s := &w.searcher
	for !s.best.perfect {
		c := source.Next()
		if c == nil || w.team.cancelled.Load() {
			break
		}
		if !s.constants.repeats(c, s.best.score, w.node.target.rounds()) {
			reads += c.coefficients()
			s.consider(c)
		}
	}
	return reads
}
