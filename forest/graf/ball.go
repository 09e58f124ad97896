package graf

import "math"

// reaches reports whether a plane of the group comes near enough to a region to
// cut it: the radius heuristic of section 4.1. It errs on the side of scanning,
// so that the tree is the same with and without it.
//
// The paper's radius (eq. 25) is the distance from the region's mean to its
// corner of smallest values or to that of largest values, whichever is longer.
// Rows may lie farther out, near another corner, and a plane may cut between
// them. The radius here is the distance from the mean to the farthest row.
func (w *worker) reaches(r *region) bool {
	switch {
	case r.ball == unneeded:
		return true
	case int(r.hi-r.lo) < leastBall*min(w.Candidates, lanes): // scanned as fast as tested
		return true
	case w.tests > enoughTests && w.misses < w.tests/4: // tests don't pay in this tree
		return true
	}
	if r.ball == needed {
		r.ball = w.newBall(r)
	}
	w.tests++
	relative, absolute := w.rounding()
	mean, radius := w.balls.at(r.ball)
	g := &w.trials
	for k := range g.planes {
		var at float64
		for j, v := range mean {
			at += v * float64(g.weights[lanes*j+k])
		}
		distance := math.Abs(at - float64(g.thresholds[k]))
		if distance <= g.lengths[k]*(radius+relative)+absolute {
			return true
		}
	}
	w.misses++
	return false
}

// leastBall is how many rows for each plane of a group make a ball worth its test:
// rows meet eight planes at once, a ball one after the other.
const leastBall = 2

// enoughTests is how many tests in a tree show whether they pay: with many
// features, planes reach nearly every region.
const enoughTests = 256

// rounding bounds by how much the sums of a row of length w.most may be wrong: for
// each unit of length of the weights, an error of 2^-24 in each of M products and
// sums, and then some for the sums here; and where products underflow, 2^-150 each
// whatever the weights.
func (w *worker) rounding() (relative, absolute float64) {
	return float64(w.TreeFeatures+2) * 0x1p-23 * w.most, float64(w.TreeFeatures) * 0x1p-149
}

// balls holds the balls around regions. The memory of those that are no longer
// needed is used again.
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

// newBall computes the ball around a region's rows.
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
			sum += d * d
		}
		farthest = max(farthest, sum)
	}
	b.radii[k] = math.Sqrt(farthest)
	return k
}
