package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// nearest returns the coordinates of the vertex nearest to x by trying all,
// and the number of ones among them.
func nearest(x []float32) (vertex, ones int) {
	least := math.Inf(1)
	for v := range 1 << len(x) {
		var dist float64
		count := 0
		for j, c := range x {
			bit := v >> j & 1
			count += bit
			dist += math.Pow(float64(c)-float64(bit), 2)
		}
		if dist < least {
			least, vertex, ones = dist, v, count
		}
	}
	return vertex, ones
}

func TestHypercubeLabels(t *testing.T) {
	const p = 5
	parity := Hypercube{Features: p}.Sample(0, 8)
	multi := Hypercube{Features: p, Multiclass: true}.Sample(0, 8)
	if len(parity.Classes) != 2 || len(multi.Classes) != p+1 {
		t.Fatalf("%d and %d classes", len(parity.Classes), len(multi.Classes))
	}
	rows := make([]int, 1<<p)
	for i := range multi.N() {
		v, ones := nearest(multi.Row(nil, i))
		rows[v]++
		if int(multi.Labels[i]) != ones || int(parity.Labels[i]) != ones%2 {
			t.Fatalf("row %v has labels %d and %d; its vertex has %d ones", multi.Row(nil, i), multi.Labels[i], parity.Labels[i],
				ones)
		}
		for j := range p {
			if u := multi.At(i, j) + 0.5; u <= 0 || u >= 2 || u == 1 {
				t.Fatalf("cell %v is outside of both halves", multi.At(i, j))
			}
		}
	}
	for v, count := range rows {
		if count < 3 || count > 5 {
			t.Errorf("vertex %05b has %d rows, want 3 to 5", v, count)
		}
	}
}

// 2^p draws of 3, 4 or 5 have mean 4·2^p and variance 2/3·2^p, draws of 3 or 4 mean 3.5·2^p and variance 2^p/4. The
// latter are the numbers of rows in table 1 of the paper.
func TestHypercubeSize(t *testing.T) {
	const samples = 20
	for p, published := range map[int]float64{3: 18.1 + 8.6, 8: 626.5 + 269.3, 11: 5024.7 + 2154.1} {
		for most, moments := range map[int][2]float64{0: {4, 2. / 3}, 4: {3.5, 1. / 4}} {
			var mean float64
			for seed := range uint64(samples) {
				mean += float64(Hypercube{Features: p, MostRows: most}.Sample(0, seed).N()) / samples
			}
			size := float64(int(1) << p)
			if tol := 5 * math.Sqrt(size*moments[1]/samples); math.Abs(mean-moments[0]*size) > tol {
				t.Errorf("p = %d: %v rows on average, want %v ± %v", p, mean, moments[0]*size, tol)
			}
			// The paper's is a mean over ten samples.
			if tol := 5 * math.Sqrt(size/4*(1./samples+1./10)); most == 4 && math.Abs(mean-published) > tol {
				t.Errorf("p = %d: %v rows on average, published %v ± %v", p, mean, published, tol)
			}
		}
	}
}

func TestHypercubeSharesRows(t *testing.T) {
	d := Hypercube{Features: 3, Multiclass: true}.Sample(8*5+3, 1)
	rows := make([]int, 8)
	for i := range d.N() {
		v, _ := nearest(d.Row(nil, i))
		rows[v]++
	}
	more := 0
	for v, count := range rows {
		if count != 5 && count != 6 {
			t.Errorf("vertex %d has %d rows, want 5 or 6", v, count)
		}
		more += count - 5
	}
	if more != 3 {
		t.Errorf("%d rows more than five a vertex, want 3", more)
	}
}

// TestHalf compares the mean of a truncated normal variable with the closed
// form μ + σ (φ(a) − φ(b)) / (Φ(b) − Φ(a)), a and b the ends in units of σ
// from μ (Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions
// 1, section 13.10.1).
func TestHalf(t *testing.T) {
	density := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
	rng := rand.New(rand.NewPCG(1, 1))
	for _, h := range []half{{0.2, 0.3, -0.5}, {-0.49, 0.1, -0.5}, {0.6, 1.4, 0.5}, {1.2, 0.5, 0.5}, {0.1, 0, -0.5}} {
		const n = 50000
		var mean float64
		for range n {
			mean += float64(h.draw(rng)) / n
		}
		want := h.mean
		if h.stdev > 0 {
			a, b := (h.lo-h.mean)/h.stdev, (h.lo+1-h.mean)/h.stdev
			want += h.stdev * (density(a) - density(b)) / (phi(b) - phi(a))
		}
		// The standard deviation on an interval of length 1 is at most 1/2.
		if math.Abs(mean-want) > 5*min(h.stdev, 0.5)/math.Sqrt(n)+1e-7 {
			t.Errorf("%+v: mean %v, want %v", h, mean, want)
		}
	}
}

func TestHalves(t *testing.T) {
	const p = 20000
	lower, upper := Hypercube{}.halves(p, rand.New(rand.NewPCG(1, 1)))
	for what, c := range map[string]struct {
		lo, hi float64
		of     func(j int) float64
	}{
		"lower mean":  {-0.5, 0.5, func(j int) float64 { return lower[j].mean }},
		"lower stdev": {0, 0.5, func(j int) float64 { return lower[j].stdev }},
		"upper mean":  {0.5, 1.5, func(j int) float64 { return upper[j].mean }},
		"upper stdev": {0.5, 1.5, func(j int) float64 { return upper[j].stdev }},
	} {
		var mean float64
		for j := range p {
			v := c.of(j)
			if v < c.lo || v > c.hi {
				t.Fatalf("%s %v is outside of [%v, %v]", what, v, c.lo, c.hi)
			}
			mean += v / p
		}
		se := (c.hi - c.lo) / math.Sqrt(12*p)
		if math.Abs(mean-(c.lo+c.hi)/2) > 5*se {
			t.Errorf("%s: mean %v, want the middle of [%v, %v]", what, mean, c.lo, c.hi)
		}
	}
}

// TestProject reads the matrix off from what it does to the unit vectors, and
// multiplies by it in another order.
func TestProject(t *testing.T) {
	const p, n = 4, 30
	unit := make([][]float32, p)
	for j := range unit {
		unit[j] = make([]float32, p)
		unit[j][j] = 1
	}
	project(unit, rand.New(rand.NewPCG(5, 6))) // now unit[k][j] is entry (j, k)
	for k := range unit {
		for j, v := range unit[k] {
			if v < 0 || v > 1 {
				t.Errorf("entry (%d, %d) is %v", j, k, v)
			}
		}
	}
	plain := Trunk{Features: p}.Sample(n, 1)
	projected := Trunk{Features: p}.Sample(n, 1)
	project(projected.Columns, rand.New(rand.NewPCG(5, 6)))
	for i := range n {
		for k := range p {
			var want float64
			for j := range p {
				want += float64(plain.At(i, j)) * float64(unit[k][j])
			}
			if math.Abs(float64(projected.At(i, k))-want) > 1e-5 {
				t.Fatalf("row %d, column %d is %v, want %v", i, k, projected.At(i, k), want)
			}
		}
	}
}

// TestHypercubeComponents compares the number of principal components that
// explain 90 % of the variance with table 1 of the paper, ten features: 9, and
// 3.3 on average when projected. Ten normal entries a column would give 5.5.
func TestHypercubeComponents(t *testing.T) {
	for _, c := range []struct {
		project   bool
		published float64
	}{{false, 9}, {true, 3.3}} {
		const samples = 10
		var mean float64
		for seed := range uint64(samples) {
			d := Hypercube{Features: 10, Project: c.project}.Sample(0, seed)
			x := mat.NewDense(d.N(), d.P(), nil)
			for j, col := range d.Columns {
				for i, v := range col {
					x.Set(i, j, float64(v))
				}
			}
			var pc stat.PC
			if !pc.PrincipalComponents(x, nil) {
				t.Fatal("no principal components")
			}
			vars := pc.VarsTo(nil)
			var total, sum float64
			for _, v := range vars {
				total += v
			}
			k := 0
			for sum < 0.9*total {
				sum += vars[k]
				k++
			}
			mean += float64(k) / samples
		}
		if math.Abs(mean-c.published) > 0.6 {
			t.Errorf("projected %v: %v components, published %v", c.project, mean, c.published)
		}
	}
}

// With a deviation given, rows lie around the vertices themselves: the mean of
// |x − vertex| of a normal variable is σ·√(2/π), and cutting it off at 5σ changes
// less than the tolerance.
func TestDeviation(t *testing.T) {
	d := Hypercube{Features: 5, Deviation: 0.1}.Sample(20000, 1)
	for j, col := range d.Columns {
		var sum float64
		for _, v := range col {
			sum += math.Abs(float64(v) - math.Round(float64(v)))
		}
		const sd = 0.0603 // 0.1·√(1 − 2/π)
		if got, want := sum/20000, 0.1*math.Sqrt(2/math.Pi); math.Abs(got-want) > 5*sd/math.Sqrt(20000) {
			t.Errorf("feature %d: mean distance %v from the vertex, want %v", j, got, want)
		}
	}
}
