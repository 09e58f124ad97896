// Package boosters reads models of LightGBM and XGBoost as forests. So all that works with forests works with them:
// prediction of tables and single rows, forest/inspect, forest/shap, viz, files, devices.
package boosters

import (
	"errors"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/forest"
)

// A tree is one of a model. Its inner nodes and its leaves are numbered from 0. A child c ≥ 0 is an inner node, another
// one is leaf ^c.
type tree struct {
	root        int
	features    []int
	thresholds  []float32 // rows at most the threshold go left
	missingLeft []bool    // where rows go whose cell is missing
	gains       []float64
	left, right []int
	values      []float64 // of leaves
	weights     []float64 // of leaves
}

// forest returns the tree of a forest of p features, with the leaves' values multiplied by scale. It returns an error
// if a node is reached twice, if a feature or a node doesn't exist, or if a number isn't finite.
func (t *tree) forest(p int, scale float64) (forest.Tree, error) {
	var made forest.Tree
	type step struct{ child, parent int } // parent is a node that the child is to the right of, or −1
	for stack := []step{{t.root, -1}}; len(stack) > 0; {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if len(made.Nodes) == len(t.features)+len(t.values) {
			return made, errors.New("a node is the child of two")
		}
		if s.parent >= 0 {
			made.Nodes[s.parent].Next = int32(len(made.Nodes))
		}
		if s.child < 0 {
			leaf := ^s.child
			if leaf >= len(t.values) {
				return made, fmt.Errorf("leaf %d of %d", leaf, len(t.values))
			}
			value, weight := float32(t.values[leaf]*scale), float32(t.weights[leaf])
			if !finite(value) || !finite(weight) || weight < 0 {
				return made, fmt.Errorf("leaf %d has the value %v and the weight %v", leaf, value, weight)
			}
			made.Nodes = append(made.Nodes, forest.ValueLeaf(value, weight))
			continue
		}
		if s.child >= len(t.features) {
			return made, fmt.Errorf("node %d of %d", s.child, len(t.features))
		}
		feature, threshold, gain := t.features[s.child], t.thresholds[s.child], float32(t.gains[s.child])
		if feature < 0 || feature >= p || !finite(threshold) || !finite(gain) {
			return made, fmt.Errorf("node %d asks feature %d of %d whether it is at most %v, which gains %v",
				s.child, feature, p, threshold, gain)
		}
		stack = append(stack, step{t.right[s.child], len(made.Nodes)}, step{t.left[s.child], -1})
		fn := forest.Linear([]int32{int32(feature)}, []float32{1})
		fn.MissingLeft = t.missingLeft[s.child]
		split := made.Splits.Add(fn)
		made.Nodes = append(made.Nodes, forest.Node{Split: split, Value: threshold, Weight: gain})
	}
	return made, nil
}

func finite(v float32) bool { return v-v == 0 }

// atMost returns the largest float32 that is at most t, which divides float32 cells as t does.
func atMost(t float64) float32 {
	v := float32(t)
	if float64(v) > t {
		v = math.Nextafter32(v, float32(math.Inf(-1)))
	}
	return v
}

// A link is what becomes of the sums of the trees.
type link uint8

const (
	identity link = iota
	exponential
	logistic // of two classes
	softmax
)

// A model is a sum of trees before it becomes a forest.
type model struct {
	method  string
	names   []string // of features
	link    link
	classes int // of a softmax
	base    []float64
	scale   float64 // of the trees' values
	trees   []tree
}

// forest returns the forest of a model. Classes are named by their numbers, as both libraries have them.
func (m *model) forest() (*forest.Forest, error) {
	f := &forest.Forest{Method: m.method, Features: m.names, Rule: forest.Sum, Base: m.base,
		LogLink: m.link == exponential, Fills: make([]float32, len(m.names))} // so cells may be missing
	classes, outputs := 0, 1
	switch m.link {
	case logistic:
		classes = 2
	case softmax:
		classes, outputs = m.classes, m.classes
	}
	switch {
	case len(m.names) == 0 || len(m.trees) == 0:
		return nil, fmt.Errorf("%d features and %d trees; want one at least of both", len(m.names), len(m.trees))
	case m.link == softmax && (classes < 3 || len(m.trees)%classes != 0):
		return nil, fmt.Errorf("%d trees for %d classes; want three classes or more, and as many trees for each",
			len(m.trees), classes)
	case len(m.base) == 1 && outputs > 1:
		for range outputs - 1 {
			f.Base = append(f.Base, m.base[0])
		}
	case len(m.base) != outputs:
		return nil, fmt.Errorf("%d base scores; want %d", len(m.base), outputs)
	}
	for c := range classes {
		f.Classes = append(f.Classes, fmt.Sprint(c))
	}
	for i := range m.trees {
		t, err := m.trees[i].forest(len(m.names), m.scale)
		if err != nil {
			return nil, fmt.Errorf("tree %d: %w", i, err)
		}
		f.Trees = append(f.Trees, t)
	}
	return f, nil
}
