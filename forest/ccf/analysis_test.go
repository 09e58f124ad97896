package ccf

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// sampled returns a source with the given columns, and all rows in its sample.
func sampled(columns [][]float32, labels []int32, weights []float64, units []float64) *source {
	s := newSource(len(columns), int(slices.Max(labels))+1, units)
	for j := range columns {
		s.Features = append(s.Features, int32(j))
	}
	s.Columns = columns
	slots := map[int32]int32{}
	for i, c := range labels {
		if _, seen := slots[c]; !seen {
			slots[c] = int32(len(slots))
			s.sample.Classes = append(s.sample.Classes, c)
		}
		s.sample.rows = append(s.sample.rows, int32(i))
		s.sample.weights = append(s.sample.weights, weights[i])
		s.sample.slots = append(s.sample.slots, slots[c])
	}
	return s
}

// combinations returns all combinations of the features and their correlations.
func (s *source) combinations() (weights [][]float64, correlations []float64) {
	s.analysis.compute(s, nil)
	for c := range s.analysis.combinations {
		w := make([]float64, len(s.Features))
		s.analysis.combination(w, c)
		for k, j := range s.Features {
			w[k] /= s.units[j]
		}
		weights = append(weights, w)
		correlations = append(correlations, math.Sqrt(s.analysis.squared(c)))
	}
	return weights, correlations
}

func ones(n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = 1
	}
	return s
}

// parallelTo reports whether two vectors are multiples of each other.
func parallelTo(a, b []float64, tolerance float64) bool {
	x, y := mat.NewVecDense(len(a), a), mat.NewVecDense(len(b), b)
	return 1-math.Abs(mat.Dot(x, y))/(mat.Norm(x, 2)*mat.Norm(y, 2)) <= tolerance
}

// Canonical combinations for classes coded 1-of-K are Fisher's discriminants. These are the
// scalings_ of scikit-learn 1.9.1's LinearDiscriminantAnalysis(solver="eigen"), divided by
// the largest coefficient, and the correlations of NumPy 2.4.6's SVD of the product of the
// orthonormal factors of both sides.
func TestCombinationsAreScikitLearnsDiscriminants(t *testing.T) {
	columns := make([][]float32, 4)
	var labels []int32
	for i := range 40 {
		c := i % 3
		for j := range columns {
			columns[j] = append(columns[j], float32((7*i+13*j+i*i*(j+1))%23+3*c*(j%2)-2*c*c*(j/2)))
		}
		labels = append(labels, int32(c))
	}
	weights, correlations := sampled(columns, labels, ones(40), []float64{7, 1, 3, 0.5}).combinations()
	want := [][]float64{
		{0.4904893029287383, 1, -0.7744245872449377, 0.015814068685722174},
		{0.5022188072820681, 0.49000398496097514, 1, -0.8763831798272718},
	}
	if len(weights) != 2 {
		t.Fatalf("%d combinations, want 2", len(weights))
	}
	for c, rho := range []float64{0.6099594107921442, 0.2822803019762105} {
		if math.Abs(correlations[c]-rho) > 1e-12 {
			t.Errorf("combination %d has correlation %v, want %v", c, correlations[c], rho)
		}
		if !parallelTo(weights[c], want[c], 1e-14) {
			t.Errorf("combination %d is %v, want a multiple of %v", c, weights[c], want[c])
		}
	}
}

// A problem is rows with classes, for the analysis.
type problem struct {
	columns [][]float32
	labels  []int32
	weights []float64
	units   []float64
	classes int
}

func drawProblem(t *rapid.T) problem {
	classes := rapid.IntRange(2, 7).Draw(t, "classes")
	m := rapid.IntRange(1, 9).Draw(t, "m")
	n := rapid.SampledFrom([]int{classes + m + 5, 100, 700}).Draw(t, "n")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	shift := rapid.SampledFrom([]float64{0, -3, 1000}).Draw(t, "shift")
	p := problem{columns: make([][]float32, m), classes: classes}
	for i := range n {
		p.labels = append(p.labels, int32(i%classes))
		p.weights = append(p.weights, rapid.SampledFrom([]float64{1, 1, 2, 3, 0.4}).Draw(t, "weight"))
	}
	for j := range m {
		p.units = append(p.units, float64(1+j))
		means := make([]float64, classes)
		for c := range means {
			means[c] = rng.NormFloat64()
		}
		for i, c := range p.labels {
			p.columns[j] = append(p.columns[j], float32(shift+p.units[j]*(means[c]+rng.NormFloat64()+0.3*float64(i%(j+2)))))
		}
	}
	return p
}

// matrices returns the rows, and their classes coded 1-of-K without the last, both centred
// and multiplied by the square roots of the weights.
func (p problem) matrices() (x, y *mat.Dense) {
	centred := func(columns int, cell func(i, j int) float64) *mat.Dense {
		a := mat.NewDense(len(p.labels), columns, nil)
		for j := range columns {
			var sum, total float64
			for i, w := range p.weights {
				sum += w * cell(i, j)
				total += w
			}
			for i, w := range p.weights {
				a.Set(i, j, math.Sqrt(w)*(cell(i, j)-sum/total))
			}
		}
		return a
	}
	x = centred(len(p.columns), func(i, j int) float64 { return float64(p.columns[j][i]) })
	y = centred(p.classes-1, func(i, j int) float64 {
		if int(p.labels[i]) == j {
			return 1
		}
		return 0
	})
	return x, y
}

// thin returns the orthonormal factor of a matrix of full rank.
func thin(a *mat.Dense) *mat.Dense {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		panic("no SVD")
	}
	var u mat.Dense
	svd.UTo(&u)
	return &u
}

// The oracle is gonum's singular value decomposition of the product of orthonormal bases of
// both sides (Björck and Golub, Mathematics of Computation 27, 1973).
func TestCorrelationsAreCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		weights, correlations := sampled(p.columns, p.labels, p.weights, p.units).combinations()
		x, y := p.matrices()
		qx, qy := thin(x), thin(y)
		var product mat.Dense
		product.Mul(qx.T(), qy)
		var svd mat.SVD
		if !svd.Factorize(&product, mat.SVDNone) {
			t.Fatal("no SVD")
		}
		want := svd.Values(nil)
		if len(correlations) != len(want) || len(want) != min(len(p.columns), p.classes-1) {
			t.Fatalf("%d correlations, want %v", len(correlations), want)
		}
		var images []*mat.VecDense
		for c, rho := range correlations {
			if math.Abs(rho-want[c]) > 1e-7 || rho < 0 || rho > 1+1e-12 {
				t.Fatalf("correlation %d is %v, want %v", c, rho, want[c])
			}
			// The correlation with the classes of the combination itself.
			var image, explained mat.VecDense
			image.MulVec(x, mat.NewVecDense(len(weights[c]), weights[c]))
			image.ScaleVec(1/mat.Norm(&image, 2), &image)
			explained.MulVec(qy.T(), &image)
			if got := mat.Norm(&explained, 2); math.Abs(got-rho) > 1e-6 {
				t.Fatalf("combination %d has correlation %v with the classes, want %v", c, got, rho)
			}
			for b, other := range images {
				if r := mat.Dot(&image, other); math.Abs(r) > 1e-6 {
					t.Fatalf("combinations %d and %d have correlation %v, want 0", b, c, r)
				}
			}
			images = append(images, &image)
		}
	})
}

// Features that are combinations of others are left out, which changes no correlation.
func TestRankDeficientFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		_, want := sampled(p.columns, p.labels, p.weights, p.units).combinations()
		sum := make([]float32, len(p.labels))
		for i := range sum {
			for _, column := range p.columns {
				sum[i] += column[i]
			}
		}
		more := slices.Concat([][]float32{sum}, p.columns, p.columns)
		s := sampled(more, p.labels, p.weights, slices.Concat([]float64{1}, p.units, p.units))
		weights, got := s.combinations()
		if s.analysis.rank != len(p.columns) {
			t.Fatalf("rank %d of %d features with duplicates", s.analysis.rank, len(p.columns))
		}
		if len(got) != len(want) {
			t.Fatalf("correlations %v, want %v", got, want)
		}
		for c := range got {
			if math.Abs(got[c]-want[c]) > 1e-3 { // the sum is rounded to a float32
				t.Fatalf("correlations %v, want %v", got, want)
			}
			if used := len(weights[c]) - count(weights[c], 0); used > s.analysis.rank {
				t.Fatalf("combination of %d features, of which %d are independent", used, s.analysis.rank)
			}
		}
	})
}

func count(s []float64, v float64) (n int) {
	for _, w := range s {
		if w == v {
			n++
		}
	}
	return n
}

// The second feature is the first plus a small part of its own, which (5) keeps or leaves out by
// its length relative to ε = 10⁻⁴. The rows are orthogonal and have equal lengths.
func TestRankTolerance(t *testing.T) {
	for part, want := range map[float32]int{0x1p-12: 2, 0x1p-15: 1} { // 2.4·10⁻⁴ and 0.3·10⁻⁴
		first, second := []float32{1, 1, -1, -1}, []float32{1 + part, 1 - part, -1 + part, -1 - part}
		s := sampled([][]float32{first, second}, []int32{0, 1, 1, 1}, ones(4), ones(2))
		if s.combinations(); s.analysis.rank != want {
			t.Errorf("a part of %v: rank %d, want %d", part, s.analysis.rank, want)
		}
	}
}

// With at least as many independent features as rows less one, every class is a point on
// the combinations: all correlations are 1.
func TestMoreFeaturesThanRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	columns := make([][]float32, 20)
	for j := range columns {
		for range 6 {
			columns[j] = append(columns[j], float32(rng.NormFloat64()))
		}
	}
	_, correlations := sampled(columns, []int32{0, 1, 2, 0, 1, 2}, ones(6), ones(20)).combinations()
	if len(correlations) != 2 || math.Abs(correlations[0]-1) > 1e-9 || math.Abs(correlations[1]-1) > 1e-9 {
		t.Errorf("correlations %v, want 1 and 1", correlations)
	}
}

// Classes with equal means have no combination: all correlations are 0.
func TestEqualMeansHaveNoCombination(t *testing.T) {
	columns := [][]float32{{0, 0, 1, 1}, {0, 1, 0, 1}} // the corners of a square, diagonal ones of one class
	if _, correlations := sampled(columns, []int32{0, 1, 1, 0}, ones(4), ones(2)).combinations(); len(correlations) != 0 {
		t.Errorf("correlations %v, want none", correlations)
	}
}

// The matrix is built from chosen eigenvalues and an orthogonal
// matrix of gonum's.
func TestDiagonalise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.IntRange(1, 12).Draw(t, "side")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		raw := mat.NewDense(side, side, nil)
		for i := range side {
			for j := range side {
				raw.Set(i, j, rng.NormFloat64())
			}
		}
		var qr mat.QR
		qr.Factorize(raw)
		var q, scaled, a mat.Dense
		qr.QTo(&q)
		values := make([]float64, side)
		for i := range values {
			values[i] = float64(rng.IntN(4)) / 3 // some equal, some 0
		}
		scaled.Mul(&q, mat.NewDiagDense(side, values))
		a.Mul(&scaled, q.T())
		matrix, vectors := slices.Clone(a.RawMatrix().Data), make([]float64, side*side)
		diagonalise(matrix, vectors, side, nil)
		var got []float64
		for i := range side {
			got = append(got, matrix[i*side+i])
			v := mat.NewVecDense(side, nil)
			for r := range side {
				v.SetVec(r, vectors[i*side+r])
			}
			var image mat.VecDense
			image.MulVec(&a, v)
			image.AddScaledVec(&image, -got[i], v)
			if mat.Norm(&image, 2) > 1e-12 || math.Abs(mat.Norm(v, 2)-1) > 1e-12 {
				t.Fatalf("vector %d is no eigenvector of length 1", i)
			}
		}
		slices.Sort(got)
		slices.Sort(values)
		for i := range got {
			if math.Abs(got[i]-values[i]) > 1e-12 {
				t.Fatalf("eigenvalues %v, want %v", got, values)
			}
		}
	})
}
