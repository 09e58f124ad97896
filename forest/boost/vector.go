package boost

import (
	"math"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// With many classes a round has one tree for all of them. Each node is split for one class, which it draws with a
// probability in proportion to the sum of the squared gradients of its rows. So a split costs as much as with two
// classes. A leaf has a step of Newton's for every class.

// OneTree is the least number of classes that share one tree in a round.
const OneTree = 6

// vectors are the gradients of all classes.
type vectors struct {
	classes   int
	unit      float64     // the mean weight of rows, in which weights are measured here
	gradients []float32   // by row and class, of the rows that are drawn, times their weights
	hessians  []float32   // the same: second derivatives
	squares   []float64   // buffer, by class
	values    []float32   // buffer, by class: of a leaf
	sums      [][]float64 // buffers by depth and side: gradients and second derivatives by class
}

func newVectors(n, classes, depth int, unit float64) *vectors {
	v := &vectors{classes: classes, unit: unit, gradients: make([]float32, n*classes),
		hessians: make([]float32, n*classes), squares: make([]float64, classes), values: make([]float32, classes)}
	for range 2*depth + 1 {
		v.sums = append(v.sums, make([]float64, 2*classes))
	}
	return v
}

// of returns the gradients and second derivatives of row i.
func (v *vectors) of(i int32) (gradients, hessians []float32) {
	at, end := int(i)*v.classes, (int(i)+1)*v.classes
	return v.gradients[at:end:end], v.hessians[at:end:end]
}

// vectorRound grows the tree of a round of member k, and returns it with the loss of the member's fold after it.
func (g *grower) vectorRound(k int) (trees []forest.Tree, loss float64) {
	m := &g.member
	m.scores = g.members[k].scores
	g.weights(m.weights, k)
	number := g.members[k].rounds*len(g.members) + k
	names := forest.NewRand(g.Seed, uint64(number), 1)
	root := node{name: names.Uint64(), histograms: g.at(0)}
	if g.norms != nil {
		g.setGradients(true)
		g.drawByGradients(&names, g.vectors.scale)
	} else {
		g.counts = g.forest.SampleCounts(g.counts, g.train, number)
		samples.KeepWeighted(g.counts, m.weights)
		g.setGradients(false)
	}
	if parallel.Cancelled(g.call) {
		return []forest.Tree{{}}, 0
	}
	root.drawn, root.others = g.divideDrawn()
	g.tree.Reset()
	g.tree.Outputs = g.vectors.classes
	g.splitVectors(root, g.vectors.sums[0])
	return []forest.Tree{g.tree.Trimmed()}, g.outOfFold(g.call, k)
}

// setGradients sets the gradients, their norms and second derivatives of all rows of positive weight, or of those that
// are drawn.
func (g *grower) setGradients(all bool) {
	v, n := g.vectors, len(g.rows)
	parallel.For((n+blockRows-1)/blockRows, func(block int) {
		proba := make([]float64, v.classes)
		for i := block * blockRows; i < min((block+1)*blockRows, n) && !parallel.Cancelled(g.call); i++ {
			if w := g.member.weights[i]; w > 0 && (all || g.counts[i] > 0) {
				g.gradientsOf(int32(i), w/v.unit, proba)
			}
		}
	})
}

// gradientsOf sets the gradients of a row. proba is a buffer.
func (g *grower) gradientsOf(i int32, weight float64, proba []float64) {
	for c, scores := range g.member.scores {
		proba[c] = scores[i]
	}
	softmax(proba)
	label, k := g.train.Labels[i], float64(len(proba))
	gradients, hessians := g.vectors.of(i)
	norm := 0.0
	for c, p := range proba {
		d := -p
		if int(label) == c {
			d = 1 - p
		}
		norm += float64(d * d)
		h := max(float64(p*(1-p)), leastHessian) * k / (k - 1) // Friedman 2001, equation 32
		gradients[c], hessians[c] = float32(d*weight), float32(h*weight)
	}
	if g.norms != nil {
		g.norms[i] = weight * math.Sqrt(norm+leastNorm)
	}
}

// scale divides a row's gradients and second derivatives by p.
func (v *vectors) scale(i int32, p float64) {
	gradients, hessians := v.of(i)
	for c := range gradients {
		gradients[c], hessians[c] = float32(float64(gradients[c])/p), float32(float64(hessians[c])/p)
	}
}

// splitVectors adds the node, and all below it, to the tree, and sets sums to the gradients and second derivatives of
// its rows, by class.
func (g *grower) splitVectors(n node, sums []float64) {
	at := len(g.tree.Nodes)
	left, right, ok := g.divide(n)
	if !ok {
		g.vectorLeaf(n, sums)
		return
	}
	v := g.vectors
	l, r := v.sums[2*n.depth+1], v.sums[2*n.depth+2]
	g.splitVectors(left, l)
	g.tree.Nodes[at].Next = int32(len(g.tree.Nodes))
	g.splitVectors(right, r)
	gain, k := 0.0, v.classes
	for c := range k {
		sums[c], sums[k+c] = l[c]+r[c], l[k+c]+r[k+c]
		if l[k+c] == 0 || r[k+c] == 0 { // of weights that are next to nothing
			continue
		}
		d := l[c] - float64(sums[c]*(l[k+c]/sums[k+c]))
		gain += float64(float64(d*d) * (1/l[k+c] + 1/r[k+c]))
	}
	g.tree.Nodes[at].Weight = float32(min(gain*v.unit, math.MaxFloat32))
}

// drawClass draws the class that a node is split for, and makes its gradients the steps of the node's rows.
func (g *grower) drawClass(n *node) {
	v := g.vectors
	clear(v.squares)
	for _, i := range n.drawn {
		gradients, _ := v.of(i)
		for c, d := range gradients {
			v.squares[c] += float64(float64(d) * float64(d))
		}
	}
	sum := 0.0
	for _, s := range v.squares {
		sum += s
	}
	rng := forest.NewRand(n.name, 2)
	at, class := float64(rng.Float64()*sum), 0
	for c, s := range v.squares {
		if s > 0 {
			class = c
			if at -= s; at < 0 {
				break
			}
		}
	}
	n.total = total{}
	for _, i := range n.drawn {
		gradients, hessians := v.of(i)
		g.steps[i] = step{float64(gradients[class]), float64(hessians[class])}
		n.total.take(&g.steps[i])
	}
}

// vectorLeaf adds a leaf, whose values it adds to the scores. It sets sums as splitVectors does.
func (g *grower) vectorLeaf(n node, sums []float64) {
	v, members := g.vectors, float64(len(g.members))
	clear(sums)
	for _, i := range n.drawn {
		gradients, hessians := v.of(i)
		for c, d := range gradients {
			sums[c] += float64(d)
			sums[v.classes+c] += float64(hessians[c])
		}
	}
	weight := 0.0
	for c := range v.values {
		h := sums[v.classes+c]
		weight += h
		if v.values[c] = 0; h > 0 {
			v.values[c] = float32(sums[c] / (h + g.shrinkage) * g.Rate / members)
		}
		scores, add := g.member.scores[c], float64(members*float64(v.values[c]))
		for _, i := range n.drawn {
			scores[i] += add
		}
		for _, i := range n.others {
			scores[i] += add
		}
	}
	g.tree.Nodes = append(g.tree.Nodes, g.tree.ValuesLeaf(v.values, float32(min(weight*v.unit, math.MaxFloat32))))
}
