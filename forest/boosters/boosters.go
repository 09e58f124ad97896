// Package boosters reads models of LightGBM and XGBoost as forests. So all that works with forests works with them:
// prediction of tables and single rows, forest/inspect, forest/shap, viz, files, devices.
package boosters

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
)

// mostFeatures is the largest number of features of a model, so that a small file can't ask for much memory.
const mostFeatures = 1 << 20

var errFeatures = fmt.Errorf("more than %d features", mostFeatures)

// The formats that users take for that of a reader, which foreign names.
const (
	lightText = "a text model of LightGBM: read it with boosters.LightGBM"
	xgJSON    = "a JSON model of XGBoost: read it with boosters.XGBoost"
)

// foreign recognises the text at b and says how to read it; "" if it isn't known.
func foreign(b *bufio.Reader) string {
	head, _ := b.Peek(200) // an error comes again when b is read
	head = bytes.TrimSpace(head)
	begins := func(prefix string) bool { return bytes.HasPrefix(head, []byte(prefix)) }
	open := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("{"))) // after {
	switch {
	case begins("tree\n"), begins("tree\r\n"):
		return lightText
	case begins("{") && bytes.HasPrefix(open, []byte(`"name"`)):
		return `a JSON dump of LightGBM: save the model as text, with save_model("model.txt")`
	case begins("{") && (bytes.HasPrefix(open, []byte(`"learner"`)) || bytes.HasPrefix(open, []byte(`"version"`))):
		return xgJSON
	case begins("{") && len(open) > 0 && bytes.IndexByte([]byte("iUIlL$#"), open[0]) >= 0:
		return `XGBoost's UBJSON: save the model as JSON, with save_model("model.json")`
	case begins("booster["), begins("["):
		return `a dump of XGBoost, which lacks the objective: save the model as JSON, with save_model("model.json")`
	case begins("binf"):
		return `XGBoost's old binary format: load it with XGBoost before 3.1 and save the model as JSON`
	case begins("\x80"):
		return `a pickle of Python: save the model itself, of LightGBM with booster_.save_model("model.txt"), ` +
			`of XGBoost with save_model("model.json")`
	}
	return ""
}

// A tree is one of a model. Its inner nodes and its leaves are numbered from 0. A child c ≥ 0 is an inner node, another
// one is leaf ^c.
type tree struct {
	root        int
	features    []int
	thresholds  []float32 // rows at most the threshold go left; none if it is −Inf
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
		feature, threshold := t.features[s.child], t.thresholds[s.child]
		left, right, missingLeft := t.left[s.child], t.right[s.child], t.missingLeft[s.child]
		if math.IsInf(float64(threshold), -1) { // all cells but missing ones go right: exchanged, so that it is finite
			threshold, left, right, missingLeft = math.MaxFloat32, right, left, !missingLeft
		}
		gain := float32(min(max(t.gains[s.child], -math.MaxFloat32), math.MaxFloat32))
		if feature < 0 || feature >= p || !finite(threshold) || !finite(gain) {
			return made, fmt.Errorf("node %d asks feature %d of %d whether it is at most %v, which gains %v",
				s.child, feature, p, threshold, gain)
		}
		stack = append(stack, step{right, len(made.Nodes)}, step{left, -1})
		fn := forest.Linear([]int32{int32(feature)}, []float32{1})
		fn.MissingLeft = missingLeft
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

// outputs returns the number of sums of a model's trees. Tree t is of sum t mod outputs.
func (m *model) outputs() int {
	if m.link == softmax {
		return m.classes
	}
	return 1
}

// forest returns the forest of a model, whose trees it takes. Classes are named by their numbers, as both libraries
// have them. The softmax of two sums is the logistic function of their difference, which is the one sum of a forest.
func (m *model) forest() (*forest.Forest, error) {
	outputs := m.outputs()
	switch {
	case len(m.names) == 0 || len(m.trees) == 0:
		return nil, fmt.Errorf("%d features and %d trees; want one at least of both", len(m.names), len(m.trees))
	case m.link == softmax && (outputs < 2 || len(m.trees)%outputs != 0):
		return nil, fmt.Errorf("%d trees for %d classes; want two classes or more, and as many trees for each",
			len(m.trees), outputs)
	case len(m.base) == 1:
		m.base = slices.Repeat(m.base, outputs)
	case len(m.base) != outputs:
		return nil, fmt.Errorf("%d base scores; want %d", len(m.base), outputs)
	}
	f := &forest.Forest{Method: m.method, Features: m.names, Rule: forest.Sum, Base: m.base,
		LogLink: m.link == exponential, Fills: make([]float32, len(m.names))} // so cells may be missing
	difference := m.link == softmax && outputs == 2
	if difference {
		f.Base = []float64{m.base[1] - m.base[0]}
	}
	classes := outputs
	switch m.link {
	case logistic:
		classes = 2
	case identity, exponential:
		classes = 0
	}
	for c := range classes {
		f.Classes = append(f.Classes, fmt.Sprint(c))
	}
	for i := range m.trees {
		scale := m.scale
		if difference && i%2 == 0 {
			scale = -scale
		}
		t, err := m.trees[i].forest(len(m.names), scale)
		if err != nil {
			return nil, fmt.Errorf("tree %d: %w", i, err)
		}
		f.Trees, m.trees[i] = append(f.Trees, t), tree{}
	}
	return f, nil
}
