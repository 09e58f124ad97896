package tao

import (
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// startStream names the random numbers of initial trees, beside those of samples.
const startStream = 3

// start makes the initial tree: a random structure whose splits have normally distributed
// weights of standardised features and divide their rows at the median, and leaves with the
// majority or mean of their rows.
func (o *optimizer) start() {
	tree := o.tree
	if o.SameStart {
		tree = 0
	}
	rng := forest.NewRand(o.Seed, uint64(tree), startStream)
	if o.TreeFeatures > 0 && o.TreeFeatures < o.p {
		o.features = grow.Choose(make([]int32, o.TreeFeatures), o.all, &rng)
	}
	s := o.borrow()
	o.nodes = o.nodes[:0]
	if o.constant() { // the whole tree would be pruned
		o.nodes = append(o.nodes, node{leaf: o.startLeaf(s, &rng, o.sample)})
		o.setClasses(&o.nodes[0])
	} else {
		o.grow(s, &rng, 0, o.sample)
	}
	o.scratch.Put(s)
}

// grow appends the initial subtree of a node at the given depth and returns its number.
func (o *optimizer) grow(s *scratch, rng *forest.Rand, depth int, rows []int32) int32 {
	i := int32(len(o.nodes))
	o.nodes = append(o.nodes, node{})
	if depth == o.Depth || o.ctx.Err() != nil || depth >= max(1, o.FullDepth) && rng.Float64() >= o.SplitProbability {
		o.nodes[i].leaf = o.startLeaf(s, rng, rows)
		o.setClasses(&o.nodes[i])
		return i
	}
	n := node{features: o.features}
	if m := o.NodeFeatures; m > 0 && m < len(n.features) {
		n.features = grow.Choose(make([]int32, m), n.features, rng)
	}
	o.drawSplit(s, rng, &n, rows)
	left, right := o.divide(s, &n, rows)
	n.left = o.grow(s, rng, depth+1, left)
	n.right = o.grow(s, rng, depth+1, right)
	o.setClasses(&n)
	o.nodes[i] = n
	return i
}

// drawSplit draws the weights of a split, or the feature of an axis-aligned one, and puts the threshold at the median of
// its rows, or of the whole sample if it has none.
func (o *optimizer) drawSplit(s *scratch, rng *forest.Rand, n *node, rows []int32) {
	n.fn = forest.Function{Kind: forest.Sparse}
	features := n.features
	if o.AxisAligned {
		at := rng.Intn(len(features))
		features = features[at : at+1]
	}
	for _, j := range features {
		w := float32(rng.Normal() / o.scale[j])
		if w-w == 0 { // not infinite, as for a constant feature
			n.fn.Features, n.fn.Weights = append(n.fn.Features, j), append(n.fn.Weights, w)
		}
	}
	if len(rows) == 0 {
		rows = o.sample
	}
	values := resized(&s.values, len(rows))
	o.project(s, &n.fn, values, rows)
	slices.Sort(values)
	n.threshold = values[(len(values)-1)/2]
	if n.threshold-n.threshold != 0 { // cells too large for these weights
		n.fn, n.threshold = forest.Function{Kind: forest.Sparse}, 0
	}
	n.penalised = o.penalisedSplit(n)
}

// startLeaf returns the first prediction of a leaf, that of a random row if it has none.
func (o *optimizer) startLeaf(s *scratch, rng *forest.Rand, rows []int32) forest.Leaf {
	at := rng.Intn(len(o.sample)) // always drawn, so that with SameStart the samples don't change what follows
	if len(rows) == 0 {
		rows = o.sample[at : at+1]
	}
	if o.labels == nil {
		return forest.Leaf{Kind: forest.LeafValue, Value: float32(o.average(rows))}
	}
	return forest.Leaf{Kind: forest.LeafClass, Class: o.majority(s, rows)}
}
