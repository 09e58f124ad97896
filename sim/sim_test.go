package sim

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/obliqua-ml/obliqua/datasets"
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
	NoiseFeatures{}, NoiseFeatures{Noise: 27}, NoiseFeatures{Features: 2, Noise: 1},
	Ball{}, Ball{Features: 1}, Ball{Features: 2},
	Twonorm{}, Twonorm{Features: 1},
	Threenorm{}, Threenorm{Features: 3},
	Ringnorm{}, Ringnorm{Features: 20, Distance: 1},
	LED{}, LED{Noise: 0.2},
	Waveform{},
	GaussianClasses{}, quadraticClasses, misleadingClasses, threeGaussians,
}

// samplers returns the problems and what has no known best classifier.
func samplers() []sampler {
	all := []sampler{
		Hypercube{Features: 5, Project: true},
		RandomRBF{}, RandomRBF{Features: 1, Classes: 1, Centroids: 1}, RandomRBF{Classes: 7, Centroids: 3},
		RandomIntercepts{}, RandomIntercepts{Features: 1, Size: 1, Effect: 0.5},
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
	for _, c := range []struct{ zero, spelt sampler }{
		{SparseParity{}, SparseParity{Features: 20, Informative: 3}},
		{Orthant{}, Orthant{Features: 6}},
		{Trunk{}, Trunk{Features: 10}},
		{Hypercube{}, Hypercube{Features: 10}},
		{Circles{}, Circles{Rings: 4, Classes: 2}},
		{Pies{}, Pies{Sectors: 8, Classes: 2}},
		{XOR{}, XOR{Cells: 4, Classes: 2}},
		{RandomRBF{}, RandomRBF{Features: 10, Classes: 2, Centroids: 50}},
		{NoiseFeatures{}, NoiseFeatures{Features: 30, Noise: 0}},
		{Ball{}, Ball{Features: 10}},
		{Twonorm{}, Twonorm{Features: 10}},
		{Threenorm{}, Threenorm{Features: 10}},
		{Ringnorm{}, Ringnorm{Features: 10, Distance: 2}},
		{LED{}, LED{Noise: 0.1}},
		{GaussianClasses{}, GaussianClasses{[]Gaussian{
			{Class: 0, Mean: []float64{-1, 1}, Covariance: [][]float64{{1, 0.5}, {0.5, 1}}, Weight: 1},
			{Class: 1, Mean: []float64{1, -1}, Covariance: [][]float64{{1, 0.5}, {0.5, 1}}, Weight: 1},
		}}},
	} {
		if !reflect.DeepEqual(c.zero.Sample(50, 1), c.spelt.Sample(50, 1)) {
			t.Errorf("%s is not %s", name(c.zero), name(c.spelt))
		}
	}
}

func TestMisuse(t *testing.T) {
	for what, f := range map[string]func(){
		"no rows":               func() { Trunk{}.Sample(0, 1) },
		"negative rows":         func() { Hypercube{}.Sample(-1, 1) },
		"negative features":     func() { Trunk{Features: -1}.Sample(5, 1) },
		"too many classes":      func() { Orthant{Features: 31}.Sample(5, 1) },
		"too many vertices":     func() { Hypercube{Features: 40}.Sample(5, 1) },
		"more informative":      func() { SparseParity{Features: 3, Informative: 4}.Sample(5, 1) },
		"default informative":   func() { SparseParity{Features: 2}.Sample(5, 1) },
		"negative informative":  func() { SparseParity{Informative: -1}.Sample(5, 1) },
		"projected Bayes":       func() { Hypercube{Project: true}.Bayes().Class(make([]float32, 10)) },
		"one ring":              func() { Circles{Rings: 1}.Sample(5, 1) },
		"negative rings":        func() { Circles{Rings: -4}.Sample(5, 1) },
		"too many rings":        func() { Circles{Rings: 1 << 20}.Sample(5, 1) },
		"one class of circles":  func() { Circles{Classes: 1}.Bayes().Class([]float32{0, 0}) },
		"more classes of rings": func() { Circles{Rings: 3, Classes: 4}.BoundaryDistance([]float32{0, 0}) },
		"odd sectors":           func() { Pies{Sectors: 5}.Sample(5, 1) },
		"classes of sectors":    func() { Pies{Classes: 3}.Bayes().Class([]float32{0, 0}) },
		"one cell":              func() { XOR{Cells: 1}.Sample(5, 1) },
		"more classes of cells": func() { XOR{Classes: 5}.Sample(5, 1) },
		"an endless turn":       func() { XOR{Degrees: math.Inf(1)}.Sample(5, 1) },
		"no angle":              func() { XOR{Degrees: math.NaN()}.Bayes().Class([]float32{0, 0}) },
		"negative centroids":    func() { RandomRBF{Centroids: -1}.Sample(5, 1) },
		"negative classes":      func() { RandomRBF{Classes: -1}.Sample(5, 1) },
		"no features":           func() { RandomRBF{Features: -1}.Sample(5, 1) },
		"noise alone":           func() { NoiseFeatures{Noise: 30}.Sample(5, 1) },
		"negative noise":        func() { NoiseFeatures{Noise: -1}.Bayes().Error() },
		"too many integers":     func() { NoiseFeatures{Features: 1 << 20}.Sample(5, 1) },
		"too large a cube":      func() { Ball{Features: 129}.Sample(5, 1) },
		"norms without":         func() { Twonorm{Features: -1}.Sample(5, 1) },
		"two norms on a line":   func() { Threenorm{Features: 1}.Sample(5, 1) },
		"negative distance":     func() { Ringnorm{Distance: -1}.Sample(5, 1) },
		"no distance":           func() { Ringnorm{Distance: math.NaN()}.Bayes().Error() },
		"endless distance":      func() { Ringnorm{Distance: 1001}.Sample(5, 1) },
		"mostly wrong":          func() { LED{Noise: 0.6}.Sample(5, 1) },
		"negative probability":  func() { LED{Noise: -0.1}.Bayes().Class(make([]float32, 7)) },
		"no probability":        func() { LED{Noise: math.NaN()}.Bayes().Error() },
		"no components":         func() { GaussianClasses{[]Gaussian{}}.Sample(5, 1) },
		"a component of none":   func() { GaussianClasses{make([]Gaussian, 1)}.Sample(5, 1) },
		"negative class":        func() { GaussianClasses{[]Gaussian{{Class: -1, Mean: []float64{0}}}}.Sample(5, 1) },
		"an endless mean":       func() { GaussianClasses{[]Gaussian{{Mean: []float64{math.Inf(1)}}}}.Sample(5, 1) },
		"negative share":        func() { GaussianClasses{[]Gaussian{{Mean: []float64{0}, Weight: -1}}}.Bayes().Error() },
		"means of two lengths": func() {
			GaussianClasses{[]Gaussian{{Mean: []float64{0}}, {Mean: []float64{0, 1}}}}.Sample(5,
				1)
		},
		"lacking variance": func() {
			GaussianClasses{[]Gaussian{{Mean: []float64{0, 0}, Covariance: [][]float64{{1, 0}}}}}.Sample(5, 1)
		},
		"ragged covariance": func() {
			GaussianClasses{[]Gaussian{{Mean: []float64{0, 0}, Covariance: [][]float64{{1, 0}, {0}}}}}.Sample(5, 1)
		},
		"ragged first row": func() {
			GaussianClasses{[]Gaussian{{Mean: []float64{0, 0}, Covariance: [][]float64{{1}, {0, 1}}}}}.Sample(5, 1)
		},
		"asymmetric": func() {
			GaussianClasses{[]Gaussian{{Mean: []float64{0, 0}, Covariance: [][]float64{{1, 0.5}, {0, 1}}}}}.Sample(5, 1)
		},
		"singular": func() {
			GaussianClasses{[]Gaussian{{Mean: []float64{0, 0}, Covariance: [][]float64{{1, 1}, {1, 1}}}}}.Bayes()
		},
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "sim: ") {
					t.Errorf("%s: no panic that starts with sim:", what)
				}
			}()
			f()
		}()
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

func BenchmarkSparseParity(b *testing.B) {
	for b.Loop() {
		SparseParity{}.Sample(100000, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(100000*20), "ns/cell")
}

func ExampleSparseParity() {
	train := SparseParity{Features: 20, Informative: 3}.Sample(5000, 1)
	fmt.Println(train.N(), train.P(), train.Classes)
	// Output: 5000 20 [0 1]
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
