package mix

import (
	"github.com/obliqua-ml/obliqua/forest"
	"github.com/obliqua-ml/obliqua/forest/internal/grow"
)

const (
	few  = 4  // most features of Few
	many = 32 // most features of Many
)

// costs returns the times that candidates take with p features, in units of that of SPORF, by source.
func costs(p int) [Sources]float64 {
	return [Sources]float64{1, 1, 2.5, 0.4 * float64(min(p, many))}
}

// penalties are those that a fit's is drawn from. The smallest one gives Fisher's linear
// discriminant, but for features that are nearly collinear.
var penalties = [...]float64{0.001, 0.01, 0.1, 1}

// maxRedraws is how many more blends are drawn for a node that no candidate splits.
const maxRedraws = 3

// A blend draws the candidates of all sources, in random order. Each source has a share of the time that SPORF takes to
// search p candidates. On average, a node has as many candidates of a source as can be searched in its share.
type blend struct {
	p        int
	perRow   float64          // most features of a fit for a row of the node, but at least two features
	expected [Sources]float64 // the number of candidates of a draw

	node    *grow.Node
	rng     *forest.Rand
	left    [Sources]int // candidates left in this draw
	total   int          // of left
	fit     fit
	present []int32   // the node's classes
	side    []float64 // by class: the group it is in, ±1

	next grow.Candidate
	grow.Combination
}

func newBlend(p, classes int, shares [Sources]float64, bootstrapFits bool) *blend {
	b := &blend{p: p, perRow: 0.1, side: make([]float64, classes)}
	budget := float64(p)
	if bootstrapFits {
		b.perRow, b.fit.bootstrap, budget = 0.5, true, budget/2
	}
	costs := costs(p)
	for s, share := range shares {
		b.expected[s] = share * budget / costs[s]
	}
	return b
}

// Draw begins a new blend of at least one candidate.
func (b *blend) Draw(node *grow.Node, attempt int) bool {
	if attempt == 0 {
		b.node, b.rng = node, node.Rand()
		b.fit.node = nil
	}
	for b.total = 0; b.total == 0; {
		for s, e := range b.expected {
			b.left[s] = int(e + b.rng.Float64())
			b.total += b.left[s]
		}
	}
	return attempt <= maxRedraws
}

// Next returns the next candidate.
func (b *blend) Next() *grow.Candidate {
	for b.total > 0 && !b.node.Cancelled() {
		s, at := Single, b.rng.Intn(b.total)
		for at >= b.left[s] {
			at -= b.left[s]
			s++
		}
		b.left[s]--
		b.total--
		if b.draw(s) {
			b.next.Function = b.Function()
			return &b.next
		}
	}
	return nil
}

// draw sets the features and weights of a candidate. It returns false if the source has none.
func (b *blend) draw(s Source) bool {
	switch s {
	case Signs:
		b.signs()
	case Few:
		return b.fitted(2 + b.rng.Intn(few-1))
	case Many:
		return b.fitted(many)
	default:
		b.single()
	}
	return true
}

func (b *blend) single() {
	b.choose(1)
	b.Weights = append(b.Weights[:0], 1)
}

// signs combines 2, 3, 4, … features, with probabilities ½, ¼, ⅛, …, up to p.
func (b *blend) signs() {
	k := 2
	for k < b.p && b.rng.Intn(2) == 0 {
		k++
	}
	b.choose(k)
	b.Weights = b.Weights[:0]
	for range b.Features {
		b.Weights = append(b.Weights, float32(1-2*b.rng.Intn(2)))
	}
}

// choose draws k of the p features, ascending, and keeps those of one kind; see [grow.Node.OneKind].
func (b *blend) choose(k int) (categorical bool) {
	b.Features, categorical = b.node.OneKind(grow.Subset(b.Features, b.p, k, b.rng))
	return categorical
}

// fitted fits a direction of m features, or of fewer if there are too few rows.
func (b *blend) fitted(m int) bool {
	m = min(m, b.p, max(2, int(b.perRow*float64(b.node.Len()))))
	if !b.target() {
		b.single()
		return true
	}
	if b.choose(m) {
		b.Weights = append(b.Weights[:0], 1)
		return true
	}
	penalty := penalties[b.rng.Intn(len(penalties))]
	return b.fit.direction(&b.Combination, penalty)
}

// target sets the target of the next fit: the rows' values or, for classes, ±1 for two groups into which they
// are divided at random. It returns false if all rows of positive weight are of one class.
func (b *blend) target() bool {
	if b.fit.node == nil {
		b.fit.begin(b.node)
		b.findClasses()
	}
	if len(b.side) == 0 {
		b.fit.setTarget(b.node.Value)
		return true
	}
	if len(b.present) < 2 {
		return false
	}
	grow.DivideClasses(b.side, b.present, b.rng)
	b.fit.setTarget(func(i int) float64 { return b.side[b.node.Label(i)] })
	return true
}

func (b *blend) findClasses() {
	b.present = b.present[:0]
	for c := range b.side {
		if b.node.ClassWeight(int32(c)) > 0 {
			b.present = append(b.present, int32(c))
		}
	}
}
