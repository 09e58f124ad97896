package grow

import "github.com/obliqua-ml/obliqua/forest"

// WeightedAxes draws single features by successive sampling without replacement: each
// with a probability in proportion to its weight among those not drawn yet at the node. If
// only features of weight 0 are left, they are drawn uniformly. It draws m features, and
// one more in each further draw.
type WeightedAxes struct {
	weights []float64
	sums    []float64 // sums[j] is that of the weights up to j
	m       int
	limit   int
	count   int // drawn at this node
	rng     *forest.Rand
	drawn   []uint32 // the visit in which a feature was drawn last
	visit   uint32   // number of the node
	feature [1]int32
	next    Candidate
}

// NewWeightedAxes returns WeightedAxes over as many features as there are weights, which
// must be finite and not negative, and not all 0.
func NewWeightedAxes(weights []float64, m int, cut Cut) *WeightedAxes {
	a := &WeightedAxes{
		weights: weights,
		sums:    make([]float64, len(weights)),
		m:       m,
		drawn:   make([]uint32, len(weights)),
		next:    Candidate{Function: forest.Function{Weights: []float32{1}}, Cut: cut},
	}
	sum := 0.0
	for j, w := range weights {
		sum += w
		a.sums[j] = sum
	}
	a.next.Features = a.feature[:]
	return a
}

// Draw begins a node or allows for one feature more.
func (a *WeightedAxes) Draw(node *Node, attempt int) bool {
	if attempt > 0 {
		a.limit = min(a.limit+1, len(a.weights))
		return a.count < len(a.weights)
	}
	if a.visit++; a.visit == 0 { // after 2³² nodes
		clear(a.drawn)
		a.visit = 1
	}
	a.rng, a.limit, a.count = node.Rand(), min(a.m, len(a.weights)), 0
	return true
}

// Next returns a feature that wasn't drawn in this node before.
func (a *WeightedAxes) Next() *Candidate {
	if a.count == a.limit {
		return nil
	}
	j := a.draw()
	a.drawn[j] = a.visit
	a.count++
	a.feature[0] = int32(j)
	return &a.next
}

// rejections is how often a feature that was drawn before is thrown back, before the
// weights of the others are summed anew. What is drawn has the same distribution.
const rejections = 6

func (a *WeightedAxes) draw() int {
	total := a.sums[len(a.sums)-1]
	for range rejections {
		x := float64(a.rng.Float64() * total)
		lo, hi := 0, len(a.sums)-1
		for lo < hi { // the first whose sum is above x
			if mid := (lo + hi) / 2; a.sums[mid] > x {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		if a.weights[lo] > 0 && a.drawn[lo] != a.visit {
			return lo
		}
	}
	return a.drawRest()
}

// drawRest draws from the features that are left, by going through all.
func (a *WeightedAxes) drawRest() int {
	total, left := 0.0, 0
	for j, w := range a.weights {
		if a.drawn[j] != a.visit {
			total += w
			left++
		}
	}
	last := -1
	if total == 0 {
		nth := a.rng.Intn(left)
		for j := range a.weights {
			if a.drawn[j] != a.visit {
				if last = j; nth == 0 {
					break
				}
				nth--
			}
		}
		return last
	}
	x := float64(a.rng.Float64() * total)
	for j, w := range a.weights {
		if a.drawn[j] != a.visit && w > 0 {
			last = j
			if x -= w; x < 0 {
				break
			}
		}
	}
	return last
}
