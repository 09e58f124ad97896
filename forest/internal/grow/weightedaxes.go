package grow

import "github.com/obliqua-ml/obliqua/forest"

// A WeightedDraw draws features by successive sampling without replacement: each with a
// probability in proportion to its weight among those not drawn yet. If only features of
// weight 0 are left, they are drawn uniformly.
type WeightedDraw struct {
	weights []float64
	sums    []float64 // sums[j] is the sum of the weights of features 0 … j
	guide   []int32   // guide[k] is the first feature whose sum is above k/p of the last
	drawn   []uint32  // by feature: number of the last draw that has it
	number  uint32    // of the current draw
}

// NewWeightedDraw returns a WeightedDraw of features with the given weights, which must
// be finite, nonnegative and not all 0.
func NewWeightedDraw(weights []float64) *WeightedDraw {
	p := len(weights)
	w := &WeightedDraw{weights: weights, sums: make([]float64, p), guide: make([]int32, p), drawn: make([]uint32, p)}
	sum := 0.0
	for j, weight := range weights {
		sum += weight
		w.sums[j] = sum
	}
	j := 0
	for k := range w.guide {
		for j < p-1 && w.sums[j] <= float64(float64(k)/float64(p)*sum) {
			j++
		}
		w.guide[k] = int32(j)
	}
	return w
}

// Begin begins a new draw, in which all features can be drawn again.
func (w *WeightedDraw) Begin() {
	if w.number++; w.number == 0 { // after 2³² draws
		clear(w.drawn)
		w.number = 1
	}
}

// maxRejections is how often a feature that was drawn before is rejected, before Next sums
// the weights of the remaining features instead. Both ways draw from the same distribution.
const maxRejections = 6

// Next returns a feature that it has not returned since Begin. There must be one left.
func (w *WeightedDraw) Next(rng *forest.Rand) int32 {
	last := len(w.sums) - 1
	for range maxRejections {
		u := rng.Float64()
		x := float64(u * w.sums[last])
		j := w.guide[int(u*float64(len(w.guide)))] // indexed search (Chen and Asau 1974)
		for int(j) < last && w.sums[j] <= x {
			j++
		}
		if w.weights[j] > 0 && w.drawn[j] != w.number {
			w.drawn[j] = w.number
			return j
		}
	}
	j := w.nextOfRest(rng)
	w.drawn[j] = w.number
	return int32(j)
}

// nextOfRest draws one of the remaining features, by summing their weights.
func (w *WeightedDraw) nextOfRest(rng *forest.Rand) int {
	total, left := 0.0, 0
	for j, weight := range w.weights {
		if w.drawn[j] != w.number {
			total += weight
			left++
		}
	}
	last := -1
	if total == 0 {
		nth := rng.Intn(left)
		for j := range w.weights {
			if w.drawn[j] != w.number {
				if last = j; nth == 0 {
					break
				}
				nth--
			}
		}
		return last
	}
	x := float64(rng.Float64() * total)
	for j, weight := range w.weights {
		if w.drawn[j] != w.number && weight > 0 {
			last = j
			if x -= weight; x < 0 {
				break
			}
		}
	}
	return last
}

// WeightedAxes is a [Source] of single features from a [WeightedDraw]: m in the first draw
// of a node, and one more in each further draw.
type WeightedAxes struct {
	features *WeightedDraw
	m, limit int
	count    int // drawn at this node
	rng      *forest.Rand
	feature  [1]int32
	next     Candidate
}

// NewWeightedAxes returns WeightedAxes. weights is as in [NewWeightedDraw], and cut says
// where thresholds come from.
func NewWeightedAxes(weights []float64, m int, cut Cut) *WeightedAxes {
	a := &WeightedAxes{
		features: NewWeightedDraw(weights),
		m:        m,
		next:     Candidate{Function: forest.Function{Weights: []float32{1}}, Cut: cut},
	}
	a.next.Features = a.feature[:]
	return a
}

// Draw begins a node with m features, or allows one more feature.
func (a *WeightedAxes) Draw(node *Node, attempt int) bool {
	p := len(a.features.weights)
	if attempt > 0 {
		a.limit = min(a.limit+1, p)
		return a.count < p
	}
	a.features.Begin()
	a.rng, a.limit, a.count = node.Rand(), min(a.m, p), 0
	return true
}

// Next returns a feature that wasn't drawn at this node before.
func (a *WeightedAxes) Next() *Candidate {
	if a.count == a.limit {
		return nil
	}
	a.count++
	a.feature[0] = a.features.Next(a.rng)
	return &a.next
}

// NewAxesBy returns [Axes] over p features if weights is nil, otherwise [WeightedAxes].
func NewAxesBy(weights []float64, p, m int, cut Cut) Source {
	if weights == nil {
		return NewAxes(p, m, cut)
	}
	return NewWeightedAxes(weights, m, cut)
}
