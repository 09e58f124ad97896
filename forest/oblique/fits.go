package oblique

import (
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

// fits is the source of candidates: linear models that are fitted to the node's rows. The
// first draw has K of them, each further draw one.
type fits struct {
	p, m, trials int
	lda          bool
	regression   regression

	node       *grow.Node
	present    []int32   // the node's classes
	side       []float64 // by class: the group it is in, ±1; 0 if the node has no row of it
	left       int       // fits left in the draw
	rowWeights []float64
	target     []float64
	cells      []float32
	next       grow.Candidate
	grow.Combination
}

// maxRedraws·K is how many more fits are tried for a node that none of the first K splits.
const maxRedraws = 3

func newFits(p, classes int, l Learner) *fits {
	return &fits{p: p, m: l.NodeFeatures, trials: l.Candidates, lda: l.LDA, side: make([]float64, classes)}
}

// Draw begins a node with K fits, or allows one more fit.
func (f *fits) Draw(node *grow.Node, attempt int) bool {
	if attempt == 0 {
		f.begin(node)
		f.left = f.trials
		if f.allEqual() {
			f.left = 1
		}
		return true
	}
	f.left = 1
	return attempt <= maxRedraws*f.trials && !f.allEqual()
}

// allEqual reports whether all fits of the node are equal, because nothing is random.
func (f *fits) allEqual() bool { return f.m == f.p && len(f.present) == 2 }

func (f *fits) begin(node *grow.Node) {
	f.node, f.regression.call = node, node
	n := node.Len()
	f.rowWeights, f.target, f.cells = grow.Sized(f.rowWeights, n), grow.Sized(f.target, n), grow.Sized(f.cells, n)
	f.present = f.present[:0]
	clear(f.side)
	for i := range n {
		f.rowWeights[i] = node.Weight(i)
		if c := node.Label(i); f.side[c] == 0 {
			f.side[c] = 1
			f.present = append(f.present, c)
		}
	}
	f.regression.begin(f.rowWeights, f.m)
}

// Next returns the next fit that is not constant.
func (f *fits) Next() *grow.Candidate {
	for f.left > 0 && !f.node.Cancelled() {
		f.left--
		if f.fit() {
			f.next.Function = f.Function()
			return &f.next
		}
	}
	return nil
}

// fit draws features and groups and fits the model. It returns false if all coefficients
// are 0 or all features drawn are constant.
func (f *fits) fit() bool {
	f.drawFeatures()
	f.drawGroups()
	f.Weights = append(f.Weights[:0], 1) // of a single feature
	if len(f.Features) > 1 {
		w, ok := f.regression.coefficients(f.lda)
		if !ok {
			return false
		}
		f.Set(f.Features, w)
	}
	return len(f.Features) > 0
}

// drawFeatures draws m features, ascending, by selection sampling (Knuth, The Art of
// Computer Programming 3.4.2, Algorithm S), and leaves out those that are constant.
func (f *fits) drawFeatures() {
	f.regression.clear()
	f.Features = f.Features[:0]
	for j, left := 0, f.m; left > 0; j++ {
		if f.node.Rand().Intn(f.p-j) >= left {
			continue
		}
		if left--; f.node.Cancelled() {
			return
		}
		f.node.Column(f.cells, int32(j))
		if f.regression.add(f.cells) {
			f.Features = append(f.Features, int32(j))
		}
	}
}

// drawGroups divides the node's classes at random into two nonempty groups.
func (f *fits) drawGroups() {
	grow.DivideClasses(f.side, f.present, f.node.Rand())
	for i := range f.target {
		f.target[i] = f.side[f.node.Label(i)]
	}
	f.regression.setTarget(f.target)
}
