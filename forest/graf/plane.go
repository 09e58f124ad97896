package graf

import (
	"context"
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// panel is the number of planes whose weights lie side by side.
const panel = kernel.Panel

// maxPlanes is the largest number of planes of a batch. Their weights fit
// in a processor's second cache, and a cancelled context is soon noticed.
const maxPlanes = 128

// A batch is up to K planes of a step, with the side of each that the rows are on.
type batch struct {
	planes     int
	weights    []float32 // in panels: see kernel.Sides
	thresholds []float32
	lengths    []float64 // of the weight vectors
	gains      []float64 // decrease of Z(S)
	cuts       []uint8   // bit k%8 of cuts[k/8]: whether plane k cuts the target
	rows       []int32   // of all regions that a plane may cut
	first      []int32   // by region: where its rows begin in rows, −1 if no plane may cut it
	sides      []uint8   // bit k%8 of sides[k/8·len(rows)+i]: 1 if rows[i] is on the right of plane k (eq. 2)
}

func newBatch(planes, m int) batch {
	planes = (planes + panel - 1) / panel * panel
	return batch{
		weights:    make([]float32, planes*m),
		thresholds: make([]float32, planes),
		lengths:    make([]float64, planes),
		gains:      make([]float64, planes),
		cuts:       make([]uint8, planes/8),
	}
}

// plane returns a slice that has the weights of plane k, over m features, at multiples of
// panel.
func (b *batch) plane(k, m int) []float32 { return b.weights[k/panel*panel*m+k%panel:] }

// A plane is the best of a step so far, with the sides of it that rows are on.
type plane struct {
	gain      float64 // −Inf if no plane cuts the target
	weights   []float32
	threshold float32
	first     []int32 // by region: where its rows begin in sides, −1 if the plane can't cut it
	sides     []uint8 // bit lane is 1 for a row on the right
	lane      int
}

// keep makes plane k of a batch the best.
func (p *plane) keep(b *batch, k int) {
	p.gain = b.gains[k]
	weights := b.plane(k, len(p.weights))
	for j := range p.weights {
		p.weights[j] = weights[panel*j]
	}
	p.threshold = b.thresholds[k]
	p.first = append(p.first[:0], b.first...)
	n := len(b.rows)
	p.sides = append(p.sides[:0], b.sides[k/8*n:][:n]...)
	p.lane = k % 8
}

// maxRedraws is how often K more planes are drawn if none cuts the target.
const maxRedraws = 3

// drawPlane draws K planes for the target and puts the one that decreases the total
// impurity most (eq. 15), the first if there are ties, into w.best. Only planes that cut
// the target count. In exact arithmetic all do; if rounding prevents it for all K, planes
// are drawn again, and finally one that divides a single feature.
func (w *worker) drawPlane(ctx context.Context) error {
	w.best.gain = math.Inf(-1)
	for range 1 + maxRedraws {
		for done := 0; done < w.Candidates; done += maxPlanes {
			if err := ctx.Err(); err != nil {
				return err
			}
			w.draw(min(maxPlanes, w.Candidates-done))
			if err := w.scan(ctx); err != nil {
				return err
			}
			w.keepBest()
		}
		if !math.IsInf(w.best.gain, -1) {
			return nil
		}
	}
	w.drawAxis()
	if err := w.scan(ctx); err != nil {
		return err
	}
	w.best.keep(&w.trials, 0)
	return nil
}

// keepBest keeps the plane with the largest gain of those that cut the target, if it is
// larger than the best plane's.
func (w *worker) keepBest() {
	b := &w.trials
	best, gain := -1, w.best.gain
	for k := range b.planes {
		if b.cuts[k/8]>>(k%8)&1 == 1 && b.gains[k] > gain {
			best, gain = k, b.gains[k]
		}
	}
	if best >= 0 {
		w.best.keep(b, best)
	}
}

// draw draws a batch of planes (eq. 6 and 7), eight at a time.
func (w *worker) draw(planes int) {
	b, m := &w.trials, w.TreeFeatures
	b.planes = planes
	var at, squares [8]float64 // weight vectors times the mean, and times themselves
	for k := 0; k < planes; k += 8 {
		drawn := min(8, planes-k)
		if kernel.Draw(b.plane(k, m), &at, &squares, w.rng.Skip(0), w.least, w.width, w.mean, w.scale) {
			w.rng.Skip(drawn * m)
		} else {
			for i := range drawn {
				at[i], squares[i] = w.drawOne(b.plane(k+i, m))
			}
		}
		for i := range drawn {
			b.thresholds[k+i] = roundDown(at[i])
			b.lengths[k+i] = math.Sqrt(squares[i])
		}
	}
}

// drawOne does for one plane what kernel.Draw does for eight, with the same numbers.
func (w *worker) drawOne(weights []float32) (at, squares float64) {
	rng, scale := w.rng, w.scale // in registers
	width, mean := w.width[:len(w.least)], w.mean[:len(w.least)]
	for j, lo := range w.least {
		v := float32((lo + float64(rng.Float64()*width[j])) * scale)
		weights[panel*j] = v
		at += float64(float64(v) * mean[j])
		squares += float64(float64(v) * float64(v))
	}
	w.rng = rng
	return at, squares
}

// drawAxis draws a plane that divides a single feature, one in which the target's rows
// differ.
func (w *worker) drawAxis() {
	b := &w.trials
	b.planes = 1
	differ := 0
	chosen := 0
	for j, width := range w.width {
		b.weights[panel*j] = 0
		if width > 0 {
			differ++
			if w.rng.Intn(differ) == 0 {
				chosen = j
			}
		}
	}
	b.weights[panel*chosen] = 1
	b.thresholds[0] = roundDown(w.mean[chosen])
	b.lengths[0] = 1
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

// scan computes the sides of the batch's planes that the rows are on, and the planes'
// gains. It returns ctx's error soon after ctx is cancelled.
func (w *worker) scan(ctx context.Context) error {
	w.collect(w.everywhere)
	b := &w.trials
	b.sides = grow.Sized(b.sides, (b.planes+7)/8*len(b.rows))
	kernel.Sides(b.sides, w.cells, w.TreeFeatures, b.rows, b.weights, b.thresholds, b.planes)
	clear(b.gains)
	for k := 0; k < b.planes; k += 8 {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.computeGains(k)
	}
	return nil
}

// collect puts the rows of the regions that a plane may cut, or of all, into the batch; those of the
// target alone if planes aren't shared. Adjacent regions are copied together.
func (w *worker) collect(all bool) {
	b := &w.trials
	b.rows, b.first = b.rows[:0], b.first[:0]
	from, to := int32(0), int32(0)
	for i := range w.regions {
		r := &w.regions[i]
		if r.closed || i != w.target && (w.Unshared || !all && !w.reaches(r)) {
			b.first = append(b.first, -1)
			continue
		}
		if r.lo != to {
			b.rows = append(b.rows, w.order[from:to]...)
			from = r.lo
		}
		to = r.hi
		b.first = append(b.first, int32(len(b.rows))+r.lo-from)
	}
	b.rows = append(b.rows, w.order[from:to]...)
}

// computeGains computes the gains of eight planes from number k on, and which of them cut
// the target.
func (w *worker) computeGains(k int) {
	b := &w.trials
	sides := b.sides[k/8*len(b.rows):][:len(b.rows)]
	gains := (*[8]float64)(b.gains[k:])
	planes := min(8, b.planes-k)
	target := &w.regions[w.target]
	b.cuts[k/8] = cuts(sides[b.first[w.target]:][:target.hi-target.lo])
	if w.Candidates == 1 { // a single plane needs no comparison
		return
	}
	for i, first := range b.first {
		if first >= 0 {
			w.addGains(&w.regions[i], sides[first:], gains, planes)
		}
	}
}
