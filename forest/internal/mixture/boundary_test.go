package mixture

import (
	"math"
	"slices"
	"testing"

	_ "github.com/obliqua-ml/obliqua/internal/steady"
	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/forest/internal/kernel"
)

// Outside of the space of the rows both covariances are the ridge's, so coordinates in it give
// the same boundary.
func TestRotatedRowsGiveTheSameBoundary(t *testing.T) {
	for _, by := range methods[1:3] {
		t.Run(by.name, rapid.MakeCheck(func(t *rapid.T) {
			q := drawProblem(t)
			q.ridge = 0.1
			n := min(q.n(), rapid.IntRange(2, 7).Draw(t, "rows"))
			q.weight = q.weight[:n]
			for len(q.columns) <= n {
				q.columns = append(q.columns, q.columns[len(q.columns)%q.p()])
			}
			for k := range q.columns {
				q.columns[k] = q.columns[k][:n]
			}
			q.startAtHalves()
			a, b := q.rows(), q.rows()
			a1, a2 := q.starts(a)
			b1, b2 := q.starts(b)
			basis := b.Rotate(&b1, &b2)
			if basis == nil || b.P() != n {
				t.Fatalf("%d rows of %d features have %d coordinates", n, q.p(), b.P())
			}
			for i := range n { // the basis turns coordinates back
				for k := range q.p() {
					v := 0.0
					for j, along := range b.Row(i) {
						v += along * basis[j*q.p()+k]
					}
					if !near(v, a.Row(i)[k], 10, 1e-10) {
						t.Fatalf("cell %d, %d is %v, want %v", i, k, v, a.Row(i)[k])
					}
				}
			}
			stop := Stop{Rounds: 12, Tolerance: -1}
			f, okF := by.fit(a, a1, a2, q.ridge, stop)
			g, okG := by.fit(b, b1, b2, q.ridge, stop)
			if !okF || !okG || !near(f.share1, g.share1, 0, 1e-8) {
				t.Fatalf("ok %v and %v, shares %v and %v", okF, okG, f.share1, g.share1)
			}
			for i := range n {
				if u, v := f.logOdds(a.Row(i)), g.logOdds(b.Row(i)); !near(u, v, u, 1e-8) {
					t.Fatalf("row %d has log odds %v, rotated %v", i, u, v)
				}
			}
		}))
	}
	r := (&problem{columns: [][]float32{{1, 2, 4}, {3, 1, 1}}, weight: []float64{1, 1, 1}}).rows()
	if r.Rotate(new([]float64), new([]float64)) != nil || r.P() != 2 {
		t.Error("more rows than features are rotated")
	}
}

// The lengths of blocks and groups of four rows must not matter: results of all rows equal those by
// one row.
func TestSumsOfBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawProblem(t)
		r := q.rows()
		c1, c2 := q.starts(r)
		d := Bisector(make([]float64, r.P()), c1, c2)
		got := make([]float64, r.N())
		r.Project(got, c1)
		var total float64
		want := make([]float64, r.P())
		sum := make([]float64, r.P())
		for first := 0; first < r.n; first += block {
			values := r.values(first, c1, d)
			for i, v := range values {
				row := r.Row(first + i)
				if x := kernel.Dot(c1, row); got[first+i] != x || v != x-d ||
					!near(x, dot(c1, row), dot(c1, c1)+dot(row, row), 1e-12) {
					t.Fatalf("row %d: %v and %v, want %v and %v", first+i, got[first+i], v, x, x-d)
				}
			}
			copy(values, q.weight[first:])
			total += r.addRows(sum, first, values)
		}
		for i, w := range q.weight {
			for k, x := range r.Row(i) {
				want[k] += w * math.Abs(x)
			}
		}
		for k, v := range sum { // centred rows add up to 0
			if math.Abs(v) > 1e-12*want[k]+1e-9 || math.Abs(total-r.total) > 1e-9 {
				t.Fatalf("sums %v of rows and %v of weights, want 0 and %v", sum, total, r.total)
			}
		}
	})
}

// Multiplying the cells by a power of 2 multiplies everything else exactly.
func TestPowersOfTwo(t *testing.T) {
	for _, by := range methods {
		t.Run(by.name, rapid.MakeCheck(func(t *rapid.T) {
			q := drawProblem(t)
			factor := math.Ldexp(1, rapid.IntRange(-26, 26).Draw(t, "exponent"))
			scaled := &problem{columns: make([][]float32, q.p()), weight: q.weight, ridge: q.ridge}
			for k, c := range q.columns {
				for _, v := range c {
					scaled.columns[k] = append(scaled.columns[k], v*float32(factor))
				}
			}
			fit := func(q *problem, scale float64) (*fitted, []float64, bool) {
				r := q.rows()
				m1, m2, axis := start(t, r)
				units := slices.Repeat([]float64{1 / scale}, r.P())
				r.Scale(units)
				for k, u := range units {
					m1[k] *= u
					m2[k] *= u
				}
				m, ok := by.fit(r, m1, m2, q.ridge, Stop{})
				return m, axis, ok
			}
			a, axisA, okA := fit(q, 1)
			b, axisB, okB := fit(scaled, factor)
			if okA != okB || !slices.Equal(axisA, axisB) || a.share1 != b.share1 || a.logLikelihood != b.logLikelihood ||
				!slices.Equal(a.means[0], b.means[0]) || !slices.Equal(a.means[1], b.means[1]) {
				t.Fatalf("%+v, scaled %+v", a, b)
			}
		}))
	}
}
