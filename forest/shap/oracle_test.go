package shap

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// An oracle computes the game of a tree from its definition, one coalition after another.
type oracle struct {
	tree  *forest.Tree
	x     []float32
	value func(leaf int) float64
}

// cover returns the training weight that reached a node.
func (o oracle) cover(i int) float64 {
	n := o.tree.Nodes[i]
	if n.IsLeaf() {
		return float64(n.Weight)
	}
	return o.cover(i+1) + o.cover(int(n.Next))
}

// game returns what node i gives if the players of a coalition are known.
func (o oracle) game(i int, known func(player string) bool) float64 {
	n := o.tree.Nodes[i]
	if n.IsLeaf() {
		return o.value(i)
	}
	fn := o.tree.Splits.At(n.Split)
	if known(name(fn)) {
		if fn.Value(o.x) <= n.Value {
			return o.game(i+1, known)
		}
		return o.game(int(n.Next), known)
	}
	left := o.cover(i+1) / o.cover(i)
	return left*o.game(i+1, known) + (1-left)*o.game(int(n.Next), known)
}

// name tells the functions of a test apart; those of one feature have its name.
func name(fn forest.Function) string {
	if len(fn.Features) == 1 {
		return fmt.Sprint("x", fn.Features[0])
	}
	return fmt.Sprint(fn.Kind, fn.Features, fn.Weights, fn.Q, fn.Factors)
}

// players returns the names of all split functions of a tree, in order.
func players(t *forest.Tree) (names []string) {
	for _, n := range t.Nodes {
		if !n.IsLeaf() {
			names = append(names, name(t.Splits.At(n.Split)))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// shapley returns the Shapley value of each player, from the definition.
func shapley(n int, game func(set uint) float64) []float64 {
	worth := make([]float64, 1<<n)
	for set := range worth {
		worth[set] = game(uint(set))
	}
	values := make([]float64, n)
	for set := range worth {
		size := bits.OnesCount(uint(set))
		// size!·(n − size − 1)!/n!
		weight := 1 / (float64(n) * choose(n-1, size))
		for k := range n {
			if set>>k&1 == 0 {
				values[k] += weight * (worth[set|1<<k] - worth[set])
			}
		}
	}
	return values
}

func choose(n, k int) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}

// values returns the Shapley values of the functions of a tree, by name, for a row.
func (o oracle) values() map[string]float64 {
	names := players(o.tree)
	values := shapley(len(names), func(set uint) float64 {
		return o.game(0, func(p string) bool {
			k, _ := slices.BinarySearch(names, p)
			return set>>k&1 == 1
		})
	})
	byName := map[string]float64{}
	for k, v := range values {
		byName[names[k]] = v
	}
	return byName
}

// drawTree draws a tree of values with at most the given number of splits, by functions that draw returns.
func drawTree(t *rapid.T, splits int, draw func() forest.Function) forest.Tree {
	var tree forest.Tree
	var grow func(left int)
	grow = func(left int) {
		if left == 0 || rapid.IntRange(0, 9).Draw(t, "leaf") == 0 {
			weight := float32(rapid.IntRange(1, 5).Draw(t, "weight"))
			tree.Nodes = append(tree.Nodes, forest.ValueLeaf(float32(rapid.IntRange(-8, 8).Draw(t, "value")), weight))
			return
		}
		at := len(tree.Nodes)
		n := forest.Node{Value: float32(rapid.IntRange(-2, 2).Draw(t, "threshold"))}
		n.Split = tree.Splits.Add(draw())
		tree.Nodes = append(tree.Nodes, n)
		below := left - 1
		share := rapid.IntRange(0, below).Draw(t, "share")
		grow(share)
		tree.Nodes[at].Next = int32(len(tree.Nodes))
		grow(below - share)
	}
	grow(splits)
	return tree
}

// table returns rows as a data set with features x0, x1, ….
func table(rows [][]float32) *datasets.Dataset {
	d := &datasets.Dataset{Name: "test"}
	for j := range rows[0] {
		column := make([]float32, len(rows))
		for i, row := range rows {
			column[i] = row[j]
		}
		d.Columns = append(d.Columns, column)
		d.Features = append(d.Features, datasets.Feature{Name: fmt.Sprint("x", j)})
	}
	return d
}

// model returns a forest of trees of values of p features.
func model(p int, trees ...forest.Tree) *forest.Forest {
	f := &forest.Forest{Method: "test", Target: "y", Rule: forest.Average, Trees: trees}
	for j := range p {
		f.Features = append(f.Features, fmt.Sprint("x", j))
	}
	return f
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }
