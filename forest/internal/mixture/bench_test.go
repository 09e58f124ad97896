package mixture

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchmarkRows returns normal rows around two centres, and the centres.
func benchmarkRows(n, p int) (r *Rows, m1, m2 []float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	columns, weight := make([][]float32, p), make([]float64, n)
	for k := range columns {
		for i := range n {
			columns[k] = append(columns[k], float32(rng.NormFloat64()+float64(i%2)))
		}
		m1, m2 = append(m1, 0.4), append(m2, -0.4)
	}
	for i := range weight {
		weight[i] = 1
	}
	r = new(Rows)
	r.Reset(weight, p)
	r.Add(columns)
	r.Ready()
	return r, m1, m2
}

// works are calls whose second run allocates nothing.
func works(n, p int) map[string]func() {
	r, m1, m2 := benchmarkRows(n, p)
	stop := Stop{Rounds: 10, Tolerance: -1}
	list := map[string]func(){}
	linear := func(fit func(*Rows, *Linear, float64, Stop) bool) func() {
		m := &Linear{Components: Components{Mean1: make([]float64, p), Mean2: make([]float64, p)}}
		return func() {
			copy(m.Mean1, m1)
			copy(m.Mean2, m2)
			fit(r, m, 1e-4, stop)
		}
	}
	quadratic := func(fit func(*Rows, *Quadratic, float64, Stop) bool) func() {
		m := &Quadratic{Components: Components{Mean1: make([]float64, p), Mean2: make([]float64, p)}}
		return func() {
			copy(m.Mean1, m1)
			copy(m.Mean2, m2)
			fit(r, m, 1e-4, stop)
		}
	}
	axis, values := make([]float64, p), make([]float64, n)
	c1, c2 := make([]float64, p), make([]float64, p)
	list["shared diagonal"] = linear((*Rows).FitDiagonal)
	list["shared full"] = linear((*Rows).FitFull)
	list["separate full"] = quadratic((*Rows).FitSeparate)
	list["separate diagonal"] = quadratic((*Rows).FitSeparateDiagonal)
	list["first axis"] = func() { r.FirstAxis(axis) }
	list["median"] = func() { r.Project(values, m1); r.Median(values) }
	list["centroids"] = func() { r.Centroids(c1, c2, m1, 0) }
	list["k-means"] = func() {
		copy(c1, m1)
		copy(c2, m2)
		r.KMeans(c1, c2)
	}
	return list
}

// Ten rounds of EM; one axis, median, division or K-means.
func BenchmarkRows(b *testing.B) {
	for _, size := range []struct {
		n, p  int
		names []string
	}{
		{4435, 36, []string{"shared diagonal", "separate diagonal", "first axis", "median", "centroids", "k-means"}},
		{60, 36, []string{"shared diagonal", "shared full", "separate full", "first axis", "k-means"}},
		{1000, 64, []string{"shared full", "separate full"}},
	} {
		list := works(size.n, size.p)
		for _, name := range size.names {
			b.Run(fmt.Sprintf("%s=%dx%d", name, size.n, size.p), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					list[name]()
				}
			})
		}
	}
}

func BenchmarkRotate(b *testing.B) {
	b.ReportAllocs()
	r, m1, m2 := benchmarkRows(60, 256)
	x, variance := append([]float64(nil), r.x...), append([]float64(nil), r.variance...)
	c1, c2 := make([]float64, 256), make([]float64, 256)
	for b.Loop() {
		r.p, r.stride, r.variance = 256, 256, append(r.variance[:0], variance...)
		copy(r.x, x)
		c1, c2 = append(c1[:0], m1...), append(c2[:0], m2...)
		r.Rotate(&c1, &c2)
	}
}

func TestNothingIsAllocatedTwice(t *testing.T) {
	for name, work := range works(70, 9) {
		work()
		if allocs := testing.AllocsPerRun(5, work); allocs > 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}
