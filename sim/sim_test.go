package sim

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
	"github.com/obliqua-ml/obliqua/internal/readtest"
)

// A sampler is what the types of this package have in common.
type sampler interface {
	Sample(n int, seed uint64) *datasets.Dataset
}

// A problem is a sampler whose best classifier is known.
type problem interface {
	sampler
	Bayes() Rule
}

var problems = []problem{
	SparseParity{}, SparseParity{Features: 2, Informative: 2}, SparseParity{Features: 7, Informative: 1},
	Orthant{}, Orthant{Features: 1}, Orthant{Features: 9},
	Trunk{}, Trunk{Features: 1}, Trunk{Features: 100},
	Consistency{},
	Hypercube{}, Hypercube{Features: 1}, Hypercube{Features: 3, Multiclass: true},
	Hypercube{Features: 12, Multiclass: true}, Circles{}, Circles{Rings: 5, Classes: 3},
	Pies{}, Pies{Sectors: 9, Classes: 3},
	XOR{}, XOR{Cells: 5, Classes: 3}, XOR{Cells: 2, Degrees: 30},
	SelectionBias{}, SelectionBias{EqualScale: true}, SelectionBias{Null: true},
	NoiseFeatures{}, NoiseFeatures{Noise: 27}, NoiseFeatures{Features: 2, Noise: 1}, NoiseFeatures{Features: 5, Noise: 1},
	NoiseFeatures{Features: 1},
	Ball{}, Ball{Features: 1}, Ball{Features: 2},
	Twonorm{}, Twonorm{Features: 1}, Twonorm{Features: 20},
	Threenorm{}, Threenorm{Features: 3}, Threenorm{Features: 20},
	Ringnorm{}, Ringnorm{Features: 1}, Ringnorm{Features: 20, Distance: 1}, Ringnorm{Features: 3, Distance: 5},
	LED{}, LED{Noise: 0.2}, LED{Noise: 0.3},
	Waveform{},
	GaussianClasses{}, quadraticClasses, misleadingClasses, threeGaussians,
	RandomIntercepts{Features: 2, Size: 1}, RandomIntercepts{Features: 1, Size: 1, Effect: 0.2}, // independent rows
}

// samplers returns the problems and what has no known best classifier.
func samplers() []sampler {
	all := []sampler{
		Hypercube{Features: 5, Project: true},
		RandomRBF{}, RandomRBF{Features: 1, Classes: 1, Centroids: 1}, RandomRBF{Classes: 7, Centroids: 3},
		RandomIntercepts{},
	}
	for _, p := range problems {
		all = append(all, p)
	}
	return all
}

func name(p sampler) string { return fmt.Sprintf("%T%+v", p, p) }

// TestBayes compares the Bayes rule's error on a sample with what it says: none
// where that is 0, else within five binomial standard deviations.
func TestBayes(t *testing.T) {
	const n = 20000
	for _, p := range problems {
		d := p.Sample(n, 3)
		wrong := 0
		x, rule := make([]float32, d.P()), p.Bayes()
		for i := range n {
			if rule.Class(d.Row(x, i)) != d.Labels[i] {
				wrong++
			}
		}
		want := rule.Error()
		tol := 5 * math.Sqrt(want*(1-want)/n)
		if got := float64(wrong) / n; math.Abs(got-want) > tol {
			t.Errorf("%s: the Bayes rule errs on %v of the rows, want %v ± %v", name(p), got, want, tol)
		}
	}
}

func TestSampleIsSound(t *testing.T) {
	for _, p := range samplers() {
		for _, n := range []int{1, 2, 777} {
			d := p.Sample(n, 1)
			if err := d.Check(); err != nil {
				t.Errorf("%s: %v", name(p), err)
			}
			if err := d.CheckFinite(); err != nil {
				t.Errorf("%s: %v", name(p), err)
			}
			if d.N() != n {
				t.Errorf("%s: %d rows, want %d", name(p), d.N(), n)
			}
			for j, feature := range d.FeatureNames() {
				if want := "x" + strconv.Itoa(j+1); feature != want {
					t.Errorf("%s: feature %d is %q, want %q", name(p), j, feature, want)
				}
			}
		}
	}
}

func TestSeed(t *testing.T) {
	for _, p := range samplers() {
		a, b, c := p.Sample(500, 1), p.Sample(500, 1), p.Sample(500, 2)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: the same seed gives two samples", name(p))
		}
		if reflect.DeepEqual(a.Columns, c.Columns) {
			t.Errorf("%s: two seeds give the same columns", name(p))
		}
	}
}

// TestSampleEverywhere compares samples with the bytes they had on amd64 when the
// problems were added: run on another processor, it shows that nothing depends
// on its arithmetic. Problems drawn with math/rand/v2's normal numbers are left
// out, since these take logarithms, which may differ in the last bit.
func TestSampleEverywhere(t *testing.T) {
	for _, c := range []struct {
		of   sampler
		want uint64
	}{
		{SparseParity{}, 0x4c9c9ca1f50a1ffb},
		{Orthant{}, 0xbf445f796d32264a},
		{Consistency{}, 0x800dba1195e4631a},
		{SelectionBias{}, 0xae5deff1874d65e3},
		{SelectionBias{EqualScale: true}, 0xfcaa515263989887},
		{NoiseFeatures{Noise: 12}, 0x80e01dfb42e03de9},
		{Ball{}, 0x17005160461d193b},
		{Twonorm{}, 0x520ffc62b78572b5},
		{Threenorm{}, 0xc0e57cc87f2be93f},
		{Ringnorm{}, 0xe6c3f50a37e3aedd},
		{XOR{Cells: 2, Degrees: 30}, 0xf2487381f1dfec6f},
		{LED{}, 0x35ecffe0575e3f20},
		{Waveform{}, 0x19ca759b7ff0dae6},
		{GaussianClasses{}, 0xe7dbabfc83e89b8d},
		{threeGaussians, 0xfb1540535e3252d6},
		{RandomIntercepts{}, 0xf18fc53165f8265b},
	} {
		d := c.of.Sample(2000, 1)
		hash := fnv.New64a()
		for _, col := range d.Columns {
			for _, v := range col {
				hash.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
			}
		}
		for _, y := range d.Labels {
			hash.Write(binary.LittleEndian.AppendUint32(nil, uint32(y)))
		}
		if got := hash.Sum64(); got != c.want {
			t.Errorf("%s: the sample's hash is %#x, want %#x", name(c.of), got, c.want)
		}
	}
}

// TestSeedsAreUncorrelated checks that neighbouring seeds, and columns of one
// sample, are uncorrelated: √n times a correlation is nearly standard normal.
func TestSeedsAreUncorrelated(t *testing.T) {
	const n = 10000
	var cols [][]float32
	for seed := range uint64(4) {
		cols = append(cols, SparseParity{Features: 4}.Sample(n, seed).Columns...)
	}
	for a := range cols {
		for b := range a {
			var sum float64
			for i := range n {
				sum += float64(cols[a][i]) * float64(cols[b][i])
			}
			// The product of two uniform numbers on (−1, 1) has variance 1/9.
			if z := sum * 3 / math.Sqrt(n); math.Abs(z) > 5 {
				t.Errorf("columns %d and %d: z = %v", a, b, z)
			}
		}
	}
}

func TestDefaults(t *testing.T) {
	correlated := [][]float64{{1, 0.5}, {0.5, 1}}
	for _, spelt := range []sampler{
		SparseParity{Features: 20, Informative: 3}, Orthant{Features: 6}, Trunk{Features: 10}, Hypercube{Features: 10},
		Circles{Rings: 4, Classes: 2}, Pies{Sectors: 8, Classes: 2}, XOR{Cells: 4, Classes: 2},
		RandomRBF{Features: 10, Classes: 2, Centroids: 50}, NoiseFeatures{Features: 30}, Ball{Features: 10},
		Twonorm{Features: 10}, Threenorm{Features: 10}, Ringnorm{Features: 10, Distance: 2}, LED{Noise: 0.1},
		GaussianClasses{[]Gaussian{
			{Class: 0, Mean: []float64{-1, 1}, Covariance: correlated, Weight: 1},
			{Class: 1, Mean: []float64{1, -1}, Covariance: correlated, Weight: 1},
		}},
	} {
		zero := reflect.Zero(reflect.TypeOf(spelt)).Interface().(sampler)
		if !reflect.DeepEqual(zero.Sample(50, 1), spelt.Sample(50, 1)) {
			t.Errorf("%s is not %s", name(zero), name(spelt))
		}
	}
}

// Settings that make no problem are refused with a text that begins with the package's name.
func TestMisuse(t *testing.T) {
	refused := func(what string, f func()) {
		t.Run(what, func(t *testing.T) { readtest.WantPanic(t, "sim: ", f) })
	}
	refused("no rows", func() { Trunk{}.Sample(0, 1) })
	refused("negative rows", func() { Hypercube{}.Sample(-1, 1) })
	refused("more rows than an int32 counts", func() { Hypercube{}.Sample(math.MaxInt32+1, 1) })
	refused("intervals that draws hardly hit", func() { Hypercube{Deviation: 1e300}.Sample(1, 1) })
	refused("projected Bayes", func() { Hypercube{Project: true}.Bayes().Class(make([]float32, 10)) })
	refused("more classes of rings", func() { Circles{Rings: 3, Classes: 4}.BoundaryDistance([]float32{0, 0}) })
	gaussian := func(c ...Gaussian) GaussianClasses { return GaussianClasses{c} }
	plane := func(covariance ...[]float64) GaussianClasses {
		return gaussian(Gaussian{Mean: []float64{0, 0}, Covariance: covariance})
	}
	nan, inf, line := math.NaN(), math.Inf(1), []float64{0}
	for _, p := range []sampler{
		Trunk{Features: -1}, Orthant{Features: 31}, Hypercube{Features: 40},
		SparseParity{Features: 3, Informative: 4}, SparseParity{Features: 2}, SparseParity{Informative: -1},
		Circles{Rings: 1}, Circles{Rings: -4}, Circles{Rings: 1 << 20}, Circles{Classes: 1}, Circles{Rings: 3, Classes: 4},
		Pies{Sectors: 5}, Pies{Classes: 3}, XOR{Cells: 1}, XOR{Classes: 5}, XOR{Degrees: inf}, XOR{Degrees: nan},
		RandomRBF{Centroids: -1}, RandomRBF{Classes: -1}, RandomRBF{Features: -1},
		NoiseFeatures{Noise: 30}, NoiseFeatures{Noise: -1}, NoiseFeatures{Features: 1 << 20},
		Ball{Features: 129}, Twonorm{Features: -1}, Threenorm{Features: 1},
		Ringnorm{Distance: -1}, Ringnorm{Distance: nan}, Ringnorm{Distance: 1001},
		LED{Noise: 0.6}, LED{Noise: -0.1}, LED{Noise: nan}, RandomIntercepts{Effect: -1},
		GaussianClasses{[]Gaussian{}}, gaussian(Gaussian{}), gaussian(Gaussian{Class: -1, Mean: line}),
		gaussian(Gaussian{Mean: []float64{inf}}), gaussian(Gaussian{Mean: line, Weight: -1}),
		gaussian(Gaussian{Mean: line}, Gaussian{Mean: []float64{0, 1}}),
		plane([]float64{1, 0}), plane([]float64{1, 0}, line), plane([]float64{1}, []float64{0, 1}), // ragged
		plane([]float64{1, 0.5}, []float64{0, 1}), // not symmetric
		plane([]float64{1, 1}, []float64{1, 1}),   // singular
	} {
		refused(name(p), func() { p.Sample(5, 1) })
		if p, ok := p.(problem); ok {
			refused(name(p)+", Bayes", func() { p.Bayes().Class(make([]float32, 10)) })
		}
	}
}

// TestUniform checks range, mean and variance of the uniform features (0 and
// 1/3; the variance of x² is 4/45) and that none is 0.
func TestUniform(t *testing.T) {
	const n = 100000
	for j, col := range (SparseParity{Features: 3}).Sample(n, 9).Columns {
		if lo, hi := slices.Min(col), slices.Max(col); lo <= -1 || hi >= 1 || lo > -0.999 || hi < 0.999 {
			t.Errorf("column %d is in [%v, %v], want nearly all of (−1, 1)", j, lo, hi)
		}
		if slices.Contains(col, 0) {
			t.Errorf("column %d has a 0", j)
		}
		var mean, square float64
		for _, v := range col {
			mean += float64(v) / n
			square += float64(v) * float64(v) / n
		}
		if math.Abs(mean) > 5*math.Sqrt(1./3/n) || math.Abs(square-1./3) > 5*math.Sqrt(4./45/n) {
			t.Errorf("column %d: mean %v, mean square %v; want 0 and 1/3", j, mean, square)
		}
	}
}

// checkShares compares class counts with n·p within five standard deviations.
func checkShares(t *testing.T, d *datasets.Dataset, want func(class int) float64) {
	t.Helper()
	n := float64(d.N())
	for c, count := range d.ClassCounts() {
		p := want(c)
		if math.Abs(float64(count)-n*p) > 5*math.Sqrt(n*p*(1-p)) {
			t.Errorf("class %s has %d of %v rows, want a share of %v", d.Classes[c], count, n, p)
		}
	}
}

// checkMoments compares means and covariances of the rows of a class within five standard errors. The variance of a
// mean is the feature's by the number of rows; that of a mean product of normal numbers is v·w + c², v and w being
// their variances and c their covariance. (Of a mixture it is less.)
func checkMoments(t *testing.T, what string, d *datasets.Dataset, class int32, mean func(j int) float64,
	covariance func(j, k int) float64) {
	t.Helper()
	p, rows := d.P(), 0.0
	means, products := make([]float64, p), make([]float64, p*p)
	for i, y := range d.Labels {
		if y != class {
			continue
		}
		rows++
		for j := range p {
			z := float64(d.At(i, j)) - mean(j)
			means[j] += z
			for k := range j + 1 {
				products[j*p+k] += z * (float64(d.At(i, k)) - mean(k))
			}
		}
	}
	for j := range p {
		v := covariance(j, j)
		if got := means[j] / rows; math.Abs(got) > 5*math.Sqrt(v/rows) {
			t.Errorf("%s, class %d: the mean of x%d is off by %v", what, class, j+1, got)
		}
		for k := range j + 1 {
			want := covariance(j, k)
			if got := products[j*p+k] / rows; math.Abs(got-want) > 5*math.Sqrt((v*covariance(k, k)+want*want)/rows) {
				t.Errorf("%s, class %d: covariance of x%d and x%d is %v, want %v", what, class, j+1, k+1, got, want)
			}
		}
	}
}

func BenchmarkSparseParity(b *testing.B) {
	for b.Loop() {
		SparseParity{}.Sample(100000, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(100000*20), "ns/cell")
}

// TestRandomOrder compares the mean label of the first quarter of the rows
// with that of all, 4 with variance 2 and 1/2 with variance 1/4.
func TestRandomOrder(t *testing.T) {
	for _, c := range []struct {
		of             problem
		n              int
		mean, variance float64
	}{
		{Hypercube{Features: 8, Multiclass: true}, 0, 4, 2},
		{Hypercube{Features: 8, Multiclass: true}, 1024, 4, 2},
		{Trunk{}, 1024, 0.5, 0.25},
	} {
		labels := c.of.Sample(c.n, 1).Labels
		labels = labels[:len(labels)/4]
		var mean float64
		for _, y := range labels {
			mean += float64(y) / float64(len(labels))
		}
		if tol := 5 * math.Sqrt(c.variance/float64(len(labels))); math.Abs(mean-c.mean) > tol {
			t.Errorf("%s: the first labels' mean is %v, want %v ± %v", name(c.of), mean, c.mean, tol)
		}
	}
}
