package shap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/forest"
)

// A tree is what the walk needs to know of a tree beside its nodes.
type tree struct {
	source  *forest.Tree
	nodes   []node
	players []player
	linear  []linearLeaf
	points  *quadrature
	depth   int // of the deepest leaf
	entries int // the most players on a path
}

// A node of a tree.
type node struct {
	left   float64 // the share of the node's training weight that went left
	player int32   // of a split; the number of a linear leaf, and −1 of another
}

// A player is a split function, or all functions of the same single feature.
type player struct {
	feature int32     // its single feature, or −1
	node    int32     // a node with the function
	spread  []float64 // of a quadratic function: v of each feature
}

// newTree finds the players of tree i and what went left at each of its nodes.
func (e *Explainer) newTree(i int) (tree, error) {
	source := &e.forest.Trees[i]
	t := tree{source: source, nodes: make([]node, len(source.Nodes))}
	weights := t.weights()
	number := map[string]int32{} // of a player, by what it depends on
	var key []byte
	for k := range source.Nodes {
		n := &source.Nodes[k]
		if n.IsLeaf() {
			t.nodes[k].player = -1
			if leaf := source.Leaf(k); leaf.Kind == forest.LeafLinear {
				if e.means == nil {
					return t, fmt.Errorf("shap: leaf %d of tree %d is linear, and %w", k, i, errReference)
				}
				t.nodes[k].player = int32(len(t.linear))
				t.linear = append(t.linear, newLinearLeaf(leaf.Scores, source.Classes > 0, e.output(i), e.scale(), e.means))
			}
			continue
		}
		t.nodes[k].left = 0.5
		if weights[k] > 0 {
			t.nodes[k].left = weights[k+1] / weights[k]
		}
		fn := source.Splits.At(n.Split)
		place, _ := source.Splits.Place(n.Split)
		key = appendPlayer(key[:0], &fn, place)
		who, ok := number[string(key)]
		if !ok {
			who = int32(len(t.players))
			number[string(key)] = who
			t.players = append(t.players, newPlayer(&fn, k, e.means, e.variances))
			if t.players[who].feature < 0 && e.means == nil {
				return t, fmt.Errorf("shap: node %d of tree %d splits by several features, and %w", k, i, errReference)
			}
		}
		t.nodes[k].player = who
	}
	t.measure(0, path{}, make([]int32, len(t.players)))
	linear := min(1, len(t.linear)) // the model of a linear leaf is a player on its path, too
	t.points = pointsFor(t.entries + linear)
	return t, nil
}

var errReference = errors.New("its value is shared by comparing rows with a reference; want one with rows, such as " +
	"the training data")

// weights returns the training weight that reached each node: the sum of its leaves'.
func (t *tree) weights() []float64 {
	w := make([]float64, len(t.nodes))
	for i := len(w) - 1; i >= 0; i-- { // children come after their parent
		if n := &t.source.Nodes[i]; n.IsLeaf() {
			w[i] = float64(n.Weight)
		} else {
			w[i] = w[i+1] + w[n.Next]
		}
	}
	return w
}

// appendPlayer appends what tells players apart: the feature, or the terms of a linear function up to
// its sign, or the place of another one in the pool.
func appendPlayer(key []byte, fn *forest.Function, place int) []byte {
	if j := single(fn); j >= 0 {
		return binary.LittleEndian.AppendUint32(append(key, 'x'), uint32(j))
	}
	if !fn.Kind.Linear() {
		return binary.LittleEndian.AppendUint32(append(key, 'q'), uint32(place))
	}
	key = append(key, 'w')
	sign := float32(0)
	for i, w := range fn.Weights {
		if w == 0 {
			continue
		}
		if sign == 0 {
			sign = float32(math.Copysign(1, float64(w)))
		}
		key = binary.LittleEndian.AppendUint32(key, uint32(fn.Features[i]))
		key = binary.LittleEndian.AppendUint32(key, math.Float32bits(sign*w))
	}
	return key
}

// single returns the only feature that a function depends on, or −1 if there are several or none.
func single(fn *forest.Function) int32 {
	if !fn.Kind.Linear() {
		if len(fn.Features) == 1 {
			return fn.Features[0]
		}
		return -1
	}
	only := int32(-1)
	for i, w := range fn.Weights {
		if w != 0 {
			if only >= 0 {
				return -1
			}
			only = fn.Features[i]
		}
	}
	return only
}

// A path counts what is on the way to a node.
type path struct{ splits, players int }

// measure sets the tree's sizes from the subtree of node i, which a path leads to. on counts how many
// times each of the tree's players is on the path.
func (t *tree) measure(i int, p path, on []int32) {
	n := &t.source.Nodes[i]
	if n.IsLeaf() {
		t.depth, t.entries = max(t.depth, p.splits), max(t.entries, p.players)
		return
	}
	k := t.nodes[i].player
	p.splits++
	if on[k] == 0 {
		p.players++
	}
	on[k]++
	t.measure(i+1, p, on)
	t.measure(int(n.Next), p, on)
	on[k]--
}
