package grow

import (
	"cmp"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/obliqua-ml/obliqua/forest"
)

// A team is the state that the workers of one call share. Workers begin trees, one after
// another. A worker with no tree left to begin waits for jobs: subtrees of trees that
// other workers have begun, or shares in the search of a large node.
type team struct {
	cancelled atomic.Bool
	failure   atomic.Pointer[error] // why the call was cancelled, if not by the context
	beginners atomic.Int32          // number of workers that begin trees
	ended     chan struct{}         // closed when no worker begins trees any more
	end       sync.Once
	turns     []turn // of the trees; nil if none waits for another

	mu      sync.Mutex
	waiters []chan job   // of the workers that wait for a job and haven't been given one
	waiting atomic.Int32 // len(waiters), to be read without mu
}

// A turn says when a tree may begin to grow.
type turn struct {
	begun chan struct{} // closed by begin
	begin func()
}

// A job is a subtree to grow or, if that is nil, a search to help with.
type job struct {
	subtree *subtree
	search  *sharedSearch
}

func newTeam() *team {
	return &team{ended: make(chan struct{})}
}

// inTurn makes each tree wait until all nodes of the one before are grown.
func (t *team) inTurn(trees int) *team {
	t.turns = make([]turn, trees)
	for i := range t.turns {
		begun := make(chan struct{})
		t.turns[i] = turn{begun, sync.OnceFunc(func() { close(begun) })}
	}
	t.beginTurn(0)
	return t
}

// beginTurn lets a tree begin, if there is one of this number.
func (t *team) beginTurn(tree int) {
	if tree < len(t.turns) {
		t.turns[tree].begin()
	}
}

// cancel cancels the call.
func (t *team) cancel() {
	t.cancelled.Store(true)
	for _, turn := range t.turns { // whoever waits for one learns of the end
		turn.begin()
	}
}

// fail cancels the call with an error.
func (t *team) fail(err error) {
	t.failure.Store(&err)
	t.cancel()
}

// beginTrees grows the trees with the given numbers from their roots.
func (w *worker) beginTrees(numbers iter.Seq[int], trees []forest.Tree, spec func(t int) *Spec) {
	w.team.beginners.Add(1)
	all := false
	defer func() {
		if !all { // grow panicked, or the call is cancelled already
			w.team.cancel()
		}
		if w.team.beginners.Add(-1) == 0 { // a worker that begins later finds no tree left
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

// give gives a job to the worker that waits since last. It returns false if no worker
// waits.
func (t *team) give(j job) bool {
	if t.waiting.Load() == 0 {
		return false
	}
	t.mu.Lock()
	last := len(t.waiters) - 1
	if last < 0 {
		t.mu.Unlock()
		return false
	}
	jobs := t.waiters[last]
	t.setWaiters(t.waiters[:last])
	t.mu.Unlock()
	jobs <- j // has room, since a worker waits only when it has no job
	return true
}

func (t *team) setWaiters(waiters []chan job) {
	t.waiters = waiters
	t.waiting.Store(int32(len(waiters)))
}

// enter adds a worker to those that wait.
func (t *team) enter(jobs chan job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.setWaiters(append(t.waiters, jobs))
}

// leave removes a worker from those that wait. It returns false if the worker has been
// given a job.
func (t *team) leave(jobs chan job) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.waiters, jobs)
	if i < 0 {
		return false
	}
	t.setWaiters(slices.Delete(t.waiters, i, i+1))
	return true
}

// next waits for a job, or until done is closed; then ok is false. Each worker has a
// channel of its own: if all took their jobs from one, a worker could take the job that was
// given to another, and the other would wait for it although its own work is done.
func (w *worker) next(done <-chan struct{}) (j job, ok bool) {
	w.team.enter(w.jobs)
	spin(func() bool { return len(w.jobs) > 0 || closed(done) })
	select {
	case j := <-w.jobs:
		return j, true
	case <-done:
	}
	if w.team.leave(w.jobs) {
		return job{}, false
	}
	return <-w.jobs, true
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// patience is how long a worker that waits looks for a job before it sleeps. To wake it
// takes nearly as long.
const patience = 150 * time.Microsecond

// spin waits until ready returns true, and lets other goroutines run in the meantime. It
// returns false when patience is over.
func spin(ready func() bool) bool {
	for begun := time.Now(); time.Since(begun) < patience; runtime.Gosched() {
		for range 16 {
			if ready() {
				return true
			}
		}
	}
	return false
}

// A subtree is a part of a tree that is grown by another worker than the rest. It doesn't
// depend on the worker, since a node's random numbers are seeded by its path, and the order
// of its rows doesn't depend on who divides them.
type subtree struct {
	origin origin
	root   task
	tree   forest.Tree
	done   chan struct{} // closed when tree has been set
}

// minSubtreeWork is the least work that is worth giving to another worker: some ten
// microseconds. Work is the number of rows times that of the coefficients of the parent's
// candidates.
const minSubtreeWork = 1 << 7

// giveAway gives a node on the stack, other than the next one, to a waiting worker: the
// one with the most work. It returns false if no worker takes it or no node has enough
// work. A node whose cells are in this worker's copy is not given away.
func (w *worker) giveAway() bool {
	var most *task
	work := minSubtreeWork - 1
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

// serve does jobs until done is closed.
func (w *worker) serve(done <-chan struct{}) {
	for {
		j, ok := w.next(done)
		if !ok {
			return
		}
		w.do(j)
	}
}

// do does a job. If it panics, the worker that waits for the job is still told of its end.
func (w *worker) do(j job) {
	if j.search != nil {
		j.search.help(&w.searcher)
		return
	}
	ok := false
	defer func() {
		if !ok { // growFrom panicked, or the call is cancelled already
			w.team.cancel()
		}
		close(j.subtree.done)
	}()
	trunk, parts := w.growFrom(j.subtree.origin, j.subtree.root)
	j.subtree.tree, ok = w.join(trunk, parts)
}

// join returns the trunk of a tree joined with the parts that other workers have grown. It
// returns false if the call was cancelled.
func (w *worker) join(trunk forest.Tree, parts []part) (tree forest.Tree, ok bool) {
	coefficients, weights := trunk.Splits.Coefficients(), len(trunk.Dist)
	for _, p := range parts {
		coefficients += p.subtree.tree.Splits.Coefficients()
		weights += len(p.subtree.tree.Dist)
	}
	err := cmp.Or(checkCoefficients(coefficients), checkClassWeights(weights, trunk.Classes))
	if err != nil {
		w.team.fail(err)
	}
	if len(parts) == 0 || w.team.cancelled.Load() {
		return trunk, !w.team.cancelled.Load()
	}
	if !w.builder.join(&trunk, parts, &w.node) {
		return trunk, false
	}
	return w.builder.trimmed(&w.node)
}
