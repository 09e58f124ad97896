package mixture

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/obliqua-ml/obliqua/datasets/public"
	"github.com/obliqua-ml/obliqua/internal/must"
)

// A problem is a node: columns as data sets have them, weights and two means to start from.
type problem struct {
	columns [][]float32
	weight  []float64
	means   [2][]float64 // not centred
	ridge   float64
}

func (q *problem) n() int { return len(q.weight) }
func (q *problem) p() int { return len(q.columns) }

// rows returns the rows as mixture's functions take them.
func (q *problem) rows() *Rows {
	r := new(Rows)
	r.Reset(q.weight, q.p())
	r.Add(q.columns)
	r.Ready()
	return r
}

// table returns the cells row by row.
func (q *problem) table() [][]float64 {
	x := make([][]float64, q.n())
	for i := range x {
		for _, c := range q.columns {
			x[i] = append(x[i], float64(c[i]))
		}
	}
	return x
}

// starts returns the means of both components, centred.
func (q *problem) starts(r *Rows) (m1, m2 []float64) {
	for k, mean := range r.Mean() {
		m1, m2 = append(m1, q.means[0][k]-mean), append(m2, q.means[1][k]-mean)
	}
	return m1, m2
}

// startAtHalves makes the means those of the rows of the first and second half.
func (q *problem) startAtHalves() {
	for j := range 2 {
		q.means[j] = make([]float64, q.p())
		for k, c := range q.columns {
			var total float64
			for i, w := range q.weight {
				if (2*i < q.n()) == (j == 0) {
					q.means[j][k] += w * float64(c[i])
					total += w
				}
			}
			q.means[j][k] /= total
		}
	}
}

// drawProblem draws rows of two clouds that are correlated and may overlap.
func drawProblem(t *rapid.T) *problem {
	n, p := rapid.IntRange(4, 80).Draw(t, "n"), rapid.IntRange(1, 7).Draw(t, "p")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "data"), 1))
	apart := rapid.SampledFrom([]float64{0.5, 2, 5}).Draw(t, "apart")
	offset := rapid.SampledFrom([]float64{0, 10, -30}).Draw(t, "offset")
	counts := rapid.IntRange(0, 2).Draw(t, "weights")
	q := &problem{columns: make([][]float32, p), ridge: rapid.SampledFrom([]float64{1e-4, 0.01, 1}).Draw(t, "ridge")}
	for i := range n {
		common := rng.NormFloat64()
		for k := range q.columns {
			v := rng.NormFloat64()*float64(1+k) + common + offset
			if 2*i < n {
				v = v/2 + apart + offset/2
			}
			q.columns[k] = append(q.columns[k], float32(v))
		}
		q.weight = append(q.weight, []float64{1, float64(1 + rng.IntN(3)), 0.1 + rng.Float64()}[counts])
	}
	q.startAtHalves()
	return q
}

// loaded returns a real data set. Missing cells are 0. It skips the test if the set is neither
// embedded nor in OBLIQUA_DATA.
func loaded(t *testing.T, name string) *problem {
	if name == "ionosphere" && os.Getenv("OBLIQUA_DATA") == "" {
		t.Skip("OBLIQUA_DATA isn't set")
	}
	d := must.Value(public.Load(context.Background(), name))
	q := &problem{ridge: 1e-3}
	for j := range d.P() {
		column := d.Column(nil, j)
		for i, v := range column {
			if v != v {
				column[i] = 0
			}
		}
		q.columns = append(q.columns, column)
	}
	for range d.N() {
		q.weight = append(q.weight, 1)
	}
	q.startAtHalves()
	return q
}

// A fitted mixture as tests compare it: the log odds of a centred row, and the parameters.
type fitted struct {
	share1        float64
	means         [2][]float64
	logLikelihood float64
	logOdds       func(x []float64) float64
}

// A method is one of the four fits, and the covariances that it has.
type method struct {
	name  string
	shape Shape
	fit   fitter
}

type fitter func(r *Rows, m1, m2 []float64, ridge float64, stop Stop) (*fitted, bool)

func linearFit(fit func(*Rows, *Linear, float64, Stop) bool) fitter {
	return func(r *Rows, m1, m2 []float64, ridge float64, stop Stop) (*fitted, bool) {
		m := &Linear{Components: Components{Mean1: m1, Mean2: m2}}
		ok := fit(r, m, ridge, stop)
		return &fitted{m.Share1, [2][]float64{m.Mean1, m.Mean2}, m.LogLikelihood,
			func(x []float64) float64 { return dot(m.W, x) - m.D }}, ok
	}
}

func quadraticFit(fit func(*Rows, *Quadratic, float64, Stop) bool) fitter {
	return func(r *Rows, m1, m2 []float64, ridge float64, stop Stop) (*fitted, bool) {
		m := &Quadratic{Components: Components{Mean1: m1, Mean2: m2}}
		ok := fit(r, m, ridge, stop)
		return &fitted{m.Share1, [2][]float64{m.Mean1, m.Mean2}, m.LogLikelihood, func(x []float64) float64 {
			p := len(x)
			v := m.B + dot(m.W, x)
			for i := range x {
				if len(m.Q) == p {
					v += x[i] * m.Q[i] * x[i]
					continue
				}
				v += x[i] * dot(m.Q[i*p:(i+1)*p], x)
			}
			return v
		}}, ok
	}
}

var methods = []method{
	{"shared diagonal", Shape{Shared: true}, linearFit((*Rows).FitDiagonal)},
	{"shared full", Shape{Full: true, Shared: true}, linearFit((*Rows).FitFull)},
	{"separate full", Shape{Full: true}, quadraticFit((*Rows).FitSeparate)},
	{"separate diagonal", Shape{}, quadraticFit((*Rows).FitSeparateDiagonal)},
}

// near reports whether a and b differ by at most a share of 1 and the scale.
func near(a, b, scale, tolerance float64) bool { return math.Abs(a-b) <= tolerance*(1+math.Abs(scale)) }

// tolerance returns by how much results may differ: 1e-9, and more where variances exceed the
// ridge so far that rounding them shows in the covariance of a group without width.
func (q *problem) tolerance(r *Rows) float64 { return 1e-9 + 1e-13*slices.Max(r.variance)/q.ridge }

// compare fits a problem by the method and as a textbook does.
func compare(t rapid.TB, q *problem, by method, rounds int) {
	t.Helper()
	r := q.rows()
	m1, m2 := q.starts(r)
	got, ok := by.fit(r, m1, m2, q.ridge, Stop{Rounds: rounds, Tolerance: -1})
	x := q.table()
	want := FitTextbook(x, q.weight, q.means, by.shape, q.ridge, rounds)
	if !ok || want == nil {
		t.Fatalf("%s: ok %v, want a mixture: %v", by.name, ok, want)
	}
	tol := q.tolerance(r)
	if !near(got.share1, want.Shares[0], 0, tol) {
		t.Errorf("%s: share %v, want %v", by.name, got.share1, want.Shares[0])
	}
	if !near(got.logLikelihood, want.LogLikelihood, want.LogLikelihood, tol) {
		t.Errorf("%s: log-likelihood %v, want %v", by.name, got.logLikelihood, want.LogLikelihood)
	}
	for j, means := range want.Means {
		for k, v := range means {
			if g := got.means[j][k] + r.Mean()[k]; !near(g, v, v, tol) {
				t.Errorf("%s: mean %d of feature %d is %v, want %v", by.name, j+1, k, g, v)
			}
		}
	}
	for i, row := range x {
		l := want.LogDensities(row)
		g := got.logOdds(r.Row(i))
		if !near(g, l[0]-l[1], max(math.Abs(l[0]), math.Abs(l[1])), tol) || (g >= 0) != (l[0] >= l[1]) && math.Abs(g) > 1e-6 {
			t.Errorf("%s: row %d has log odds %v, want %v", by.name, i, g, l[0]-l[1])
		}
	}
}

func TestEMIsThatOfTextbooks(t *testing.T) {
	for _, by := range methods {
		t.Run(by.name, rapid.MakeCheck(func(t *rapid.T) {
			compare(t, drawProblem(t), by, rapid.IntRange(1, 15).Draw(t, "rounds"))
		}))
	}
}

func TestEMOnRealDataIsThatOfTextbooks(t *testing.T) {
	for _, name := range []string{"iris", "wine", "breast-cancer-wisc", "ionosphere"} {
		for _, by := range methods {
			t.Run(name+", "+by.name, func(t *testing.T) { compare(t, loaded(t, name), by, 20) })
		}
	}
}

// With about as many features as rows, some plane divides the groups with no width, so
// the covariance is nearly A − φ1φ2δδᵀ = 0 along one direction.
func TestGroupsWithoutWidth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, by := range methods {
		for _, scale := range []float64{1, 30, 1000} {
			q := &problem{columns: make([][]float32, 8), weight: slices.Repeat([]float64{1}, 6), ridge: 1e-4}
			for k := range q.columns {
				for range q.n() {
					q.columns[k] = append(q.columns[k], float32(scale*rng.NormFloat64()))
				}
			}
			q.startAtHalves()
			compare(t, q, by, 10)
		}
	}
}

// testdata/write.py has the settings. scikit-learn has no shared diagonal covariance.
func TestEMIsThatOfScikitLearn(t *testing.T) {
	text := must.Value(os.ReadFile("testdata/sklearn.json"))
	var stored struct {
		Fits []struct {
			Data, Kind           string
			Ridge, LogLikelihood float64
			Rounds               int
			Weights, LogOdds     []float64
			Means                [2][]float64
		}
	}
	must.Do(json.Unmarshal(text, &stored))
	if len(stored.Fits) != 12 {
		t.Fatalf("%d fits, want 12", len(stored.Fits))
	}
	kinds := map[string]method{"tied": methods[1], "full": methods[2], "diag": methods[3]}
	for _, want := range stored.Fits {
		t.Run(want.Data+", "+want.Kind, func(t *testing.T) {
			q := loaded(t, want.Data)
			r := q.rows()
			m1, m2 := q.starts(r)
			got, ok := kinds[want.Kind].fit(r, m1, m2, want.Ridge, Stop{Rounds: want.Rounds, Tolerance: -1})
			if !ok || !near(got.share1, want.Weights[0], 0, 1e-9) ||
				!near(got.logLikelihood, want.LogLikelihood, want.LogLikelihood, 1e-9) {
				t.Errorf("ok %v, share %v, log-likelihood %v; want %v and %v", ok, got.share1, got.logLikelihood, want.Weights[0],
					want.LogLikelihood)
			}
			for j, means := range want.Means {
				for k, v := range means {
					if g := got.means[j][k] + r.Mean()[k]; !near(g, v, v, 1e-9) {
						t.Errorf("mean %d of feature %d is %v, want %v", j+1, k, g, v)
					}
				}
			}
			for i, v := range want.LogOdds {
				if g := got.logOdds(r.Row(10 * i)); !near(g, v, v, 1e-9) {
					t.Errorf("row %d has log odds %v, want %v", 10*i, g, v)
				}
			}
		})
	}
}

// smallest returns the effective number of rows of the smaller component, (Σγ)² / Σγ².
func (q *problem) smallest(r *Rows, m *fitted) float64 {
	var sum, squares [2]float64
	for i, w := range q.weight {
		first := 1 / (1 + math.Exp(-m.logOdds(r.Row(i))))
		for j, g := range []float64{w * first, w * (1 - first)} {
			sum[j] += g
			squares[j] += g * g
		}
	}
	return min(sum[0]*sum[0]/squares[0], sum[1]*sum[1]/squares[1])
}

// Without a ridge each round is a step of maximum likelihood.
func TestLogLikelihoodNeverFalls(t *testing.T) {
	for _, by := range methods {
		t.Run(by.name, rapid.MakeCheck(func(t *rapid.T) {
			q := drawProblem(t)
			for q.n() < 10*(q.p()+1) { // several times as many rows as features
				q.weight = append(q.weight, q.weight...)
				for k, c := range q.columns {
					for _, v := range c {
						q.columns[k] = append(q.columns[k], v+float32(math.Sin(float64(q.n()+k)*float64(v))))
					}
				}
			}
			q.startAtHalves()
			before := math.Inf(-1)
			for rounds := 1; rounds <= 40; rounds++ {
				r := q.rows()
				m1, m2 := q.starts(r)
				m, ok := by.fit(r, m1, m2, 0, Stop{Rounds: rounds, Tolerance: -1})
				if !ok || q.smallest(r, m) < float64(q.p()+2) {
					break // a component of p rows or fewer has no width, so the likelihood has no bound
				}
				if m.logLikelihood < before-1e-9*math.Abs(before) {
					t.Fatalf("round %d: %v after %v", rounds, m.logLikelihood, before)
				}
				before = m.logLikelihood
			}
		}))
	}
}

func dot(a, b []float64) float64 {
	var sum float64
	for k, v := range a {
		sum += v * b[k]
	}
	return sum
}
