package graf

import (
	"context"
	"fmt"
)

// A Scanner computes on a device, such as a graphics card, which side of planes rows lie
// on. That is most of the work of growing a forest. See [WithScanner].
type Scanner interface {
	// Load takes the rows that planes will be compared with: cells holds them one after
	// another, m cells each, and doesn't change until the result is closed. It is called
	// once a fit if trees see all features, otherwise once a tree, from the goroutine that
	// grows the tree.
	Load(cells []float32, m int) (Rows, error)
}

// Rows are rows that a [Scanner] has loaded.
type Rows interface {
	// Sides sets bit k%8 of dst[k/8·len(rows)+i] to 1 if row rows[i] is on the right of
	// plane k, that is, Σ w[j]·x[j] > thresholds[k], and to 0 otherwise. There are
	// len(thresholds) planes; other bits of the last bytes may be anything. Weight j of
	// plane k is weights[(k/16·m+j)·16+k%16]: sixteen planes lie side by side, and the last
	// sixteen are filled up with numbers that don't matter.
	//
	// The sum starts at 0 and goes over features in ascending order; each product, and then
	// each sum, is rounded to float32. With other sums training rows could reach other
	// leaves than those they were counted in. No threshold is −0, and no sum is infinite.
	//
	// Several goroutines may call Sides at the same time.
	Sides(dst []uint8, rows []int32, weights, thresholds []float32) error

	// Close gives up the rows. No call of Sides follows.
	Close()
}

type scannerKey struct{}

// WithScanner returns a context with which [Learner.Fit] lets s do its large computations.
// The forest is the same, byte for byte. If s fails, Fit returns its error.
func WithScanner(ctx context.Context, s Scanner) context.Context {
	return context.WithValue(ctx, scannerKey{}, s)
}

// minProducts is the number of products of a cell and a weight from which a Scanner computes
// them: sixteen cores need less time for fewer than the 50 µs or so that a call of a device
// takes. It is a variable for tests.
var minProducts int64 = 1 << 24

// maxScannerWeights bounds the weights of a batch of planes for a Scanner.
const maxScannerWeights = 1 << 22

// useScanner makes trees grow with the context's Scanner, if there is one and a step can be
// large enough for it.
func (g *grower) useScanner(ctx context.Context) {
	s, ok := ctx.Value(scannerKey{}).(Scanner)
	planes := min(g.Candidates, max(maxPlanes, maxScannerWeights/g.TreeFeatures))
	if ok && g.isLarge(g.n, planes) {
		g.scanner, g.planes = s, planes
	}
}

// isLarge reports whether a Scanner computes the sides of so many rows and planes.
func (g *grower) isLarge(rows, planes int) bool {
	return int64(rows)*int64(planes)*int64(g.TreeFeatures) >= minProducts
}

// load gives a tree's rows to the Scanner.
func (g *grower) load(cells []float32) (Rows, error) {
	rows, err := g.scanner.Load(cells, g.TreeFeatures)
	if err != nil {
		return nil, fmt.Errorf("graf: a Scanner, loading %d rows of %d features: %w", g.n, g.TreeFeatures, err)
	}
	return rows, nil
}
