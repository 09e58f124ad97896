package grow

import (
	"math"
	"sync/atomic"

	"github.com/obliqua-ml/obliqua/forest"
)

// A crew is what the workers of a fit share.
type crew struct {
	cancelled atomic.Bool
	failure   atomic.Pointer[error] // why it was cancelled, if not by the context
	waiting   atomic.Int32          // workers with nothing to do
	grafts    chan *graft           // work for them; unbuffered, so that none is left lying
}

func newCrew() *crew { return &crew{grafts: make(chan *graft)} }

// fail cancels the fit for a reason.
func (c *crew) fail(err error) {
	c.failure.Store(&err)
	c.cancelled.Store(true)
}

// A graft is a subtree that another worker grows. When trees are fewer than
// workers, or the last ones are being grown, a worker gives away right children.
// Since a node's random numbers are named by its path and the sample's order
// doesn't depend on who divides it, the subtree is the same whoever grows it.
type graft struct {
	number int32 // among the parts of the tree that it belongs to
	bag    *sample
	root   task
	tree   forest.Tree
	done   chan struct{}
}

// graftWork is the least work, in rows times coefficients of the parent's
// candidates, that is worth giving away: some tens of microseconds.
const graftWork = 1 << 14

// offer gives a node to a worker that waits, if there is one and the node is
// worth it.
func (w *worker) offer(node task) *graft {
	if w.waiting.Load() == 0 || (node.hi-node.lo)*w.coefficients < graftWork || w.near.end > 0 {
		return nil
	}
	g := &graft{number: int32(len(w.parts)), bag: w.bag, root: node, done: make(chan struct{})}
	g.root.parent = -1
	select {
	case w.grafts <- g:
		w.parts = append(w.parts, g)
		return g
	default:
		return nil
	}
}

// serve grows grafts until there are no more.
func (w *worker) serve() {
	for {
		w.waiting.Add(1)
		g, ok := <-w.grafts
		w.waiting.Add(-1)
		if !ok {
			return
		}
		w.growGraft(g)
	}
}

func (w *worker) growGraft(g *graft) {
	w.bag = g.bag
	g.tree, _ = w.growFrom(g.root)
	close(g.done)
}

// await waits for grafts, growing others meanwhile.
func (w *worker) await(parts []*graft) {
	for _, g := range parts {
		for waits := true; waits; {
			w.waiting.Add(1)
			select {
			case <-g.done:
				w.waiting.Add(-1)
				waits = false
			case other := <-w.grafts:
				w.waiting.Add(-1)
				w.growGraft(other)
			}
		}
	}
}

// inPlace is the Split of a node that stands for a graft until they are joined;
// Next is its number.
const inPlace = math.MinInt32

// addGraft leaves a place for a subtree.
func (w *worker) addGraft(g *graft) {
	w.out.Nodes = append(w.out.Nodes, forest.Node{Split: inPlace, Next: g.number})
}

// joinParts waits for the grafts of the tree that w has grown, even if it was
// cancelled, since they use its sample, and joins them to it.
func (w *worker) joinParts(trunk forest.Tree) forest.Tree {
	parts := w.parts
	w.parts = nil
	w.await(parts)
	coefficients := len(trunk.Splits.Index)
	for _, g := range parts {
		coefficients += len(g.tree.Splits.Index)
	}
	if err := checkCoefficients(coefficients); err != nil {
		w.fail(err)
	}
	if w.cancelled.Load() {
		return trunk
	}
	return join(trunk, parts, len(w.columns), w.classes)
}

// join returns the tree with its grafts in their places, numbered as if one
// worker had grown it all.
func join(trunk forest.Tree, grafts []*graft, p, classes int) forest.Tree {
	var tree forest.Tree
	places := make([]int32, len(trunk.Nodes)) // of the trunk's nodes in the tree
	for i, n := range trunk.Nodes {
		places[i] = int32(len(tree.Nodes))
		if n.Split == inPlace {
			appendSubtree(&tree, &grafts[n.Next].tree, p, classes)
			continue
		}
		appendNode(&tree, n, &trunk, p, classes)
	}
	for i, n := range trunk.Nodes {
		if n.Split >= 0 {
			tree.Nodes[places[i]].Next = places[n.Next]
		}
	}
	return tree
}

func appendSubtree(to, from *forest.Tree, p, classes int) {
	base := int32(len(to.Nodes))
	for _, n := range from.Nodes {
		if n.Split >= 0 {
			n.Next += base
		}
		appendNode(to, n, from, p, classes)
	}
}

// appendNode appends a node of another tree with its combination or class
// weights.
func appendNode(to *forest.Tree, n forest.Node, from *forest.Tree, p, classes int) {
	switch {
	case n.Split >= int32(p):
		n.Split = int32(p + to.Splits.Add(from.Splits.At(int(n.Split)-p)))
	case n.Split == forest.LeafDist:
		row := from.Dist[int(n.Next)*classes:][:classes]
		n.Next = int32(len(to.Dist) / classes)
		to.Dist = append(to.Dist, row...)
	}
	to.Nodes = append(to.Nodes, n)
}
