package graf

import (
	"context"
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// lanes is the number of planes that are computed at once.
const lanes = kernel.Lanes

// A group is up to lanes of the K planes of a step, with the side of each plane that the
// rows are on.
type group struct {
	planes     int
	weights    []float32 // of plane k at weights[lanes*j+k], j numbering the features of the subspace
	thresholds [lanes]float32
	lengths    [lanes]float64 // of the weight vectors
	gains      [lanes]float64 // decrease of Z(S)
	cuts       uint8          // which planes cut the target
	reached    []bool         // by region: whether a plane of the group may cut it
	sides      []uint8        // by row of a reached region: bit k is 1 if it is on the right of plane k (eq. 2)
	lane       int            // of the best plane
	buffer     []float32      // for plane
}

func newGroup(m, n int) group {
	return group{weights: make([]float32, lanes*m), buffer: make([]float32, m), sides: make([]uint8, n)}
}

// plane returns the weights of plane k, valid until the next call.
func (g *group) plane(k int) []float32 {
	for j := range g.buffer {
		g.buffer[j] = g.weights[lanes*j+k]
	}
	return g.buffer
}

// maxRedraws is how often K more planes are drawn if none cuts the target.
const maxRedraws = 3

// drawPlane draws K planes for the target and puts the one that decreases the total
// impurity most (eq. 15), the first if there are ties, into w.best.lane of w.best. Only
// planes that cut the target count. In exact arithmetic all do; if rounding prevents it
// for all K, planes are drawn again, and finally one that divides a single feature.
func (w *worker) drawPlane(ctx context.Context) error {
	best := math.Inf(-1)
	for range 1 + maxRedraws {
		for done := 0; done < w.Candidates; done += lanes {
			if err := ctx.Err(); err != nil {
				return err
			}
			w.draw(min(lanes, w.Candidates-done))
			w.scan()
			if k, gain := w.trials.bestCut(); gain > best {
				best = gain
				w.trials.lane = k
				w.trials, w.best = w.best, w.trials
			}
		}
		if !math.IsInf(best, -1) {
			return nil
		}
	}
	w.drawAxis()
	w.scan()
	w.trials.lane = 0
	w.trials, w.best = w.best, w.trials
	return nil
}

// bestCut returns the plane with the largest gain of those in the group that cut the
// target, the first if there are ties, and its gain: -Inf if none cuts.
func (g *group) bestCut() (plane int, gain float64) {
	gain = math.Inf(-1)
	for k := range g.planes {
		if g.cuts>>k&1 == 1 && g.gains[k] > gain {
			plane, gain = k, g.gains[k]
		}
	}
	return plane, gain
}

// draw draws a group of planes (eq. 6 and 7).
func (w *worker) draw(planes int) {
	g := &w.trials
	g.planes = planes
	clear(g.weights)
	for k := range g.planes {
		var at, length float64
		for j, lo := range w.least {
			v := float32((lo + float64(w.rng.Float64()*(w.greatest[j]-lo))) * w.scale)
			g.weights[lanes*j+k] = v
			at += float64(float64(v) * w.mean[j])
			length += float64(float64(v) * float64(v))
		}
		g.thresholds[k] = roundDown(at)
		g.lengths[k] = math.Sqrt(length)
	}
}

// drawAxis draws a plane that divides a single feature, one in which the target's rows
// differ.
func (w *worker) drawAxis() {
	g := &w.trials
	g.planes = 1
	clear(g.weights)
	differ := 0
	chosen := 0
	for j, lo := range w.least {
		if lo < w.greatest[j] {
			differ++
			if w.rng.Intn(differ) == 0 {
				chosen = j
			}
		}
	}
	g.weights[lanes*chosen] = 1
	g.thresholds[0] = roundDown(w.mean[chosen])
	g.lengths[0] = 1
}

// roundDown returns the largest float32 that is at most v. If v is the mean of values that
// differ, some of them are above the result.
func roundDown(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

// scan computes the sides of the group's planes that the rows are on, and the planes'
// gains.
func (w *worker) scan() {
	g := &w.trials
	if cap(g.reached) < len(w.regions) {
		g.reached = make([]bool, 2*len(w.regions))
	}
	g.reached = g.reached[:len(w.regions)]
	from, to := int32(0), int32(0)
	for i := range w.regions {
		r := &w.regions[i]
		g.reached[i] = !r.closed && (i == w.target || w.everywhere || w.reaches(r))
		if !g.reached[i] {
			continue
		}
		if r.lo != to {
			w.computeSides(from, to)
			from = r.lo
		}
		to = r.hi
	}
	w.computeSides(from, to)
	clear(g.gains[:])
	for i := range w.regions {
		if i == w.target {
			g.cuts = w.addGains(&w.regions[i])
		} else if g.reached[i] && w.Candidates > 1 { // a single plane needs no comparison
			w.addGains(&w.regions[i])
		}
	}
}

// computeSides sets the sides of the rows order[lo:hi].
func (w *worker) computeSides(lo, hi int32) {
	g := &w.trials
	rows, dst := w.order[lo:hi], g.sides[lo:hi]
	if g.planes == 1 {
		kernel.Side1(dst, w.cells, w.TreeFeatures, rows, g.plane(0), g.thresholds[0])
		return
	}
	kernel.Sides(dst, w.cells, w.TreeFeatures, rows, g.weights, &g.thresholds, g.planes)
}
