package shap

import (
	"slices"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/internal/portable"
)

// A term is what a leaf adds to an output.
type term struct {
	output int
	value  float64
}

// terms appends to dst what a leaf of tree i adds to the outputs. Of a linear leaf that is what it adds for
// the means of the reference.
func (e *Explainer) terms(dst []term, i, leaf int) []term {
	t, scale := &e.trees[i], e.scale()
	if k := t.nodes[leaf].player; k >= 0 {
		return append(dst, t.linear[k].atMeans...)
	}
	l := t.source.Leaf(leaf)
	switch l.Kind {
	case forest.LeafClass:
		return append(dst, term{int(l.Class), scale})
	case forest.LeafValue:
		return append(dst, term{e.output(i), scale * float64(l.Value)})
	case forest.LeafValues:
		for o, v := range l.Dist {
			dst = append(dst, term{o, scale * float64(v)})
		}
		return dst
	}
	sum := 0.0
	for _, w := range l.Dist {
		sum += float64(w)
	}
	for c, w := range l.Dist {
		if w > 0 {
			dst = append(dst, term{c, scale * float64(w) / sum})
		}
	}
	return dst
}

// treeBase returns what tree i adds to each output if no feature is known: the mean over its leaves, by their
// training weights.
func (e *Explainer) treeBase(i int) []float64 {
	t, base := &e.trees[i], make([]float64, len(e.outputs))
	reach := make([]float64, len(t.nodes)) // the share of the weight that reaches each node
	reach[0] = 1
	var terms []term
	for k := range t.source.Nodes {
		n := &t.source.Nodes[k]
		if !n.IsLeaf() {
			left := float64(reach[k] * t.nodes[k].left)
			reach[k+1], reach[n.Next] = left, reach[k]-left
			continue
		}
		terms = e.terms(terms[:0], i, k)
		for _, a := range terms {
			base[a.output] += float64(reach[k] * a.value)
		}
	}
	return base
}

// mostLeaves returns the output that most leaves add to.
func (e *Explainer) mostLeaves() int {
	counts := make([]int, len(e.outputs))
	var terms []term
	for i := range e.trees {
		for k := range e.trees[i].source.Nodes {
			if e.trees[i].source.Nodes[k].IsLeaf() {
				terms = e.terms(terms[:0], i, k)
				for _, a := range terms {
					counts[a.output]++
				}
			}
		}
	}
	return slices.Index(counts, slices.Max(counts))
}

// A linearLeaf is a leaf with linear scores. Its model is a player: where it isn't known, the leaf has its output
// for the means of the reference.
type linearLeaf struct {
	outputs  []int       // of each score
	bias     []float64   // by score
	features []int32     // of all scores, ascending
	weights  [][]float64 // by score and feature, 0 where the score doesn't have it
	classes  bool        // whether softmax makes proportions of the scores
	scale    float64     // of what it adds to the outputs
	atMeans  []term      // what it adds for the means of the reference
}

// newLinearLeaf returns the leaf of a tree whose values add to an output, or of a tree of classes.
func newLinearLeaf(scores []forest.Score, classes bool, output int, scale float64, means []float64) linearLeaf {
	l := linearLeaf{classes: classes, scale: scale}
	for _, s := range scores {
		l.features = append(l.features, s.Features...)
	}
	slices.Sort(l.features)
	l.features = slices.Compact(l.features)
	for _, s := range scores {
		weights := make([]float64, len(l.features))
		for i, j := range s.Features {
			at, _ := slices.BinarySearch(l.features, j)
			weights[at] = float64(s.Weights[i])
		}
		if classes {
			output = int(s.Class)
		}
		l.outputs, l.bias, l.weights = append(l.outputs, output), append(l.bias, float64(s.Bias)), append(l.weights, weights)
	}
	at := make([]float64, len(l.features))
	for i, j := range l.features {
		at[i] = means[j]
	}
	values := make([]float64, len(scores))
	l.predict(values, at)
	for k, v := range values {
		l.atMeans = append(l.atMeans, term{l.outputs[k], v})
	}
	return l
}

// predict writes the leaf's outputs for a row. x has the row's values of the leaf's features.
func (l *linearLeaf) predict(dst, x []float64) {
	for k := range dst {
		dst[k] = l.bias[k]
		for i, w := range l.weights[k] {
			dst[k] += float64(w * x[i])
		}
	}
	sum := 1.0
	if l.classes {
		largest := slices.Max(dst)
		sum = 0
		for k, v := range dst {
			dst[k] = portable.Exp(v - largest)
			sum += dst[k]
		}
	}
	for k := range dst {
		dst[k] *= l.scale / sum
	}
}

// move sets s.parts to the parts of the features in the change of score k's output from the means of the reference
// to a row, where x has the row's features and at the leaf's outputs for it. A value is a sum of such parts. A class's
// proportion is shared as a split function is: by the score of the class less the mean of all scores, each weighed by
// the mean of its two proportions.
func (l *linearLeaf) move(s *sharing, k int, x, at, means, variances []float64) {
	s.resize(len(l.features), 1)
	for i, j := range l.features {
		w := l.weights[k][i]
		if l.classes {
			for other, v := range l.weights {
				w -= v[i] * (at[other] + l.atMeans[other].value) / (2 * l.scale)
			}
		}
		s.parts[i], s.spread[i] = w*(x[i]-means[j]), w*w*variances[j]
	}
	change := l.scale
	if l.classes {
		s.share()
		change = at[k] - l.atMeans[k].value
	}
	for i := range s.parts {
		s.parts[i] *= change
	}
}
