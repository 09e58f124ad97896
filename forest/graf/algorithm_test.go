package graf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest/internal/fittest"
	"github.com/obliqua-ml/obliqua/forest/internal/samples"
	"github.com/obliqua-ml/obliqua/internal/must"
	_ "github.com/obliqua-ml/obliqua/internal/steady"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/forest"
)

// table draws a data set of up to 60 rows. Half of the data sets have few distinct cells,
// so that there are equal rows, constant features and regions that can't be divided.
func table(t *rapid.T) *datasets.Dataset {
	n := rapid.IntRange(2, 60).Draw(t, "rows")
	p := rapid.IntRange(1, 6).Draw(t, "features")
	classes := rapid.IntRange(2, 4).Draw(t, "classes")
	levels := rapid.SampledFrom([]int{2, 4, 1 << 20}).Draw(t, "levels")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "table"), 1))
	d := &datasets.Dataset{Labels: make([]int32, n)}
	for range classes {
		d.Classes = append(d.Classes, fmt.Sprint("c", len(d.Classes)))
	}
	for j := range p {
		d.Features = append(d.Features, datasets.Feature{Name: fmt.Sprint("x", j)})
		col := make([]float32, n)
		for i := range col {
			col[i] = float32(rng.IntN(levels))/float32(levels) - 0.3
		}
		d.Columns = append(d.Columns, col)
	}
	for i := range d.Labels {
		d.Labels[i] = int32(rng.IntN(classes))
	}
	d.Labels[0], d.Labels[1] = 0, 1
	return d
}

func learner(t *rapid.T, p int) Learner {
	return Learner{
		Trees:        2,
		TreeFeatures: rapid.IntRange(1, p).Draw(t, "M"),
		Candidates:   rapid.IntRange(1, 20).Draw(t, "K"),
		MinSplit:     rapid.IntRange(0, 5).Draw(t, "min samples"),
		Unshared:     rapid.Bool().Draw(t, "unshared"),
		Seed:         rapid.Uint64().Draw(t, "seed"),
	}
}

// z computes Z directly by eq. 8.
func z(d *datasets.Dataset, rows []int32) float64 {
	totals := make([]float64, len(d.Classes))
	for _, y := range d.Labels {
		totals[y]++
	}
	counts := make([]float64, len(d.Classes))
	for _, i := range rows {
		counts[d.Labels[i]]++
	}
	var squares, sum float64
	for c, n := range counts {
		if n > 0 {
			squares += math.Pow(n/totals[c], 2)
			sum += n / totals[c]
		}
	}
	return (1 - squares*math.Pow(sum, -2)) * float64(len(rows))
}

// right is eq. 2: whether a row's sum is above the threshold.
func right(d *datasets.Dataset, i int32, subspace []int32, weights []float32, threshold float32) bool {
	var sum float32
	for k, j := range subspace {
		sum += float32(weights[k] * d.At(int(i), int(j)))
	}
	return sum > threshold
}

// parts divides rows by a plane.
func parts(d *datasets.Dataset, rows, subspace []int32, weights []float32, threshold float32) (a, b []int32) {
	for _, i := range rows {
		if right(d, i, subspace, weights, threshold) {
			b = append(b, i)
		} else {
			a = append(a, i)
		}
	}
	return a, b
}

func alike(d *datasets.Dataset, rows, subspace []int32) bool {
	for _, i := range rows {
		for _, j := range subspace {
			if d.At(int(i), int(j)) != d.At(int(rows[0]), int(j)) {
				return false
			}
		}
	}
	return true
}

// Each step of the algorithm is compared with a plain implementation, which keeps lists of
// rows and recomputes everything: the target, the gain of each of the K planes, the best
// plane, and the regions afterwards.
func TestStepsAreAlgorithm1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := table(t)
		g := must.Value(learner(t, d.P()).prepare(d))
		w := newWorker(g)
		w.begin(0)
		var impure [][]int32 // F_1, with regions whose rows turn out to be all equal
		all := samples.UpTo(d.N())
		if d.N() >= g.MinSplit {
			impure = append(impure, all)
		}
		for w.mostImpure() {
			checkRegions(t, w, impure)
			target := slices.Sorted(slices.Values(w.order[w.regions[w.target].lo:w.regions[w.target].hi]))
			most := 0.0
			for _, rows := range impure {
				most = max(most, z(d, rows))
			}
			if got := z(d, target); got < most-1e-9 && !g.Unshared {
				t.Fatalf("the target has Z = %v; another has %v", got, most)
			}
			if apart := w.boundTarget(); apart == alike(d, target, w.subspace) {
				t.Fatalf("boundTarget is %v for rows %v", apart, target)
			} else if !apart {
				w.closeTarget()
				impure = slices.DeleteFunc(impure, func(rows []int32) bool { return slices.Equal(rows, target) })
				continue
			}
			reached := impure // regions that a plane divides
			if g.Unshared {
				reached = [][]int32{target}
			}
			before := w.rng
			must.Do(w.drawPlane(context.Background()))
			weights, threshold := slices.Clone(w.best.weights), w.best.threshold
			best, drawn := math.Inf(1), false
			for range w.Candidates { // the K planes again
				v, at := replay(d, w, target, &before)
				drawn = drawn || slices.Equal(v, weights) && at == threshold
				if a, b := parts(d, target, w.subspace, v, at); len(a) > 0 && len(b) > 0 {
					best = min(best, zAfter(d, reached, w.subspace, v, at))
				}
			}
			got := zAfter(d, reached, w.subspace, weights, threshold)
			if !math.IsInf(best, 1) && !drawn {
				t.Fatalf("plane %v, %v isn't among the %d drawn", weights, threshold, w.Candidates)
			}
			if !math.IsInf(best, 1) && math.Abs(got-best) > 1e-9 {
				t.Fatalf("the plane leaves Z(S) = %v; the best of %d leaves %v", got, w.Candidates, best)
			}
			w.divide()
			impure = after(d, impure, reached, w.subspace, weights, threshold, g.MinSplit)
		}
		for _, rows := range impure {
			t.Fatalf("rows %v are left in an impure region", rows)
		}
	})
}

// replay draws a plane for the target by eq. 6 and 7, from the worker's random numbers.
func replay(d *datasets.Dataset, w *worker, target []int32, rng *forest.Rand) ([]float32, float32) {
	weights := make([]float32, len(w.subspace))
	var at float64
	for k, j := range w.subspace {
		lo, hi, mean := math.Inf(1), math.Inf(-1), 0.0
		for _, i := range w.order[w.regions[w.target].lo:w.regions[w.target].hi] {
			v := float64(d.At(int(i), int(j)))
			lo, hi, mean = min(lo, v), max(hi, v), mean+v
		}
		weights[k] = float32(lo + rng.Float64()*(hi-lo))
		at += float64(weights[k]) * (mean / float64(len(target)))
	}
	threshold := float32(at)
	if float64(threshold) > at {
		threshold = math.Nextafter32(threshold, -math.MaxFloat32)
	}
	return weights, threshold
}

// zAfter is the Z of regions once a plane is extended to them.
func zAfter(d *datasets.Dataset, regions [][]int32, subspace []int32, weights []float32,
	threshold float32) (sum float64) {
	for _, rows := range regions {
		a, b := parts(d, rows, subspace, weights, threshold)
		for _, part := range [][]int32{a, b} {
			if len(part) > 0 {
				sum += z(d, part)
			}
		}
	}
	return sum
}

// after returns the impure regions once a plane is extended to those that it reaches.
func after(d *datasets.Dataset, impure, reached [][]int32, subspace []int32, weights []float32, threshold float32,
	minSplit int) (next [][]int32) {
	for _, rows := range impure {
		a, b := parts(d, rows, subspace, weights, threshold)
		within := slices.ContainsFunc(reached, func(r []int32) bool { return slices.Equal(r, rows) })
		if len(a) == 0 || len(b) == 0 || !within {
			next = append(next, rows)
			continue
		}
		for _, part := range [][]int32{a, b} {
			pure := !slices.ContainsFunc(part, func(i int32) bool { return d.Labels[i] != d.Labels[part[0]] })
			if !pure && len(part) >= minSplit {
				next = append(next, part)
			}
		}
	}
	return next
}

func checkRegions(t *rapid.T, w *worker, impure [][]int32) {
	var got [][]int32
	for i := range w.regions {
		r := &w.regions[i]
		if r.closed {
			continue
		}
		rows := slices.Sorted(slices.Values(w.order[r.lo:r.hi]))
		got = append(got, rows)
		if want := z(w.train, rows); math.Abs(r.z-want) > 1e-9 {
			t.Fatalf("region %v has Z = %v, want %v", rows, r.z, want)
		}
	}
	if !slices.EqualFunc(got, impure, slices.Equal[[]int32]) {
		t.Fatalf("regions %v, want %v", got, impure)
	}
}

// The gains of planes, for regions of any size, against eq. 8. All rows of a class may be
// on one side.
func TestGains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes := rapid.IntRange(2, 4).Draw(t, "classes")
		most := rapid.SampledFrom([]int{3, 40, 900}).Draw(t, "most rows of a class")
		d := noise(classes, 1, classes, 1)
		d.Labels = nil
		for c := range classes {
			for range rapid.IntRange(1, most).Draw(t, "rows") {
				d.Labels = append(d.Labels, int32(c))
			}
		}
		d.Columns[0] = make([]float32, len(d.Labels))
		g := must.Value(Learner{}.prepare(d))
		w := newWorker(g)
		w.begin(0)
		const planes = 8
		bytes := make([]uint8, d.N())
		var gains [planes]float64
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "sides"), 1))
		share := make([]float64, planes)
		for k := range share {
			share[k] = []float64{0, 0.02, 0.5, 1}[rng.IntN(4)]
		}
		for i := range d.Labels {
			for k := range planes {
				if rng.Float64() < share[k] {
					bytes[i] |= 1 << k
				}
			}
		}
		w.addGains(&w.regions[0], bytes, &gains, planes)
		cutting := cuts(bytes)
		for k := range planes {
			var sides [2][]int32
			for i, row := range w.order {
				side := bytes[i] >> k & 1
				sides[side] = append(sides[side], row)
			}
			cut, want := len(sides[0]) > 0 && len(sides[1]) > 0, 0.0
			if cut {
				want = z(d, w.order) - z(d, sides[0]) - z(d, sides[1])
			}
			if got := gains[k]; math.Abs(got-want) > 1e-9*float64(d.N()) || cut != (cutting>>k&1 == 1) {
				t.Fatalf("plane %d with %d and %d rows on its sides: gain %v, want %v", k, len(sides[0]), len(sides[1]), got, want)
			}
		}
	})
}

// The radius heuristic (section 4.1) doesn't change the tree.
func TestSameTreeWithoutRadiusHeuristic(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; shorter tests run the same code")
	}
	rapid.Check(t, func(t *rapid.T) {
		d := table(t)
		l := learner(t, d.P())
		with := fitted(l, d)
		if without := fitted(everywhere{l}, d); fmt.Sprint(with) != fmt.Sprint(without) {
			t.Fatal("the trees differ")
		}
	})
	// A cell that is a code for a missing value: the others' products with the scaled
	// weights underflow.
	for seed := range uint64(4) {
		d := noise(2000, 4, 3, 1)
		for _, col := range d.Columns[1:] {
			for i := range col {
				col[i] *= 0.01
			}
		}
		d.Columns[0][0] = math.MaxFloat32
		l := Learner{Trees: 8, TreeFeatures: 2, Candidates: 8, Seed: seed}
		with := fitted(l, d)
		if without := fitted(everywhere{l}, d); fmt.Sprint(with) != fmt.Sprint(without) {
			t.Fatalf("seed %d, a huge cell: the trees differ", seed)
		}
	}
	// More rows, so that there are many balls and planes miss many of them.
	for _, p := range []int{1, 2, 3} {
		d := noise(3000, p, 3, 1)
		for _, size := range []float32{1, 1e12, 1e-25} { // and where sums round most
			for _, col := range d.Columns {
				for i := range col {
					col[i] = col[i]*size + size
				}
			}
			l := Learner{Trees: 2, TreeFeatures: All, Seed: 4}
			with := fitted(l, d)
			if without := fitted(everywhere{l}, d); fmt.Sprint(with) != fmt.Sprint(without) {
				t.Errorf("p = %d, cells of about %v: the trees differ", p, size)
			}
		}
	}
}

// The radius of eq. 25 would change the tree: it is the distance from the mean to
// the corner of least or of greatest values, and a row may lie farther out, near
// another corner, where a plane beyond the radius cuts it off.
func TestRadiusOfThePaperIsTooShort(t *testing.T) {
	d := &datasets.Dataset{
		Features: make([]datasets.Feature, 2),
		Columns:  [][]float32{{-1}, {1}},
		Classes:  []string{"a", "b"},
		Labels:   []int32{0},
	}
	for range 10 {
		d.Columns[0] = append(d.Columns[0], 0.1)
		d.Columns[1] = append(d.Columns[1], -0.1)
		d.Labels = append(d.Labels, 1)
	}
	// The mean is 0, so eq. 25 is max(|(−1, −0.1)|, |(0.1, 1)|).
	paper := math.Hypot(1, 0.1)
	g := must.Value(Learner{TreeFeatures: All}.prepare(d))
	w := newWorker(g)
	w.begin(0)
	root := &w.regions[0]
	root.ball = needed
	plane := &w.trials
	plane.planes, plane.lengths[0], plane.thresholds[0] = 1, math.Sqrt2, 1.2*math.Sqrt2 // −x1 + x2 = 1.2·√2
	plane.weights[0], plane.weights[panel] = -1, 1
	if left, right := parts(d, w.order, w.subspace, []float32{-1, 1}, plane.thresholds[0]); len(left) != 10 ||
		len(right) != 1 || 1.2 < paper {
		t.Fatalf("the plane has %d and %d rows on its sides, at a distance of 1.2; the radius is %v", len(left),
			len(right), paper)
	}
	if !w.reaches(root) {
		t.Error("a plane that cuts the region is thought not to reach it")
	}
	plane.thresholds[0] = 1.5 * math.Sqrt2
	if w.reaches(root) {
		t.Error("a plane beyond the farthest row is thought to reach the region")
	}
}

// noise returns rows distributed uniformly over a cube, with independent labels.
func noise(n, p, classes int, seed uint64) *datasets.Dataset {
	rng := rand.New(rand.NewPCG(seed, 2))
	d := &datasets.Dataset{Features: make([]datasets.Feature, p)}
	for c := range classes {
		d.Classes = append(d.Classes, fmt.Sprint(c))
	}
	for range p {
		col := make([]float32, n)
		for i := range col {
			col[i] = float32(2*rng.Float64() - 1)
		}
		d.Columns = append(d.Columns, col)
	}
	for range n {
		d.Labels = append(d.Labels, int32(rng.IntN(classes)))
	}
	return d
}

var fitted = fittest.Fit

// everywhere is a Learner without the radius heuristic.
type everywhere struct{ Learner }

func (l everywhere) Fit(ctx context.Context, train *datasets.Dataset) (*forest.Forest, error) {
	g, err := l.prepare(train)
	if err != nil {
		return nil, err
	}
	g.everywhere = true
	return g.forest(ctx, forest.Options{})
}
