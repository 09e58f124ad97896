package graf

import (
	"context"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/grow"
	"github.com/obliqua-ml/obliqua/internal/device"
)

// minProducts is the number of products of a cell and a weight from which a device does a
// step: sixteen cores need less time for fewer than a device takes to be asked. Drawing a weight
// counts as drawProducts products, 0.6 ns with AVX-512.
const minProducts, drawProducts = 1 << 24, 20

// maxDeviceWeights bounds the weights of a step for a device.
const maxDeviceWeights = 1 << 21

// isLarge reports whether a device does steps of so many rows.
func (g *grower) isLarge(rows int) bool {
	return (int64(rows)+g.drawProducts)*int64(g.devicePlanes)*int64(g.TreeFeatures) >= g.minProducts
}

// load gives a tree's rows to the device.
func (g *grower) load(cells []float32) (device.Rows, error) {
	rows, err := g.device.Load(cells, g.TreeFeatures)
	if err != nil {
		return nil, fmt.Errorf("graf: a device, loading %d rows of %d features: %w", g.n, g.TreeFeatures, err)
	}
	return rows, nil
}

// scanStep has the device find the step's plane, if there is one and the step is large enough for
// it. It returns false, and has changed nothing, if not, if the target's rows are all equal, and
// if none of K planes cuts the target.
func (w *worker) scanStep(ctx context.Context) (bool, error) {
	if w.loaded == nil || !w.isLarge(w.impureRows()) || w.allEqual() {
		return false, nil
	}
	w.collect(true)
	w.describe()
	w.best.gain = math.Inf(-1)
	rng := w.rng
	for done := 0; done < w.Candidates; done += w.devicePlanes {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		s := &w.step
		s.Planes = min(w.devicePlanes, w.Candidates-done)
		s.State = rng.Skip(s.Planes * w.TreeFeatures)
		found, err := w.loaded.Best(s, &w.found)
		if err != nil {
			return false, fmt.Errorf("graf: a device, comparing %d planes of %d features on %d rows: %w", s.Planes,
				w.TreeFeatures, len(s.Rows), err)
		}
		if found && w.found.Gain > w.best.gain {
			w.best.take(&w.found, w.trials.first)
		}
	}
	if math.IsInf(w.best.gain, -1) {
		return false, nil
	}
	w.rng = rng
	return true, nil
}

// take makes a device's plane the best. What was the best before lends its memory to the next.
func (p *plane) take(found *device.Plane, first []int32) {
	p.gain, p.threshold, p.lane = found.Gain, found.Threshold, 0
	p.weights, found.Weights = found.Weights, p.weights
	p.sides, found.Right = found.Right, grow.Sized(p.sides, len(found.Right))
	p.first = append(p.first[:0], first...)
}

// describe describes the step for a device, given the rows of all regions in w.trials.
func (w *worker) describe() {
	s := &w.step
	s.Rows, s.Regions, s.Scale, s.Inverse = w.trials.rows, s.Regions[:0], w.scale, w.inv
	if w.pairs != nil {
		s.Few = tabulated
	}
	for i := range w.regions {
		if i == w.target {
			s.Target = len(s.Regions)
		}
		if r := &w.regions[i]; !r.closed {
			s.Regions = append(s.Regions, device.Region{Runs: w.runsOf(r), Z: r.z})
		}
	}
	if w.found.Weights == nil {
		w.found.Weights = make([]float32, w.TreeFeatures)
	}
	w.found.Right = grow.Sized(w.found.Right, len(s.Rows))
}

// impureRows returns the number of rows of all impure regions.
func (w *worker) impureRows() (n int) {
	for i := range w.regions {
		if r := &w.regions[i]; !r.closed {
			n += int(r.hi - r.lo)
		}
	}
	return n
}

// allEqual reports whether the target's rows are all equal. It looks no further than the first
// cell that differs.
func (w *worker) allEqual() bool {
	r := &w.regions[w.target]
	first := w.row(int(w.order[r.lo]))
	for _, i := range w.order[r.lo+1 : r.hi] {
		for j, v := range w.row(int(i)) {
			if v != first[j] {
				return false
			}
		}
	}
	return true
}
