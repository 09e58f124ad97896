package grow

import (
	"math"
	"slices"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// NodeFeatures returns how many features Breiman's random forest draws at a node by
// default: ⌊√p⌋ for classes, ⌊p/3⌋ for values, at least 1.
func NodeFeatures(train *datasets.Dataset) int {
	p := train.P()
	if train.Values != nil {
		return max(1, p/3)
	}
	return max(1, int(math.Sqrt(float64(p))))
}

// Powers returns p to the given powers, which ascend: whole numbers, at least 1, without duplicates. Several papers
// tune over such numbers of features.
func Powers(p int, exponents ...float64) []int {
	var powers []int
	for _, e := range exponents {
		powers = append(powers, max(1, int(math.Round(math.Pow(float64(p), e)))))
	}
	return slices.Compact(powers)
}

// A Draw draws features without replacement, again and again.
type Draw interface {
	Begin()                      // makes all features drawable again
	Next(rng *forest.Rand) int32 // draws a feature that wasn't drawn since Begin; there must be one left
}

// NewDraw returns a Draw of p features: a [WeightedDraw] with the given weights, or one of equal weights if they are
// nil.
func NewDraw(weights []float64, p int) Draw {
	if weights == nil {
		return newShuffle(p)
	}
	return NewWeightedDraw(weights)
}

// Axes is a [Source] of single features: m in the first draw of a node, and one more in each further draw.
type Axes struct {
	features           Draw
	p, m, limit, count int // of features: in all, of a first draw, allowed and drawn at this node
	rng                *forest.Rand
	among              []int32 // the features that p counts; nil means all
	feature            [1]int32
	next               Candidate
}

// NewAxes returns Axes over p features with the given weights, which are as in [NewDraw]. cut says where their
// thresholds come from.
func NewAxes(weights []float64, p, m int, cut Cut) *Axes {
	a := &Axes{features: NewDraw(weights, p), p: p, m: m}
	a.next = Candidate{Function: forest.Function{Features: a.feature[:], Weights: []float32{1}}, Cut: cut}
	return a
}

// AxesAmong returns Axes that draw all of the given features and no others. Thresholds are searched.
func AxesAmong(features []int32) *Axes {
	a := NewAxes(nil, len(features), len(features), Search)
	a.among = features
	return a
}

// Draw begins a node with m features, or allows one more feature.
func (a *Axes) Draw(node *Node, attempt int) bool {
	if attempt > 0 {
		a.limit = min(a.limit+1, a.p)
		return a.count < a.p
	}
	a.features.Begin()
	a.rng, a.limit, a.count = node.Rand(), min(a.m, a.p), 0
	return true
}

// Next returns a feature that wasn't drawn at this node before.
func (a *Axes) Next() *Candidate {
	if a.count == a.limit {
		return nil
	}
	a.count++
	a.feature[0] = a.features.Next(a.rng)
	if a.among != nil {
		a.feature[0] = a.among[a.feature[0]]
	}
	return &a.next
}

// A shuffle is a [Draw] of features with equal weights, by Fisher and Yates.
type shuffle struct {
	order []int32 // the features, permuted by the swaps since Begin
	swaps []int32 // order[i] was swapped with order[swaps[i]]
}

func newShuffle(p int) *shuffle {
	s := &shuffle{order: make([]int32, p)}
	for j := range s.order {
		s.order[j] = int32(j)
	}
	return s
}

// Begin undoes the swaps, so that a draw doesn't depend on the one before.
func (s *shuffle) Begin() {
	for i := len(s.swaps) - 1; i >= 0; i-- {
		j := s.swaps[i]
		s.order[i], s.order[j] = s.order[j], s.order[i]
	}
	s.swaps = s.swaps[:0]
}

// Next draws a feature; see [Draw].
func (s *shuffle) Next(rng *forest.Rand) int32 {
	i := len(s.swaps)
	j := i + rng.Intn(len(s.order)-i)
	s.order[i], s.order[j] = s.order[j], s.order[i]
	s.swaps = append(s.swaps, int32(j))
	return s.order[i]
}
