package oblique

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/internal/must"
)

// A problem is a small regression of ±1 on features.
type problem struct {
	columns         [][]float32
	weights, target []float64
}

func drawProblem(t *rapid.T, n, m int) problem {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	shift := rapid.SampledFrom([]float64{0, -3, 100}).Draw(t, "shift")
	p := problem{columns: make([][]float32, m), weights: make([]float64, n), target: make([]float64, n)}
	for i := range n {
		p.weights[i] = rapid.SampledFrom([]float64{1, 1, 2, 3, 0.4}).Draw(t, "weight")
		p.target[i] = float64(2*rng.IntN(2) - 1)
	}
	p.target[0], p.target[1] = -1, 1
	for j := range m {
		p.columns[j] = make([]float32, n)
		for i := range n {
			p.columns[j][i] = float32(shift + float64(j+1)*(rng.NormFloat64()+0.5*p.target[i]))
		}
	}
	return p
}

func (p problem) regression(t *rapid.T) *regression {
	r := new(regression)
	r.begin(p.weights, len(p.columns))
	for _, col := range p.columns {
		if !r.add(col) {
			t.Fatal("a feature that varies wasn't taken")
		}
	}
	r.setTarget(p.target)
	if !r.decompose() {
		t.Fatal("no eigenvectors")
	}
	return r
}

// ridge returns intercept and coefficients that minimise Σ w(y − b − xβ)² + λ|β|²
// over all rows but one, by the normal equations with the intercept in them.
func (p problem) ridge(t *rapid.T, lambda float64, without int) []float64 {
	m := len(p.columns)
	row := make([]float64, m+1)
	a, b := mat.NewDense(m+1, m+1, nil), mat.NewVecDense(m+1, nil)
	for j := 1; j <= m; j++ {
		a.Set(j, j, lambda)
	}
	for i, w := range p.weights {
		if i == without {
			continue
		}
		p.row(row, i)
		x := mat.NewVecDense(m+1, row)
		a.RankOne(a, w, x, x)
		b.AddScaledVec(b, w*p.target[i], x)
	}
	var beta mat.VecDense
	if err := beta.SolveVec(a, b); err != nil {
		if _, badly := err.(mat.Condition); !badly {
			t.Fatal(err)
		}
	}
	return beta.RawVector().Data
}

// row writes 1 and the features of a row, less those of the first one. That changes the intercept alone, and the
// normal equations of features far from 0 have too few digits.
func (p problem) row(dst []float64, i int) {
	dst[0] = 1
	for j, col := range p.columns {
		dst[j+1] = float64(col[i]) - float64(col[0])
	}
}

// near compares vectors relative to their length.
func near(got, want []float64, tolerance float64) bool {
	return floats.Distance(got, want, 2) <= tolerance*floats.Norm(want, 2)
}

func TestSolveIsRidgeRegression(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, rapid.IntRange(2, 30).Draw(t, "n"), rapid.IntRange(1, 12).Draw(t, "m"))
		penalty := rapid.SampledFrom(penalties[:]).Draw(t, "penalty")
		r := p.regression(t)
		r.solve(penalty * r.scale)
		if want := p.ridge(t, penalty*r.scale, -1)[1:]; !near(r.w, want, 1e-6) {
			t.Fatalf("coefficients %v, want %v", r.w, want)
		}
	})
}

// The scale of λ is the mean, over features, of the weighted sum of squares about
// the mean.
func TestScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, rapid.IntRange(2, 30).Draw(t, "n"), rapid.IntRange(1, 12).Draw(t, "m"))
		var want float64
		for _, col := range p.columns {
			mean := 0.0
			for i, v := range col {
				mean += p.weights[i] * float64(v) / floats.Sum(p.weights)
			}
			for i, v := range col {
				want += p.weights[i] * (float64(v) - mean) * (float64(v) - mean) / float64(len(p.columns))
			}
		}
		if got := p.regression(t).scale; math.Abs(got-want) > 1e-9*want {
			t.Fatalf("scale %v, want %v", got, want)
		}
	})
}

// A row is left out with all its weight, and the model is fitted anew.
func TestLeaveOneOutIsRefitting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, rapid.IntRange(2, 16).Draw(t, "n"), rapid.IntRange(1, 8).Draw(t, "m"))
		r := p.regression(t)
		row := make([]float64, len(p.columns)+1)
		for l, got := range r.leaveOneOut() {
			var want float64
			for i, w := range p.weights {
				p.row(row, i)
				e := p.target[i] - floats.Dot(row, p.ridge(t, penalties[l]*r.scale, i))
				want += w * e * e
			}
			if math.Abs(got-want) > 1e-3*want { // 1 − h may be 1e-6, where rounding shows
				t.Fatalf("λ %v: error %v, want %v", penalties[l], got, want)
			}
		}
	})
}

func TestRidgeTakesTheBestPenalty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, rapid.IntRange(3, 30).Draw(t, "n"), rapid.IntRange(2, 12).Draw(t, "m"))
		r := p.regression(t)
		errors := r.leaveOneOut()
		best := floats.MinIdx(errors[:])
		r.solve(penalties[best] * r.scale)
		want := append([]float64(nil), r.w...)
		floats.Scale(1/floats.Norm(want, 2), want)
		if got, ok := r.coefficients(false); !ok || !near(got, want, 1e-12) {
			t.Fatalf("direction %v, want %v of λ %v", got, want, penalties[best])
		}
	})
}

// Fisher's discriminant is S_w⁻¹(μ₁ − μ₂), S_w being the scatter within groups
// (Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 4.3).
func TestLDAIsFishers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(2, 6).Draw(t, "m")
		p := drawProblem(t, rapid.IntRange(4*m, 40).Draw(t, "n"), m)
		means := [2]*mat.VecDense{mat.NewVecDense(m, nil), mat.NewVecDense(m, nil)}
		var total [2]float64
		group := func(i int) int { return int(p.target[i]+1) / 2 }
		row := make([]float64, m+1)
		for i, w := range p.weights {
			p.row(row, i)
			total[group(i)] += w
			means[group(i)].AddScaledVec(means[group(i)], w, mat.NewVecDense(m, row[1:]))
		}
		for g := range means {
			means[g].ScaleVec(1/total[g], means[g])
		}
		within := mat.NewDense(m, m, nil)
		for i, w := range p.weights {
			p.row(row, i)
			x := mat.NewVecDense(m, row[1:])
			x.SubVec(x, means[group(i)])
			within.RankOne(within, w, x, x)
		}
		if mat.Cond(within, 2) > 1e6 {
			t.Skip("nearly singular")
		}
		var difference, want mat.VecDense
		difference.SubVec(means[1], means[0])
		must.Do(want.SolveVec(within, &difference))
		want.ScaleVec(1/want.Norm(2), &want)
		if got, ok := p.regression(t).coefficients(true); !ok || !near(got, want.RawVector().Data, 1e-3) {
			t.Fatalf("direction %v, want %v", got, want.RawVector().Data)
		}
	})
}

// With fewer rows than features LDA's direction is the shortest that fits the
// target exactly, which projects every group to a point.
func TestLDAOfFewRowsPilesThemUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, rapid.IntRange(2, 8).Draw(t, "n"), 20)
		w, ok := p.regression(t).coefficients(true)
		if !ok {
			t.Fatal("no direction")
		}
		low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
		for i, y := range p.target {
			var sum float64
			for j, col := range p.columns {
				sum += w[j] * float64(col[i])
			}
			g := int(y+1) / 2
			low[g], high[g] = min(low[g], sum), max(high[g], sum)
		}
		if gap := low[1] - high[0]; gap <= 0 || high[0]-low[0] > 1e-4*gap || high[1]-low[1] > 1e-4*gap {
			t.Fatalf("groups lie in [%v, %v] and [%v, %v]", low[0], high[0], low[1], high[1])
		}
	})
}

func TestConstantFeatureIsNotTaken(t *testing.T) {
	var r regression
	r.begin([]float64{1, 2, 1}, 2)
	if r.add([]float32{4, 4, 4}) || r.m != 0 {
		t.Error("a constant feature was taken")
	}
	if !r.add([]float32{4, 4, 5}) || r.m != 1 {
		t.Error("a feature that varies wasn't taken")
	}
}
