// Package members finds the training rows in the leaves of trees.
package members

import (
	"context"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// Leaves holds the training rows in the leaves of a tree.
type Leaves struct {
	begins []int32 // by node, and the end: the rows of leaf i are members[begins[i]:begins[i+1]]
	member []Member
}

// A Member is a training row in a leaf.
type Member struct {
	Row   int32   // its place in the order that Find was given
	Share float32 // of the leaf's weight
}

// Of returns the members of a leaf in their order.
func (l *Leaves) Of(leaf int32) []Member { return l.member[l.begins[leaf]:l.begins[leaf+1]] }

// None stands for no leaf.
const None = -1

// treesAtOnce is for how many trees the leaves of all training rows are in memory.
const treesAtOnce = 32

// Find returns the members of the leaves of each tree, with the share of their leaf's weight that they have by their
// [forest.Forest.LeafCounts] and weights. train is the training data of f, which has no steps. order lists all rows.
//
// If reached isn't nil, it has leaves by row and tree, or None, and the result only these. Find replaces them by their
// numbers in the result. This is faster, since rows go down only the paths to these leaves.
func Find(ctx context.Context, f *forest.Forest, train *datasets.Dataset, order []int32, reached [][]int32) (
	[]Leaves, error) {
	found := make([]Leaves, len(f.Trees))
	var leafOf [][]int32
	for lo := 0; lo < len(found); lo += treesAtOnce {
		some := *f
		some.Trees = slices.Clone(f.Trees[lo:min(lo+treesAtOnce, len(found))])
		if reached != nil {
			parallel.For(len(some.Trees), func(t int) { prune(&some.Trees[t], reached, lo+t) })
		}
		var err error
		if leafOf, err = ByTree(leafOf, len(some.Trees), train, 1<<16, func(d *datasets.Dataset) ([][]int32, error) {
			return some.Apply(ctx, d)
		}); err != nil {
			return nil, err
		}
		parallel.For(len(some.Trees), func(t int) {
			counts := f.LeafCounts(nil, train, lo+t)
			found[lo+t] = gather(some.Trees[t].Nodes, leafOf[t], counts, train.Weights, order)
		})
	}
	return found, ctx.Err()
}

// cut is the weight of a leaf that replaces a subtree.
const cut = -1

// prune cuts subtrees of tree number k without a leaf in reached, and renumbers the leaves in reached.
func prune(t *forest.Tree, reached [][]int32, k int) {
	var leaves []int32
	for _, row := range reached {
		if row[k] != None {
			leaves = append(leaves, row[k])
		}
	}
	slices.Sort(leaves)
	leaves = slices.Compact(leaves)
	var nodes []forest.Node
	var kept []int32 // by leaf: its new number
	var add func(node int32, leaves []int32)
	add = func(node int32, leaves []int32) {
		n, at := t.Nodes[node], len(nodes)
		switch {
		case len(leaves) == 0:
			nodes = append(nodes, forest.ValueLeaf(0, cut))
			return
		case n.IsLeaf():
			kept = append(kept, int32(at))
		}
		nodes = append(nodes, n)
		if !n.IsLeaf() {
			right, _ := slices.BinarySearch(leaves, n.Next)
			add(node+1, leaves[:right])
			nodes[at].Next = int32(len(nodes))
			add(n.Next, leaves[right:])
		}
	}
	add(0, leaves)
	t.Nodes = nodes
	for _, row := range reached {
		if i, found := slices.BinarySearch(leaves, row[k]); found {
			row[k] = kept[i]
		}
	}
}

// gather sorts the rows that count by leaf and place.
func gather(nodes []forest.Node, leafOf []int32, counts []uint16, weights []float32, order []int32) Leaves {
	begins, sums := make([]int32, len(nodes)+1), make([]float64, len(nodes))
	weight := func(i int32) float64 {
		if weights == nil {
			return float64(counts[i])
		}
		return float64(float64(counts[i]) * float64(weights[i]))
	}
	counted := func(i int32) bool { return counts[i] > 0 && nodes[leafOf[i]].Weight != cut }
	for i := range int32(len(leafOf)) {
		if counted(i) {
			begins[leafOf[i]+1]++
			sums[leafOf[i]] += weight(i)
		}
	}
	for i := range nodes {
		begins[i+1] += begins[i]
	}
	members, next := make([]Member, begins[len(nodes)]), slices.Clone(begins)
	for place, i := range order {
		if counted(i) {
			leaf := leafOf[i]
			members[next[leaf]] = Member{int32(place), float32(weight(i) / sums[leaf])}
			next[leaf]++
		}
	}
	return Leaves{begins, members}
}

// ByTree returns the leaf of every row in each of some trees, which apply finds, so many rows at a time, for each
// row in all trees. It uses the memory of leaves.
func ByTree(leaves [][]int32, trees int, d *datasets.Dataset, rows int,
	apply func(d *datasets.Dataset) ([][]int32, error)) ([][]int32, error) {
	for len(leaves) < trees {
		leaves = append(leaves, make([]int32, d.N()))
	}
	const tile = 64 // rows
	for from := 0; from < d.N(); from += rows {
		byRow, err := apply(rowRange(d, from, min(from+rows, d.N())))
		if err != nil {
			return nil, err
		}
		parallel.For((len(byRow)+tile-1)/tile, func(k int) {
			rows := byRow[k*tile : min((k+1)*tile, len(byRow))]
			for t := range trees {
				to := leaves[t][from+k*tile:][:len(rows)]
				for i, row := range rows {
					to[i] = row[t]
				}
			}
		})
	}
	return leaves, nil
}

// rowRange returns rows [lo, hi) of d without target; it shares the cells of d.
func rowRange(d *datasets.Dataset, lo, hi int) *datasets.Dataset {
	if d.Rows != nil {
		return &datasets.Dataset{Features: d.Features, Columns: d.Columns, Rows: d.Rows[lo:hi]}
	}
	s := &datasets.Dataset{Features: d.Features, Columns: make([][]float32, d.P())}
	for j, col := range d.Columns {
		s.Columns[j] = col[lo:hi]
	}
	return s
}
