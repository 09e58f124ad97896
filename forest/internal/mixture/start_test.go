package mixture

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func TestRowsAreCentred(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawProblem(t)
		r := new(Rows)
		r.Reset(q.weight, q.p()+2) // room for features that aren't added
		half := q.p() / 2
		r.Add(q.columns[:half])
		r.Add(q.columns[half:])
		r.Ready()
		total := 0.0
		for _, w := range q.weight {
			total += w
		}
		if r.N() != q.n() || r.P() != q.p() || math.Abs(r.total-total) > 1e-9*total {
			t.Fatalf("%d rows of %d features with weight %v", r.N(), r.P(), r.total)
		}
		for k, c := range q.columns {
			var mean, variance float64
			for i, w := range q.weight {
				mean += w * float64(c[i]) / total
			}
			for i, w := range q.weight {
				variance += w * (float64(c[i]) - mean) * (float64(c[i]) - mean) / total
				if v := r.Row(i)[k]; math.Abs(v-(float64(c[i])-mean)) > 1e-9 {
					t.Fatalf("cell %d, %d is %v, want %v", i, k, v, float64(c[i])-mean)
				}
			}
			if math.Abs(r.Mean()[k]-mean) > 1e-9 || math.Abs(r.variance[k]-variance) > 1e-9*(1+variance) {
				t.Fatalf("feature %d: mean %v and variance %v, want %v and %v", k, r.Mean()[k], r.variance[k], mean, variance)
			}
		}
	})
}

// start returns the means that EM starts from, and the first axis.
func start(t *rapid.T, r *Rows) (m1, m2, axis []float64) {
	axis, values := make([]float64, r.P()), make([]float64, r.N())
	r.FirstAxis(axis)
	r.Project(values, axis)
	at, ok := r.Median(values)
	m1, m2 = make([]float64, r.P()), make([]float64, r.P())
	if !ok || !r.Centroids(m1, m2, axis, at) || !r.KMeans(m1, m2) {
		t.Fatal("no start")
	}
	return m1, m2, axis
}

// A weight of 3 is a row that occurs three times.
func TestWeightsAreRepeatedRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawProblem(t)
		repeated := &problem{columns: make([][]float32, q.p())}
		for i := range q.weight {
			q.weight[i] = 1 + math.Floor(q.weight[i])
			for range int(q.weight[i]) {
				repeated.weight = append(repeated.weight, 1)
				for k, c := range q.columns {
					repeated.columns[k] = append(repeated.columns[k], c[i])
				}
			}
		}
		a1, a2, _ := start(t, q.rows())
		b1, b2, _ := start(t, repeated.rows())
		for k := range a1 {
			if !near(a1[k], b1[k], b1[k], 1e-9) || !near(a2[k], b2[k], b2[k], 1e-9) {
				t.Fatalf("K-means: %v and %v, with repeated rows %v and %v", a1, a2, b1, b2)
			}
		}
	})
}

// The axis is the eigenvector of the largest eigenvalue of Σ weight·xxᵀ, where
// another isn't about as large.
func TestFirstAxisIsTheFirstEigenvector(t *testing.T) {
	clear, worst := 0, 0.0
	rapid.Check(t, func(t *rapid.T) {
		q := drawProblem(t)
		r := q.rows()
		axis := make([]float64, r.P())
		r.FirstAxis(axis)
		if !near(dot(axis, axis), 1, 0, 1e-12) {
			t.Fatalf("length² %v", dot(axis, axis))
		}
		bySize := func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) }
		if slices.MaxFunc(axis, bySize) < 0 {
			t.Fatalf("the largest coordinate of %v is negative", axis)
		}
		scatter := mat.NewSymDense(r.P(), nil)
		for i, w := range q.weight {
			scatter.SymRankOne(scatter, w, mat.NewVecDense(r.P(), r.Row(i)))
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(scatter, true) {
			t.Fatal("no eigenvectors")
		}
		values := eigen.Values(nil)
		last := len(values) - 1
		if last > 0 && values[last-1] > 0.8*values[last] {
			return
		}
		clear++
		var vectors mat.Dense
		eigen.VectorsTo(&vectors)
		cosine := math.Abs(mat.Dot(vectors.ColView(last), mat.NewVecDense(r.P(), axis)))
		angle := math.Sqrt(max(0, 2-2*cosine))
		if worst = max(worst, angle); angle > 1e-3 {
			t.Fatalf("axis %v is %v radians away; eigenvalues %v", axis, angle, values)
		}
	})
	if clear < leastChecks() {
		t.Errorf("only %d axes were compared", clear)
	}
	t.Logf("%d axes compared; the farthest by %.2g", clear, worst)
}

// half is the weight of the values up to at, and of those below it.
func half(values, weight []float64, at float64) (below, upTo float64) {
	for i, v := range values {
		if v < at {
			below += weight[i]
		}
		if v <= at {
			upTo += weight[i]
		}
	}
	return below, upTo
}

func TestMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "data"), 1))
		different := rapid.IntRange(1, 8).Draw(t, "different")
		values, weight := make([]float64, n), make([]float64, n)
		var total float64
		for i := range values {
			values[i], weight[i] = float64(rng.IntN(different)), float64(1+rng.IntN(3))
			total += weight[i]
		}
		r := new(Rows)
		r.Reset(weight, 0)
		at, ok := r.Median(values)
		if equal := slices.Min(values) == slices.Max(values); ok == equal {
			t.Fatalf("%v: ok %v", values, ok)
		}
		if !ok {
			return
		}
		// the median by its definition: the least value with half of the weight up to it
		median := math.Inf(1)
		for _, v := range values {
			if _, upTo := half(values, weight, v); 2*upTo >= total {
				median = min(median, v)
			}
		}
		for _, v := range values {
			above := v > median
			if median == slices.Max(values) {
				above = v == median
			}
			if above != (v > at) {
				t.Fatalf("values %v of weights %v are divided at %v; the median is %v", values, weight, at, median)
			}
		}
	})
}

// Between 1 and the next float64 there is no number; the larger must stay above.
func TestMedianOfNeighbours(t *testing.T) {
	next := math.Nextafter(1, 2)
	after := math.Nextafter(next, 2)
	for _, values := range [][]float64{{1, next}, {next, after}, {next, after, after}} {
		r := new(Rows)
		r.Reset(slices.Repeat([]float64{1}, len(values)), 0)
		if at, ok := r.Median(values); !ok || at < values[0] || at >= after || at >= values[len(values)-1] {
			t.Errorf("%v: divided at %v, %v", values, at, ok)
		}
	}
}

// lloyd returns the groups of the nearest centroids and their means, by the definition.
func lloyd(r *Rows, weight, c1, c2 []float64) (first []bool, m1, m2 []float64, tie bool) {
	m1, m2 = make([]float64, r.P()), make([]float64, r.P())
	var w1, w2 float64
	for i := range r.N() {
		var d1, d2 float64
		for k, v := range r.Row(i) {
			d1 += (v - c1[k]) * (v - c1[k])
			d2 += (v - c2[k]) * (v - c2[k])
		}
		tie = tie || math.Abs(d1-d2) < 1e-9*(d1+d2)
		first = append(first, d1 <= d2)
		for k, v := range r.Row(i) {
			if d1 <= d2 {
				m1[k] += weight[i] * v
			} else {
				m2[k] += weight[i] * v
			}
		}
		if d1 <= d2 {
			w1 += weight[i]
		} else {
			w2 += weight[i]
		}
	}
	for k := range m1 {
		m1[k] /= w1
		m2[k] /= w2
	}
	return first, m1, m2, tie
}

// K-means ends where a step of Lloyd's algorithm changes nothing, and it gets there by its steps.
func TestKMeansIsLloyds(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		q := drawProblem(t)
		r := q.rows()
		c1, c2 := q.starts(r)
		m1, m2 := slices.Clone(c1), slices.Clone(c2)
		if !r.KMeans(c1, c2) {
			t.Fatal("a group is empty")
		}
		var before []bool
		for range 100 {
			groups, a, b, tie := lloyd(r, q.weight, m1, m2)
			if tie {
				return // rounding decides
			}
			m1, m2 = a, b
			if slices.Equal(groups, before) {
				break
			}
			before = groups
		}
		compared++
		for k := range m1 {
			if !near(c1[k], m1[k], m1[k], 1e-9) || !near(c2[k], m2[k], m2[k], 1e-9) {
				t.Fatalf("centroids %v and %v, want %v and %v", c1, c2, m1, m2)
			}
		}
		groups, a, b, _ := lloyd(r, q.weight, c1, c2)
		if !slices.Equal(groups, before) {
			t.Fatalf("another step moves rows from %v to %v", before, groups)
		}
		for k := range a {
			if !near(c1[k], a[k], a[k], 1e-9) || !near(c2[k], b[k], b[k], 1e-9) {
				t.Fatalf("another step moves centroids from %v and %v to %v and %v", c1, c2, a, b)
			}
		}
	})
	if compared < leastChecks() {
		t.Errorf("only %d runs without ties", compared)
	}
}

// Rows −2, 0, 2 have centroids that begin at −1 and 1: 0 is at the same distance from both.
func TestKMeansTiesBelongToTheFirst(t *testing.T) {
	for sign, want := range map[float64][2]float64{1: {1, -2}, -1: {-1, 2}} {
		r := new(Rows)
		r.Reset([]float64{1, 1, 1}, 1)
		r.Add([][]float32{{-2, 0, 2}})
		r.Ready()
		c1, c2 := []float64{sign}, []float64{-sign}
		if !r.KMeans(c1, c2) || c1[0] != want[0] || c2[0] != want[1] {
			t.Errorf("centroids %v and %v, want %v", c1, c2, want)
		}
	}
}

// Equal rows can't be divided.
func TestEqualRows(t *testing.T) {
	r := new(Rows)
	r.Reset([]float64{1, 2, 1}, 2)
	r.Add([][]float32{{5, 5, 5}, {0.1, 0.1, 0.1}})
	r.Ready()
	axis, values := make([]float64, 2), make([]float64, 3)
	r.FirstAxis(axis)
	r.Project(values, axis)
	if _, ok := r.Median(values); ok {
		t.Error("equal rows have a median that divides them")
	}
	c1, c2 := make([]float64, 2), make([]float64, 2)
	if r.Centroids(c1, c2, axis, 0) {
		t.Error("equal rows have two centroids")
	}
	for _, by := range methods {
		if m, ok := by.fit(r, []float64{0, 0}, []float64{0, 0}, 0, Stop{}); ok {
			t.Errorf("%s: equal rows have a mixture %+v", by.name, m)
		}
	}
}

// leastChecks is how many random cases must be compared: short tests draw 20 of them.
func leastChecks() int {
	if testing.Short() {
		return 5
	}
	return 20
}
