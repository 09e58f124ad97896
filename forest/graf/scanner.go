package graf

import (
	"context"
	"fmt"
	"math"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// A Scanner does the steps of growing on a device, such as a graphics card. See
// [WithScanner].
type Scanner interface {
	// Load takes the rows that a tree grows on: cells holds them one after another, m cells
	// each, and doesn't change until the result is closed. It is called once a fit if trees
	// see all features, otherwise once a tree, from the goroutine that grows the tree.
	Load(cells []float32, m int) (Rows, error)
}

// Rows are rows that a [Scanner] has loaded.
type Rows interface {
	// Best draws the step's planes and sets best to the one with the largest gain of those
	// that have rows of the target on both sides, the first if there are ties. It returns
	// false, and best may be anything, if there is none. Several goroutines may call Best at
	// the same time.
	//
	// Forests are the same as without a Scanner only if every number is. So sums start at 0
	// and go over features, rows, classes and regions in their order, and each product, sum
	// and quotient is rounded, to float64 unless said otherwise. No number is infinite.
	//
	// Let lo and hi be the smallest and the largest value of feature j in the target, and
	// mean the sum of its values, divided by their number.
	//
	//   - Weight j of plane k is (lo + u·(hi − lo))·Scale, rounded to float32. u is Float64
	//     number k·m+j, from 0, of a [forest.Rand] with the given State.
	//   - Its threshold is the sum of weight·mean over features, rounded down to float32.
	//   - A row is on the right if the sum of weight·value over features is larger than the
	//     threshold. Here all products and sums are rounded to float32.
	//   - With a the sum of n·Inverse over the classes of some rows, n of each, and b that of
	//     the squares of n·Inverse, their Z is the number of rows times 1 − b/(a·a), or 0 if
	//     that is negative (eq. 8).
	//   - A plane's gain is the sum, over the regions that it cuts, of the region's Z less
	//     that of both sides: Z − (left + right), but (Z − left) − right for at most Few rows.
	Best(step *Step, best *Plane) (bool, error)

	// Close gives up the rows. No call of Best follows.
	Close()
}

// A Step is what [Rows] draw planes for: the impure regions, and the target among them.
type Step struct {
	Rows    []int32  // of the regions, one after another; those of a region are sorted by class
	Regions []Region // which have all Rows
	Target  int      // the region that planes are drawn for; its rows aren't all equal

	Planes int    // to draw
	State  uint64 // of the random numbers
	Scale  float64

	Inverse []float64 // 1/N_c, by class
	Few     int       // see Rows.Best
}

// A Region is a part of the space with rows of several classes.
type Region struct {
	Runs []Run   // its rows by class, ascending
	Z    float64 // eq. 8
}

// A Run is the number N of a region's rows of one Class.
type Run = kernel.Run

// A Plane is the best one of a [Step]. Its slices have their lengths when a [Scanner] gets it.
type Plane struct {
	Gain      float64
	Weights   []float32 // by feature
	Threshold float32
	Right     []uint8 // for each of the step's Rows: 1 if it is on the right, otherwise 0
}

type scannerKey struct{}

// WithScanner returns a context with which [Learner.Fit] lets s do its large steps.
// The forest is the same, byte for byte. If s fails, Fit returns its error.
func WithScanner(ctx context.Context, s Scanner) context.Context {
	return context.WithValue(ctx, scannerKey{}, s)
}

// minProducts is the number of products of a cell and a weight from which a Scanner does a
// step: sixteen cores need less time for fewer than a device takes to be asked. Drawing a weight
// counts as drawProducts products, 0.6 ns with AVX-512. They are variables for tests.
var minProducts, drawProducts int64 = 1 << 24, 20

// maxScannerWeights bounds the weights of a step for a Scanner.
const maxScannerWeights = 1 << 21

// useScanner makes trees grow with the context's Scanner, if there is one and a step can be
// large enough for it.
func (g *grower) useScanner(ctx context.Context) {
	s, ok := ctx.Value(scannerKey{}).(Scanner)
	g.scannerPlanes = min(g.Candidates, max(maxPlanes, maxScannerWeights/g.TreeFeatures))
	if ok && g.isLarge(g.n) {
		g.scanner = s
	}
}

// isLarge reports whether a Scanner does steps of so many rows.
func (g *grower) isLarge(rows int) bool {
	return (int64(rows)+drawProducts)*int64(g.scannerPlanes)*int64(g.TreeFeatures) >= minProducts
}

// load gives a tree's rows to the Scanner.
func (g *grower) load(cells []float32) (Rows, error) {
	rows, err := g.scanner.Load(cells, g.TreeFeatures)
	if err != nil {
		return nil, fmt.Errorf("graf: a Scanner, loading %d rows of %d features: %w", g.n, g.TreeFeatures, err)
	}
	return rows, nil
}

// scanStep has the Scanner find the step's plane, if there is one and the step is large enough for
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
	for done := 0; done < w.Candidates; done += w.scannerPlanes {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		s := &w.step
		s.Planes, s.State = min(w.scannerPlanes, w.Candidates-done), rng.State()
		rng.Skip(s.Planes * w.TreeFeatures)
		found, err := w.loaded.Best(s, &w.found)
		if err != nil {
			return false, fmt.Errorf("graf: a Scanner, comparing %d planes of %d features on %d rows: %w", s.Planes, w.TreeFeatures, len(s.Rows), err)
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

// take makes a Scanner's plane the best. What was the best before lends its memory to the next.
func (p *plane) take(found *Plane, first []int32) {
	p.gain, p.threshold, p.lane = found.Gain, found.Threshold, 0
	p.weights, found.Weights = found.Weights, p.weights
	p.sides, found.Right = found.Right, resized(p.sides, len(found.Right))
	p.first = append(p.first[:0], first...)
}

// resized returns a slice of n bytes, s if it has the capacity.
func resized(s []uint8, n int) []uint8 {
	if cap(s) < n {
		return make([]uint8, n)
	}
	return s[:n]
}

// describe describes the step for a Scanner, given the rows of all regions in w.trials.
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
			s.Regions = append(s.Regions, Region{w.runsOf(r), r.z})
		}
	}
	if w.found.Weights == nil {
		w.found.Weights = make([]float32, w.TreeFeatures)
	}
	w.found.Right = resized(w.found.Right, len(s.Rows))
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
