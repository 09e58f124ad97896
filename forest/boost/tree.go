package boost

import (
	"math"
	"slices"
	"sync"

	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/parallel"
)

// A grower grows one tree after another on binned cells, all in the same memory. A node counts its rows into
// a histogram for each feature. The larger child's histogram is the node's minus the
// smaller child's.
type grower struct {
	*booster
	call    parallel.Call
	member  member   // its weights, targets and hessian are the grower's
	vectors *vectors // nil with a tree for each output

	shrinkage float64 // the penalty in the unit of the steps' weights

	tree   forest.Tree
	steps  []step // by row
	counts []uint16
	norms  []float64 // of the gradients by row, if rows are drawn by them
	rows   []int32
	spare  []int32
	kept   [][]histogram // those of a node and of the smaller children above it, by depth

	// Of the node being split:
	node   node
	axis   forest.Function   // a single feature
	least  float64           // score of the best single feature's cut
	sums   []forest.Function // drawn
	cuts   []cut             // of the sums
	fits   fits              // of every other sum
	order  []placed          // bins of a categorical feature
	sorted []total           // theirs
	set    []uint32

	scratches    sync.Pool
	fill, search func(k int)
}

// A node has the rows that the tree was drawn and, because the leaves add to the scores of all, the others.
type node struct {
	drawn, others []int32
	total         total // of those drawn
	depth         int
	name          uint64      // seeds its random numbers
	histograms    []histogram // of the features
}

// A cut is after a bin. next is the first bin above it that has rows.
type cut struct {
	score       float64 // decrease of the sum of squares; 0 if there is none
	at, next    int
	missingLeft bool // missing cells are on the left of all bins
	left        total
}

// slack is the factor by which a score must exceed the best one before it. Scores of cuts that divide the rows alike
// differ by rounding only; so the first of these cuts is kept, and a single feature rather than a sum.
const slack = 1 + 1e-9

// Scores below this share of the square of a node's sum are those of equal targets, which were rounded.
const rounding = 1e-20

// sharedRows is the least number of rows of a node that several goroutines search.
const sharedRows = 1 << 12

func newGrower(b *booster, call parallel.Call) *grower {
	n := b.train.N()
	g := &grower{booster: b, call: call, steps: make([]step, n), rows: make([]int32, n), spare: make([]int32, n)}
	g.axis = forest.Linear([]int32{0}, []float32{1})
	g.member.weights = make([]float64, n)
	g.shrinkage = b.Penalty
	if k := b.loss.outputs(); k >= OneTree {
		g.vectors = newVectors(n, k, b.Depth, grow.MeanWeight(b.train))
		g.shrinkage /= g.vectors.unit
	} else {
		for range k {
			g.member.targets = append(g.member.targets, make([]float64, n))
			g.member.hessian = append(g.member.hessian, make([]float64, n))
		}
	}
	if b.train.Values == nil && n > sampledRows {
		g.norms = make([]float64, n)
	}
	learned := 0 // rows of positive weight
	for i := range n {
		if !weightless(b.train.Weights, i) {
			learned++
		}
	}
	g.scratches.New = func() any { return &scratch{exact: learned <= maxBins, codes: make([]uint32, n)} }
	g.fill, g.search = g.fillGroup, g.searchGroup
	return g
}

// round grows a round of member k's trees, and returns them with the loss of the member's fold after them.
func (g *grower) round(k int) (trees []forest.Tree, loss float64) {
	if g.vectors != nil {
		return g.vectorRound(k)
	}
	m := &g.member
	m.scores = g.members[k].scores
	g.weights(m.weights, k)
	for _, h := range m.hessian {
		copy(h, m.weights)
	}
	g.loss.begin(m)
	n := len(g.rows)
	parallel.For((n+blockRows-1)/blockRows, func(block int) {
		if !parallel.Cancelled(g.call) {
			g.loss.gradients(m, block*blockRows, min((block+1)*blockRows, n))
		}
	})
	outputs := len(m.scores)
	number := (g.members[k].rounds*len(g.members) + k) * outputs
	for o := range outputs {
		trees = append(trees, g.grow(number+o, o))
	}
	return trees, g.outOfFold(g.call, k)
}

// grow grows a tree for an output of the member, and adds it to the scores.
func (g *grower) grow(number, output int) forest.Tree {
	m := &g.member
	names := forest.NewRand(g.Seed, uint64(number), 1)
	root := node{name: names.Uint64(), histograms: g.at(0)}
	if hessian := m.hessian[output]; g.norms != nil {
		for i, h := range hessian {
			d, w := h*m.targets[output][i], m.weights[i]
			g.norms[i] = math.Sqrt(float64(d*d) + float64(w*w*leastNorm))
		}
		g.drawByGradients(&names, func(i int32, p float64) { hessian[i] /= p })
	} else {
		g.counts = g.forest.SampleCounts(g.counts, g.train, number)
		samples.KeepWeighted(g.counts, m.weights)
	}
	if parallel.Cancelled(g.call) {
		return forest.Tree{}
	}
	root.drawn, root.others = g.divideDrawn()
	for _, i := range root.drawn {
		h := m.hessian[output][i]
		g.steps[i] = step{float64(h * m.targets[output][i]), h}
		root.total.take(&g.steps[i])
	}
	g.tree.Reset()
	g.count(root)
	g.split(root, output)
	return g.tree.Trimmed()
}

// divideDrawn returns the rows that were drawn and the others, both ascending.
func (g *grower) divideDrawn() (drawn, others []int32) {
	first, last := 0, len(g.rows)
	for i, count := range g.counts {
		if count > 0 {
			g.rows[first] = int32(i)
			first++
		} else {
			last--
			g.rows[last] = int32(i)
		}
	}
	slices.Reverse(g.rows[first:])
	return g.rows[:first], g.rows[first:]
}

// at returns histograms of all features for a node of a depth.
func (g *grower) at(depth int) []histogram {
	if depth == len(g.kept) {
		g.kept = append(g.kept, make([]histogram, 4*len(g.binned.codes)))
	}
	return g.kept[depth]
}

// split adds the node, and all below it, to the tree.
func (g *grower) split(n node, output int) {
	at := int32(len(g.tree.Nodes))
	left, right, ok := g.divide(n)
	if !ok {
		g.leaf(n, output)
		return
	}
	g.split(left, output)
	g.tree.Nodes[at].Next = int32(len(g.tree.Nodes))
	g.split(right, output)
}

// leaf adds a leaf, whose value it adds to the scores.
func (g *grower) leaf(n node, output int) {
	members, scores := float64(len(g.members)), g.member.scores[output]
	g.tree.Nodes = append(g.tree.Nodes,
		forest.ValueLeaf(float32(n.total.gradient/n.total.weight), float32(n.total.weight)))
	leaf := &g.tree.Nodes[len(g.tree.Nodes)-1]
	rows := append(append(g.spare[:0], n.drawn...), n.others...)
	leaf.Value = float32(g.loss.leaf(&g.member, leaf, rows, g.Penalty) * g.Rate / members)
	for _, i := range rows {
		scores[i] += float64(members * float64(leaf.Value))
	}
}

// divide adds a split to the tree, and returns the children. It returns false if there is no split.
func (g *grower) divide(n node) (left, right node, ok bool) {
	if n.depth == g.Depth || len(n.drawn) < 2*g.MinLeaf || parallel.Cancelled(g.call) {
		return left, right, false
	}
	if g.vectors != nil {
		if g.drawClass(&n); n.total.weight == 0 {
			return left, right, false
		}
		g.count(n)
	}
	g.node = n
	single, feature := g.searchSingles()
	sum, number := g.searchSums(single.score)
	best := single
	if sum.score > single.score {
		best = sum
	}
	if best.score <= float64(rounding*n.total.gradient)*n.total.gradient/n.total.weight || parallel.Cancelled(g.call) {
		return left, right, false
	}
	s := g.scratches.Get().(*scratch)
	defer g.scratches.Put(s)
	var fn forest.Function
	var threshold float32
	columns := g.columns
	if sum.score > single.score {
		fn = g.sums[number]
		s.project(&fn, columns, n.drawn, 0)
		threshold = s.threshold(n.drawn, best.at)
	} else {
		columns = g.cells
		fn, threshold = g.single(feature, &best)
		s.values = grow.Sized(s.values, len(n.drawn))
		forest.Project(&fn, s.values, columns, n.drawn)
	}
	g.tree.Nodes = append(g.tree.Nodes, forest.Node{Split: g.tree.Splits.Add(fn), Value: threshold,
		Weight: float32(min(best.score, math.MaxFloat32))})

	names := forest.NewRand(n.name, 1)
	left = node{depth: n.depth + 1, name: names.Uint64(), total: best.left}
	right = node{depth: n.depth + 1, name: names.Uint64(), total: n.total}
	right.total.subtract(&best.left)
	left.drawn, right.drawn = g.part(n.drawn, s.values, threshold)
	s.values = grow.Sized(s.values, len(n.others))
	forest.Project(&fn, s.values, columns, n.others)
	left.others, right.others = g.part(n.others, s.values, threshold)
	switch {
	case g.vectors != nil:
		left.histograms, right.histograms = n.histograms, n.histograms // which each fills before it is split
	case left.depth < g.Depth:
		smaller, larger := &left, &right
		if len(left.drawn) > len(right.drawn) {
			smaller, larger = &right, &left
		}
		smaller.histograms, larger.histograms = g.at(left.depth), n.histograms
		g.count(*smaller)
		for j, bins := range g.binned.features {
			for k := range bins.count {
				larger.histograms[j][k].subtract(&smaller.histograms[j][k])
			}
		}
	}
	return left, right, true
}

// part moves the rows whose value is at most t to the front, and returns both parts, in order.
func (g *grower) part(rows []int32, values []float32, t float32) (below, above []int32) {
	k, spare := 0, g.spare[:len(rows)]
	for i, v := range values[:len(rows)] {
		r := rows[i] // written to both places, since a branch would be mispredicted often
		rows[k], spare[i-k] = r, r
		if v <= t {
			k++
		}
	}
	copy(rows[k:], spare)
	return rows[:k:k], rows[k:]
}

// count fills the node's histograms.
func (g *grower) count(n node) {
	g.node = n
	for j, bins := range g.binned.features {
		clear(n.histograms[j][:bins.count])
	}
	g.each(len(g.binned.codes), g.fill)
}

// each calls do for 0 to n−1, on all cores if the node has many rows.
func (g *grower) each(n int, do func(k int)) {
	if len(g.node.drawn) >= sharedRows {
		parallel.For(n, do)
		return
	}
	for k := range n {
		do(k)
	}
}

// fillGroup counts the rows into the histograms of four features.
func (g *grower) fillGroup(group int) {
	if !parallel.Cancelled(g.call) {
		fill((*[4]histogram)(g.node.histograms[4*group:]), g.binned.codes[group], g.node.drawn, g.steps)
	}
}

// summedRows is the number of rows that choose a sum in a node of at least twice as many. All rows then cut it.
const summedRows = 1 << 12

// searchSums draws signed sums, fits every other of them, and returns the best cut of one, if its score is above most.
func (g *grower) searchSums(most float64) (best cut, number int) {
	p, rng := len(g.numeric), forest.NewRand(g.node.name)
	count := 0
	if p > 1 {
		count = int(float64(g.Sums*float64(p)) + rng.Float64())
	}
	g.sums = slices.Grow(g.sums[:0], count)[:count]
	for k := range g.sums {
		drawSum(&g.sums[k], g.numeric, &rng)
	}
	if count > 1 {
		g.standardise()
	}
	if n := g.node; count > 0 && len(n.drawn) >= 2*summedRows {
		g.node = g.some(n)
		_, number = g.bestSum(0)
		g.node = n
		g.sums[0], g.sums[number] = g.sums[number], g.sums[0]
		g.sums = g.sums[:1]
	}
	return g.bestSum(most)
}

// some returns the node with evenly spaced rows of its own.
func (g *grower) some(n node) node {
	n.total = total{}
	all := n.drawn
	n.drawn = g.spare[:summedRows]
	for k := range n.drawn {
		n.drawn[k] = all[k*len(all)/summedRows]
		n.total.take(&g.steps[n.drawn[k]])
	}
	return n
}

// bestSum returns the best cut of the drawn sums, if its score is above most.
func (g *grower) bestSum(most float64) (best cut, number int) {
	count := len(g.sums)
	g.cuts = slices.Grow(g.cuts[:0], count)[:count]
	clear(g.cuts)
	g.least = most
	g.each((count+3)/4, g.search)
	for k, c := range g.cuts {
		if c.score > best.score {
			best, number = c, k
		}
	}
	return best, number
}

// drawSum combines 2, 3, 4, … of the features, with probabilities ½, ¼, ⅛, …, up to all.
func drawSum(fn *forest.Function, features []int32, rng *forest.Rand) {
	k, p := 2, len(features)
	for k < p && rng.Intn(2) == 0 {
		k++
	}
	fn.Kind, fn.Features, fn.Weights = forest.Sparse, grow.Subset(fn.Features, p, k, rng), fn.Weights[:0]
	for i, at := range fn.Features {
		fn.Features[i] = features[at]
		fn.Weights = append(fn.Weights, float32(1-2*rng.Intn(2)))
	}
}

// searchGroup searches the best cuts of four sums.
func (g *grower) searchGroup(group int) {
	if parallel.Cancelled(g.call) {
		return
	}
	s := g.scratches.Get().(*scratch)
	defer g.scratches.Put(s)
	first := 4 * group
	best := g.least
	var bins [4]int
	for k, last := first, min(first+4, len(g.sums)); k < last; k++ {
		if g.fitted(k) {
			g.fits.fit(&g.sums[k])
		}
		bins[k-first] = s.project(&g.sums[k], g.columns, g.node.drawn, 8*(k-first))
		clear(s.histograms[k-first][:bins[k-first]])
	}
	fill(&s.histograms, s.codes, g.node.drawn, g.steps)
	for k := range bins {
		if c := g.scan(total{}, s.histograms[k][:bins[k]], best); c.score > 0 {
			best, g.cuts[first+k] = c.score, c
		}
	}
}

// scan returns the best cut between bins of the node's rows, by the decrease of the weighted sum of squares, or none if
// its score isn't above most. left is what is on the left of all bins.
func (g *grower) scan(left total, bins []total, most float64) (best cut) {
	all, least := g.node.total, int64(g.MinLeaf)
	mean, last := all.gradient/all.weight, all.rows-least
	for k := range bins {
		left.add(&bins[k])
		if left.rows < least {
			continue
		}
		if left.rows > last {
			break
		}
		d, right := left.gradient-float64(left.weight*mean), all.weight-left.weight
		if float64(d*d)*all.weight <= most*(left.weight*right)*slack {
			continue // found without a division
		}
		if score := float64(d*d) * (1/left.weight + 1/right); score > most && left.weight > 0 && right > 0 {
			best, most = cut{score: score, at: k, left: left}, score
		}
	}
	if best.score > 0 {
		for best.next = best.at + 1; bins[best.next].rows == 0; best.next++ {
		}
	}
	return best
}
