package graf

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/device"
)

// A grower holds what all trees of a fit share.
type grower struct {
	Learner
	train *datasets.Dataset
	n     int
	order []int32      // the rows, sorted by class
	runs  []device.Run // of all rows
	inv   []float64    // 1/N_c
	pairs []float64    // Z of small regions; see impurity

	cells   []float32 // the rows, if trees see all features
	longest float64   // length of the longest of cells

	device                    device.Device // nil for none
	devicePlanes              int           // most of a step for it
	loaded                    device.Rows   // cells, if the device has them
	minProducts, drawProducts int64         // the constants; tests have the device do smaller steps

	memory     *grow.FeatureMemory // nil for none
	everywhere bool                // skips the radius heuristic and scans every impure region, for tests
}

func newGrower(l Learner, train *datasets.Dataset) *grower {
	g := &grower{
		Learner:      l,
		train:        train,
		n:            train.N(),
		inv:          make([]float64, len(train.Classes)),
		devicePlanes: min(l.Candidates, max(maxPlanes, maxDeviceWeights/l.TreeFeatures)),
		minProducts:  minProducts,
		drawProducts: drawProducts,
	}
	g.sortByClass()
	if len(train.Classes) == 2 {
		g.tabulate()
	}
	if l.TreeFeatures == train.P() {
		all := samples.UpTo(train.P())
		g.cells = make([]float32, g.n*len(all))
		g.copyCells(g.cells, all)
		g.longest = g.longestRow(g.cells)
	}
	return g
}

// sortByClass puts the rows in order of class. They stay in this order within each region,
// so a region's rows of one class are contiguous.
func (g *grower) sortByClass() {
	counts := g.train.ClassCounts()
	place := make([]int, len(counts))
	end := 0
	for c, count := range counts {
		place[c] = end
		end += count
		if count > 0 {
			g.inv[c] = 1 / float64(count)
			g.runs = append(g.runs, device.Run{Class: int32(c), N: int32(count)})
		}
	}
	g.order = make([]int32, g.n)
	for i, c := range g.train.Labels {
		g.order[place[c]] = int32(i)
		place[c]++
	}
}

// copyCells writes the given features of every row to cells, row after row.
func (g *grower) copyCells(cells []float32, features []int32) {
	var column []float32
	for k, j := range features {
		column = g.train.Column(column, int(j))
		for i, v := range column {
			cells[i*len(features)+k] = v
		}
	}
}

// A region is an impure region of the space that may be divided further. Its rows are
// order[lo:hi] of its worker, sorted by class.
type region struct {
	lo, hi   int32
	node     int32   // its node in the tree
	ball     int32   // number of its ball, or one of the constants below
	firstRun int     // its numbers of rows by class are runs[firstRun:][:runs]
	runs     int32   // its number of classes
	closed   bool    // whether it is a leaf because all its rows are equal
	z        float64 // Z, eq. 8
}

// A region's ball is computed when it is first used, which is not before a plane has
// missed the region: one that every plane cuts needs no ball.
const (
	unneeded int32 = -1 - iota
	needed
)

// A node is a node of a tree that is being grown, in the order of growing. Its children
// are nodes children and children+1; in a leaf children is 0.
type node struct {
	children int32
	node     forest.Node // the finished node, but without Next of a split
}

// A worker grows one tree after another, in memory of its own.
type worker struct {
	*grower
	rng      forest.Rand
	subspace []int32   // the tree's M features, ascending
	cells    []float32 // X_M, row after row
	longest  float64   // length of the longest row of cells
	scale    float64   // factor of the weights; a power of two

	regions    []region     // of F_1, in the order of their rows
	newRegions []region     // of the next step
	order      []int32      // the rows; those of leaves are between the regions
	runs       []device.Run // of regions, and of some that were divided
	balls      balls
	tests      int // of the radius heuristic in this tree
	misses     int // tests that found that no plane reaches a region

	target             int          // Ω*, a region
	bounds             [2][]float32 // smallest and largest values of Ω*
	least, width, mean []float64    // eq. 3–5 of Ω*: smallest values, largest less smallest, means

	trials batch
	best   plane

	loaded device.Rows  // the device's copy of cells; nil for none
	step   device.Step  // what the device is asked,
	found  device.Plane // and what it answers

	nodes   []node
	store   forest.Tree // the planes and posteriors that nodes refer to
	dist    []float32   // of a leaf
	onRight []int32     // rows on the right of the best plane
	stack   []branch

	// Numbers of rows on the right, by run: of one plane, of eight planes as bytes of a
	// word (for up to 255 rows), and of eight planes in larger regions.
	right  []int32
	narrow []uint64
	wide   [][8]int32
}

func newWorker(g *grower) *worker {
	m, n, c := g.TreeFeatures, g.n, len(g.runs)
	w := &worker{
		grower:   g,
		subspace: make([]int32, m),
		cells:    g.cells,
		longest:  g.longest,
		loaded:   g.loaded,
		order:    make([]int32, n),
		onRight:  make([]int32, n),
		store:    forest.Tree{Classes: len(g.inv)},
		dist:     make([]float32, len(g.inv)),
		bounds:   [2][]float32{make([]float32, m), make([]float32, m)},
		least:    make([]float64, m),
		width:    make([]float64, m),
		mean:     make([]float64, m),
		trials:   newBatch(min(maxPlanes, g.Candidates), m),
		best:     plane{weights: make([]float32, m)},
		right:    make([]int32, c),
		wide:     make([][8]int32, c),
		narrow:   make([]uint64, c),
	}
	if w.cells == nil {
		w.cells = make([]float32, n*m)
	}
	return w
}

// grow grows tree number t (the body of Algorithm 1's outermost loop).
func (w *worker) grow(ctx context.Context, t int, tree *forest.Tree) error {
	w.begin(t)
	if w.device != nil && w.grower.loaded == nil {
		rows, err := w.load(w.cells)
		if err != nil {
			return err
		}
		defer rows.Close()
		w.loaded = rows
	}
	for w.mostImpure() {
		found, err := w.scanStep(ctx)
		if err == nil && !found {
			if !w.boundTarget() {
				w.closeTarget()
				continue
			}
			err = w.drawPlane(ctx)
		}
		if err != nil {
			return err
		}
		w.divide()
		if coefficients := w.store.Splits.Coefficients(); coefficients > math.MaxInt32 {
			return fmt.Errorf("graf: a tree has %d coefficients; want at most %d: set fewer TreeFeatures", coefficients,
				math.MaxInt32)
		}
	}
	*tree = w.finish()
	return nil
}

// begin draws the tree's subspace and makes all rows the root region.
func (w *worker) begin(t int) {
	w.rng = forest.NewRand(w.Seed, uint64(t))
	w.drawSubspace()
	if w.grower.cells == nil {
		w.copyCells(w.cells, w.subspace)
		w.longest = w.longestRow(w.cells)
	}
	w.scale = scale(w.longest, w.TreeFeatures)
	w.balls.clear(w.TreeFeatures)
	w.tests, w.misses = 0, 0
	w.store.Reset()
	copy(w.order, w.grower.order)
	w.runs = append(w.runs[:0], w.grower.runs...)
	w.nodes = append(w.nodes[:0], node{})
	w.regions = w.regions[:0]
	if w.n < w.MinSplit {
		w.addLeaf(0, w.runs)
		return
	}
	w.regions = append(w.regions, region{hi: int32(w.n), runs: int32(len(w.runs)), ball: unneeded, z: w.impurity(w.runs)})
}

// drawSubspace draws the tree's features: uniformly, or with the weights that the memory gives
// them.
func (w *worker) drawSubspace() {
	if w.memory != nil {
		if weights := w.memory.Weights(); weights != nil {
			draw := grow.NewWeightedDraw(weights)
			draw.Begin()
			for k := range w.subspace {
				w.subspace[k] = draw.Next(&w.rng)
			}
			slices.Sort(w.subspace)
			return
		}
	}
	w.rng.Choose(w.subspace, w.train.P())
}

// scale returns a power of two, by which weights are multiplied so that the sums of eq. 2
// over m features fit in a float32, for rows of at most the given length. It is 1 unless
// rows are very long or very short. Scaling doesn't move a plane.
func scale(longest float64, m int) float64 {
	if longest == 0 || longest > 0x1p-40 && longest*longest < 0x1p100 {
		return 1
	}
	return math.Ldexp(1, -2-math.Ilogb(longest)-math.Ilogb(float64(m)))
}

func (w *worker) row(i int) []float32 { return w.cells[i*w.TreeFeatures:][:w.TreeFeatures] }

// longestRow returns the length of the longest row of cells.
func (g *grower) longestRow(cells []float32) float64 {
	var longest float64
	for len(cells) > 0 {
		var sum float64
		for _, v := range cells[:g.TreeFeatures] {
			sum += float64(float64(v) * float64(v)) // the conversion keeps compilers from fusing
		}
		longest = max(longest, math.Sqrt(sum))
		cells = cells[g.TreeFeatures:]
	}
	return longest
}

// mostImpure makes the most impure region the target (eq. 9), the first if there are
// ties. It returns false if no region is left. Where planes aren't shared, the order of targets
// means nothing, and the first region is taken, which keeps regions few.
func (w *worker) mostImpure() bool {
	found := false
	for i := range w.regions {
		r := &w.regions[i]
		if !r.closed && (!found || !w.Unshared && r.z > w.regions[w.target].z) {
			w.target, found = i, true
		}
	}
	return found
}

// boundTarget computes the smallest and the mean value of each feature in the target, and
// how much larger the largest is (eq. 3–5). It returns false if its rows are all equal (eq. 10).
func (w *worker) boundTarget() bool {
	r := &w.regions[w.target]
	kernel.Bounds(w.bounds[0], w.bounds[1], w.mean, w.cells, w.order[r.lo:r.hi])
	differ := false
	for j := range w.mean {
		w.least[j] = float64(w.bounds[0][j])
		w.width[j] = float64(w.bounds[1][j]) - w.least[j]
		w.mean[j] /= float64(r.hi - r.lo)
		differ = differ || w.width[j] > 0
	}
	return differ
}

// closeTarget makes the target, whose rows are all equal, a leaf. It is removed from the
// regions in the next step.
func (w *worker) closeTarget() {
	r := &w.regions[w.target]
	w.addLeaf(r.node, w.runsOf(r))
	r.closed = true
}

func (w *worker) runsOf(r *region) []device.Run { return w.runs[r.firstRun:][:r.runs] }

// addLeaf makes the node a leaf with the posterior of eq. 18. Its class weights are the
// numbers of rows times N/N_c (eq. 20).
func (w *worker) addLeaf(node int32, runs []device.Run) {
	var weight float32
	for _, r := range runs {
		weight += float32(r.N)
	}
	if len(runs) == 1 {
		w.nodes[node].node = forest.ClassLeaf(runs[0].Class, weight)
		return
	}
	clear(w.dist)
	for _, r := range runs {
		w.dist[r.Class] = float32(float64(r.N) * float64(w.n) * w.inv[r.Class])
	}
	w.nodes[node].node = w.store.DistLeaf(w.dist, weight)
}

// addPlane stores the best plane and returns its split number. If the tree has all
// features, their indices aren't stored.
func (w *worker) addPlane() int32 {
	weights := w.best.weights
	if w.TreeFeatures == w.train.P() {
		return w.store.Splits.Add(forest.Function{Kind: forest.Dense, Weights: weights})
	}
	return w.store.Splits.Add(forest.Function{Kind: forest.Sparse, Features: w.subspace, Weights: weights})
}

// divide extends the best plane to all regions that it cuts (eq. 11–14). Parts that are
// pure or have too few rows become leaves.
func (w *worker) divide() {
	split := forest.Node{Split: w.addPlane(), Value: w.best.threshold}
	w.newRegions = w.newRegions[:0]
	for i := range w.regions {
		r := &w.regions[i]
		if r.closed {
			continue
		}
		if w.best.first[i] < 0 {
			w.newRegions = append(w.newRegions, *r)
			continue
		}
		left, right := w.sort(r, w.best.sides[w.best.first[i]:])
		if left == 0 || right == 0 {
			if r.ball == unneeded {
				r.ball = needed
			}
			w.newRegions = append(w.newRegions, *r)
			continue
		}
		w.balls.free(r.ball)
		w.divideRegion(r, r.lo+int32(left), split)
	}
	w.regions, w.newRegions = w.newRegions, w.regions
}

// sort divides a region's rows, class by class, by the best plane, whose sides of them are
// given: those on the left come first. It counts those on the right by run in w.right.
func (w *worker) sort(r *region, sides []uint8) (left, right int) {
	rows := w.order[r.lo:r.hi]
	sides = sides[:len(rows)]
	onRight := w.onRight[:len(rows)]
	lane := w.best.lane & 7
	at := 0
	for k, run := range w.runsOf(r) {
		before := right
		end := at + int(run.N)
		for ; at < end; at++ {
			row, side := rows[at], int(sides[at]>>lane&1)
			rows[left], onRight[right] = row, row // left is at most at
			right += side
			left += 1 - side
		}
		w.right[k] = int32(right - before)
	}
	copy(rows[left:], onRight[:right])
	return left, right
}

// divideRegion divides a sorted region into its rows below middle and the others.
func (w *worker) divideRegion(r *region, middle int32, split forest.Node) {
	children := int32(len(w.nodes))
	w.nodes = append(w.nodes, node{}, node{})
	from := len(w.runs)
	for k, run := range w.runsOf(r) {
		w.addRun(run.Class, run.N-w.right[k])
	}
	zLeft := w.addPart(children, r.lo, middle, from)
	from = len(w.runs)
	for k, run := range w.runsOf(r) {
		w.addRun(run.Class, w.right[k])
	}
	zRight := w.addPart(children+1, middle, r.hi, from)
	split.Weight = float32(r.z - zLeft - zRight)
	w.nodes[r.node] = node{children, split}
}

func (w *worker) addRun(class, n int32) {
	if n > 0 {
		w.runs = append(w.runs, device.Run{Class: class, N: n})
	}
}

// addPart makes the rows order[lo:hi], whose runs are runs[from:], a region or a leaf, and
// returns their Z.
func (w *worker) addPart(node, lo, hi int32, from int) (z float64) {
	runs := w.runs[from:]
	z = w.impurity(runs)
	if len(runs) == 1 || int(hi-lo) < w.MinSplit {
		w.addLeaf(node, runs)
		w.runs = w.runs[:from]
		return z
	}
	w.newRegions = append(w.newRegions, region{
		lo: lo, hi: hi, firstRun: from, runs: int32(len(runs)), node: node, ball: unneeded, z: z,
	})
	return z
}

// A branch is a node that isn't in the finished tree yet. parent is the finished node
// whose right child it is, −1 for a left child or the root.
type branch struct{ node, parent int32 }

// finish puts the nodes in preorder.
func (w *worker) finish() forest.Tree {
	tree := w.store.Trimmed()
	tree.Nodes = make([]forest.Node, 0, len(w.nodes))
	w.stack = append(w.stack[:0], branch{0, -1})
	for len(w.stack) > 0 {
		b := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		at := int32(len(tree.Nodes))
		if b.parent >= 0 {
			tree.Nodes[b.parent].Next = at
		}
		n := &w.nodes[b.node]
		tree.Nodes = append(tree.Nodes, n.node)
		if n.children > 0 {
			w.stack = append(w.stack, branch{n.children + 1, at}, branch{n.children, -1})
		}
	}
	return tree
}
