package grow

import (
	"iter"
	"sync"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/forest"
)

// A team is what the workers of one call share. Each begins trees, one after another.
// A worker with no tree to begin waits for work: a subtree of a tree that another one
// grows, or a part in the search of a large node.
type team struct {
	cancelled atomic.Bool
	failure   atomic.Pointer[error] // why it was cancelled, if not by the context
	waiting   atomic.Int32          // how many workers wait
	beginners atomic.Int32          // how many begin trees
	work      chan job              // unbuffered: a job is sent only if a worker takes it
	ended     chan struct{}         // closed when no worker begins trees any more
	end       sync.Once
}

// A job is a subtree or a search.
type job struct {
	subtree *subtree
	search  *sharedSearch
}

func newTeam() *team { return &team{work: make(chan job), ended: make(chan struct{})} }

// fail cancels the call for a reason.
func (t *team) fail(err error) {
	t.failure.Store(&err)
	t.cancelled.Store(true)
}

// beginTrees grows trees from the root.
func (w *worker) beginTrees(numbers iter.Seq[int], trees []forest.Tree, spec func(t int) *Spec) {
	w.team.beginners.Add(1)
	all := false
	defer func() {
		if !all { // it panicked, or is cancelled already
			w.team.cancelled.Store(true)
		}
		if w.team.beginners.Add(-1) == 0 { // one that comes later finds no tree left
			w.team.end.Do(func() { close(w.team.ended) })
		}
	}()
	for t := range numbers {
		if !w.grow(t, spec(t), &trees[t]) {
			return
		}
	}
	all = true
}

// give gives a job to a worker that waits. It returns false if there is none.
func (t *team) give(j job) bool {
	if t.waiting.Load() == 0 {
		return false
	}
	select {
	case t.work <- j:
		return true
	default:
		return false
	}
}

// A subtree is grown by another worker than the tree that it belongs to. Since a
// node's random numbers are named by its path and the order of its rows doesn't depend
// on who divides them, it is the same whoever grows it.
type subtree struct {
	origin origin
	root   task
	tree   forest.Tree
	done   chan struct{} // closed when tree is there
}

// minSubtree is the least work, in rows times coefficients of the parent's
// candidates, that is worth giving away: some tens of microseconds.
const minSubtree = 1 << 14

// giveAway gives the largest of the nodes that wait to be grown, but for the next one,
// to a worker that waits. It returns false if no worker waits or no node is worth it.
// Rows within a copy of cells stay with the worker that copied them.
func (w *worker) giveAway() bool {
	var most *task
	work := minSubtree - 1
	for i := range w.stack[:len(w.stack)-1] {
		t := &w.stack[i]
		if m := (t.hi - t.lo) * t.reads; m > work && t.given == nil && t.lo >= w.cells.end {
			most, work = t, m
		}
	}
	if most == nil || w.team.waiting.Load() == 0 {
		return false
	}
	s := &subtree{origin: w.origin, root: *most, done: make(chan struct{})}
	s.root.parent = -1
	if !w.team.give(job{subtree: s}) {
		return false
	}
	most.given = s
	return true
}

// serve does jobs until no worker begins trees any more.
func (w *worker) serve() {
	for {
		w.team.waiting.Add(1)
		select {
		case j := <-w.team.work:
			w.team.waiting.Add(-1)
			w.do(j)
		case <-w.team.ended:
			w.team.waiting.Add(-1)
			return
		}
	}
}

// do does a job. Whoever waits for it hears of its end even if it panics.
func (w *worker) do(j job) {
	if j.search != nil {
		j.search.help(&w.searcher)
		return
	}
	ok := false
	defer func() {
		if !ok { // as above
			w.team.cancelled.Store(true)
		}
		close(j.subtree.done)
	}()
	j.subtree.tree, ok = w.growFrom(j.subtree.origin, j.subtree.root)
}

// await waits for subtrees, doing other jobs meanwhile.
func (w *worker) await(parts []part) {
	for _, p := range parts {
		for waits := true; waits; {
			w.team.waiting.Add(1)
			select {
			case <-p.subtree.done:
				w.team.waiting.Add(-1)
				waits = false
			case j := <-w.team.work:
				w.team.waiting.Add(-1)
				w.do(j)
			}
		}
	}
}

// joinParts waits for the parts of the tree that w has grown, even if it was
// cancelled, since they use its sample, and joins them to it.
func (w *worker) joinParts(trunk *forest.Tree, parts []part) forest.Tree {
	w.await(parts)
	coefficients := trunk.Splits.Coefficients()
	for _, p := range parts {
		coefficients += p.subtree.tree.Splits.Coefficients()
	}
	if err := checkCoefficients(coefficients); err != nil {
		w.team.fail(err)
	}
	if w.team.cancelled.Load() {
		return *trunk
	}
	w.builder.join(trunk, parts)
	return w.builder.tree.Trimmed()
}
