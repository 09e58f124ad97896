package oc1

import (
	"container/heap"
	"context"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// A pruning is the sequence of trees that prune chooses from. Its nodes have the numbers that they have
// in the tree, in preorder, so a subtree's nodes follow each other.
type pruning struct {
	tree    *forest.Tree
	classes [][]classWeight // at each node, those that it has, ascending
	nodes   []prunable
}

// A classWeight is the weight of a class at a node, above 0. A node has few of many classes.
type classWeight struct {
	class  int32
	weight float64
}

// A prunable is a node with its errors as a leaf and those of its subtree, all as weights of rows.
type prunable struct {
	parent    int32
	end       int32   // the number after those of its subtree
	class     int32   // predicted by the node as a leaf
	leaves    int32   // of the subtree
	asLeaf    float64 // errors on the growing rows, R(t)
	below     float64 // the same of the subtree, R(T_t)
	heldLeaf  float64 // errors on the rows held out
	heldBelow float64
	gone      bool // whether the node is a leaf by now, or below one
}

// cost returns the errors that a leaf in place of the subtree adds, for each leaf that it saves: g(t).
func (n *prunable) cost() float64 { return (n.asLeaf - n.below) / float64(n.leaves-1) }

// prune returns the tree pruned by cost complexity, given the numbers of the rows held out. If these have no weight, it
// returns the tree as it is. It returns ctx's error soon after ctx is cancelled.
func prune(ctx context.Context, t *forest.Tree, d *datasets.Dataset, heldOut []int32) (forest.Tree, error) {
	p := &pruning{tree: t, classes: make([][]classWeight, len(t.Nodes)), nodes: make([]prunable, len(t.Nodes))}
	m := forest.NewMutable(t)
	p.link(ctx, m)
	weight := p.hold(ctx, m, d, heldOut)
	if weight == 0 || ctx.Err() != nil {
		return *t, ctx.Err()
	}
	p.sum()
	made, end := p.sequence(), int32(0)
	slices.Sort(made)
	for _, i := range made {
		if i < end || ctx.Err() != nil { // below another one, or not wanted any more
			continue
		}
		m.SetLeaf(i, p.leaf(i))
		end = p.nodes[i].end
	}
	return m.Tree(), ctx.Err()
}

// link sets the classes, the parents, the ends of subtrees and the errors as leaves.
func (p *pruning) link(ctx context.Context, m *forest.Mutable) {
	for i := len(p.nodes) - 1; i >= 0 && ctx.Err() == nil; i-- {
		n := &p.nodes[i]
		n.parent, n.end, n.leaves, n.gone = m.Parent(int32(i)), int32(i)+1, 1, true
		if m.IsLeaf(int32(i)) {
			p.classes[i] = classesOf(m.Leaf(int32(i)))
		} else {
			left, right := m.Children(int32(i))
			n.end, n.leaves, n.gone = p.nodes[right].end, 0, false
			p.classes[i] = added(p.classes[left], p.classes[right])
		}
		var total, most float64
		for _, of := range p.classes[i] {
			total += of.weight
			if of.weight > most {
				n.class, most = of.class, of.weight
			}
		}
		n.asLeaf = total - most
	}
}

// classesOf returns the classes of a leaf.
func classesOf(l forest.Leaf) []classWeight {
	if l.Kind == forest.LeafClass {
		return []classWeight{{l.Class, float64(l.Weight)}}
	}
	var classes []classWeight
	for c, w := range l.Dist {
		if w > 0 {
			classes = append(classes, classWeight{int32(c), float64(w)})
		}
	}
	return classes
}

// added returns the classes of the parent of two nodes.
func added(a, b []classWeight) []classWeight {
	sum := make([]classWeight, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].class < b[0].class:
			sum, a = append(sum, a[0]), a[1:]
		case a[0].class > b[0].class:
			sum, b = append(sum, b[0]), b[1:]
		default:
			sum = append(sum, classWeight{a[0].class, a[0].weight + b[0].weight})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(sum, a...), b...)
}

// hold sends the rows held out down the tree and sets their errors at each node as a leaf. It returns their weight.
func (p *pruning) hold(ctx context.Context, m *forest.Mutable, d *datasets.Dataset, rows []int32) (weight float64) {
	at := make([][]int32, len(p.nodes))
	at[0] = slices.Clone(rows)
	for i := range p.nodes {
		if ctx.Err() != nil {
			break
		}
		n := &p.nodes[i]
		for _, row := range at[i] {
			w := grow.Weight(d, row)
			if i == 0 {
				weight += w
			}
			if d.Labels[row] != n.class {
				n.heldLeaf += w
			}
		}
		if i := int32(i); !m.IsLeaf(i) {
			l, r := m.Children(i)
			at[l], at[r] = m.Divide(d, i, at[i])
		}
	}
	return weight
}

// sum sets the errors and leaves of subtrees.
func (p *pruning) sum() {
	for i := len(p.nodes) - 1; i >= 0; i-- {
		n := &p.nodes[i]
		if n.gone {
			n.below, n.heldBelow = n.asLeaf, n.heldLeaf
		}
		if n.parent >= 0 {
			above := &p.nodes[n.parent]
			above.leaves += n.leaves
			above.below += n.below
			above.heldBelow += n.heldBelow
		}
	}
}

// sequence makes the weakest links leaves, one by one until only the root is left, and returns those up
// to the tree with the least error on the rows held out, or the smallest of these trees.
//
// The cost of a node never falls when weaker links below it are made leaves. So costs in
// the heap may be old, if the least of them is compared with what it is now.
func (p *pruning) sequence() []int32 {
	var weakest links
	for i := range p.nodes {
		if n := &p.nodes[i]; !n.gone {
			weakest = append(weakest, link{int32(i), n.cost()})
		}
	}
	heap.Init(&weakest)
	var made []int32
	best, kept := p.nodes[0].heldBelow, 0
	for len(weakest) > 0 {
		top := &weakest[0]
		n := &p.nodes[top.node]
		switch {
		case n.gone:
			heap.Pop(&weakest)
		case n.cost() > top.cost:
			top.cost = n.cost()
			heap.Fix(&weakest, 0)
		default:
			made = append(made, top.node)
			p.makeLeaf(top.node)
			if held := p.nodes[0].heldBelow; held <= best {
				best, kept = held, len(made)
			}
		}
	}
	return made[:kept]
}

// makeLeaf makes a split a leaf.
func (p *pruning) makeLeaf(i int32) {
	n := p.nodes[i]
	for k := i; k < n.end; k++ {
		p.nodes[k].gone = true
	}
	for at := i; at >= 0; at = p.nodes[at].parent {
		above := &p.nodes[at]
		above.leaves -= n.leaves - 1
		above.below += n.asLeaf - n.below
		above.heldBelow += n.heldLeaf - n.heldBelow
	}
}

// leaf returns node i as a leaf.
func (p *pruning) leaf(i int32) forest.Leaf {
	leaf := forest.Leaf{Kind: forest.LeafDist, Dist: make([]float32, p.tree.Classes)}
	var total float64
	for _, of := range p.classes[i] {
		total += of.weight
		leaf.Dist[of.class] = float32(of.weight)
	}
	leaf.Weight = float32(total)
	return leaf
}

// A link is a node with its cost, or one that it had before.
type link struct {
	node int32
	cost float64
}

// links is a heap with the weakest link first; of equal ones that with the larger number, so that nodes come
// before those above them.
type links []link

func (l links) Len() int { return len(l) }
func (l links) Less(i, j int) bool {
	return l[i].cost < l[j].cost || l[i].cost == l[j].cost && l[i].node > l[j].node
}
func (l links) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l *links) Push(x any)   { *l = append(*l, x.(link)) }
func (l *links) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}
