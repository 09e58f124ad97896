package graf

import "math"

// reaches reports whether a plane of the batch may cut a region: the radius heuristic of
// section 4.1. It returns true in all doubtful cases, so the tree is the
// same as without the heuristic.
//
// The paper's radius (eq. 25) is the larger of the distances from the region's mean to the
// corner of its smallest and to the corner of its largest feature values. Rows near another
// corner may be farther away, and a plane may separate them. The radius here is
// the distance from the mean to the farthest row.
func (w *worker) reaches(r *region) bool {
	switch {
	case r.ball == unneeded:
		return true
	case int(r.hi-r.lo) < minBallRows*min(w.Candidates, 8): // scanning takes no longer than the test
		return true
	case w.tests > enoughTests && w.misses < w.tests/4: // tests don't pay off in this tree
		return true
	}
	if r.ball == needed {
		r.ball = w.newBall(r)
	}
	w.tests++
	relative, absolute := w.rounding()
	mean, radius := w.balls.at(r.ball)
	b := &w.trials
	for k := range b.planes {
		weights := b.plane(k, len(mean))
		var at float64
		for j, v := range mean {
			at += float64(v * float64(weights[panel*j]))
		}
		distance := math.Abs(at - float64(b.thresholds[k]))
		if distance <= float64(b.lengths[k]*(radius+relative))+absolute {
			return true
		}
	}
	w.misses++
	return false
}

// minBallRows is the number of rows, for each of up to eight planes, from which the test of
// a ball pays off: a row is compared with many planes at once, a ball with one at a time.
const minBallRows = 2

// enoughTests is the number of tests in a tree after which they are given up if few of
// them exclude a region. With many features, planes reach nearly every region.
const enoughTests = 256

// rounding bounds the rounding errors of a plane's sum over a row of length at most
// w.longest. The relative part is multiplied by the length of the weights: 2^-24 for each of
// M products and sums, doubled to cover the sums computed here. The absolute part is for
// products that underflow, 2^-150 each.
func (w *worker) rounding() (relative, absolute float64) {
	return float64(float64(w.TreeFeatures+2) * 0x1p-23 * w.longest), float64(float64(w.TreeFeatures) * 0x1p-149)
}

// balls holds the balls around regions, numbered from 0. The memory of balls that are no
// longer needed is used again.
type balls struct {
	m      int
	means  []float64
	radii  []float64
	unused []int32
}

func (b *balls) clear(m int) {
	b.m, b.means, b.radii, b.unused = m, b.means[:0], b.radii[:0], b.unused[:0]
}

func (b *balls) at(k int32) (mean []float64, radius float64) {
	return b.means[int(k)*b.m:][:b.m], b.radii[k]
}

func (b *balls) free(k int32) {
	if k >= 0 {
		b.unused = append(b.unused, k)
	}
}

// newBall computes the ball around a region's rows and returns its number.
func (w *worker) newBall(r *region) int32 {
	b := &w.balls
	k := int32(len(b.radii))
	if last := len(b.unused) - 1; last >= 0 {
		k, b.unused = b.unused[last], b.unused[:last]
	} else {
		b.radii = append(b.radii, 0)
		for range b.m {
			b.means = append(b.means, 0)
		}
	}
	mean, _ := b.at(k)
	clear(mean)
	rows := w.order[r.lo:r.hi]
	for _, i := range rows {
		for j, v := range w.row(int(i)) {
			mean[j] += float64(v)
		}
	}
	for j := range mean {
		mean[j] /= float64(len(rows))
	}
	var farthest float64
	for _, i := range rows {
		var sum float64
		for j, v := range w.row(int(i)) {
			d := float64(v) - mean[j]
			sum += float64(d * d)
		}
		farthest = max(farthest, sum)
	}
	b.radii[k] = math.Sqrt(farthest)
	return k
}
